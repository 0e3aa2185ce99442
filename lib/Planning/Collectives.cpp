//===- Collectives.cpp - communication without transposes -----------------===//

#include "Instructions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;
using namespace hocket::views;

static plan::Reduction reductionOf(nn::Reduction reduction) {
  switch (reduction) {
  case nn::Reduction::Sum:
    return plan::Reduction::Sum;
  case nn::Reduction::Max:
    return plan::Reduction::Max;
  case nn::Reduction::Min:
    return plan::Reduction::Min;
  }
  return plan::Reduction::Sum;
}

namespace {

/// The kind of a collective and what it says: one overload an operation.
struct KindOf {
  PlanTables &tables;
  ArrayAttr axes;
  using Kind = decltype(plan::Collective::kind);

  Kind operator()(spmd::AllReduceOp op) {
    return plan::AllReduce{reductionOf(op.getReduction())};
  }
  Kind operator()(spmd::AllReduceManyOp op) {
    return plan::AllReduce{reductionOf(op.getReduction())};
  }
  Kind operator()(spmd::ReduceScatterOp op) {
    return plan::ReduceScatter{{shareOf(op)}, reductionOf(op.getReduction())};
  }
  Kind operator()(spmd::ReduceScatterManyOp op) {
    return plan::ReduceScatter{sharesOf(op), reductionOf(op.getReduction())};
  }
  Kind operator()(spmd::AllGatherOp op) {
    return plan::AllGather{{shareOf(op)}};
  }
  Kind operator()(spmd::AllGatherManyOp op) {
    return plan::AllGather{sharesOf(op)};
  }
  Kind operator()(spmd::AllToAllOp op) {
    return plan::AllToAll{{shareOf(op)}, {share(op.getX(), op.getToCut())}};
  }
  Kind operator()(spmd::AllToAllManyOp op) {
    return plan::AllToAll{sharesOf(op), sharesOf(op, op.getToCuts())};
  }
  Kind operator()(spmd::BroadcastOp op) {
    return plan::Broadcast{int64_t(op.getRoot())};
  }
  Kind operator()(spmd::HaloExchangeOp op) {
    return plan::HaloExchange{haloOf(op)};
  }
  Kind operator()(spmd::HaloReduceOp op) {
    return plan::HaloReduce{haloOf(op)};
  }

private:
  plan::Share share(Value x, int64_t dim, int64_t factor,
                    spmd::TableAttr offset, spmd::TableAttr size) {
    return {int(firstFactor(nn::layoutOf(x), dim) + factor),
            tables.tableOver(offset, axes), tables.tableOver(size, axes)};
  }
  template <class OpTy> plan::Share shareOf(OpTy op) {
    return share(op.getX(), op.getDim(), op.getFactor(), op.getOffsets(),
                 op.getSizes());
  }
  plan::Share share(Value x, spmd::CutAttr cut) {
    return share(x, cut.getDim(), cut.getFactor(), cut.getOffset(),
                 cut.getSize());
  }
  template <class OpTy>
  std::vector<plan::Share> sharesOf(OpTy op, ArrayAttr cuts) {
    std::vector<plan::Share> shares;
    for (auto [x, cut] :
         llvm::zip(op.getXs(), cuts.getAsRange<spmd::CutAttr>()))
      shares.push_back(share(x, cut));
    return shares;
  }
  template <class OpTy> std::vector<plan::Share> sharesOf(OpTy op) {
    return sharesOf(op, op.getCuts());
  }
  template <class OpTy> plan::HaloShares haloOf(OpTy op) {
    plan::HaloShares halo;
    for (auto [x, dim, factor] :
         llvm::zip(op.getXs(), op.getDims(), op.getFactors()))
      halo.dims.push_back(firstFactor(nn::layoutOf(x), dim) + factor);
    halo.offset = tables.tableOver(op.getOffsets(), axes);
    halo.size = tables.tableOver(op.getSizes(), axes);
    halo.heldOffset = tables.tableOver(op.getHeldOffsets(), axes);
    halo.heldSize = tables.tableOver(op.getHeldSizes(), axes);
    halo.extent = op.getExtent();
    halo.border = op.getBorder().getValue();
    switch (op.getStrategy()) {
    case spmd::HaloStrategy::Neighbors:
      break;
    case spmd::HaloStrategy::AllToAll:
      halo.strategy = plan::HaloStrategy::AllToAll;
    }
    halo.rows = tables.rowList(op.getRows().value_or(nullptr));
    return halo;
  }
};

} // namespace

static std::vector<plan::Collective::Pair>
pairsOf(spmd::CollectiveOp op, Call &call, PlanTables &tables) {
  std::vector<plan::Collective::Pair> pairs;
  for (auto [x, result] : llvm::zip(op->getOperands(), op->getResults())) {
    plan::View source = call.view(x);
    pairs.push_back({source, call.view(call.result(result.getResultNumber()))});
  }
  if (auto origins = op->getAttrOfType<ArrayAttr>(spmd::kOrigins))
    for (auto [pair, origin] : llvm::drop_begin(llvm::zip(pairs, origins)))
      pair.source = tables.source(Location(cast<LocationAttr>(origin)));
  return pairs;
}

plan::Collective planning::collectiveOf(spmd::CollectiveOp op, Call &call,
                                        PlanTables &tables) {
  plan::Collective collective;
  collective.pairs = pairsOf(op, call, tables);
  collective.axes = tables.axes(op.getAxes());
  collective.id = op.getId();
  KindOf kindOf{tables, op.getAxes()};
  collective.kind =
      TypeSwitch<Operation *, decltype(plan::Collective::kind)>(op)
          .Case<spmd::AllReduceOp, spmd::AllReduceManyOp, spmd::ReduceScatterOp,
                spmd::ReduceScatterManyOp, spmd::AllGatherOp,
                spmd::AllGatherManyOp, spmd::AllToAllOp, spmd::AllToAllManyOp,
                spmd::BroadcastOp, spmd::HaloExchangeOp, spmd::HaloReduceOp>(
              kindOf);
  if (DictionaryAttr hook = op.getHookAttr())
    collective.hook = hook.getAs<StringAttr>("name").str();
  return collective;
}
