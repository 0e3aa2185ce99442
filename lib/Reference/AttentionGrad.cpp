//===- AttentionGrad.cpp - gradients of attention, a row at a time --------===//
//
// With weights p = exp(scale q k^T + bias - lse) of visible keys, those that
// are dropped or scaled p f, and g = f (dout v^T): dv += (p f) dout, and the
// gradient of a score is p (g - sum of p g), where that sum is dout . out.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "Rows.h"
#include "VisibleKeys.h"
#include "dialects/Nn/Products.h"

using namespace mlir;

namespace hocket::reference {

void evaluateAttentionGrad(nn::AttentionGradOp op, Call &call) {
  const Tensor &q = call.operand(0), &k = call.operand(1), &v = call.operand(2);
  const Tensor &dout = call.operand(3), &result = call.operand(4);
  const Tensor &lse = call.operand(5);
  MaskTensors masks(op, call);
  BiasTensor bias(op, call);
  DropoutFactors dropout(op, op.getDropout().convertToDouble(), op.getStream(),
                         op.getStep() ? call.operands.back() : nullptr);
  int64_t heads = q.shape[1], groups = k.shape[1], queries = q.shape[2];
  int64_t keys = k.shape[2], depth = q.shape[3], width = v.shape[3];
  auto layout = nn::blockLayoutOf(op.getBlockLayoutAttr());
  double scale = op.getScale().convertToDouble();
  std::vector<double> weights(keys), gradients(keys);
  for (int64_t row = 0; row < q.shape[0] * heads * queries; ++row) {
    int64_t i = row % queries, head = row / queries % heads;
    int64_t batch = row / queries / heads;
    int64_t kv = (batch * groups + head / (heads / groups)) * keys;
    const double *query = &q.values[row * depth];
    const double *out = &dout.values[row * width];
    VisibleKeys visible(op, layout, head, i, queries, keys);
    if (lse.values[row] == -INFINITY) // it sees nothing
      continue;
    for (int64_t j = 0; j < keys; ++j) {
      bool sees = visible.has(j) && masks.show(batch, i, j);
      double score =
          sees ? scale * dot(query, &k.values[(kv + j) * depth], depth) +
                     bias.at(batch, head, i, j)
               : -INFINITY;
      weights[j] = std::exp(score - lse.values[row]);
    }
    double mean = dot(out, &result.values[row * width], width);
    for (int64_t j = 0; j < keys; ++j) {
      double factor = weights[j] ? dropout.factor(row * keys + j) : 0;
      gradients[j] = factor * dot(out, &v.values[(kv + j) * width], width);
      addScaled(&call.more[1].values[(kv + j) * width], out,
                weights[j] * factor, width);
    }
    for (int64_t j = 0; j < keys; ++j) {
      double score = weights[j] * (gradients[j] - mean);
      if (op.getDbias())
        call.more[2].values[bias.placeOf(batch, head, i, j)] += score;
      score *= scale;
      addScaled(&call.result.values[row * depth], &k.values[(kv + j) * depth],
                score, depth);
      addScaled(&call.more[0].values[(kv + j) * depth], query, score, depth);
    }
  }
}

} // namespace hocket::reference
