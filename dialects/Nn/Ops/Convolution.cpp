//===- Convolution.cpp - shape, placement and derivatives of convolutions -===//
//
// nn.conv, its transpose and the gradient of its weight are one sum of products
// over three tensors, read from three sides: x [b, c, s...], weight [o, c /
// groups, k...] and y [b, o, n...]. So one rule serves them all: an index that
// the result lacks is contracted.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

//===-- Windows -----------------------------------------------------------===//

/// The window of each spatial dim of x.
template <class OpTy>
static SmallVector<Window> windowsOf(OpTy op, Value x, Value weight) {
  SmallVector<Window> windows;
  for (auto [i, stride] : llvm::enumerate(op.getStrides())) {
    Window window;
    window.extent = dimsOf(x)[i + 2].getSize();
    window.kernel = dimsOf(weight)[i + 2].getSize();
    window.stride = stride;
    window.dilation = op.getDilations()[i];
    window.low = op.getLows()[i];
    window.high = op.getHighs()[i];
    window.border = op.getBorders().getValue()[i];
    windows.push_back(window);
  }
  return windows;
}

/// As an interface tells them: of all dims.
template <class OpTy>
static SmallVector<std::optional<Window>> byDim(OpTy op, Value x,
                                                Value weight) {
  SmallVector<std::optional<Window>> windows(2); // batch and channels
  llvm::append_range(windows, windowsOf(op, x, weight));
  return windows;
}

/// One rank's operation: its groups are those of the channels that it has.
template <class OpTy>
static void setPaddingOf(OpTy op, ArrayRef<int64_t> lows,
                         ArrayRef<int64_t> highs, Value x, Value weight) {
  op.setLows(lows);
  op.setHighs(highs);
  op.setBordersAttr(zeroBorders(op.getContext(), lows.size()));
  int64_t perGroup = dimsOf(weight)[1].getSize();
  if (op.getGroups() > 1 && perGroup > 0)
    op.setGroups(dimsOf(x)[1].getSize() / perGroup);
}

void ConvOp::setPadding(ArrayRef<int64_t> lows, ArrayRef<int64_t> highs) {
  setPaddingOf(*this, lows, highs, getX(), getWeight());
}
void ConvTransposeOp::setPadding(ArrayRef<int64_t> lows,
                                 ArrayRef<int64_t> highs) {
  setPaddingOf(*this, lows, highs, getResult(), getWeight());
}
void ConvGradWeightOp::setPadding(ArrayRef<int64_t> lows,
                                  ArrayRef<int64_t> highs) {
  setPaddingOf(*this, lows, highs, getX(), getResult());
}

SmallVector<Value> ConvOp::getPositions() { return {getX()}; }
Value ConvOp::getWindowed() { return getResult(); }
SmallVector<std::optional<Window>> ConvOp::getWindows() {
  return byDim(*this, getX(), getWeight());
}
SmallVector<Value> ConvTransposeOp::getPositions() { return {getResult()}; }
Value ConvTransposeOp::getWindowed() { return getY(); }
SmallVector<std::optional<Window>> ConvTransposeOp::getWindows() {
  return byDim(*this, getResult(), getWeight());
}
SmallVector<Value> ConvGradWeightOp::getPositions() { return {getX()}; }
Value ConvGradWeightOp::getWindowed() { return getDy(); }
SmallVector<std::optional<Window>> ConvGradWeightOp::getWindows() {
  return byDim(*this, getX(), getResult());
}

//===-- Shapes ------------------------------------------------------------===//

