//===- Neighborhood.cpp - shape and placement of neighborhood attention ---===//

#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Ops/AttentionRule.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

//===-- Shapes ------------------------------------------------------------===//

/// (C1), (C2): k and v have the dims of q, except the number of heads and the
/// last dim of v. A rank holds more positions of k and v than of q.
static LogicalResult checkDims(std::optional<Location> location, Value q,
                               Value k, Value v, bool isPart) {
  size_t rank = dimsOf(q).size();
  bool isRank = rank >= 4 && rank <= 6;
  for (Value other : {k, v})
    if (!isRank || dimsOf(other).size() != rank)
      return emitOptionalError(
          location, "neighborhood attention takes q, k and v of batch, heads, ",
          "1 to 3 dims of positions and head dim, but they are ",
          describe(q.getType()), ", ", describe(k.getType()), " and ",
          describe(v.getType()));
  for (size_t dim = 0; dim < rank; ++dim) {
    bool isPosition = dim >= 2 && dim + 1 < rank;
    bool meetsQuery = dim != 1 && !(isPosition && isPart);
    int64_t ofQ = dimsOf(q)[dim].getSize(), ofK = dimsOf(k)[dim].getSize();
    int64_t ofV = dimsOf(v)[dim].getSize();
    if ((meetsQuery && ofQ != ofK) || (dim + 1 < rank && ofK != ofV))
      return emitOptionalError(
          location,
          "neighborhood attention takes q, k and v of one shape, "
          "except the number of heads of k and v and the head dim of v, but "
          "they are ",
          describe(q.getType()), ", ", describe(k.getType()), " and ",
          describe(v.getType()));
  }
  return success();
}

/// (C5), (C6).
static LogicalResult checkWindows(std::optional<Location> location, Value q,
                                  const NeighborhoodWindows &windows,
                                  bool isPart) {
  size_t dims = dimsOf(q).size() - 3;
  for (size_t count : {windows.kernels.size(), windows.strides.size(),
                       windows.dilations.size(), windows.causal.size()})
    if (count != dims)
      return emitOptionalError(location, "neighborhood attention over ", dims,
                               " dims takes as many kernels, strides, "
                               "dilations and causal, but got ",
                               count);
  for (size_t i = 0; i < dims; ++i) {
    int64_t kernel = windows.kernels[i], stride = windows.strides[i];
    int64_t dilation = windows.dilations[i];
    DimAttr dim = dimsOf(q)[i + 2];
    std::string name = dim.getDisplayName();
    name = name.empty() ? "dim " + std::to_string(i + 2) : "'" + name + "'";
    if (kernel < 1 || stride < 1 || dilation < 1)
      return emitOptionalError(location,
                               "neighborhood attention takes a kernel, a "
                               "stride and a dilation of at least 1, but over ",
                               name, " they are ", kernel, ", ", stride,
                               " and ", dilation);
    if (stride > kernel)
      return emitOptionalError(
          location,
          "neighborhood attention takes a stride of at most its "
          "kernel, for else some keys are seen by no query, but over ",
          name, " the stride is ", stride, " and the kernel ", kernel);
    int64_t room = dim.getSize() / dilation;
    if (!isPart && kernel > room)
      return emitOptionalError(
          location, "neighborhood attention shows each query ", kernel,
          " keys of ", name, ", ", dilation, " apart, which takes ",
          kernel * dilation, " positions, but it has ", dim.getSize(),
          room < 1 ? "; it takes a dilation of at most that many"
                   : "; it takes a kernel of at most " + std::to_string(room));
  }
  return success();
}

FailureOr<Type> nn::neighborhoodResult(std::optional<Location> location,
                                       Value q, Value k, Value v,
                                       const NeighborhoodWindows &windows,
                                       bool isPart) {
  if (failed(checkDims(location, q, k, v, isPart)) ||
      failed(checkWindows(location, q, windows, isPart)))
    return failure();
  for (Value other : {k, v}) // (C4)
    if (elementTypeOf(other) != elementTypeOf(q))
      return FailureOr<Type>(emitOptionalError(
          location,
          "neighborhood attention takes q, k and v of one element type, but "
          "got ",
          describe(q.getType()), " and ", describe(other.getType())));
  SmallVector<DimAttr> dims(dimsOf(q).drop_back());
  dims.push_back(dimsOf(v).back());
  return Type(
      tensorOf(elementTypeOf(q), LayoutAttr::get(q.getContext(), dims)));
}

LogicalResult NeighborhoodAttentionOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Value q = adaptor.getQ(), k = adaptor.getK();
  FailureOr<Type> type =
      neighborhoodResult(location, q, k, adaptor.getV(),
                         {adaptor.getKernels(), adaptor.getStrides(),
                          adaptor.getDilations(), adaptor.getCausal()},
                         /*isPart=*/false);
  if (failed(type))
    return failure();
  int64_t heads = dimsOf(q)[1].getSize(), groups = dimsOf(k)[1].getSize();
  if (groups == 0 ? heads != 0 : heads % groups != 0) // (C3)
    return emitOptionalError(
        location, "neighborhood attention takes a multiple of the ", groups,
        " heads of k and v as heads of q, but q has ", heads);
  types.push_back(*type);
  return success();
}

LogicalResult NeighborhoodAttentionGradOp::verify() {
  NeighborhoodAttentionOp::Properties forward; // (C1)
  forward.kernels = getKernelsAttr();
  forward.strides = getStridesAttr();
  forward.dilations = getDilationsAttr();
  forward.causal = getCausalAttr();
  forward.scale = getScaleAttr();
  SmallVector<Type> types;
  if (failed(NeighborhoodAttentionOp::inferReturnTypes(
          getContext(), getLoc(), {getQ(), getK(), getV()},
          (*this)->getDiscardableAttrDictionary(), &forward, {}, types)))
    return failure();
  return verifyGradients(*this, types); // (C2), (C3)
}

