//===- BoundText.h - the least time of a step, for people and JSON -*- C++ -*-//

#ifndef HOCKET_TOOLS_HOCKET_BOUNDTEXT_H
#define HOCKET_TOOLS_HOCKET_BOUNDTEXT_H

#include "hocket/Bound/StepBound.h"
#include <nlohmann/json.hpp>

namespace hocket::tool {

/// A table of the kinds of instructions of the rank that takes longest: calls,
/// launches, bytes, flops, time and what binds it.
void printBound(const plan::Plan &plan, const bound::StepBound &bound,
                const bound::DescribedDevice &device);

/// The value of "bound", see hocket/Plan/Summary.h.
nlohmann::ordered_json boundJson(const plan::Plan &plan,
                                 const bound::StepBound &bound,
                                 const bound::DescribedDevice &device);

/// "12.3 us".
std::string secondsText(double seconds);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_BOUNDTEXT_H
