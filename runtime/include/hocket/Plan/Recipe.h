//===- Recipe.h - first values, and what a recipe says of a run -*- C++ -*-===//

#ifndef HOCKET_PLAN_RECIPE_H
#define HOCKET_PLAN_RECIPE_H

#include <cstdint>
#include <string>

namespace hocket::plan {

enum class InitKind { Constant, Normal };

/// What a tensor holds that no file gives: `value` everywhere, or normal around
/// 0 with that standard deviation.
struct Init {
  InitKind kind = InitKind::Normal;
  double value = 0.02;
  bool operator==(const Init &other) const {
    return kind == other.kind && value == other.value;
  }
};

/// What a recipe says of a run: what the options of its program are where they
/// are not given. Empty and 0: not said.
struct Recipe {
  std::string data, tokenType, validationData, weights, checkpoints;
  int64_t saveEvery = 0, keep = 0, validateEvery = 0, validationBatches = 0;
  int64_t steps = 0, seed = 0;
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_RECIPE_H
