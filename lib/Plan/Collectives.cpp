//===- Collectives.cpp - communication without transposes -----------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

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

plan::Collective ClassPlanner::collectiveOf(spmd::CollectiveOp op) {
  auto layout = nn::layoutOf(op->getOperand(0));
  // Parts are read from and written to their places in strided windows, so any
  // memory order will do. That of the operand depends on sizes that differ
  // from class to class (a dim of size 1 has no place in an order), and what is
  // then computed on whole values would not be the same to the last bit.
  // Margins are an exception: nobody has the whole of such a value, and what
  // follows, a convolution, reads the operand's order best.
  bool isHalo = isa<spmd::HaloExchangeOp, spmd::HaloReduceOp>(op);
  plan::Collective collective;
  for (auto [x, result] : llvm::zip(op->getOperands(), op->getResults())) {
    const Strided source = get(x);
    // A dim that was gathered for windows gets its border around it.
    bool isBordered = isa<spmd::AllGatherOp, spmd::AllGatherManyOp>(op);
    if (isHalo)
      placeHalo(cast<OpResult>(result), source.strides);
    else if (!isBordered || !placeInHalo(result, {}))
      values[result] = allocate(result.getType(), {});
    const Strided target = get(result);
    if (result == op->getResult(0)) {
      collective.src = source.view();
      collective.dst = target.view();
    } else {
      collective.more.push_back({source.view(), target.view()});
    }
  }
  ArrayAttr axes = op->getAttrOfType<ArrayAttr>("axes");
  collective.axes = tables.axes(axes);
  collective.id = op->getAttrOfType<IntegerAttr>("id").getInt();
  auto setCut = [&](auto cut) {
    collective.dim = firstFactor(layout, cut.getDim()) + cut.getFactor();
    collective.offset = tables.tableOver(cut.getOffsets(), axes);
    collective.size = tables.tableOver(cut.getSizes(), axes);
  };
  auto setCuts = [&](auto many) {
    for (auto [i, x] : llvm::enumerate(many.getXs())) {
      auto cut = cast<spmd::CutAttr>(many.getCuts()[i]);
      int dim = firstFactor(nn::layoutOf(x), cut.getDim()) + cut.getFactor();
      int offset = tables.tableOver(cut.getOffset(), axes);
      int size = tables.tableOver(cut.getSize(), axes);
      auto set = [&](auto &tensor) {
        tensor.dim = dim, tensor.offset = offset, tensor.size = size;
      };
      if (i == 0)
        set(collective);
      else
        set(collective.more[i - 1]);
    }
  };
  TypeSwitch<Operation *>(op)
      .Case([&](spmd::AllReduceOp reduce) {
        collective.kind = plan::CollectiveKind::AllReduce;
        collective.reduction = reductionOf(reduce.getReduction());
      })
      .Case([&](spmd::AllReduceManyOp reduce) {
        collective.kind = plan::CollectiveKind::AllReduce;
        collective.reduction = reductionOf(reduce.getReduction());
      })
      .Case([&](spmd::ReduceScatterManyOp scatter) {
        collective.kind = plan::CollectiveKind::ReduceScatter;
        collective.reduction = reductionOf(scatter.getReduction());
        setCuts(scatter);
      })
      .Case([&](spmd::AllGatherManyOp gather) {
        collective.kind = plan::CollectiveKind::AllGather;
        setCuts(gather);
      })
      .Case([&](spmd::ReduceScatterOp scatter) {
        collective.kind = plan::CollectiveKind::ReduceScatter;
        collective.reduction = reductionOf(scatter.getReduction());
        setCut(scatter);
      })
      .Case([&](spmd::AllGatherOp gather) {
        collective.kind = plan::CollectiveKind::AllGather;
        setCut(gather);
      })
      .Case([&](spmd::AllToAllOp exchange) {
        collective.kind = plan::CollectiveKind::AllToAll;
        setCut(exchange);
        collective.toDim =
            firstFactor(layout, exchange.getToDim()) + exchange.getToFactor();
        collective.toOffset = tables.tableOver(exchange.getToOffsets(), axes);
        collective.toSize = tables.tableOver(exchange.getToSizes(), axes);
      })
      .Case<spmd::HaloExchangeOp, spmd::HaloReduceOp>([&](auto halo) {
        bool attaches = isa<spmd::HaloExchangeOp>(halo.getOperation());
        collective.kind = attaches ? plan::CollectiveKind::HaloExchange
                                   : plan::CollectiveKind::HaloReduce;
        auto set = [&](unsigned i, auto &tensor) {
          tensor.dim =
              firstFactor(nn::layoutOf(halo.getXs()[i]), halo.getDims()[i]) +
              halo.getFactors()[i];
          tensor.offset = tables.tableOver(halo.getOffsets(), axes);
          tensor.size = tables.tableOver(halo.getSizes(), axes);
        };
        set(0, collective);
        for (auto [i, pair] : llvm::enumerate(collective.more))
          set(i + 1, pair);
        collective.toOffset = tables.tableOver(halo.getHeldOffsets(), axes);
        collective.toSize = tables.tableOver(halo.getHeldSizes(), axes);
        collective.extent = halo.getExtent();
        collective.border = *nn::borderNamed(halo.getBorder());
        if (halo.getStrategy())
          collective.strategy = plan::HaloStrategy::AllToAll;
        collective.rows = tables.rowList(halo.getRows().value_or(nullptr));
      })
      .Case([&](spmd::BroadcastOp broadcast) {
        collective.kind = plan::CollectiveKind::Broadcast;
        collective.root = broadcast.getRoot();
      });
  if (auto origins = op->getAttrOfType<ArrayAttr>(spmd::kOrigins))
    for (auto [i, origin] : llvm::enumerate(origins.getValue().drop_front()))
      collective.more[i].source =
          tables.source(Location(cast<LocationAttr>(origin)));
  if (auto hook = op->getAttrOfType<DictionaryAttr>(nn::kHook))
    collective.hook = hookNamed(hook);
  return collective;
}

LogicalResult ClassPlanner::planCollective(spmd::CollectiveOp op) {
  auto begun = started.find(op);
  plan::Collective collective =
      begun == started.end() ? collectiveOf(op) : std::move(begun->second);
  if (op->hasAttr("isStarted")) {
    if (begun == started.end()) {
      collective.phase = plan::CollectivePhase::Start;
      emit(*op.getOperation(), collective);
    }
    collective.phase = plan::CollectivePhase::Wait;
  }
  emit(*op.getOperation(), collective);
  return success();
}
