//===- Edges.cpp - gather and scatter along edges as lookups --------------===//
//
// Nodes are rows of a table, the ends of a rank's edges are ids that are known
// when loading.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Edges.h"
#include "ClassPlanner.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// The list in memory, written once for all that read it.
plan::View ClassPlanner::planIndices(Operation &op, DenseI64ArrayAttr list) {
  Strided &window = indices[list];
  if (window.buffer < 0) {
    ArrayRef<int64_t> values = list;
    bool isShort =
        llvm::all_of(values, [](int64_t value) { return value <= INT32_MAX; });
    window = allocate(isShort ? plan::DType::I32 : plan::DType::I64,
                      {int64_t(values.size())}, {1});
    rankClass->load.push_back(
        {tables.source(op.getLoc()),
         plan::Constant{window.view(), {values.begin(), values.end()}}});
  }
  return window.view();
}

/// A view by dims with `dim` in front.
static plan::View asRows(plan::View view, size_t dim) {
  auto toFront = [&](std::vector<int64_t> &numbers) {
    std::rotate(numbers.begin(), numbers.begin() + dim,
                numbers.begin() + dim + 1);
  };
  toFront(view.shape);
  toFront(view.strides);
  if (view.shape.size() == 1) { // rows of one element
    view.shape.push_back(1);
    view.strides.push_back(1);
  }
  return view;
}

/// The result, by dims, in the memory order of what it is made from, unless
/// factors of other dims lie between those of a dim there.
plan::View ClassPlanner::placeLike(Value result, Value source) {
  Numbers order = get(source).strides;
  nn::LayoutAttr layout = nn::layoutOf(result);
  Strided window;
  window.sizes = factorSizes(layout);
  if (order.size() == window.sizes.size()) {
    window.strides = stridesLike(window.sizes, order);
    if (!reshaped(window, layout.getShape()))
      order.clear();
  }
  if (!placeInConcat(result) && !placeInHalo(result, order))
    values[result] = allocate(result.getType(), order);
  return reshaped(get(result), layout.getShape())->view();
}

LogicalResult ClassPlanner::planGather(nn::GatherOp op) {
  plan::Embedding lookup;
  size_t dim = op.getDim();
  lookup.table = asRows(byDims(*op, op.getX()).view(), dim);
  lookup.ids = planIndices(*op, op.getIndicesAttr());
  lookup.out = asRows(placeLike(op.getResult(), op.getX()), dim);
  lookup.vocab = lookup.table.shape[0];
  emit(*op, lookup);
  return success();
}

LogicalResult ClassPlanner::planScatterSum(nn::ScatterSumOp op) {
  plan::EmbeddingGrad sum;
  size_t dim = op.getDim();
  sum.dy = asRows(byDims(*op, op.getY()).view(), dim);
  sum.ids = planIndices(*op, op.getIndicesAttr());
  sum.out = asRows(placeLike(op.getResult(), op.getY()), dim);
  sum.vocab = sum.out.shape[0];
  emit(*op, sum);
  return success();
}
