//===- Rng.h - reproducible draws of the random tester ----------*- C++ -*-===//
//
// The standard distributions differ from library to library, these do not: a
// seed and a case number name the same case everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_RNG_H
#define HOCKET_TEST_RANDOM_RNG_H

#include <cstdint>
#include <random>
#include <vector>

namespace hocket::random {

class Rng {
public:
  explicit Rng(uint64_t seed) : engine(seed * 0x9e3779b97f4a7c15ull + 1) {}

  /// One of lo .. hi, both included.
  int64_t between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(engine() % uint64_t(hi - lo + 1));
  }
  size_t below(size_t count) { return engine() % count; }
  bool chance(double probability) {
    return double(engine() >> 11) * 0x1p-53 < probability;
  }
  template <typename T> const T &oneOf(const std::vector<T> &items) {
    return items[below(items.size())];
  }
  template <typename T> void shuffle(std::vector<T> &items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(i)]);
  }

private:
  std::mt19937_64 engine;
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_RNG_H
