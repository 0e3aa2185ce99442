//===- Operations.cpp - operations that depend on where the rank is -------===//
//
// Most operations are the same on local tensors. Here are those that have to
// know which part of the global tensor they see, or how large it was.
//
//===----------------------------------------------------------------------===//

#include "ClassBuilder.h"
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

static int64_t sizeOf(Value tensor, int64_t dim) {
  return nn::layoutOf(tensor).getDims()[dim].getSize();
}

LogicalResult ClassBuilder::lowerParameter(nn::ParameterOp op) {
  Load load = folding.loadOf(op);
  auto result = spmd::ParameterOp::create(
      builder, op.getLoc(), local(load.type), op.getPathAttr(),
      shares.boxOf(nn::layoutOf(load.type)), listOf(load.onlyFirstOf),
      op.getInitAttr());
  mapping.map(op.getResult(), result.getResult());
  return success();
}

/// Without a step, or where nothing is dropped, it is its operand.
LogicalResult ClassBuilder::lowerDropout(nn::DropoutOp op) {
  if (op.getStep() && op.getP().convertToDouble() > 0)
    return lowerAsIs(*op);
  mapping.map(op.getResult(), local(op.getX()));
  return success();
}

spmd::DrawsAttr ClassBuilder::drawsOf(Operation &op, nn::LayoutAttr layout,
                                      int64_t key) {
  spmd::BoxAttr box = shares.boxOf(layout);
  spmd::TableAttr first = shares.firstElement(box);
  if (auto before = op.getAttrOfType<IntegerAttr>(nn::kFirstDrawn))
    first = scaled(first, 1, before.getInt());
  return spmd::DrawsAttr::get(builder.getContext(), key, first, box);
}

LogicalResult ClassBuilder::lowerState(nn::StateOp op) {
  auto result = spmd::StateOp::create(
      builder, op.getLoc(), local(op.getType()), op.getNameAttr(),
      shares.boxOf(nn::layoutOf(op.getType())), op.getInitAttr());
  mapping.map(op.getResult(), result.getResult());
  return success();
}

spmd::PositionsAttr ClassBuilder::positionsFrom(spmd::TableAttr begin,
                                                int64_t extent) {
  return spmd::PositionsAttr::get(builder.getContext(), begin, extent);
}

LogicalResult ClassBuilder::refuseOffset(Operation &local, Value tensor,
                                         int64_t dim) {
  return local.emitError() << "needs one interval of dim " << dim
                           << " on each rank, found "
                           << nn::describe(tensor.getType()) << " placed "
                           << nn::describePlacement(nn::layoutOf(tensor))
                           << "; split the major factor of the dim";
}

FailureOr<spmd::PositionsAttr>
ClassBuilder::positionsOf(Operation &local, Value tensor, int64_t dim) {
  FailureOr<spmd::TableAttr> offset =
      shares.offsetOf(nn::layoutOf(tensor), dim);
  if (failed(offset))
    return refuseOffset(local, tensor, dim);
  return positionsFrom(*offset, sizeOf(tensor, dim));
}

