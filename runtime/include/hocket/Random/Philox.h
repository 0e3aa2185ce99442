//===- Philox.h - random words of a global element -------------*- C++ -*-===//
//
// Philox 4x32-10 (Salmon et al., 2011) turns a 128-bit counter and a 64-bit key
// into 128 random bits, with no state between calls: an element of a tensor
// draws the same number on whatever rank it lies, in the forward, in the
// backward and when it is computed again.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RANDOM_PHILOX_H
#define HOCKET_RANDOM_PHILOX_H

#include <array>
#include <cstdint>
#include <string_view>

namespace hocket::runtime {

using PhiloxBlock = std::array<uint32_t, 4>;

/// Ten rounds over `counter` under `key`.
inline PhiloxBlock philox4x32(PhiloxBlock counter,
                              std::array<uint32_t, 2> key) {
  constexpr uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
  constexpr uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = multiplier0 * counter[0];
    uint64_t product1 = multiplier1 * counter[2];
    counter = {
        uint32_t(product1 >> 32) ^ counter[1] ^ key[0], uint32_t(product1),
        uint32_t(product0 >> 32) ^ counter[3] ^ key[1], uint32_t(product0)};
    key[0] += weyl0;
    key[1] += weyl1;
  }
  return counter;
}

/// 64-bit FNV-1a; names the stream of a path.
constexpr uint64_t hashPath(std::string_view path) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : path)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return hash;
}

/// What the numbers are for: uses of one stream do not meet.
enum class Purpose : uint32_t { Dropout = 0, Initialize = 1, Layout = 2 };

/// The words of elements [4 * block, 4 * block + 4) of a global tensor, counted
/// row-major, under `key` = seed XOR stream.
inline PhiloxBlock wordsOfBlock(uint64_t key, uint64_t block, uint32_t step,
                                Purpose purpose) {
  return philox4x32(
      {uint32_t(block), uint32_t(block >> 32), step, uint32_t(purpose)},
      {uint32_t(key), uint32_t(key >> 32)});
}

inline uint32_t wordOfElement(uint64_t key, uint64_t element, uint32_t step,
                              Purpose purpose) {
  return wordsOfBlock(key, element / 4, step, purpose)[element % 4];
}

/// An element is kept where its word is at least this.
inline uint32_t dropThreshold(double p) {
  return static_cast<uint32_t>(p * 0x1p32); // p < 1
}

} // namespace hocket::runtime

#endif // HOCKET_RANDOM_PHILOX_H
