//===- Operations.cpp - operations that depend on where the rank is -------===//
//
// Most operations are the same on local tensors. Here are those that have to
// know which part of the global tensor they see, or how large it was.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "WindowedDims.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/MicroBatch.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

LogicalResult Operations::lowerParameter(nn::ParameterOp op, const Load &load) {
  auto result = spmd::ParameterOp::create(
      builder, op.getLoc(), local(load.type), op.getPathAttr(),
      shares.boxOf(nn::layoutOf(load.type)), listOf(load.onlyFirstOf),
      op.getInitAttr());
  mapping.map(op.getResult(), result.getResult());
  return success();
}

/// Without a step, or where nothing is dropped, it is its operand.
LogicalResult Operations::lowerDropout(nn::DropoutOp op) {
  if (op.getStep() && op.getP().convertToDouble() > 0)
    return lowerAsIs(*op);
  mapping.map(op.getResult(), local(op.getX()));
  return success();
}

LogicalResult Operations::lowerState(nn::StateOp op) {
  auto result = spmd::StateOp::create(
      builder, op.getLoc(), local(op.getType()), op.getNameAttr(),
      shares.boxOf(nn::layoutOf(op.getType())), op.getInitAttr());
  mapping.map(op.getResult(), result.getResult());
  return success();
}

LogicalResult Operations::lowerAsIs(Operation &op) {
  if (op.getNumRegions() != 0 ||
      !isa_and_nonnull<nn::NnDialect>(op.getDialect()))
    return op.emitError() << "'" << op.getName()
                          << "' has no program for one rank";
  Operation *copy = builder.clone(op, mapping);
  for (OpResult result : copy->getResults())
    result.setType(localOf(op.getResult(result.getResultNumber())));
  copy->removeAttr("nn.statistics");
  FailureOr<Operation *> adapted = adapt(op, *copy);
  if (failed(adapted))
    return failure();
  mapping.map(op.getResults(), (*adapted)->getResults());
  return success();
}

/// The operation of spmd that does what `local` does on a part, told which.
template <class OpTy>
FailureOr<Operation *> Operations::restate(Operation &local,
                                           FailureOr<NamedAttrList> parts) {
  if (failed(parts))
    return failure();
  OperationState state(local.getLoc(), OpTy::getOperationName());
  ArrayRef<StringRef> names = OpTy::getAttributeNames();
  for (NamedAttribute attribute : local.getAttrs())
    if (llvm::is_contained(names, attribute.getName().getValue()) ||
        attribute.getNameDialect()) // a discardable one
      state.attributes.append(attribute);
  for (NamedAttribute attribute : *parts)
    state.attributes.set(attribute.getName(), attribute.getValue());
  state.addOperands(local.getOperands());
  state.addTypes(local.getResultTypes());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(&local);
  Operation *stated = builder.create(state);
  local.replaceAllUsesWith(stated);
  local.erase();
  return stated;
}

FailureOr<NamedAttrList> Operations::partsAt(StringRef name,
                                             FailureOr<Attribute> part) {
  if (failed(part))
    return failure();
  return NamedAttrList(builder.getNamedAttr(name, *part));
}