//===-- Windows -----------------------------------------------------------===//

/// Of all dims; batch, heads and head dim have none.
template <class OpTy>
static SmallVector<std::optional<Window>> windowsOf(OpTy op) {
  SmallVector<std::optional<Window>> windows(2);
  for (size_t i = 0; i < op.getKernels().size(); ++i) {
    Neighborhood neighborhood;
    neighborhood.extent = dimsOf(op.getQ())[i + 2].getSize();
    neighborhood.kernel = op.getKernels()[i];
    neighborhood.stride = op.getStrides()[i];
    neighborhood.dilation = op.getDilations()[i];
    neighborhood.causal = op.getCausal()[i];
    windows.push_back(Window::of(neighborhood));
  }
  windows.push_back(std::nullopt);
  return windows;
}

SmallVector<Value> NeighborhoodAttentionOp::getPositions() {
  return {getK(), getV()};
}
Value NeighborhoodAttentionOp::getWindowed() { return getResult(); }
SmallVector<std::optional<Window>> NeighborhoodAttentionOp::getWindows() {
  return windowsOf(*this);
}
void NeighborhoodAttentionOp::setPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {
}

SmallVector<Value> NeighborhoodAttentionGradOp::getPositions() {
  return {getK(), getV(), getDk(), getDv()};
}
Value NeighborhoodAttentionGradOp::getWindowed() { return getDout(); }
SmallVector<std::optional<Window>> NeighborhoodAttentionGradOp::getWindows() {
  return windowsOf(*this);
}
void NeighborhoodAttentionGradOp::setPadding(ArrayRef<int64_t>,
                                             ArrayRef<int64_t>) {}

//===-- Placement ---------------------------------------------------------===//

namespace {
/// What has queries' dims, and what has those of keys; of each the first has a
/// head dim that is contracted, the others that of v.
struct Roles {
  SmallVector<DimOf> queries, keys;
  SmallVector<DimOf> headDims, widths;
};
} // namespace

static SmallVector<DimOf> at(ArrayRef<DimOf> values, int64_t dim) {
  return llvm::map_to_vector(values, [&](DimOf value) {
    value.dim = dim;
    return value;
  });
}

template <class OpTy>
static void addRule(RuleBuilder &rule, OpTy op, const Roles &roles) {
  int64_t last = dimsOf(op.getQ()).size() - 1;
  SmallVector<DimOf> all = at(roles.queries, 0);
  llvm::append_range(all, at(roles.keys, 0));
  rule.add(all);
  addHeads(rule, at(roles.queries, 1), at(roles.keys, 1));
  for (auto [dim, window] : llvm::enumerate(windowsOf(op))) {
    if (!window)
      continue;
    SmallVector<DimOf> keys = at(roles.keys, dim);
    // Keys may be whole where queries are split: each rank finds its windows.
    if (rule.addWindows(keys, at(roles.queries, dim), *window))
      for (DimOf key : keys)
        rule.picks(key, rule.factorsOf(key));
  }
  rule.add(at(roles.headDims, last), FactorUse::Whole,
           "the product of a query and a key needs the whole head dim");
  rule.add(at(roles.widths, last));
}

PlacementRule NeighborhoodAttentionOp::getPlacementRule() {
  RuleBuilder rule(*this, "attention weights of a sum are not the sum of the "
                          "attention weights");
  DimOf q = operand(0, 0), k = operand(1, 0), v = operand(2, 0);
  Roles roles = {{q, result(0)}, {k, v}, {q, k}, {v, result(0)}};
  if (getLse()) {
    roles.queries.push_back(resultOf(1, 0));
    rule.ignores(1, 2);
  }
  addRule(rule, *this, roles);
  rule.partial(2, PartialUse::Linear);
  return rule.take();
}

PlacementRule NeighborhoodAttentionGradOp::getPlacementRule() {
  RuleBuilder rule(*this, "the gradients of attention are linear in the "
                          "gradient of its result alone");
  DimOf q = operand(0, 0), k = operand(1, 0), v = operand(2, 0);
  DimOf dout = operand(3, 0), out = operand(4, 0), lse = operand(5, 0);
  DimOf dq = resultOf(0, 0), dk = resultOf(1, 0), dv = resultOf(2, 0);
  addRule(rule, *this,
          {{q, dout, out, lse, dq},
           {k, v, dk, dv},
           {q, k, dq, dk},
           {v, dout, out, dv}});
  rule.partial(3, PartialUse::Linear);
  return rule.take();
}

//===-- Derivatives -------------------------------------------------------===//

void NeighborhoodAttentionOp::differentiate(Derivative &d) {
  Value q = d.read(getQ()), k = d.read(getK()), v = d.read(getV());
  auto gradient = d.makeTyped<NeighborhoodAttentionGradOp>(
      q.getType(), k.getType(), v.getType(), q, k, v, d.cotangent(),
      d.read(getResult()), d.read(getLse()), getKernelsAttr(), getStridesAttr(),
      getDilationsAttr(), getCausalAttr(), getScaleAttr());
  for (unsigned i = 0; i < 3; ++i)
    if (d.isWanted(i))
      d.give(i, gradient->getResult(i));
}

void NeighborhoodAttentionGradOp::differentiate(Derivative &d) {
  d.refuse("the derivative of a gradient");
}
