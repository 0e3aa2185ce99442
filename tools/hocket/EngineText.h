//===- EngineText.h - what computes attentions, in words -------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_ENGINETEXT_H
#define HOCKET_TOOLS_HOCKET_ENGINETEXT_H

#include "hocket/Plan/Plan.h"
#include <nlohmann/json.hpp>

namespace hocket::tool {

/// Of a plan for GPUs, nothing where a step has no attention:
/// `attention: 12 by cuDNN, 2 by own kernels (cuDNN's attention takes ...)`.
void printEngines(const plan::Plan &plan);
/// One entry for each kind of instruction, engine and reason: `op`, `engine`,
/// `nondeterministic`, `calls` of the rank with the most, and `why_not_cudnn`.
nlohmann::ordered_json enginesJson(const plan::Plan &plan);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_ENGINETEXT_H
