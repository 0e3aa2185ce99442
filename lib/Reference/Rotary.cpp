//===- Rotary.cpp - rotary position embedding -----------------------------===//

#include "Operations.h"
#include "Strided.h"
#include "dialects/Nn/Norms.h"
#include <cmath>

using namespace mlir;

namespace hocket::reference {

/// Pair i at position p is rotated by the angle p * base^(-2i/d), or p times
/// its frequency.
void evaluateRotary(nn::RotaryOp op, Call &call) {
  const Tensor &x = call.operand(0);
  ArrayRef<int64_t> shape = x.shape;
  int64_t dim = op.getDim(), size = shape.back(), half = size / 2;
  double base = op.getBase().convertToDouble();
  ArrayRef<double> frequencies;
  if (DenseF64ArrayAttr listed = op.getFrequenciesAttr())
    frequencies = listed;
  bool isHalf = op.getStyle() == nn::RotaryStyle::Half;
  // Rows between two positions: the dims after `dim`, less the last one.
  int64_t inner = product(shape.drop_front(dim + 1).drop_back());
  int64_t rows = product(shape.drop_back());
  for (int64_t row = 0; row < rows; ++row) {
    int64_t position = row / inner % shape[dim];
    const double *from = x.values.data() + row * size;
    double *to = call.result.values.data() + row * size;
    for (int64_t i = 0; i < half; ++i) {
      int64_t first = isHalf ? i : 2 * i,
              second = isHalf ? i + half : 2 * i + 1;
      double angle =
          position * (frequencies.empty() ? std::pow(base, -2.0 * i / size)
                                          : frequencies[i]);
      if (op.getInverse())
        angle = -angle;
      double c = std::cos(angle), s = std::sin(angle);
      to[first] = from[first] * c - from[second] * s;
      to[second] = from[second] * c + from[first] * s;
    }
  }
}

} // namespace hocket::reference
