//===- AttentionText.h - what attentions compute, by rank ------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_ATTENTIONTEXT_H
#define HOCKET_TOOLS_HOCKET_ATTENTIONTEXT_H

#include "hocket/Plan/Plan.h"
#include <nlohmann/json.hpp>

namespace hocket::tool {

/// The scores of attentions that a step's forward computes: pairs of a query
/// and a key that it sees under its mask and layout, in all heads and batch
/// entries. What padding hides, only a run knows.
struct AttentionScores {
  std::vector<std::string> paths; ///< of those that are alike
  /// The ranks of a group compute as many.
  std::vector<int64_t> byGroup;
};
struct AttentionPlan {
  std::vector<std::vector<int64_t>> groups; ///< of ranks
  std::vector<AttentionScores> attentions;  ///< in the order of the plan
};

/// Terms of a ring are of one attention.
AttentionPlan attentionScores(const plan::Plan &plan);

/// A line for those whose ranks differ: the least and the most, and the mean
/// divided by the most, which is the share of their time that ranks work.
void printAttentions(const plan::Plan &plan);
nlohmann::ordered_json attentionsJson(const plan::Plan &plan);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_ATTENTIONTEXT_H
