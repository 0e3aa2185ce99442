//===- Edges.cpp - gather and scatter along the edges of a graph ----------===//
//
// An edge reads, or adds to, one node: a window of one position that a list
// names. Edges are where their owners are, the nodes that they lead to; so what
// is gathered from there, or added there, is on the same rank, and the other
// ends are in the rank's nodes and a halo around them.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

//===-- Shapes ------------------------------------------------------------===//

static bool areIn(ArrayRef<int64_t> indices, int64_t extent) {
  return llvm::all_of(
      indices, [&](int64_t index) { return index >= 0 && index < extent; });
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  SmallVector<DimAttr> dims(dimsOf(x));
  int64_t dim = adaptor.getDim(), rank = dims.size();
  if (dim < 0 || dim >= rank) // (C1)
    return emitOptionalError(location, "gather reads along dim ", dim, " of ",
                             describe(x.getType()));
  if (!areIn(adaptor.getIndices(), dims[dim].getSize())) // (C2)
    return emitOptionalError(location, "gather names nodes in [0, ",
                             dims[dim].getSize(), "), of dim ", dim, " of ",
                             describe(x.getType()));
  ArrayRef<int64_t> owners = adaptor.getOwners();
  bool isLocal = owners.empty();
  if ((!isLocal && owners.size() != adaptor.getIndices().size()) ||
      !areIn(owners, adaptor.getOwnerExtent())) // (C3)
    return emitOptionalError(location,
                             "gather takes an owner in [0, owner_extent) for "
                             "each of the ",
                             adaptor.getIndices().size(), " edges");
  dims[dim] = dimOf(context, "edges", adaptor.getIndices().size());
  types.push_back(tensorOf(elementTypeOf(x), LayoutAttr::get(context, dims)));
  return success();
}

LogicalResult ScatterSumOp::verify() {
  GatherOp::Properties gather;
  gather.dim = getDimAttr();
  gather.indices = getIndicesAttr();
  gather.owners = getOwnersAttr();
  gather.owner_extent = getOwnerExtentAttr();
  SmallVector<Type> types;
  SmallVector<Value> operands = {getResult()};
  if (failed(GatherOp::inferReturnTypes(getContext(), getLoc(), operands,
                                        DictionaryAttr::get(getContext()),
                                        &gather, {}, types)))
    return failure();
  if (!haveSameShapes(types, getY().getType())) // (C1)
    return emitOpError() << "adds edges of " << describe(types.front())
                         << ", but y is " << describe(getY().getType());
  if (!getLike())
    return success();
  int64_t dim = getDim();
  ArrayRef<DimAttr> like = dimsOf(getLike()), made = dimsOf(getResult());
  if (like.size() != made.size() ||
      like[dim].getSize() != made[dim].getSize()) // (C2)
    return emitOpError() << "makes " << describe(getType())
                         << ", whose nodes are not those of 'like', "
                         << describe(getLike().getType());
  return success();
}

//===-- Windows -----------------------------------------------------------===//

template <class OpTy> static Window windowOf(OpTy op, Value nodes) {
  Window window;
  window.extent = dimsOf(nodes)[op.getDim()].getSize();
  window.lookup =
      Lookup{op.getIndices(), op.getOwners(), int64_t(op.getOwnerExtent())};
  return window;
}

template <class OpTy>
static SmallVector<std::optional<Window>> windowsOf(OpTy op, Value nodes) {
  SmallVector<std::optional<Window>> windows(dimsOf(nodes).size());
  windows[op.getDim()] = windowOf(op, nodes);
  return windows;
}

SmallVector<Value> GatherOp::getPositions() { return {getX()}; }
Value GatherOp::getWindowed() { return getResult(); }
SmallVector<std::optional<Window>> GatherOp::getWindows() {
  return windowsOf(*this, getX());
}
void GatherOp::setPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {}

SmallVector<Value> ScatterSumOp::getPositions() { return {getResult()}; }
Value ScatterSumOp::getWindowed() { return getY(); }
SmallVector<std::optional<Window>> ScatterSumOp::getWindows() {
  return windowsOf(*this, getResult());
}
void ScatterSumOp::setPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {}

//===-- Placement ---------------------------------------------------------===//

static const char *const unsorted =
    "edges are on the ranks of their targets, which the list does not name in "
    "order; sort it: e[:, e[1].argsort(kind='stable')] in NumPy";

PlacementRule GatherOp::getPlacementRule() {
  RuleBuilder rule(*this);
  int64_t along = getDim(), rank = dimsOf(getX()).size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != along) {
      rule.add({operand(0, dim), result(dim)});
    } else if (llvm::is_sorted(getOwners())) {
      rule.addWindows({operand(0, dim)}, {result(dim)},
                      windowOf(*this, getX()));
    } else {
      rule.add({operand(0, dim)}, FactorUse::Whole, unsorted);
      rule.add({result(dim)});
    }
  }
  rule.partial(0, PartialUse::Any);
  return rule.take();
}

PlacementRule ScatterSumOp::getPlacementRule() {
  RuleBuilder rule(*this);
  int64_t along = getDim(), rank = dimsOf(getY()).size();
  SmallVector<DimOf> nodes = {result(along)};
  if (getLike())
    nodes.push_back(operand(1, along));
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != along) {
      rule.add({operand(0, dim), result(dim)});
    } else if (!llvm::is_sorted(getOwners())) {
      rule.add(nodes, FactorUse::Whole, unsorted);
      rule.contract({operand(0, dim)}, Reduction::Sum);
    } else if (rule.addWindows(nodes, {operand(0, dim)},
                               windowOf(*this, getResult())) &&
               getLike()) {
      // Nodes that are whole get what each rank's edges add to them.
      for (DimOf node : nodes)
        rule.picks(node, rule.factorsOf(node));
    }
  }
  if (getLike())
    rule.readsCuts(1);
  rule.partial(0, PartialUse::Linear);
  return rule.take();
}

//===-- Derivatives -------------------------------------------------------===//

void GatherOp::differentiate(Derivative &d) {
  // Nodes are cut as those of x are.
  d.give(0, d.makeTyped<ScatterSumOp>(getX().getType(), d.cotangent(), Value(),
                                      getDimAttr(), getIndicesAttr(),
                                      getOwnersAttr(), getOwnerExtentAttr()));
}

void ScatterSumOp::differentiate(Derivative &d) {
  if (d.isWanted(0))
    d.give(0, d.make<GatherOp>(d.cotangent(), getDimAttr(), getIndicesAttr(),
                               getOwnersAttr(), getOwnerExtentAttr()));
}
