//===- Pooling.cpp - nn.pool and its gradient -----------------------------===//

#include "Operations.h"
#include "Strided.h"
#include "dialects/Nn/Windows.h"
#include <limits>

using namespace mlir;

namespace hocket::reference {

namespace {
/// What one window reads: elements of x, and how many positions it counts.
struct Pooled {
  SmallVector<int64_t> elements;
  int64_t divisor;
};
} // namespace

/// Calls visit(element of y, what its window reads).
template <class OpTy, class Visit>
static void forEachWindow(OpTy op, ArrayRef<int64_t> x, ArrayRef<int64_t> y,
                          Visit visit) {
  auto windows = op.getWindows();
  size_t rank = x.size();
  Indices xStrides = denseStrides(x), yStrides = denseStrides(y);
  int64_t taps = product(op.getTaps());
  for (int64_t n = 0, count = product(y); n < count; ++n) {
    Pooled pooled{{}, 0};
    int64_t counted = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t left = tap, element = 0;
      bool isData = true, isCounted = true;
      for (size_t dim = rank; dim-- > 0;) {
        int64_t place = n / yStrides[dim] % y[dim];
        if (dim >= 2) {
          const nn::Window &w = *windows[dim];
          place = place * w.stride - w.low + left % w.kernel * w.dilation;
          left /= w.kernel;
          isData &= place >= 0 && place < w.extent;
          // Beyond what was asked for, extra room counts for nothing.
          isCounted &= place < w.extent + w.high - op.getExtras()[dim - 2];
        }
        element += place * xStrides[dim];
      }
      if (isData)
        pooled.elements.push_back(element);
      counted += isCounted;
    }
    pooled.divisor =
        op.getCountsBorder() ? counted : int64_t(pooled.elements.size());
    visit(n, pooled);
  }
}

/// The place in `elements` of the largest, or -1 of none: the first of equal
/// ones, the last NaN.
static int64_t largestOf(const Tensor &x, ArrayRef<int64_t> elements) {
  int64_t best = -1;
  for (int64_t element : elements) {
    double value = x.values[element];
    if (best < 0 || value > x.values[best] || value != value)
      best = element;
  }
  return best;
}

void evaluatePool(nn::PoolOp op, Call &call) {
  const Tensor &x = call.operand(0);
  bool isMax = op.getKind() == nn::PoolKind::Max,
       isIndex = op.getKind() == nn::PoolKind::MaxIndex;
  int64_t plane = product(ArrayRef(x.shape).drop_front(2));
  forEachWindow(op, x.shape, call.result.shape,
                [&](int64_t n, const Pooled &w) {
                  double &y = call.result.values[n];
                  if (isIndex) {
                    y = double(largestOf(x, w.elements) % plane);
                    return;
                  }
                  if (isMax) {
                    int64_t best = largestOf(x, w.elements);
                    y = best < 0 ? -std::numeric_limits<double>::infinity()
                                 : x.values[best];
                    return;
                  }
                  for (int64_t element : w.elements)
                    y += x.values[element];
                  if (w.divisor > 0)
                    y /= double(w.divisor);
                });
}

void evaluatePoolGrad(nn::PoolGradOp op, Call &call) {
  const Tensor &dy = call.operand(0);
  const Tensor *x = call.optional(1);
  std::vector<double> &dx = call.result.values;
  forEachWindow(op, call.result.shape, dy.shape,
                [&](int64_t n, const Pooled &w) {
                  if (x) {
                    int64_t best = largestOf(*x, w.elements);
                    if (best >= 0)
                      dx[best] += dy.values[n];
                    return;
                  }
                  for (int64_t element : w.elements)
                    dx[element] += dy.values[n] / double(w.divisor);
                });
}

} // namespace hocket::reference
