//===- Initialize.h - what a new parameter holds ---------------*- C++ -*-===//
//
// An element's number follows from the seed, the parameter's path and the
// element's place in the global tensor: any rank fills its box with the bits
// of the unsharded run.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RANDOM_INITIALIZE_H
#define HOCKET_RANDOM_INITIALIZE_H

#include "hocket/Random/Philox.h"
#include "hocket/Runtime/BoxRuns.h"
#include <cmath>

namespace hocket::runtime {

/// The numbers of one parameter.
class ParameterInitializer {
public:
  ParameterInitializer(uint64_t seed, std::string_view path)
      : key(seed ^ hashPath(path)) {}

  /// Uniform in [low, high), a multiple of 2^-32 of that range.
  float uniform(uint64_t element, double low, double high) const {
    double unit = wordOfElement(key, element, 0, Purpose::Initialize) * 0x1p-32;
    return float(low + (high - low) * unit);
  }

  /// Normal around `mean`: Box and Muller make two numbers of two words, so
  /// that four elements share a block.
  float normal(uint64_t element, double mean, double deviation) const {
    PhiloxBlock words = wordsOfBlock(key, element / 4, 0, Purpose::Initialize);
    int pair = int(element % 4) & 2;
    // In (0, 1], so that the logarithm is finite.
    double radius = (double(words[pair]) + 1) * 0x1p-32;
    double angle = double(words[pair + 1]) * 0x1p-32 * fullTurn;
    double wave = element % 2 == 0 ? std::cos(angle) : std::sin(angle);
    return float(mean + deviation * std::sqrt(-2 * std::log(radius)) * wave);
  }

  /// Fills a rank's box of the parameter, dense, in the order of its elements.
  void fillNormal(const Box &box, double mean, double deviation,
                  float *out) const {
    fill(box, out,
         [&](uint64_t element) { return normal(element, mean, deviation); });
  }
  void fillUniform(const Box &box, double low, double high, float *out) const {
    fill(box, out,
         [&](uint64_t element) { return uniform(element, low, high); });
  }

private:
  static constexpr double fullTurn = 6.283185307179586476925286766559;

  template <class Draw>
  static void fill(const Box &box, float *out, Draw draw) {
    forEachRun(box, [&](int64_t begin, int64_t done, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        out[done + i] = draw(uint64_t(begin + i));
      return true;
    });
  }

  uint64_t key;
};

} // namespace hocket::runtime

#endif // HOCKET_RANDOM_INITIALIZE_H
