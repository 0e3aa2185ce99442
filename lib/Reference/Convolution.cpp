//===- Convolution.cpp - nn.conv, its transpose, its weight's gradient ----===//
//
// One sum of products over x [b, c, s...], weight [o, c / groups, k...] and
// y [b, o, n...], from three sides: each product is visited once.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "Strided.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;

namespace hocket::reference {

namespace {

/// For each result and tap of a dim the position that it reads, or -1.
struct Taps {
  int64_t extent = 1, results = 1, kernel = 1;
  std::vector<int64_t> positions = {0};
};

struct Sizes {
  int64_t batch, groups, channels, outs; // the last two of a group
  Taps dims[3];
};

} // namespace

static Taps tapsOf(const nn::Window &window) {
  Taps taps{window.extent, window.results(), window.kernel, {}};
  for (int64_t o = 0; o < taps.results; ++o)
    for (int64_t t = 0; t < taps.kernel; ++t)
      taps.positions.push_back(
          window.dataAt(o * window.stride - window.low + t * window.dilation));
  return taps;
}

template <class OpTy>
static Sizes sizesOf(OpTy op, const Tensor &x, const Tensor &weight) {
  int64_t groups = op.getGroups();
  Sizes sizes{
      x.shape[0], groups, weight.shape[1], weight.shape[0] / groups, {}};
  size_t spatial = x.shape.size() - 2;
  auto windows = op.getWindows();
  for (size_t i = 0; i < spatial; ++i)
    sizes.dims[3 - spatial + i] = tapsOf(*windows[i + 2]);
  return sizes;
}

/// Calls visit(row of x, row of the weight, row of y, last dim's taps) for each
/// product of all indices but those of the last dim.
template <class Visit> static void forEachRow(const Sizes &s, Visit visit) {
  const Taps &a = s.dims[0], &b = s.dims[1];
  auto slide = [&](int64_t x, int64_t w, int64_t y) {
    for (int64_t i = 0; i < a.results; ++i)
      for (int64_t p = 0; p < a.kernel; ++p)
        for (int64_t j = 0; j < b.results; ++j)
          for (int64_t q = 0; q < b.kernel; ++q) {
            int64_t row = a.positions[i * a.kernel + p];
            int64_t column = b.positions[j * b.kernel + q];
            if (row >= 0 && column >= 0)
              visit((x * a.extent + row) * b.extent + column,
                    (w * a.kernel + p) * b.kernel + q,
                    (y * a.results + i) * b.results + j);
          }
  };
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t g = 0; g < s.groups; ++g)
      for (int64_t o = 0; o < s.outs; ++o)
        for (int64_t c = 0; c < s.channels; ++c) {
          int64_t out = g * s.outs + o;
          slide((n * s.groups + g) * s.channels + c, out * s.channels + c,
                n * s.groups * s.outs + out);
        }
}

/// Calls visit(element of x, of the weight, of y) for each product.
template <class Visit> static void forEachProduct(const Sizes &s, Visit visit) {
  const Taps &last = s.dims[2];
  forEachRow(s, [&](int64_t x, int64_t w, int64_t y) {
    for (int64_t k = 0; k < last.results; ++k)
      for (int64_t t = 0; t < last.kernel; ++t)
        if (int64_t at = last.positions[k * last.kernel + t]; at >= 0)
          visit(x * last.extent + at, w * last.kernel + t,
                y * last.results + k);
  });
}

void evaluateConv(nn::ConvOp op, Call &call) {
  const Tensor &x = call.operand(0), &weight = call.operand(1);
  std::vector<double> &y = call.result.values;
  if (const Tensor *bias = call.optional(2)) {
    int64_t outs = weight.shape[0];
    int64_t points = outs ? call.size() / (x.shape[0] * outs) : 0;
    for (int64_t i = 0; i < call.size(); ++i)
      y[i] = bias->values[i / points % outs];
  }
  forEachProduct(sizesOf(op, x, weight), [&](int64_t i, int64_t w, int64_t o) {
    y[o] += x.values[i] * weight.values[w];
  });
}

void evaluateConvTranspose(nn::ConvTransposeOp op, Call &call) {
  const Tensor &y = call.operand(0), &weight = call.operand(1);
  forEachProduct(sizesOf(op, call.result, weight),
                 [&](int64_t i, int64_t w, int64_t o) {
                   call.result.values[i] += y.values[o] * weight.values[w];
                 });
}

void evaluateConvGradWeight(nn::ConvGradWeightOp op, Call &call) {
  const Tensor &x = call.operand(0), &dy = call.operand(1);
  forEachProduct(sizesOf(op, x, call.result),
                 [&](int64_t i, int64_t w, int64_t o) {
                   call.result.values[w] += x.values[i] * dy.values[o];
                 });
}

} // namespace hocket::reference
