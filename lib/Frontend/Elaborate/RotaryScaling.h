//===- RotaryScaling.h - frequencies for longer sequences ------*- C++ -*-===//
//
// A rotary embedding turns pair i of d/2 by base^(-2i/d) a position. A model
// that has been trained on shorter sequences is given others: `linear` divides
// all, `ntk` takes a larger base, `yarn` (arXiv 2309.00071) divides the slow
// ones, with a ramp between two numbers of turns, and `llama3` does so by
// wavelengths.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_ROTARYSCALING_H
#define HOCKET_FRONTEND_ELABORATE_ROTARYSCALING_H

#include <cstdint>
#include <vector>

namespace hocket::frontend {

/// A rotary embedding before it is scaled.
struct Rotary {
  double base = 10000;
  int64_t dim = 0; ///< of which half are pairs
  std::vector<double> frequencies() const;
};

std::vector<double> scaleLinear(const Rotary &rotary, double factor);

/// `positions` of the sequence, at least those that it was trained on.
std::vector<double> scaleNtk(const Rotary &rotary, double factor,
                             double original, double positions);

struct Yarn {
  double factor = 1, original = 0, fast = 32, slow = 1;
  bool truncate = true;
  double attention() const; ///< what the results are multiplied by
};
std::vector<double> scaleYarn(const Rotary &rotary, const Yarn &yarn);

struct Llama3 {
  double factor = 1, original = 0, low = 1, high = 4;
};
std::vector<double> scaleLlama3(const Rotary &rotary, const Llama3 &scaling);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_ROTARYSCALING_H
