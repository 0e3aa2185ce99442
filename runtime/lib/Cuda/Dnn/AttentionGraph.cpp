//===- AttentionGraph.cpp - attention described to cuDNN ------------------===//

#include "runtime/lib/Cuda/Dnn/AttentionGraph.h"
#include <limits>

namespace hocket::runtime::cuda {

DnnObject &AttentionGraph::apply(DnnPointwiseKind kind, const DnnObject &x,
                                 const DnnObject *b, const GraphShape &shape) {
  DnnObject &y = between(shape);
  pointwise(kind, x, b, y);
  return y;
}

DnnObject *AttentionGraph::addLengths(int64_t name) {
  return &tensor(name, GraphShape::dense({form.batch, 1, 1, 1}), DnnI32, 4);
}

/// scale * q k, with what a query does not see at -inf.
DnnObject &AttentionGraph::scores(const DnnObject &q, const DnnObject &k) {
  DnnObject &products = between(form.scores());
  product(q, k, products, {queryLengths, keyLengths, nullptr});
  return masked(
      apply(DnnMultiply, products, &number(form.scale), form.scores()));
}

DnnObject &AttentionGraph::masked(DnnObject &scores) {
  DnnObject *result = &scores;
  if (form.hasLengths)
    result = &hidePadding(*result);
  if (form.last)
    result = &hideAfter(*result, *form.last);
  if (form.first)
    result = &hideBefore(*result, *form.first);
  return *result;
}

DnnObject &AttentionGraph::shown(DnnObject &scores,
                                 const DnnObject &condition) {
  DnnObject &result = between(form.scores());
  pointwise(DnnSelect, scores, &number(-std::numeric_limits<float>::infinity()),
            result, DnnF32, &condition);
  return result;
}

/// Shown: row + last >= column.
DnnObject &AttentionGraph::hideAfter(DnnObject &scores, int32_t last) {
  GraphShape shape = form.scores();
  DnnObject *row = &between(shape, DnnI32), &column = between(shape, DnnI32);
  index(scores, 2, *row);
  index(scores, 3, column);
  if (last != 0) {
    DnnObject &moved = between(shape, DnnI32);
    pointwise(DnnAdd, *row, &number(last), moved, DnnI32);
    row = &moved;
  }
  DnnObject &condition = between(shape, DnnBool);
  pointwise(DnnGreaterOrEqual, *row, &column, condition, DnnBool);
  return shown(scores, condition);
}

/// Shown: column + (1 - first) > row; the library wants that number as f32.
DnnObject &AttentionGraph::hideBefore(DnnObject &scores, int32_t first) {
  GraphShape shape = form.scores();
  DnnObject &row = between(shape, DnnI32), &column = between(shape, DnnI32);
  index(scores, 2, row);
  index(scores, 3, column);
  DnnObject &moved = between(shape);
  pointwise(DnnAdd, column, &number(float(1 - first)), moved);
  DnnObject &condition = between(shape, DnnBool);
  pointwise(DnnGreater, moved, &row, condition, DnnBool);
  return shown(scores, condition);
}

DnnObject &AttentionGraph::hidePadding(DnnObject &scores) {
  GraphShape shape = form.scores();
  DnnObject &row = between(shape, DnnI32), &column = between(shape, DnnI32);
  index(scores, 2, row);
  index(scores, 3, column);
  DnnObject &isRow = between(shape, DnnBool),
            &isColumn = between(shape, DnnBool);
  pointwise(DnnLess, row, queryLengths, isRow, DnnBool);
  pointwise(DnnLess, column, keyLengths, isColumn, DnnBool);
  DnnObject &condition = between(shape, DnnBool);
  pointwise(DnnAnd, isRow, &isColumn, condition, DnnBool);
  return shown(scores, condition);
}

void AttentionGraph::makeForward() {
  DnnObject &q = tensor(DnnAttentionQ, form.q, form.type);
  DnnObject &k = tensor(DnnAttentionK, form.k.transposed(), form.type);
  DnnObject &v = tensor(DnnAttentionV, form.v, form.type);
  DnnObject &out = tensor(DnnAttentionOut, form.out, form.type);
  DnnObject &score = scores(q, k);
  DnnObject &most = between(form.rows());
  reduce(DnnReduceMax, score, most);
  DnnObject &below = apply(DnnSubtract, score, &most, form.scores());
  DnnObject &power = apply(DnnExp, below, nullptr, form.scores());
  DnnObject &sum = between(form.rows());
  reduce(DnnReduceAdd, power, sum);
  DnnObject &log = apply(DnnLog, sum, nullptr, form.rows());
  pointwise(DnnAdd, most, &log, tensor(DnnAttentionLse, form.rows(), DnnF32));
  DnnObject &weights = between(form.scores(), form.type);
  pointwise(DnnDivide, power, &sum, weights);
  product(weights, v, out, {queryLengths, nullptr, keyLengths});
}

/// The sums of dout * out over a row.
DnnObject &AttentionGraph::means(const DnnObject &dout, const DnnObject &out) {
  DnnObject &products =
      apply(DnnMultiply, dout, &out,
            GraphShape::dense(
                {form.batch, form.heads, form.queries, form.valueDepth}));
  DnnObject &sums = between(form.rows());
  reduce(DnnReduceAdd, products, sums);
  DnnObject &result = tensor(DnnAttentionMeans, form.rows(), DnnF32);
  pointwise(DnnMultiply, sums, &number(1.0f), result);
  return result;
}

/// Of dk or dv: the transpose of `weights` by `rows`, added up over the heads
/// of a group.
void AttentionGraph::gradientOfKeys(DnnObject &weights, const DnnObject &rows,
                                    const GraphShape &shape, int64_t name) {
  GraphShape turned = form.scores().transposed();
  turned.strides = {form.heads * form.queries * form.keys,
                    form.queries * form.keys, 1, form.keys};
  DnnObject &columns = between(turned, form.type);
  reshape(weights, columns);
  DnnObject &result = tensor(name, shape, form.type);
  Lengths lengths{keyLengths, nullptr, queryLengths};
  if (form.heads == form.kvHeads)
    return product(columns, rows, result, lengths);
  DnnObject &ofHeads = between(
      GraphShape::dense({form.batch, form.heads, form.keys, shape.extents[3]}),
      form.type);
  product(columns, rows, ofHeads, lengths);
  reduce(DnnReduceAdd, ofHeads, result);
}

void AttentionGraph::makeGradient(bool isDeterministic) {
  DnnObject &q = tensor(DnnAttentionQ, form.q, form.type);
  DnnObject &k = tensor(DnnAttentionK, form.k.transposed(), form.type);
  DnnObject &v = tensor(DnnAttentionV, form.v.transposed(), form.type);
  DnnObject &out = tensor(DnnAttentionOut, form.out, form.type);
  DnnObject &dout = tensor(DnnAttentionDOut, form.dout, form.type);
  DnnObject &lse = tensor(DnnAttentionLse, form.rows(), DnnF32);
  DnnObject &mean = means(dout, out);
  GraphShape shape = form.scores();
  DnnObject &below = apply(DnnSubtract, scores(q, k), &lse, shape);
  DnnObject &weights = apply(DnnExp, below, nullptr, shape);
  gradientOfKeys(weights, dout, form.dv, DnnAttentionDV);
  DnnObject &dweights = between(shape);
  product(dout, v, dweights, {queryLengths, keyLengths, nullptr});
  DnnObject &moved = apply(DnnSubtract, dweights, &mean, shape);
  DnnObject &ofScores = apply(DnnMultiply, moved, &weights, shape);
  DnnObject &scaled = apply(DnnMultiply, ofScores, &number(form.scale), shape);
  gradientOfKeys(scaled, q, form.dk, DnnAttentionDK);
  DnnObject &rows = between(form.k, form.type);
  reshape(k, rows);
  DnnObject &dq = tensor(DnnAttentionDQ, form.dq, form.type);
  Lengths lengths{queryLengths, nullptr, keyLengths};
  if (isDeterministic)
    return product(scaled, rows, dq, lengths);
  DnnObject &sums =
      tensor(DnnAttentionDQSums, GraphShape::dense(form.dq.extents), DnnF32);
  product(scaled, rows, sums, lengths);
  pointwise(DnnIdentity, sums, nullptr, dq);
}

Status AttentionGraph::make(const AttentionForm &given, bool isDeterministic) {
  form = given;
  if (form.hasLengths) {
    queryLengths = addLengths(DnnAttentionQueries);
    keyLengths = addLengths(DnnAttentionKeys);
  }
  if (form.isGradient)
    makeGradient(isDeterministic);
  else
    makeForward();
  return finishOperations();
}

Status AttentionGraph::choose(int64_t workspace, bool isDeterministic,
                              std::string &plan, int64_t &wanted) const {
  return DnnGraph::choose(form.type, !isDeterministic, workspace, plan, wanted);
}

} // namespace hocket::runtime::cuda
