//===- AttentionRows.h - rows of heads in any element type -----*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONROWS_H
#define HOCKET_LIB_CPU_ATTENTIONROWS_H

#include "hocket/Cpu/Call.h"
#include "hocket/Runtime/Elements.h"
#include <type_traits>

namespace hocket::runtime {

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
