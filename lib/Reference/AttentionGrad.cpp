//===- AttentionGrad.cpp - gradients of attention, a row at a time --------===//
//
// With weights p = softmax(scale q k^T + mask), those that are dropped or
// scaled p f, and g = f (dout v^T): dv += (p f) dout, and the gradient of a
// score is p (g - sum of p g).
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "Rows.h"
#include "dialects/Nn/Products.h"

using namespace mlir;

namespace hocket::reference {

void evaluateAttentionGrad(nn::AttentionGradOp op, Call &call) {
  const Tensor &q = call.operand(0), &k = call.operand(1), &v = call.operand(2);
  const Tensor &dout = call.operand(3);
  const Tensor *keep = op.getKeep() ? call.optional(4) : nullptr;
  DropoutFactors dropout(op, op.getDropout().convertToDouble(), op.getStream(),
                         op.getStep() ? call.operands.back() : nullptr);
  int64_t heads = q.shape[1], groups = k.shape[1], queries = q.shape[2];
  int64_t keys = k.shape[2], depth = q.shape[3], width = v.shape[3];
  double scale = op.getScale().convertToDouble();
  std::vector<double> weights(keys), gradients(keys);
  for (int64_t row = 0; row < q.shape[0] * heads * queries; ++row) {
    int64_t i = row % queries, head = row / queries % heads;
    int64_t batch = row / queries / heads;
    int64_t kv = (batch * groups + head / (heads / groups)) * keys;
    const double *query = &q.values[row * depth];
    const double *out = &dout.values[row * width];
    KeyRange visible = visibleKeys(op, i, queries, keys);
    for (int64_t j = 0; j < keys; ++j) {
      bool sees =
          visible.has(j) && (!keep || keep->values[batch * keys + j] != 0);
      weights[j] = sees ? scale * dot(query, &k.values[(kv + j) * depth], depth)
                        : -INFINITY;
    }
    if (!softmaxOf(weights))
      continue;
    double mean = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double factor = weights[j] ? dropout.factor(row * keys + j) : 0;
      gradients[j] = factor * dot(out, &v.values[(kv + j) * width], width);
      mean += weights[j] * gradients[j];
      addScaled(&call.more[1].values[(kv + j) * width], out,
                weights[j] * factor, width);
    }
    for (int64_t j = 0; j < keys; ++j) {
      double score = scale * weights[j] * (gradients[j] - mean);
      addScaled(&call.result.values[row * depth], &k.values[(kv + j) * depth],
                score, depth);
      addScaled(&call.more[0].values[(kv + j) * depth], query, score, depth);
    }
  }
}

} // namespace hocket::reference
