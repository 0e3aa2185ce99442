//===- ViewCheck.cpp - whether views stay inside their buffers ------------===//

#include "Checker.h"

namespace hocket::plan {

bool Checker::checkRead(const char *what, const View &view) {
  if (!checkView(what, view))
    return false;
  Region region = current->buffers[view.buffer].region;
  if (inLoad && (region == Region::Input || region == Region::Output))
    return fail(std::string(what) + " is an input or output, which load does "
                                    "not have");
  return true;
}

bool Checker::checkWrite(const char *what, const View &view) {
  if (!checkRead(what, view))
    return false;
  if (current->buffers[view.buffer].region == Region::Input)
    return fail(std::string(what) + " writes to an input");
  return true;
}

bool Checker::checkScalar(const char *what, const Scalar &scalar) {
  if (scalar.table < -1 || scalar.table >= int64_t(plan.tables.size()))
    return fail(std::string(what) + ": table " + std::to_string(scalar.table) +
                " does not exist, there are " +
                std::to_string(plan.tables.size()));
  for (int64_t number : {scalar.constant, scalar.scale})
    if (number < -largestNumber || number > largestNumber)
      return fail(std::string(what) + ": " + std::to_string(number) +
                  " is out of range");
  return true;
}

bool Checker::checkView(const char *what, const View &view) {
  constexpr size_t mostDims = 32;
  if (view.buffer < 0 || size_t(view.buffer) >= current->buffers.size())
    return fail(std::string(what) + ": buffer " + std::to_string(view.buffer) +
                " does not exist, there are " +
                std::to_string(current->buffers.size()));
  if (view.shape.size() != view.strides.size() ||
      view.shape.size() > mostDims || view.terms.size() > mostDims)
    return fail(std::string(what) + ": shape " + shapeToString(view.shape) +
                " and strides " + shapeToString(view.strides) +
                " do not fit together");
  // Strides of 0 may make a view larger than its buffer, but not beyond what
  // can be counted.
  if (elementCount(view.shape) < 0)
    return fail(std::string(what) + ": shape " + shapeToString(view.shape) +
                " is out of range");
  for (int64_t number : view.strides)
    if (number < -largestNumber || number > largestNumber)
      return fail(std::string(what) + ": stride " + std::to_string(number) +
                  " is out of range");
  if (view.offset < -largestNumber || view.offset > largestNumber)
    return fail(std::string(what) + ": offset " + std::to_string(view.offset) +
                " is out of range");
  for (const Scalar &term : view.terms)
    if (!checkScalar(what, term))
      return false;
  std::vector<int> axes;
  for (const Scalar &term : view.terms)
    if (term.table >= 0)
      axes.insert(axes.end(), plan.tables[term.table].axes.begin(),
                  plan.tables[term.table].axes.end());
  for (int64_t rank : ranksAlong(std::move(axes)))
    if (!checkViewOnRank(what, view, rank))
      return false;
  return true;
}

__int128 Checker::valueOn(int64_t rank, const Scalar &scalar) const {
  __int128 value = scalar.constant;
  if (scalar.table >= 0) {
    const Table &table = plan.tables[scalar.table];
    int64_t at = plan.coordinate(rank, table.axes);
    value += __int128(scalar.scale) * table.values[at];
  }
  return value;
}

bool Checker::checkViewOnRank(const char *what, const View &view,
                              int64_t rank) {
  const Buffer &buffer = current->buffers[view.buffer];
  __int128 first = view.offset;
  for (const Scalar &term : view.terms)
    first += valueOn(rank, term);
  __int128 least = first, most = first;
  bool isEmpty = false;
  for (size_t i = 0; i < view.shape.size(); ++i) {
    isEmpty |= view.shape[i] == 0;
    __int128 reach = __int128(view.shape[i] - 1) * view.strides[i];
    (reach < 0 ? least : most) += reach;
  }
  int64_t elements = buffer.bytes / byteSize(buffer.type);
  // A view without elements is never read, but its address is computed.
  if (isEmpty ? first >= 0 && first <= elements : least >= 0 && most < elements)
    return true;
  auto spell = [](__int128 x) {
    bool fits = x >= -largestNumber && x <= largestNumber;
    return fits ? std::to_string(int64_t(x))
                : std::string(x < 0 ? "below "
                                      "-2^40"
                                    : "above "
                                      "2^40");
  };
  return fail(std::string(what) + " reaches elements " + spell(least) + " to " +
              spell(most) + " of buffer " + std::to_string(view.buffer) +
              ", which has " + std::to_string(elements) + ", on rank " +
              std::to_string(rank));
}

} // namespace hocket::plan
