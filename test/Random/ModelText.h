//===- ModelText.h - random models, as text ---------------------*- C++ -*-===//
//
// Writes one `model Net` with modules of its own. The text always elaborates,
// and float64 and float32 agree on what it computes: values stay moderate,
// denominators away from zero, and comparisons away from ties.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_MODELTEXT_H
#define HOCKET_TEST_RANDOM_MODELTEXT_H

#include "Rng.h"
#include <string>

namespace hocket::random {

/// A line `shard PATH axis AXIS` that a schedule should have. With `minor` over
/// two axes, and those over the second one alone.
struct Wish {
  std::string path, axis;
  std::vector<Wish> minor = {};
  bool isDomain = false; // of what windows or edges slide over, in any parts
};

struct ModelText {
  std::string text;
  std::vector<Wish> wishes;
  /// Nothing is rounded: elements are moved, compared and summed with zeros.
  /// Every schedule must give the reference's bits.
  bool isExact = false;
  /// Of models of attention: the dims of inputs and parameters that are the
  /// sequence, the batch and the heads.
  bool isAttention = false;
  std::vector<Wish> sequences = {}, batches = {}, heads = {};
};

/// `isGrid`: of convolutions and other windows over a tensor of 1 to 3 spatial
/// dims.
ModelText makeModel(Rng &rng, bool isGrid = false);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_MODELTEXT_H
