//===- RuleText.h - a placement rule as an einsum-like text ----*- C++ -*-===//
//
//   [b, s, i] linear, [(h d), i] linear, [(h d)] addend -> [b, s, (h d)]
//     sum over i
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_RULETEXT_H
#define HOCKET_NN_RULETEXT_H

#include "dialects/Nn/PlacementRule.h"

namespace hocket::nn {

/// Values by the factors of their dims, `1` where a dim has none (it is
/// broadcast), each with what a partial one does; nothing where it is refused.
/// A line for each factor that does not only split the results likewise.
std::string ruleText(const PlacementRule &rule);

} // namespace hocket::nn

#endif // HOCKET_NN_RULETEXT_H
