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
  auto result = cast<nn::ParameterOp>(builder.clone(*op));
  result.getResult().setType(local(load.type));
  result->setAttr(spmd::kCuts, shares.boxOf(nn::layoutOf(load.type)));
  if (!load.onlyFirstOf.empty())
    result->setAttr(spmd::kOnlyFirstOf, listOf(load.onlyFirstOf));
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

void ClassBuilder::setDraws(Operation &local, nn::LayoutAttr layout,
                            int64_t key) {
  spmd::BoxAttr box = shares.boxOf(layout);
  local.setAttr(spmd::kCuts, box);
  spmd::TableAttr first = shares.firstElement(box);
  if (auto before = local.getAttrOfType<IntegerAttr>(nn::kFirstDrawn))
    first = scaled(first, 1, before.getInt());
  local.setAttr(spmd::kFirst, first);
  local.setAttr(spmd::kKey, builder.getI64IntegerAttr(key));
}

LogicalResult ClassBuilder::lowerState(nn::StateOp op) {
  auto result = cast<nn::StateOp>(builder.clone(*op));
  result.getResult().setType(local(op.getType()));
  result->setAttr(spmd::kCuts, shares.boxOf(nn::layoutOf(op.getType())));
  mapping.map(op.getResult(), result.getResult());
  return success();
}

LogicalResult ClassBuilder::setOffset(Operation &local, StringRef name,
                                      Value tensor, int64_t dim, int64_t plus) {
  FailureOr<spmd::TableAttr> offset =
      shares.offsetOf(nn::layoutOf(tensor), dim);
  if (failed(offset))
    return refuseOffset(local, tensor, dim);
  local.setAttr(name, scaled(*offset, 1, plus));
  return success();
}

LogicalResult ClassBuilder::refuseOffset(Operation &local, Value tensor,
                                         int64_t dim) {
  return local.emitError() << "needs one interval of dim " << dim
                           << " on each rank, found "
                           << nn::describe(tensor.getType()) << " placed "
                           << nn::describePlacement(nn::layoutOf(tensor))
                           << "; split the major factor of the dim";
}

LogicalResult ClassBuilder::adapt(Operation &source, Operation &local) {
  return TypeSwitch<Operation *, LogicalResult>(&source)
      .Case([&](nn::EmbeddingOp op) {
        return adaptEmbedding(local, op.getTable());
      })
      .Case([&](nn::EmbeddingGradOp op) {
        return adaptEmbedding(local, op.getResult());
      })
      .Case([&](nn::AttentionOp op) {
        return adaptAttention(op, cast<nn::AttentionOp>(local));
      })
      .Case([&](nn::AttentionGradOp op) {
        return adaptAttention(op, cast<nn::AttentionGradOp>(local));
      })
      .Case<nn::PoolOp, nn::PoolGradOp>([&](auto op) {
        adaptPooling(op, cast<decltype(op)>(local));
        return success();
      })
      .Case<nn::GatherOp, nn::ScatterSumOp>([&](auto op) {
        adaptEdges(op, cast<decltype(op)>(local));
        return success();
      })
      .Case([&](nn::NeighborhoodAttentionOp op) {
        return adaptNeighborhood(op, cast<nn::NeighborhoodAttentionOp>(local));
      })
      .Case([&](nn::NeighborhoodAttentionGradOp op) {
        return adaptNeighborhood(op,
                                 cast<nn::NeighborhoodAttentionGradOp>(local));
      })
      .Case([&](nn::DropoutOp op) {
        setDraws(local, nn::layoutOf(op.getResult()),
                 nn::seedOf(op) ^ *op.getStream());
        return success();
      })
      .Case([&](nn::SliceOp op) {
        return adaptSlice(op, cast<nn::SliceOp>(local));
      })
      .Case([&](nn::RearrangeOp op) {
        return adaptRearrange(op, cast<nn::RearrangeOp>(local));
      })
      .Case([&](nn::IotaOp op) {
        // It was placed like another value, and reads nothing of it.
        cast<nn::IotaOp>(local).getLikeMutable().clear();
        return setOffset(local, spmd::kFirst, op.getResult(), op.getDim());
      })
      .Case([&](nn::RotaryOp op) {
        if (carried.isInside(op)) {
          Share held = shares.held(op.getX(), op.getDim());
          local.setAttr(spmd::kFirst, held.offset);
          return success();
        }
        return setOffset(local, spmd::kFirst, op.getX(), op.getDim());
      })
      .Default(success());
}

/// Which positions and results of the whole a rank has, and how much there is
/// in all: a pooling tells values from their border.
template <class OpTy> void ClassBuilder::adaptPooling(OpTy op, OpTy local) {
  SmallVector<Attribute> positions, results;
  SmallVector<int64_t> extents;
  for (const SlidDim &slid : slidDims(op, shares)) {
    extents.push_back(slid.window.extent);
    positions.push_back((slid.isExtended ? slid.held : slid.own).offset);
    results.push_back(shares.held(op.getWindowed(), slid.dim).offset);
  }
  auto set = [&](StringRef name, Attribute value) {
    local->setAttr(name, value);
  };
  set(spmd::kExtents, builder.getDenseI64ArrayAttr(extents));
  set(spmd::kLows, op.getLowsAttr());
  set(spmd::kHighs, op.getHighsAttr());
  set(spmd::kPositions, builder.getArrayAttr(positions));
  set(spmd::kResults, builder.getArrayAttr(results));
}

/// Its own edges, and where they lead in what the rank holds.
template <class OpTy> void ClassBuilder::adaptEdges(OpTy op, OpTy local) {
  SlidDims dims = slidDims(op, shares);
  local.setIndices(localEdges(op, dims.front(), shares, rankClass.coordinates));
  local.setOwners({});
  if constexpr (std::is_same_v<OpTy, nn::ScatterSumOp>)
    local.getLikeMutable().clear();
}

/// Which rows of a table the rank holds.
LogicalResult ClassBuilder::adaptEmbedding(Operation &local, Value table) {
  local.setAttr(spmd::kVocab, builder.getI64IntegerAttr(sizeOf(table, 0)));
  return setOffset(local, spmd::kVocabOffset, table, 0);
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
