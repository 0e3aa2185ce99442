//===- AttentionText.h - what attentions cost, in words --------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_ATTENTIONTEXT_H
#define HOCKET_TOOLS_HOCKET_ATTENTIONTEXT_H

#include "hocket/Plan/Plan.h"
#include <nlohmann/json.hpp>

namespace hocket::tool {

/// For each, or once for those that are alike, what is computed and received
/// forward and backward, and what is held. Where ranks differ, the least and
/// the most, and the mean divided by the most, which is the share of their
/// time that ranks work.
void printAttentions(const plan::Plan &plan);
nlohmann::ordered_json attentionsJson(const plan::Plan &plan);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_ATTENTIONTEXT_H
