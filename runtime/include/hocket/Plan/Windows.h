//===- Windows.h - instructions that go over windows -----------*- C++ -*-===//

#ifndef HOCKET_PLAN_WINDOWS_H
#define HOCKET_PLAN_WINDOWS_H

#include "hocket/Plan/View.h"

namespace hocket::plan {

enum class ConvolutionPass { Forward, InputGradient, WeightGradient };

/// y[b, c, o...] = bias[c] + sum over k in c's group and taps t of
/// x[b, k, o * strides + t * dilations - lows] * weight[c, k, t...], zeros
/// where that is outside of x; with n = x + lows + highs - dilations * (taps -
/// 1) positions of a dim there are (n - 1) / strides + 1 outputs. Views: x [b,
/// cin, s...], weight [cout, cin / groups, t...], y [b, cout, o...]; 1 to 3
/// dims s. InputGradient computes x, as the gradient of it, from weight and y,
/// which is the gradient of the result; WeightGradient computes weight from x
/// and y.
struct Convolution {
  ConvolutionPass pass = ConvolutionPass::Forward;
  View x, weight, y, bias; // bias [cout], forward only, or buffer -1
  std::vector<int64_t> strides, dilations, lows, highs;
  int64_t groups = 1;
};

enum class PoolingKind { Max, Average, MaxIndex };

/// y[b, c, o...] = the largest or the mean of x[b, c, p...] over the positions
/// p = o * strides - lows + t * dilations with t in taps that are data, which
/// is those in [0, extents). A mean divides by how many positions lie in
/// [-lows, extents + highs) where `countsBorder`, else by how many are data. A
/// rank has of the dims the positions from xFirst on, those that its results
/// read, and the results from yFirst on. Views as of Convolution. An index is
/// that of the largest among all positions, row-major: the first of equal ones,
/// or the last NaN; its y is of i64.
/// A gradient computes dx, which has the positions of x, from y, the gradient
/// of the result, and of a maximum x: the first largest in row-major order
/// gets it all. A mean's gradient reads no x.
struct Pooling {
  PoolingKind kind = PoolingKind::Max;
  bool isGradient = false;
  View x, y, dx;
  std::vector<int64_t> taps, strides, dilations, lows, highs, extents;
  std::vector<Scalar> xFirst, yFirst;
  bool countsBorder = true;
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_WINDOWS_H