/// (C1) to (C3), of the attributes.
template <class Adaptor>
static LogicalResult checkAttributes(std::optional<Location> location, Value x,
                                     Value weight, Adaptor adaptor) {
  size_t rank = dimsOf(x).size();
  if (rank < 3 || rank > 5 || dimsOf(weight).size() != rank) // (C1)
    return emitOptionalError(
        location,
        "conv takes x of 3 to 5 dims, batch, channels and 1 to 3 dims to slide "
        "over, and a weight of as many, but x is ",
        describe(x.getType()), " and the weight ", describe(weight.getType()));
  size_t spatial = rank - 2;
  auto isEach = [&](ArrayRef<int64_t> numbers, int64_t least) {
    return numbers.size() == spatial &&
           llvm::all_of(numbers, [&](int64_t n) { return n >= least; });
  };
  if (!isEach(adaptor.getStrides(), 1) || // (C2)
      !isEach(adaptor.getDilations(), 1) || !isEach(adaptor.getLows(), 0) ||
      !isEach(adaptor.getHighs(), 0) ||
      adaptor.getBorders().getValue().size() != spatial)
    return emitOptionalError(
        location,
        "conv takes a stride and a dilation of at least 1, a padding "
        "of at least 0 and a border zero, reflect, replicate or "
        "circular for each of its ",
        spatial, " spatial dims");
  int64_t groups = adaptor.getGroups();
  int64_t channels = dimsOf(x)[1].getSize(), outs = dimsOf(weight)[0].getSize();
  // A rank may have channels of no group.
  bool isNothing = groups == 0 && channels == 0 && outs == 0;
  if (!isNothing && (groups < 1 || outs % groups != 0 || // (C3)
                     dimsOf(weight)[1].getSize() * groups != channels))
    return emitOptionalError(
        location, "conv takes a weight of [out, ", channels, " channels / ",
        groups, groups == 1 ? " group" : " groups",
        ", ...], whose out dim the groups divide, but the weight is ",
        describe(weight.getType()));
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX(), weight = adaptor.getWeight();
  Value bias = adaptor.getBias();
  if (failed(checkAttributes(location, x, weight, adaptor)))
    return failure();
  DimAttr out = dimsOf(weight)[0];
  if (bias && (dimsOf(bias).size() != 1 || // (C4)
               dimsOf(bias)[0].getSize() != out.getSize()))
    return emitOptionalError(location, "conv takes a bias of one dim of ",
                             out.getSize(), ", the out dim of the weight ",
                             describe(weight.getType()), ", but the bias is ",
                             describe(bias.getType()));
  for (Value other : adaptor.getOperands()) // (C5)
    if (elementTypeOf(other) != elementTypeOf(x))
      return emitOptionalError(
          location, "conv takes tensors of one element type, but got ",
          describe(x.getType()), " and ", describe(other.getType()));
  SmallVector<DimAttr> dims = {dimsOf(x)[0],
                               bias ? commonDim(out, dimsOf(bias)[0]) : out};
  for (auto [i, window] : llvm::enumerate(windowsOf(adaptor, x, weight))) {
    DimAttr dim = dimsOf(x)[i + 2];
    if (failed(checkWindow(location, "conv", window, dim, i + 2))) // (C6)
      return failure();
    bool isSame = window.results() == window.extent;
    dims.push_back(
        isSame ? dim : dimOf(context, dim.getDisplayName(), window.results()));
  }
  types.push_back(tensorOf(elementTypeOf(x), LayoutAttr::get(context, dims)));
  return success();
}

/// (C1) of the transpose and of the gradient: nn.conv of x and weight gives y.
template <class OpTy>
static LogicalResult verifyAsConv(OpTy op, Value x, Value weight, Value y) {
  ConvOp::Properties forward;
  forward.strides = op.getStridesAttr();
  forward.dilations = op.getDilationsAttr();
  forward.lows = op.getLowsAttr();
  forward.highs = op.getHighsAttr();
  forward.borders = op.getBordersAttr();
  forward.groups = op.getGroupsAttr();
  SmallVector<Type> types;
  SmallVector<Value> operands = {x, weight};
  if (failed(ConvOp::inferReturnTypes(op.getContext(), op.getLoc(), operands,
                                      DictionaryAttr::get(op.getContext()),
                                      &forward, {}, types)))
    return failure();
  if (!haveSameShapes(types, y.getType()))
    return op.emitOpError()
           << "is of a convolution that gives " << describe(types.front())
           << ", but that is " << describe(y.getType());
  return success();
}

LogicalResult ConvTransposeOp::verify() {
  return verifyAsConv(*this, getResult(), getWeight(), getY());
}

LogicalResult ConvGradWeightOp::verify() {
  return verifyAsConv(*this, getX(), getResult(), getDy());
}

//===-- Placement ---------------------------------------------------------===//

namespace {
/// Which value of the operation is which.
struct Roles {
  DimOf x, weight, y;
  std::optional<DimOf> bias;
};
} // namespace

static DimOf at(DimOf value, int64_t dim) {
  value.dim = dim;
  return value;
}

/// An index: pointwise where a result has it, else contracted.
static void addIndex(RuleBuilder &rule, ArrayRef<DimOf> dims) {
  if (llvm::any_of(dims, [](DimOf dim) { return dim.isResult; }))
    return rule.add(dims);
  rule.contract(dims, Reduction::Sum);
}

