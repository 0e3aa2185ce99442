//===- Edges.cpp - gather and scatter along edges as lookups --------------===//
//
// Nodes are rows of a table, the ends of a rank's edges are ids that are known
// when loading.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

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

Body planning::instructionOf(nn::GatherOp op, Call &call,
                             Constants &constants) {
  plan::Embedding lookup;
  size_t dim = op.getDim();
  lookup.table = asRows(call.byDims(op.getX()), dim);
  lookup.ids = constants.indices(op.getLoc(), op.getIndicesAttr());
  lookup.out = asRows(call.resultByDims(), dim);
  lookup.vocab = lookup.table.shape[0];
  return lookup;
}

Body planning::instructionOf(nn::ScatterSumOp op, Call &call,
                             Constants &constants) {
  plan::EmbeddingGrad sum;
  size_t dim = op.getDim();
  sum.dy = asRows(call.byDims(op.getY()), dim);
  sum.ids = constants.indices(op.getLoc(), op.getIndicesAttr());
  sum.out = asRows(call.resultByDims(), dim);
  sum.vocab = sum.out.shape[0];
  return sum;
}
