//===- Norms.cpp - norms and softmax ------------------------------------===//

#include "dialects/Nn/Norms.h"
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

/// (x - mean) / sqrt(var + eps), mean and var over dims
void evaluateNormalize(nn::NormalizeOp op, Call &call) {
  const Tensor &x = call.operand(0);
  std::vector<double> &mean = call.more[0].values;
  std::vector<double> &variance = call.more[1].values;
  // The strides at which x's elements find their mean: 0 along the dims.
  Indices strides(x.shape.size(), 0);
  int64_t groups = 1;
  for (int64_t dim = x.shape.size(); dim-- > 0;)
    if (!llvm::is_contained(op.getDims(), dim)) {
      strides[dim] = groups;
      groups *= x.shape[dim];
    }
  double share = groups == 0 ? 0 : double(groups) / product(x.shape);
  forEachElement(x.shape, strides, [&](int64_t n, int64_t group) {
    mean[group] += x.values[n] * share;
  });
  forEachElement(x.shape, strides, [&](int64_t n, int64_t group) {
    double distance = x.values[n] - mean[group];
    variance[group] += distance * distance * share;
  });
  double eps = op.getEps().convertToDouble();
  forEachElement(x.shape, strides, [&](int64_t n, int64_t group) {
    call.result.values[n] =
        (x.values[n] - mean[group]) / std::sqrt(variance[group] + eps);
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

/// Calls visit(line, first, size, stride) for each line of x along `dim`.
template <class Visit>
static void forEachLine(const Tensor &x, int64_t dim, Visit visit) {
  ArrayRef<int64_t> shape = x.shape;
  int64_t size = shape[dim];
  int64_t outer = product(shape.take_front(dim));
  int64_t inner = product(shape.drop_front(dim + 1));
  for (int64_t before = 0; before < outer; ++before)
    for (int64_t after = 0; after < inner; ++after)
      visit(before * inner + after, before * size * inner + after, size, inner);
}

void evaluateSoftmax(nn::SoftmaxOp op, Call &call) {
  const Tensor &x = call.operand(0);
  forEachLine(x, op.getDim(),
              [&](int64_t, int64_t first, int64_t size, int64_t stride) {
                softmaxAlong(&x.values[first], &call.result.values[first], size,
                             stride);
              });
}

void evaluateLogSumExp(nn::LogSumExpOp op, Call &call) {
  const Tensor &x = call.operand(0);
  forEachLine(x, op.getDim(),
              [&](int64_t line, int64_t first, int64_t size, int64_t stride) {
                double largest = -INFINITY, sum = 0;
                for (int64_t i = 0; i < size; ++i)
                  largest = std::fmax(largest, x.values[first + i * stride]);
                for (int64_t i = 0; i < size; ++i)
                  sum += std::exp(x.values[first + i * stride] - largest);
                call.result.values[line] =
                    std::isinf(largest) ? largest : largest + std::log(sum);
              });
}

} // namespace hocket::reference
