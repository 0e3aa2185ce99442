//===- Attention.cpp - softmax(scale q k^T + mask) v, a row at a time -----===//

#include "Operations.h"
#include "Rows.h"
#include "VisibleKeys.h"
#include "dialects/Nn/Products.h"
#include <algorithm>

using namespace mlir;

namespace hocket::reference {

namespace {
/// The sizes of [b, h, s, d], [b, g, t, d] and [b, g, t, e].
struct Sizes {
  int64_t heads, groups, queries, keys, depth, width;
};
} // namespace

/// [t, d] to [d, t], so that one element of a query meets all keys in order.
static void transpose(const double *from, int64_t rows, int64_t columns,
                      double *to) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      to[j * rows + i] = from[i * columns + j];
}

/// The softmax of the scores of visible keys, 0 for the others; all 0 if none
/// is visible. Returns the logarithm of the sum of exp.
static double softmaxOfVisible(std::vector<double> &scores,
                               const std::vector<bool> &visible) {
  for (int64_t j = 0; j < int64_t(scores.size()); ++j)
    if (!visible[j])
      scores[j] = -INFINITY;
  double lse = softmaxOf(scores);
  if (lse == -INFINITY)
    std::fill(scores.begin(), scores.end(), 0.0);
  return lse;
}

/// result[e] = sum_j softmax_j(scale q . k_j + weights[j]) v[j, e] for one
/// query, of which `weights` is the bias; returns its lse.
static double attendRow(const Sizes &sizes, const double *q,
                        const double *keysT, const double *v, double scale,
                        const std::vector<bool> &visible,
                        const DropoutFactors &dropout, int64_t row,
                        std::vector<double> weights, double *result) {
  for (int64_t i = 0; i < sizes.depth; ++i)
    for (int64_t j = 0; j < sizes.keys; ++j)
      weights[j] += scale * q[i] * keysT[i * sizes.keys + j];
  double lse = softmaxOfVisible(weights, visible);
  for (int64_t j = 0; j < sizes.keys; ++j) {
    double weight = weights[j];
    if (weight != 0)
      weight *= dropout.factor(row * sizes.keys + j);
    if (weight != 0)
      for (int64_t e = 0; e < sizes.width; ++e)
        result[e] += weight * v[j * sizes.width + e];
  }
  return lse;
}

void evaluateAttention(nn::AttentionOp op, Call &call) {
  const Tensor &q = call.operand(0), &k = call.operand(1), &v = call.operand(2);
  MaskTensors masks(op, call);
  BiasTensor bias(op, call);
  const Tensor *step = op.getStep() ? call.operands.back() : nullptr;
  DropoutFactors dropout(op, op.getDropout().convertToDouble(), op.getStream(),
                         step);
  Sizes sizes = {q.shape[1], k.shape[1], q.shape[2],
                 k.shape[2], q.shape[3], v.shape[3]};
  auto layout = nn::blockLayoutOf(op.getBlockLayoutAttr());
  double scale = op.getScale().convertToDouble();
  std::vector<double> keysT(sizes.depth * sizes.keys);
  std::vector<bool> visible(sizes.keys);
  std::vector<double> added(sizes.keys);
  for (int64_t b = 0; b < q.shape[0]; ++b)
    for (int64_t head = 0; head < sizes.heads; ++head) {
      int64_t group = head / (sizes.heads / sizes.groups);
      int64_t kv = (b * sizes.groups + group) * sizes.keys;
      transpose(k.values.data() + kv * sizes.depth, sizes.keys, sizes.depth,
                keysT.data());
      for (int64_t i = 0; i < sizes.queries; ++i) {
        VisibleKeys others(op, layout, head, i, sizes.queries, sizes.keys);
        for (int64_t j = 0; j < sizes.keys; ++j) {
          visible[j] = others.has(j) && masks.show(b, i, j);
          added[j] = bias.at(b, head, i, j);
        }
        int64_t row = (b * sizes.heads + head) * sizes.queries + i;
        double lse = attendRow(sizes, q.values.data() + row * sizes.depth,
                               keysT.data(), v.values.data() + kv * sizes.width,
                               scale, visible, dropout, row, added,
                               call.result.values.data() + row * sizes.width);
        if (op.getLse())
          call.more[0].values[row] = lse;
      }
    }
}

} // namespace hocket::reference
