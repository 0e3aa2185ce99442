//===- PoolingCheck.cpp - operands of poolings ----------------------------===//

#include "Checker.h"
#include <algorithm>

namespace hocket::plan {

/// Numbers of the window by dim, batch and channels of the operands.
bool Checker::checkPoolingShapes(const Pooling &p) {
  const View &input = p.isGradient ? p.dx : p.x;
  size_t rank = input.shape.size();
  if (rank < 3 || rank > 5 || p.y.shape.size() != rank)
    return fail("input has " + std::to_string(rank) + " dims and y " +
                std::to_string(p.y.shape.size()) +
                ", expected 3 to 5, equally");
  for (auto [what, list, least] :
       {std::tuple("taps", &p.taps, 1), std::tuple("strides", &p.strides, 1),
        std::tuple("dilations", &p.dilations, 1),
        std::tuple("lows", &p.lows, 0), std::tuple("highs", &p.highs, 0),
        std::tuple("extents", &p.extents, 0)}) {
    if (list->size() != rank - 2)
      return fail(std::string(what) + " has " + std::to_string(list->size()) +
                  " entries, there are " + std::to_string(rank - 2) +
                  " spatial dims");
    for (int64_t value : *list)
      if (value < least || value > largestNumber)
        return fail(std::string(what) + " has " + std::to_string(value) +
                    ", expected " + std::to_string(least) + " or more");
  }
  if (p.xFirst.size() != rank - 2 || p.yFirst.size() != rank - 2)
    return fail("begins in " + std::to_string(p.xFirst.size()) + " and " +
                std::to_string(p.yFirst.size()) + " dims, there are " +
                std::to_string(rank - 2));
  if (p.y.shape[0] != input.shape[0] || p.y.shape[1] != input.shape[1])
    return fail("y has shape " + shapeToString(p.y.shape) + ", its input " +
                shapeToString(input.shape));
  for (const std::vector<Scalar> *firsts : {&p.xFirst, &p.yFirst})
    for (const Scalar &first : *firsts)
      if (!checkScalar("a first position", first))
        return false;
  return true;
}

/// The rank holds the data that its windows read.
bool Checker::checkPositions(const Pooling &p, size_t dim, int64_t rank) {
  const View &input = p.isGradient ? p.dx : p.x;
  int64_t held = input.shape[dim + 2], results = p.y.shape[dim + 2];
  __int128 first = valueOn(rank, p.xFirst[dim]);
  __int128 begin = valueOn(rank, p.yFirst[dim]);
  for (int64_t tap : {int64_t(0), p.taps[dim] - 1})
    for (__int128 o : {begin, begin + results - 1}) {
      __int128 at =
          o * p.strides[dim] - p.lows[dim] + __int128(tap) * p.dilations[dim];
      // Beyond the data a window ends with it.
      at = std::clamp<__int128>(at, 0, p.extents[dim] - 1);
      if (results > 0 && p.extents[dim] > 0 &&
          (at < first || at >= first + held))
        return fail("rank " + std::to_string(rank) + " reads position " +
                    std::to_string(int64_t(at)) + " of dim " +
                    std::to_string(dim + 2) + ", it holds " +
                    std::to_string(int64_t(first)) + " to " +
                    std::to_string(int64_t(first + held)));
    }
  return true;
}

bool Checker::checkBody(const Pooling &p) {
  bool isIndex = p.kind == PoolingKind::MaxIndex;
  if (isIndex && p.isGradient)
    return fail("is the gradient of an index, which has none");
  bool readsX = !p.isGradient || p.kind == PoolingKind::Max;
  if (readsX != (p.x.buffer >= 0) || p.isGradient != (p.dx.buffer >= 0))
    return fail("takes x unless it is the gradient of a mean, and dx if it is "
                "a gradient");
  if (!(p.isGradient ? checkRead("y", p.y) : checkWrite("y", p.y)) ||
      (readsX && !checkRead("x", p.x)) ||
      (p.isGradient && !checkWrite("dx", p.dx)))
    return false;
  if (isIndex && !checkType("y", p.y, DType::I64))
    return false;
  DType type = typeOf(isIndex ? p.x : p.y);
  if (type != DType::F32 && type != DType::F64 && type != DType::F16 &&
      type != DType::BF16)
    return fail(std::string("is of ") + toString(type) +
                ", expected a type of floats");
  if ((readsX && !checkType("x", p.x, type)) ||
      (p.isGradient && !checkType("dx", p.dx, type)) || !checkPoolingShapes(p))
    return false;
  if (readsX && p.isGradient && !checkShape("x", p.x, p.dx.shape))
    return false;
  for (int64_t rank : current->ranks)
    for (size_t dim = 0; dim < p.taps.size(); ++dim)
      if (!checkPositions(p, dim, rank))
        return false;
  return true;
}

} // namespace hocket::plan
