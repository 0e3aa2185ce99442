//===- Elements.h - C++ types of plan::DType -------------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_ELEMENTS_H
#define HOCKET_RUNTIME_ELEMENTS_H

#include "hocket/Plan/Plan.h"
#include "hocket/Runtime/Half.h"

namespace hocket::runtime {

/// One byte, 0 or 1.
struct Boolean {
  uint8_t bits = 0;
  Boolean() = default;
  template <typename T> explicit Boolean(T value) : bits(value != T(0)) {}
  operator int() const { return bits != 0; }
};

/// Calls `visitor(T())` with the C++ type of `type`.
template <typename Visitor>
auto visitType(plan::DType type, Visitor &&visitor) {
  switch (type) {
  case plan::DType::F32:
    return visitor(float());
  case plan::DType::F64:
    return visitor(double());
  case plan::DType::F16:
    return visitor(Float16());
  case plan::DType::BF16:
    return visitor(BFloat16());
  case plan::DType::I32:
    return visitor(int32_t());
  case plan::DType::I64:
    return visitor(int64_t());
  case plan::DType::Bool:
    break;
  }
  return visitor(Boolean());
}

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_ELEMENTS_H
