//===- RandomStream.h - numbers for made-up tensors ------------*- C++ -*-===//
//
// What --random-weights and --random-input draw: the key is the seed, the
// counter (element, stream), two words for each element.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RANDOM_RANDOMSTREAM_H
#define HOCKET_RANDOM_RANDOMSTREAM_H

#include "hocket/Random/Philox.h"
#include <cmath>

namespace hocket::runtime {

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

#endif // HOCKET_RANDOM_RANDOMSTREAM_H