/// Channels of several groups: the group is an index of all three, beside what
/// x and the weight share and what the weight and y do.
static void addGroups(RuleBuilder &rule, const Roles &roles, int64_t groups,
                      MLIRContext *context) {
  auto add = [&](StringRef name, int64_t size, bool isContracted) {
    auto factor =
        FactorAttr::get(context, StringAttr::get(context, name), size);
    return rule.addFactor(factor, isContracted ? FactorUse::Contracted
                                               : FactorUse::Pointwise);
  };
  DimOf x = at(roles.x, 1), in = at(roles.weight, 1);
  DimOf out = at(roles.weight, 0), y = at(roles.y, 1);
  int group = add("groups", groups, false);
  int channel = add("", rule.sizeOf(in), !x.isResult && !in.isResult);
  int made = add("", rule.sizeOf(out) / groups, !out.isResult && !y.isResult);
  rule.factorsOf(x) = {group, channel};
  rule.factorsOf(in) = {channel};
  rule.factorsOf(out) = {group, made};
  rule.factorsOf(y) = {group, made};
  if (roles.bias)
    rule.factorsOf(at(*roles.bias, 0)) = {group, made};
}

static PlacementRule ruleOf(WindowedOp op, const Roles &roles, int64_t groups) {
  RuleBuilder rule(op, "the product of two sums is not the sum of the "
                       "products");
  addIndex(rule, {at(roles.x, 0), at(roles.y, 0)});
  if (groups > 1) {
    addGroups(rule, roles, groups, op.getContext());
  } else {
    addIndex(rule, {at(roles.x, 1), at(roles.weight, 1)});
    SmallVector<DimOf> outs = {at(roles.weight, 0), at(roles.y, 1)};
    if (roles.bias)
      outs.push_back(at(*roles.bias, 0));
    addIndex(rule, outs);
  }
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    if (!window)
      continue;
    rule.addWindows(at(roles.x, dim), at(roles.y, dim), *window);
    rule.add({at(roles.weight, dim)}, FactorUse::Whole,
             "every rank slides the whole kernel");
  }
  for (unsigned i = 0; i < 2; ++i)
    rule.partial(i, PartialUse::Linear);
  if (roles.bias)
    rule.partial(2, PartialUse::Addend);
  return rule.take();
}

PlacementRule ConvOp::getPlacementRule() {
  Roles roles{operand(0, 0), operand(1, 0), result(0), std::nullopt};
  if (getBias())
    roles.bias = operand(2, 0);
  return ruleOf(*this, roles, getGroups());
}

PlacementRule ConvTransposeOp::getPlacementRule() {
  return ruleOf(*this, {result(0), operand(1, 0), operand(0, 0), std::nullopt},
                getGroups());
}

PlacementRule ConvGradWeightOp::getPlacementRule() {
  return ruleOf(*this, {operand(0, 0), result(0), operand(1, 0), std::nullopt},
                getGroups());
}

//===-- Derivatives -------------------------------------------------------===//

static Type typeLike(Value value) {
  return tensorOf(elementTypeOf(value), layoutOf(value).withoutPlacement());
}

template <class OpTy, class Like>
static Value makeLike(Derivative &d, Like op, Type type, Value a, Value b) {
  return d.makeTyped<OpTy>(
      type, a, b, op.getStridesAttr(), op.getDilationsAttr(), op.getLowsAttr(),
      op.getHighsAttr(), op.getBordersAttr(), op.getGroupsAttr());
}

void ConvOp::differentiate(Derivative &d) {
  Value dy = d.cotangent();
  // Positions are cut as those of x are.
  if (d.isWanted(0))
    d.give(0, makeLike<ConvTransposeOp>(d, *this, getX().getType(), dy,
                                        d.read(getWeight())));
  if (d.isWanted(1))
    d.give(1, makeLike<ConvGradWeightOp>(d, *this, typeLike(getWeight()),
                                         d.read(getX()), dy));
  if (!getBias() || !d.isWanted(2))
    return;
  SmallVector<int64_t> summed = {0};
  for (int64_t dim = 2, rank = dimsOf(dy).size(); dim < rank; ++dim)
    summed.push_back(dim);
  d.give(2, d.reduce(ReduceKind::Sum, dy, summed, /*keepdim=*/false));
}

void ConvTransposeOp::differentiate(Derivative &d) {
  Value dx = d.cotangent();
  if (d.isWanted(0))
    d.give(0, d.make<ConvOp>(dx, d.read(getWeight()), Value(), getStridesAttr(),
                             getDilationsAttr(), getLowsAttr(), getHighsAttr(),
                             getBordersAttr(), getGroupsAttr()));
  if (d.isWanted(1))
    d.give(1, makeLike<ConvGradWeightOp>(d, *this, typeLike(getWeight()), dx,
                                         d.read(getY())));
}

void ConvGradWeightOp::differentiate(Derivative &d) {
  d.refuse("the derivative of a gradient");
}
