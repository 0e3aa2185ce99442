//===- Rows.h - sums and softmax of rows of numbers ------------*- C++ -*-===//

#ifndef HOCKET_LIB_REFERENCE_ROWS_H
#define HOCKET_LIB_REFERENCE_ROWS_H

#include <cmath>
#include <cstdint>
#include <vector>

namespace hocket::reference {

inline double dot(const double *a, const double *b, int64_t size) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// y += factor * x
inline void addScaled(double *y, const double *x, double factor, int64_t size) {
  for (int64_t i = 0; i < size; ++i)
    y[i] += factor * x[i];
}

/// x becomes exp(x - max) / sum of all those, nothing where all are -inf.
/// Returns the logarithm of the sum of exp(x), -inf there.
inline double softmaxOf(std::vector<double> &x) {
  double largest = -INFINITY, sum = 0;
  for (double value : x)
    largest = std::fmax(largest, value);
  if (largest == -INFINITY)
    return largest;
  for (double &value : x)
    sum += value = std::exp(value - largest);
  for (double &value : x)
    value /= sum;
  return largest + std::log(sum);
}

} // namespace hocket::reference

#endif // HOCKET_LIB_REFERENCE_ROWS_H
