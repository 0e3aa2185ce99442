//===- Philox.h - random numbers of a global element -----------*- C++ -*-===//
//
// Philox 4x32-10 (Salmon et al., 2011) turns a 128-bit counter and a 64-bit key
// into 128 random bits, with no state between calls. Here the key is the seed
// and the counter is (stream, index): an element of a tensor draws the same
// number on whatever rank it lies.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_PHILOX_H
#define HOCKET_RUNTIME_PHILOX_H

#include <array>
#include <cmath>
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

/// The random numbers of one tensor.
class RandomStream {
public:
  RandomStream(uint64_t seed, std::string_view path)
      : seed(seed), stream(hashPath(path)) {}

  /// 64 random bits of element `index`.
  uint64_t bits(uint64_t index) const {
    // Two elements share a block.
    uint64_t block = index >> 1;
    PhiloxBlock words = philox4x32({uint32_t(block), uint32_t(block >> 32),
                                    uint32_t(stream), uint32_t(stream >> 32)},
                                   {uint32_t(seed), uint32_t(seed >> 32)});
    int first = int(index & 1) * 2;
    return uint64_t(words[first]) << 32 | words[first + 1];
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform(uint64_t index) const {
    return double(bits(index) >> 11) * 0x1p-53;
  }

  /// Normal with mean 0 and standard deviation 1 (Box and Muller).
  double normal(uint64_t index) const {
    uint64_t random = bits(index);
    // In (0, 1], so that the logarithm is finite.
    double radius = (double(random >> 32) + 1) * 0x1p-32;
    double angle = double(uint32_t(random)) * 0x1p-32;
    constexpr double fullTurn = 6.283185307179586476925286766559;
    return std::sqrt(-2 * std::log(radius)) * std::cos(fullTurn * angle);
  }

  /// Uniform in [low, high), high > low; the bias is below 2^-32 for ranges
  /// below 2^32.
  int64_t integer(uint64_t index, int64_t low, int64_t high) const {
    uint64_t range = uint64_t(high) - uint64_t(low);
    return int64_t(uint64_t(low) +
                   uint64_t((unsigned __int128)(bits(index)) * range >> 64));
  }

private:
  uint64_t seed, stream;
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_PHILOX_H
