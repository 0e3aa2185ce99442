//===- Norms.cpp - layer_norm, rms_norm and softmax -----------------------===//

#include "Operations.h"
#include "Strided.h"
#include <cmath>

using namespace mlir;

namespace hocket::reference {

/// Calls normalize(x, y, size) for each row along the last dim.
template <class Normalize>
static void forEachRow(Call &call, Normalize normalize) {
  int64_t size = call.result.shape.back();
  for (int64_t first = 0; first < call.size(); first += size)
    normalize(call.operand(0).values.data() + first,
              call.result.values.data() + first, size);
}

/// (x - mean) / sqrt(var + eps) * weight + bias
void evaluateLayerNorm(nn::LayerNormOp op, Call &call) {
  double eps = op.getEps().convertToDouble();
  const std::vector<double> &weight = call.operand(1).values;
  const Tensor *bias = call.optional(2);
  forEachRow(call, [&](const double *x, double *y, int64_t size) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < size; ++i)
      mean += x[i] / size;
    for (int64_t i = 0; i < size; ++i)
      variance += (x[i] - mean) * (x[i] - mean) / size;
    double scale = 1 / std::sqrt(variance + eps);
    for (int64_t i = 0; i < size; ++i)
      y[i] = (x[i] - mean) * scale * weight[i] + (bias ? bias->values[i] : 0.0);
  });
}

/// x / sqrt(mean(x^2) + eps) * weight
void evaluateRmsNorm(nn::RmsNormOp op, Call &call) {
  double eps = op.getEps().convertToDouble();
  const std::vector<double> &weight = call.operand(1).values;
  forEachRow(call, [&](const double *x, double *y, int64_t size) {
    double meanSquare = 0;
    for (int64_t i = 0; i < size; ++i)
      meanSquare += x[i] * x[i] / size;
    double scale = 1 / std::sqrt(meanSquare + eps);
    for (int64_t i = 0; i < size; ++i)
      y[i] = x[i] * scale * weight[i];
  });
}

/// exp(x - max) / sum exp(x - max) of `size` elements `stride` apart
static void softmaxAlong(const double *x, double *y, int64_t size,
                         int64_t stride) {
  double largest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < size; ++i)
    largest = std::fmax(largest, x[i * stride]);
  for (int64_t i = 0; i < size; ++i)
    sum += y[i * stride] = std::exp(x[i * stride] - largest);
  for (int64_t i = 0; i < size; ++i)
    y[i * stride] /= sum;
}

void evaluateSoftmax(nn::SoftmaxOp op, Call &call) {
  ArrayRef<int64_t> shape = call.result.shape;
  int64_t dim = op.getDim(), size = shape[dim];
  int64_t outer = product(shape.take_front(dim));
  int64_t inner = product(shape.drop_front(dim + 1));
  for (int64_t before = 0; before < outer; ++before)
    for (int64_t after = 0; after < inner; ++after) {
      int64_t first = before * size * inner + after;
      softmaxAlong(call.operand(0).values.data() + first,
                   call.result.values.data() + first, size, inner);
    }
}

} // namespace hocket::reference
