//===- WindowCheck.cpp - operands of convolutions -------------------------===//

#include "Checker.h"
#include "PlanFields.h"

namespace hocket::plan {

/// Numbers of a window by dim, and what y has to have where x, weight and they
/// say so.
bool Checker::checkWindow(const Convolution &c) {
  size_t dims = c.x.shape.size() - 2;
  for (auto [what, list, least] :
       {std::tuple("strides", &c.strides, 1),
        std::tuple("dilations", &c.dilations, 1),
        std::tuple("lows", &c.lows, 0), std::tuple("highs", &c.highs, 0)}) {
    if (list->size() != dims)
      return fail(std::string(what) + " has " + std::to_string(list->size()) +
                  " entries, x has " + std::to_string(dims) + " spatial dims");
    for (int64_t value : *list)
      if (value < least || value > largestNumber)
        return fail(std::string(what) + " has " + std::to_string(value) +
                    ", expected " + std::to_string(least) + " or more");
  }
  const auto &x = c.x.shape, &weight = c.weight.shape;
  if (c.groups < 1 || x[1] != weight[1] * c.groups || weight[0] % c.groups != 0)
    return fail("weight has shape " + shapeToString(weight) + ", which " +
                std::to_string(c.groups) + " groups of " +
                std::to_string(x[1]) + " channels have not");
  std::vector<int64_t> expected = {x[0], weight[0]};
  for (size_t dim = 0; dim < dims; ++dim) {
    if (weight[dim + 2] < 1)
      return fail("weight has shape " + shapeToString(weight) +
                  ", expected a tap in every dim");
    // No product: extents are bounded, and so are dilations.
    int64_t rest = x[dim + 2] + c.lows[dim] + c.highs[dim] - 1;
    bool fits = (weight[dim + 2] - 1) <= rest / c.dilations[dim];
    rest -= fits ? c.dilations[dim] * (weight[dim + 2] - 1) : 0;
    expected.push_back(fits && rest >= 0 ? rest / c.strides[dim] + 1 : 0);
  }
  return checkShape("y", c.y, expected);
}

bool Checker::checkConvolutionTypes(const Convolution &c) {
  const View &result = c.pass == ConvolutionPass::Forward         ? c.y
                       : c.pass == ConvolutionPass::InputGradient ? c.x
                                                                  : c.weight;
  const View &other =
      c.pass == ConvolutionPass::WeightGradient ? c.x : c.weight;
  const View &first = c.pass == ConvolutionPass::Forward ? c.x : c.y;
  DType type = typeOf(first);
  bool isNarrow = type == DType::F16 || type == DType::BF16;
  if (!isNarrow && type != DType::F32 && type != DType::F64)
    return fail(std::string("is of ") + toString(type) +
                ", expected a type of floats");
  if (!checkType(c.pass == ConvolutionPass::WeightGradient ? "x" : "weight",
                 other, type))
    return false;
  if (typeOf(result) != type && !(isNarrow && typeOf(result) == DType::F32))
    return fail(std::string("its result is ") + toString(typeOf(result)) +
                ", expected " + toString(type));
  return c.bias.buffer < 0 || typeOf(c.bias) == typeOf(result) ||
         checkType("bias", c.bias, type);
}

bool Checker::checkBody(const Convolution &c) {
  using Pass = ConvolutionPass;
  auto check = [&](const char *what, const View &view, bool isResult) {
    return isResult ? checkWrite(what, view) : checkRead(what, view);
  };
  if (!check("x", c.x, c.pass == Pass::InputGradient) ||
      !check("weight", c.weight, c.pass == Pass::WeightGradient) ||
      !check("y", c.y, c.pass == Pass::Forward))
    return false;
  size_t rank = c.x.shape.size();
  if (rank < 3 || rank > 5 || c.weight.shape.size() != rank)
    return fail("x has " + std::to_string(rank) + " dims and weight " +
                std::to_string(c.weight.shape.size()) +
                ", expected 3 to 5, equally");
  if (!checkWindow(c))
    return false;
  if (c.bias.buffer >= 0) {
    if (c.pass != Pass::Forward)
      return fail("has a bias, which a gradient does not read");
    if (!checkRead("bias", c.bias) ||
        !checkShape("bias", c.bias, {c.y.shape[1]}))
      return false;
  }
  return checkConvolutionTypes(c);
}

} // namespace hocket::plan
