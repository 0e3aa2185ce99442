//===- AttentionRows.h - rows of heads in any element type -----*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONROWS_H
#define HOCKET_LIB_CPU_ATTENTIONROWS_H

#include "hocket/Cpu/Call.h"
#include "hocket/Runtime/Elements.h"
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace hocket::runtime {

/// The logarithm of sum * exp(shift), see SoftmaxTile.
inline float lseOf(float shift, float sum) {
  return float(shift + std::log(double(sum)));
}

/// A row of [batch, head, row, element].
struct HeadRow {
  int64_t b, h, row;
};

/// Calls move(element, d) for each element of a row.
template <typename Move>
void moveRow(const Operand &operand, HeadRow at, Move move) {
  visitType(operand.type, [&](auto zero) {
    using Element = decltype(zero);
    Element *data = static_cast<Element *>(operand.data) +
                    at.b * operand.strides[0] + at.h * operand.strides[1] +
                    at.row * operand.strides[2];
    for (int64_t d = 0; d < operand.shape[3]; ++d)
      move(data[d * operand.strides[3]], d);
  });
}

template <typename T> void loadRow(const Operand &operand, HeadRow at, T *out) {
  moveRow(operand, at,
          [&](auto &element, int64_t d) { out[d] = static_cast<T>(element); });
}

template <typename T>
void storeRow(const Operand &operand, HeadRow at, const T *from) {
  moveRow(operand, at, [&](auto &element, int64_t d) {
    element = std::decay_t<decltype(element)>(from[d]);
  });
}

/// Of a row's weights, exp(score - lse), and the gradients g of these: divides
/// the weights p by their own sum, so that it does not matter how lse was
/// rounded, and makes g the gradients of the scores before `scale`, scale * p *
/// (g - mean). Where p is nearly 1, g - mean cancels: g and mean are counted
/// from that of the largest weight, and what cancels is exact.
template <typename T>
void softmaxGradRow(T *weights, T *gradients, int64_t count, T scale) {
  if (count == 0)
    return;
  const T origin =
      gradients[std::max_element(weights, weights + count) - weights];
  T sum = 0, mean = 0;
  for (int64_t j = 0; j < count; ++j) {
    gradients[j] -= origin;
    sum += weights[j];
    mean += weights[j] * gradients[j];
  }
  mean /= sum;
  for (int64_t j = 0; j < count; ++j) {
    weights[j] /= sum;
    gradients[j] = scale * weights[j] * (gradients[j] - mean);
  }
}

/// Calls move(element) with what [batch, head, row] has there.
template <typename Move>
void moveElement(const Operand &operand, HeadRow at, Move move) {
  visitType(operand.type, [&](auto zero) {
    using Element = decltype(zero);
    move(static_cast<Element *>(
        operand.data)[at.b * operand.strides[0] + at.h * operand.strides[1] +
                      at.row * operand.strides[2]]);
  });
}

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONROWS_H
