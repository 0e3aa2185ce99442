//===- AstHalo.h - what a line says of a halo -------------------*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ASTHALO_H
#define HOCKET_FRONTEND_ASTHALO_H

#include "hocket/Frontend/AstExpr.h"
#include <optional>
#include <vector>

namespace hocket::syntax {

/// `reach auto`, `reach 2`, `reach (1, 2)`: one value for both sides, or left
/// and right; no values: auto.
struct Reach {
  std::vector<ExprPtr> values;
  SourceRange range;
};

/// Which collective moves the margins of a halo.
enum class HaloStrategy { Neighbors, AllToAll, AllGather };
const char *getSpelling(HaloStrategy strategy);

/// `[reach REACH] [using STRATEGY] [overlap] [layers N]`, in any order.
struct HaloOptions {
  std::optional<Reach> reach;
  std::optional<HaloStrategy> strategy;
  std::optional<SourceRange> overlap;
  ExprPtr layers; ///< null: one
};

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_ASTHALO_H
