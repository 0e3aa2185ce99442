//===- FloatValues.h - zeros, NaNs and bounds of floats --------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_FLOATVALUES_H
#define HOCKET_TEST_GPU_PTX_FLOATVALUES_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace hocket::ptx {

template <typename To, typename From> To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// .ftz: a subnormal number is a zero of its sign.
inline float flushed(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

/// The NaN that instructions of f32 give; that of f64 keeps its payload.
inline float canonical(float value) {
  return value != value ? bitsAs<float>(0x7fffffffu) : value;
}
inline double canonical(double value) { return value; }

/// .sat: NaN is +0.
template <typename T> T saturate(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

/// The smaller one; -0 is below +0, and a NaN counts only beside another.
template <typename T> T lesser(T a, T b) {
  if (a != a)
    return canonical(b);
  if (b != b)
    return a;
  return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
}
template <typename T> T greater(T a, T b) {
  if (a != a)
    return canonical(b);
  if (b != b)
    return a;
  return a == b ? (std::signbit(a) ? b : a) : (a < b ? b : a);
}

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_FLOATVALUES_H