FailureOr<Operation *> Operations::adapt(Operation &source, Operation &local) {
  using Adapted = FailureOr<Operation *>;
  auto same = [&](LogicalResult adapted) -> Adapted {
    if (failed(adapted))
      return failure();
    return &local;
  };
  return TypeSwitch<Operation *, Adapted>(&source)
      .Case([&](nn::EmbeddingOp op) {
        return restate<spmd::EmbeddingOp>(
            local, partsAt("rows", positionsOf(local, op.getTable(), 0)));
      })
      .Case([&](nn::EmbeddingGradOp op) {
        return restateRows(local, op.getResult());
      })
      .Case([&](nn::AttentionOp op) {
        return restate<spmd::AttentionOp>(
            local, attention.attentionParts(op, cast<nn::AttentionOp>(local)));
      })
      .Case([&](nn::AttentionGradOp op) {
        return restate<spmd::AttentionGradOp>(
            local,
            attention.attentionParts(op, cast<nn::AttentionGradOp>(local)));
      })
      .Case([&](nn::NeighborhoodAttentionOp op) {
        return restate<spmd::NeighborhoodAttentionOp>(
            local, attention.neighborhoodParts(
                       op, cast<nn::NeighborhoodAttentionOp>(local)));
      })
      .Case([&](nn::NeighborhoodAttentionGradOp op) {
        return restate<spmd::NeighborhoodAttentionGradOp>(
            local, attention.neighborhoodParts(
                       op, cast<nn::NeighborhoodAttentionGradOp>(local)));
      })
      .Case([&](nn::PoolOp op) {
        return restate<spmd::PoolOp>(local, poolingParts(op));
      })
      .Case([&](nn::PoolGradOp op) {
        return restate<spmd::PoolGradOp>(local, poolingParts(op));
      })
      .Case<nn::GatherOp, nn::ScatterSumOp>([&](auto op) {
        adaptEdges(op, cast<decltype(op)>(local));
        return same(success());
      })
      .Case([&](nn::DropoutOp op) {
        return restate<spmd::DropoutOp>(
            local, partsAt("draws", drawsOf(local, nn::layoutOf(op.getResult()),
                                            nn::seedOf(op) ^ *op.getStream())));
      })
      .Case([&](nn::SliceOp op) {
        return same(adaptSlice(op, cast<nn::SliceOp>(local)));
      })
      .Case([&](nn::RearrangeOp op) {
        return same(adaptRearrange(op, cast<nn::RearrangeOp>(local)));
      })
      .Case([&](nn::IotaOp op) {
        return restateIota(cast<nn::IotaOp>(local), op.getResult());
      })
      .Case([&](nn::RotaryOp op) {
        return restate<spmd::RotaryOp>(local, rotaryParts(op, local));
      })
      .Default([&](Operation *) { return same(success()); });
}

/// Which rows of a table the rank makes.
FailureOr<Operation *> Operations::restateRows(Operation &local, Value table) {
  return restate<spmd::EmbeddingGradOp>(
      local, partsAt("rows", positionsOf(local, table, 0)));
}

/// It was placed like another value, and reads nothing of it.
FailureOr<Operation *> Operations::restateIota(nn::IotaOp local, Value placed) {
  local.getLikeMutable().clear();
  return restate<spmd::IotaOp>(
      *local,
      partsAt("positions", positionsOf(*local, placed, local.getDim())));
}

FailureOr<NamedAttrList> Operations::rotaryParts(nn::RotaryOp op,
                                                 Operation &local) {
  FailureOr<NamedAttrList> parts =
      partsAt("positions", positionsOf(local, op.getX(), op.getDim()));
  if (succeeded(parts)) {
    parts->set("inverse", builder.getBoolAttr(op.getInverse()));
    DenseF64ArrayAttr listed = op.getFrequenciesAttr();
    parts->set("frequencies",
               listed ? listed : builder.getDenseF64ArrayAttr({}));
  }
  return parts;
}

/// Which positions and windows of the whole a rank has, and how much border
/// there is in all: a pooling tells values from their border.
template <class OpTy> NamedAttrList Operations::poolingParts(OpTy op) {
  SmallVector<Attribute> positions, windows;
  for (const WindowedDim &slid : windowedDims(op, shares)) {
    positions.push_back(positionsFrom(
        (slid.isExtended ? slid.held : slid.own).offset, slid.window.extent));
    windows.push_back(positionsFrom(
        shares.held(nn::layoutOf(op.getWindowed()), slid.dim).offset,
        sizeOf(op.getWindowed(), slid.dim)));
  }
  NamedAttrList parts;
  parts.set("lows", op.getLowsAttr());
  parts.set("highs", op.getHighsAttr());
  parts.set("counts_border", builder.getBoolAttr(op.getCountsBorder()));
  parts.set("positions", builder.getArrayAttr(positions));
  parts.set("windows", builder.getArrayAttr(windows));
  return parts;
}

/// Its own edges, and where they lead in what the rank holds.
template <class OpTy> void Operations::adaptEdges(OpTy op, OpTy local) {
  WindowedDims dims = windowedDims(op, shares);
  local.setIndices(localEdges(op, dims.front(), shares, rankClass.coordinates));
  local.setOwners({});
  if constexpr (std::is_same_v<OpTy, nn::ScatterSumOp>)
    local.getLikeMutable().clear();
}
