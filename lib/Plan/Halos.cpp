//===- Halos.cpp - margins around what is computed in their middle --------===//
//
// A halo exchange gives a value margins. What computes the value writes it to
// where it will lie with them at once, so that its exchange moves nothing but
// the margins. Going back, margins are added into the middle in place.
//
//===----------------------------------------------------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// What each member of a halo's axes owns behind the begin of what it holds; a
/// null attribute if some rank of the class does not hold all that it owns.
template <class OpTy>
static spmd::TableAttr marginsBefore(OpTy op, func::FuncOp func) {
  auto mesh =
      func->getParentOfType<ModuleOp>()->getAttrOfType<nn::MeshAttr>("nn.mesh");
  int64_t members = spmd::memberCount(mesh, op.getAxes());
  auto values = [&](spmd::TableAttr table) { return table.valuesFor(members); };
  SmallVector<int64_t> offsets = values(op.getOffsets()),
                       sizes = values(op.getSizes()),
                       heldOffsets = values(op.getHeldOffsets()),
                       heldSizes = values(op.getHeldSizes());
  auto ranks = func->getAttrOfType<DenseI64ArrayAttr>(spmd::kRanks);
  for (int64_t rank : ranks.asArrayRef()) {
    int64_t i =
        spmd::memberIndex(mesh, op.getAxes(), spmd::coordinatesOf(mesh, rank));
    if (heldOffsets[i] > offsets[i] ||
        offsets[i] + sizes[i] > heldOffsets[i] + heldSizes[i])
      return {};
  }
  // Other members' margins are not read, and have to be places of a buffer.
  for (auto [offset, held] : llvm::zip(offsets, heldOffsets))
    offset = std::max<int64_t>(offset - held, 0);
  SmallVector<StringAttr> axes;
  for (Attribute axis : op.getAxes())
    axes.push_back(cast<StringAttr>(axis));
  return spmd::TableAttr::simplified(op.getContext(), axes, offsets);
}

/// The part of `held`, which a halo has margins around, without them.
template <class OpTy>
Strided ClassPlanner::middleOf(OpTy op, unsigned number, const Strided &held,
                               Value owned, spmd::TableAttr before) {
  auto layout = nn::layoutOf(owned);
  Strided window = held;
  window.sizes = factorSizes(layout);
  // Nothing has no place behind a margin: what holds it may be empty too.
  if (llvm::is_contained(window.sizes, 0))
    return window;
  int64_t stride = window.strides[firstFactor(layout, op.getDims()[number]) +
                                  op.getFactors()[number]];
  plan::Scalar term = tables.scalar(before, stride);
  if (term.table < 0)
    window.offset += term.constant;
  else
    window.terms.push_back(term);
  return window;
}

/// Gives `value`, which is about to be computed in the memory order `like`, its
/// place between the margins that it is going to have; false if there is none.
bool ClassPlanner::placeInHalo(Value value, ArrayRef<int64_t> like) {
  if (loadTime.contains(value))
    return false;
  OpOperand *read = nullptr;
  for (OpOperand &use : value.getUses())
    if (isa<spmd::HaloExchangeOp, spmd::PlaceOp>(use.getOwner())) {
      if (read)
        return false; // it can be in one place only
      read = &use;
    } else if (!isa<spmd::KernelOp, spmd::StartOp, nn::GatherOp>(
                   use.getOwner()) &&
               !isRowsOfConvolution(use.getOwner())) {
      return false; // may need a copy of what is no run of memory
    }
  if (!read)
    return false;
  if (auto place = dyn_cast<spmd::PlaceOp>(read->getOwner())) {
    values[value] = placeAmongZeros(place, like);
    return true;
  }
  auto exchange = cast<spmd::HaloExchangeOp>(read->getOwner());
  unsigned number = read->getOperandNumber();
  // Margins inside of a dim would leave it without a stride of its own.
  auto dims = nn::layoutOf(value).getDims();
  spmd::TableAttr before = marginsBefore(exchange, func);
  if (!before || dims[exchange.getDims()[number]].getFactors().size() != 1)
    return false;
  Value held = exchange.getResults()[number];
  if (!placeInHalo(held, like))
    values[held] = allocate(held.getType(), like);
  values[value] = middleOf(exchange, number, get(held), value, before);
  return true;
}

/// Where the operand lies in the result, which is filled.
Strided ClassPlanner::placeAmongZeros(spmd::PlaceOp op,
                                      ArrayRef<int64_t> like) {
  Value result = op.getResult();
  values[result] = allocate(result.getType(), like);
  emit(*op, plan::Fill{get(result).view(), 0});
  return partAt(get(result), op.getX(), op);
}

LogicalResult ClassPlanner::planPlace(spmd::PlaceOp op) {
  if (values.count(op.getResult())) // its operand was computed there
    return success();
  const Strided from = get(op.getX());
  Strided to = placeAmongZeros(op, from.strides);
  if (from.elements() > 0)
    emit(*op, plan::Copy{from.view(), to.view()});
  return success();
}

/// Gives the result of a reduction the middle of its operand, which nothing
/// else reads; false if it needs memory of its own.
bool ClassPlanner::reduceInPlace(spmd::HaloReduceOp op, unsigned number) {
  Value x = op.getXs()[number];
  Operation *producer = x.getDefiningOp();
  bool isShared = llvm::any_of(x.getUsers(), [&](Operation *user) {
    return user != op && !isa<spmd::StartOp>(user);
  });
  if (!producer || isShared || loadTime.contains(x) ||
      !isa<spmd::KernelOp, spmd::HaloReduceOp, nn::ConvTransposeOp,
           nn::PoolGradOp, nn::ConcatOp, nn::ScatterSumOp>(producer))
    return false;
  Strided held = get(x);
  if (rankClass->buffers[held.buffer].region != plan::Region::Arena)
    return false;
  spmd::TableAttr before = marginsBefore(op, func);
  if (!before)
    return false;
  Value owned = op.getResults()[number];
  values[owned] = middleOf(op, number, held, owned, before);
  return true;
}

/// Gives a result of a halo exchange or reduction its place.
void ClassPlanner::placeHalo(OpResult result, ArrayRef<int64_t> like) {
  if (values.count(result)) // its operand was computed in the middle of it
    return;
  auto reduction = dyn_cast<spmd::HaloReduceOp>(result.getOwner());
  bool hasPlace = reduction ? reduceInPlace(reduction, result.getResultNumber())
                            : placeInHalo(result, like);
  if (!hasPlace)
    values[result] =
        allocate(result.getType(),
                 reduction ? Numbers(like) : orderWithMargins(result, like));
}

/// Whether what others read of it is where its collective will have it: of an
/// exchange the operand, of a reduction the margins.
bool ClassPlanner::isInPlace(spmd::StartOp start,
                             spmd::CollectiveOp collective) {
  Value x = collective->getOperand(0);
  if (llvm::is_contained(start.getXs(), x))
    return true;
  return values.count(x) && llvm::all_of(start.getXs(), [&](Value part) {
           return inPlace.contains(part);
         });
}

/// Its collective has its place from here on. What is not yet where others will
/// read it cannot be sent: that is started where it ends.
LogicalResult ClassPlanner::planStart(spmd::StartOp op) {
  Operation *next = op->getNextNode();
  while (!isa<spmd::CollectiveOp>(next))
    next = next->getNextNode();
  auto collective = cast<spmd::CollectiveOp>(next);
  if (isInPlace(op, collective)) {
    plan::Collective begun = collectiveOf(collective);
    begun.phase = plan::CollectivePhase::Start;
    emit(*op, begun);
    started[next] = std::move(begun);
  }
  return success();
}
