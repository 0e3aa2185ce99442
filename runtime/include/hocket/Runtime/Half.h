//===- Half.h - the 16-bit float types as bits -----------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_HALF_H
#define HOCKET_RUNTIME_HALF_H

#include <cstdint>
#include <cstring>

namespace hocket::runtime {

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The upper half of a float; rounds to nearest even, keeps NaN.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t wide = bitsOf(value);
    if ((wide & 0x7fffffffu) > 0x7f800000u)
      bits = static_cast<uint16_t>((wide >> 16) | 0x40u);
    else
      bits = static_cast<uint16_t>((wide + 0x7fffu + ((wide >> 16) & 1)) >> 16);
  }
  operator float() const { return floatOf(static_cast<uint32_t>(bits) << 16); }
};

/// IEEE binary16; rounds to nearest even, overflow gives infinity.
struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value) {
    uint32_t wide = bitsOf(value);
    uint32_t sign = (wide >> 16) & 0x8000u, magnitude = wide & 0x7fffffffu;
    if (magnitude > 0x7f800000u) { // NaN
      bits =
          static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    } else if (magnitude >= 0x477ff000u) { // rounds to 65536 or more
      bits = static_cast<uint16_t>(sign | 0x7c00u);
    } else if (magnitude >= 0x38800000u) { // normal
      uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1);
      bits = static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
    } else { // subnormal: adding 0.5 aligns the bits and rounds
      float shifted = floatOf(magnitude) + 0.5f;
      bits = static_cast<uint16_t>(sign | (bitsOf(shifted) - 0x3f000000u));
    }
  }
  operator float() const {
    uint32_t sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    if (rest >= 0x7c00u)
      return floatOf(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
    if (rest >= 0x400u)
      return floatOf(sign | ((rest << 13) + 0x38000000u));
    float magnitude = static_cast<float>(rest) * 0x1p-24f;
    return floatOf(sign | bitsOf(magnitude));
  }
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_HALF_H