/// The operation of spmd that does what `local` does on a part, told which.
template <class OpTy>
FailureOr<Operation *> ClassBuilder::restate(Operation &local,
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

FailureOr<NamedAttrList> ClassBuilder::partsAt(StringRef name,
                                               FailureOr<Attribute> part) {
  if (failed(part))
    return failure();
  return NamedAttrList(builder.getNamedAttr(name, *part));
}

FailureOr<Operation *> ClassBuilder::adapt(Operation &source,
                                           Operation &local) {
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
            local, attentionParts(op, cast<nn::AttentionOp>(local)));
      })
      .Case([&](nn::AttentionGradOp op) {
        return restate<spmd::AttentionGradOp>(
            local, attentionParts(op, cast<nn::AttentionGradOp>(local)));
      })
      .Case([&](nn::NeighborhoodAttentionOp op) {
        return restate<spmd::NeighborhoodAttentionOp>(
            local,
            neighborhoodParts(op, cast<nn::NeighborhoodAttentionOp>(local)));
      })
      .Case([&](nn::NeighborhoodAttentionGradOp op) {
        return restate<spmd::NeighborhoodAttentionGradOp>(
            local, neighborhoodParts(
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
FailureOr<Operation *> ClassBuilder::restateRows(Operation &local,
                                                 Value table) {
  return restate<spmd::EmbeddingGradOp>(
      local, partsAt("rows", positionsOf(local, table, 0)));
}

/// It was placed like another value, and reads nothing of it.
FailureOr<Operation *> ClassBuilder::restateIota(nn::IotaOp local,
                                                 Value placed) {
  local.getLikeMutable().clear();
  return restate<spmd::IotaOp>(
      *local,
      partsAt("positions", positionsOf(*local, placed, local.getDim())));
}

FailureOr<NamedAttrList> ClassBuilder::rotaryParts(nn::RotaryOp op,
                                                   Operation &local) {
  FailureOr<spmd::PositionsAttr> positions =
      carried.isInside(op)
          ? positionsFrom(shares.held(op.getX(), op.getDim()).offset,
                          sizeOf(op.getX(), op.getDim()))
          : positionsOf(local, op.getX(), op.getDim());
  FailureOr<NamedAttrList> parts = partsAt("positions", positions);
  if (succeeded(parts))
    parts->set("inverse", builder.getBoolAttr(op.getInverse()));
  return parts;
}

/// Which positions and windows of the whole a rank has, and how much border
/// there is in all: a pooling tells values from their border.
template <class OpTy> NamedAttrList ClassBuilder::poolingParts(OpTy op) {
  SmallVector<Attribute> positions, windows;
  for (const SlidDim &slid : slidDims(op, shares)) {
    positions.push_back(positionsFrom(
        (slid.isExtended ? slid.held : slid.own).offset, slid.window.extent));
    windows.push_back(
        positionsFrom(shares.held(op.getWindowed(), slid.dim).offset,
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
template <class OpTy> void ClassBuilder::adaptEdges(OpTy op, OpTy local) {
  SlidDims dims = slidDims(op, shares);
  local.setIndices(localEdges(op, dims.front(), shares, rankClass.coordinates));
  local.setOwners({});
  if constexpr (std::is_same_v<OpTy, nn::ScatterSumOp>)
    local.getLikeMutable().clear();
}

/// A slice counts elements of the dim; where a minor factor is split there are
/// fewer of them for each step of the major one.
LogicalResult ClassBuilder::adaptSlice(nn::SliceOp op, nn::SliceOp local) {
  int64_t dim = op.getDim();
  nn::LayoutAttr layout = nn::layoutOf(op.getX());
  if (dim < 0)
    dim += layout.getDims().size();
  if (shares.axesOf(layout, dim).empty())
    return success();
  if (int64_t(op.getSize()) == layout.getDims()[dim].getSize()) {
    local.setSize(nn::layoutOf(local.getX()).getDims()[dim].getSize());
    return success();
  }
  ArrayRef<nn::FactorAttr> factors = layout.getDims()[dim].getFactors();
  int64_t rest = layout.getDims()[dim].getSize() / factors[0].getSize();
  int64_t localRest = nn::layoutOf(local.getX()).getDims()[dim].getSize() /
                      factors[0].getSize();
  int64_t start = op.getStart(), size = op.getSize();
  if (!shares.axesOf(layout, dim, 0).empty() || start % rest || size % rest)
    return op.emitError() << "cannot take [" << start << ", " << start + size
                          << ") of dim " << dim << " of "
                          << nn::describe(op.getX().getType()) << " placed "
                          << nn::describePlacement(layout)
                          << "; all_gather it first";
  local.setStart(start / rest * localRest);
  local.setSize(size / rest * localRest);
  return success();
}

/// Local sizes of the source factors that make one result dim: those of the
/// result's own factors, of which several may be one source factor, or one
/// several. Fails where a rank's part is no whole number of minor factors.
static LogicalResult localSizes(ArrayRef<int64_t> numbers,
                                ArrayRef<nn::FactorAttr> whole,
                                ArrayRef<nn::FactorAttr> local,
                                MutableArrayRef<int64_t> sizes) {
  size_t first = 0, factor = 0;
  while (first < numbers.size()) {
    // The shortest runs of both that are as large.
    size_t end = first + 1;
    int64_t ours = sizes[numbers[first]], theirs = 1, part = 1;
    auto take = [&] {
      theirs *= whole[factor].getSize();
      part *= local[factor++].getSize();
    };
    // A dim of one element, of which a rank may have none.
    if (ours == 1 && factor < whole.size() && whole[factor].getSize() == 1)
      take();
    while (ours != theirs)
      if (ours < theirs && end < numbers.size())
        ours *= sizes[numbers[end++]];
      else if (theirs < ours && factor < whole.size())
        take();
      else
        return failure();
    int64_t minor = 1;
    for (size_t i = first + 1; i < end; ++i)
      minor *= sizes[numbers[i]];
    if (part % minor != 0)
      return failure();
    sizes[numbers[first]] = part / minor;
    first = end;
  }
  return success();
}

/// The factors of a rearranged tensor are those of its result, each with the
/// size that the rank has of it.
LogicalResult ClassBuilder::adaptRearrange(nn::RearrangeOp op,
                                           nn::RearrangeOp local) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> sizes;
  for (nn::DimAttr dim : op.getSource().getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      sizes.push_back(factor.getSize());
  nn::LayoutAttr whole = nn::layoutOf(op.getResult());
  nn::LayoutAttr result = nn::layoutOf(local.getResult());
  for (auto [dim, part, order] :
       llvm::zip_equal(whole.getDims(), result.getDims(), op.getOrder())) {
    SmallVector<int64_t> numbers;
    for (Attribute number : cast<ArrayAttr>(order))
      numbers.push_back(cast<IntegerAttr>(number).getInt());
    if (failed(localSizes(numbers, dim.getFactors(), part.getFactors(), sizes)))
      return op.emitError() << "the result has not the factors of `order`";
  }
  SmallVector<nn::DimAttr> dims;
  size_t next = 0;
  for (nn::DimAttr dim : op.getSource().getDims()) {
    SmallVector<nn::FactorAttr> factors;
    for (nn::FactorAttr factor : dim.getFactors())
      factors.push_back(
          nn::FactorAttr::get(context, factor.getName(), sizes[next++]));
    dims.push_back(nn::DimAttr::get(context, factors));
  }
  auto source = nn::LayoutAttr::get(context, dims, {}, {});
  if (source.getShape() != nn::layoutOf(local.getX()).getShape())
    return op.emitError() << "a rank's part of "
                          << nn::describe(op.getX().getType()) << " placed "
                          << nn::describePlacement(nn::layoutOf(op.getX()))
                          << " is not its part of the result, placed "
                          << nn::describePlacement(
                                 nn::layoutOf(op.getResult()));
  local.setSourceAttr(source);
  return success();
}
