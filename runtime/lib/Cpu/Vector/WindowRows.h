//===- WindowRows.h - inner loops of neighborhood attention ----*- C++ -*-===//
//
// Part of Vector.cpp, which is compiled once per processor level: everything
// has internal linkage.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_WINDOWROWS_H
#define HOCKET_LIB_CPU_VECTOR_WINDOWROWS_H

#include "hocket/Cpu/VectorFunctions.h"

namespace hocket::runtime {
namespace {

/// visit(row, number) for the rows of a window, the last dim innermost.
template <typename T, typename Visit>
inline void forEachRow(const WindowRows<T> &window, Visit visit) {
  int64_t number = 0;
  for (int64_t i = 0; i < window.counts[0]; ++i)
    for (int64_t j = 0; j < window.counts[1]; ++j) {
      T *row = window.first + i * window.steps[0] + j * window.steps[1];
      for (int64_t k = 0; k < window.counts[2]; ++k, row += window.steps[2])
        visit(row, number++);
    }
}

/// 64 bytes of T.
template <typename T> struct Lanes {
  static constexpr int count = 64 / sizeof(T);
  typedef T Vector __attribute__((vector_size(64)));
  static Vector load(const T *from) {
    Vector vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    return vector;
  }
  static T sum(Vector vector) {
    for (int half = count / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane)
        vector[lane] += vector[lane + half];
    return vector[0];
  }
};

/// Inner products of `row` with `count` rows, `step` apart; 4 at a time share
/// what is loaded of `row`.
template <int count, typename T>
inline void dots(const T *row, const T *others, int64_t step, int64_t size,
                 T *out) {
  using L = Lanes<T>;
  typename L::Vector sums[count] = {};
  int64_t d = 0;
  for (; d + L::count <= size; d += L::count) {
    typename L::Vector part = L::load(row + d);
    for (int i = 0; i < count; ++i)
      sums[i] += part * L::load(others + i * step + d);
  }
  for (int i = 0; i < count; ++i) {
    T sum = L::sum(sums[i]);
    for (int64_t rest = d; rest < size; ++rest)
      sum += row[rest] * others[i * step + rest];
    out[i] = sum;
  }
}

template <typename T>
void windowDots(const WindowRows<const T> &window, const T *row, T *out) {
  const int64_t count = window.counts[2], step = window.steps[2];
  for (int64_t i = 0; i < window.counts[0]; ++i)
    for (int64_t j = 0; j < window.counts[1]; ++j) {
      const T *others =
          window.first + i * window.steps[0] + j * window.steps[1];
      int64_t k = 0;
      for (; k + 4 <= count; k += 4)
        dots<4>(row, others + k * step, step, window.size, out + k);
      for (; k < count; ++k)
        dots<1>(row, others + k * step, step, window.size, out + k);
      out += count;
    }
}

template <typename T>
void windowSum(const WindowRows<const T> &window, const T *factors, T *sum) {
  using L = Lanes<T>;
  int64_t d = 0;
  // Part of the sum stays in registers while all rows go by.
  for (; d + 2 * L::count <= window.size; d += 2 * L::count) {
    typename L::Vector low = L::load(sum + d),
                       high = L::load(sum + d + L::count);
    forEachRow(window, [&](const T *row, int64_t number) {
      low += factors[number] * L::load(row + d);
      high += factors[number] * L::load(row + d + L::count);
    });
    __builtin_memcpy(sum + d, &low, sizeof low);
    __builtin_memcpy(sum + d + L::count, &high, sizeof high);
  }
  if (d == window.size)
    return;
  forEachRow(window, [&](const T *row, int64_t number) {
    const T factor = factors[number];
#pragma omp simd
    for (int64_t rest = d; rest < window.size; ++rest)
      sum[rest] += factor * row[rest];
  });
}

template <typename T>
void windowAdd(const WindowRows<T> &window, const T *factors, const T *row) {
  const int64_t size = window.size;
  forEachRow(window, [&](T *to, int64_t number) {
    const T factor = factors[number];
#pragma omp simd
    for (int64_t d = 0; d < size; ++d)
      to[d] += factor * row[d];
  });
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_WINDOWROWS_H
