//===- Rounding.h - numbers as the formats of floats hold them -*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_ROUNDING_H
#define HOCKET_TEST_GPU_PTX_ROUNDING_H

#include "hocket/Runtime/Half.h"
#include "test/Gpu/Ptx/FloatValues.h"

namespace hocket::ptx {

using runtime::BFloat16;
using runtime::Float16;

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

/// A binary format: digits with the leading one, the exponent of the smallest
/// normal number, and the largest number.
struct Format {
  int digits, leastExponent;
  long double largest;
};
constexpr Format formatF16{11, -14, 65504.0L};
constexpr Format formatBF16{8, -126, 0x1.fep127L};
constexpr Format formatF32{24, -126, 0x1.fffffep127L};
constexpr Format formatF64{53, -1022, 0x1.fffffffffffffp1023L};

/// To an integer, ties to even for Nearest.
inline long double toWhole(long double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    break;
  }
  return std::ceil(value);
}

/// The number of the format that `value`, which is exact, is rounded to.
inline long double rounded(long double value, const Format &format,
                           Rounding rounding) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::ilogb(value);
  if (exponent < format.leastExponent)
    exponent = format.leastExponent;
  exponent -= format.digits - 1;
  long double result =
      std::ldexp(toWhole(std::ldexp(value, -exponent), rounding), exponent);
  if (std::fabs(result) <= format.largest)
    return result;
  bool keeps = rounding == Rounding::Zero ||
               rounding == (value > 0 ? Rounding::Down : Rounding::Up);
  return std::copysign(keeps ? format.largest : INFINITY, value);
}

/// An f32 from which a format of 22 or fewer digits is rounded as from `value`:
/// cut off, with the last bit set where something was cut.
inline float cutToOdd(double value) {
  float near = static_cast<float>(value);
  if (static_cast<double>(near) == value || near != near)
    return near;
  uint32_t bits = bitsAs<uint32_t>(near);
  if (std::fabs(static_cast<double>(near)) > std::fabs(value))
    --bits;
  return bitsAs<float>(bits | 1);
}

/// a * b + c for factors of at most 26 digits, without its error: cut to odd.
inline double fmaToOdd(double a, double b, double c) {
  double product = a * b, sum = product + c;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  uint64_t bits = bitsAs<uint64_t>(sum);
  if (error == 0 || error != error || bits & 1)
    return sum;
  bool grows = (error > 0) == (sum > 0);
  return bitsAs<double>(grows ? bits + 1 : bits - 1);
}

/// NaNs are those that instructions of the type give.
template <typename H> H toHalf(float value) {
  H half(value);
  if (value != value)
    half.bits = 0x7fff;
  return half;
}

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_ROUNDING_H
