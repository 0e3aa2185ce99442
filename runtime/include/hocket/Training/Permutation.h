//===- Permutation.h - a shuffled order without a list ----------*- C++ -*-===//
//
// The order of an epoch is a permutation of [0, count) that any rank computes
// for the examples it needs: a Feistel network on an even number of bits, its
// round function Philox, walked until the number is below count (Black and
// Rogaway, Ciphers with Arbitrary Finite Domains, 2002).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRAINING_PERMUTATION_H
#define HOCKET_TRAINING_PERMUTATION_H

#include "hocket/Random/Philox.h"

namespace hocket::runtime {

class Permutation {
public:
  Permutation(uint64_t count, uint64_t seed, uint64_t epoch)
      : count(count), key(seed ^ hashPath("order of the examples")),
        epoch(epoch) {
    while (halfBits < 31 && uint64_t(1) << (2 * halfBits) < count)
      ++halfBits;
  }

  /// Where in the data the example number `index` of the epoch lies.
  uint64_t operator()(uint64_t index) const {
    if (count < 2)
      return 0;
    // A network permutes its whole domain, at most four times as large.
    do
      index = walk(index);
    while (index >= count);
    return index;
  }

private:
  uint64_t walk(uint64_t value) const {
    constexpr uint32_t rounds = 8;
    uint32_t mask = (uint32_t(1) << halfBits) - 1;
    uint32_t left = uint32_t(value >> halfBits), right = uint32_t(value) & mask;
    for (uint32_t round = 0; round < rounds; ++round) {
      PhiloxBlock words =
          philox4x32({right, round, uint32_t(epoch), uint32_t(epoch >> 32)},
                     {uint32_t(key), uint32_t(key >> 32)});
      uint32_t mixed = (left ^ words[0]) & mask;
      left = right;
      right = mixed;
    }
    return uint64_t(left) << halfBits | right;
  }

  uint64_t count, key, epoch;
  int halfBits = 1;
};

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_PERMUTATION_H
