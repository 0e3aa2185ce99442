//===- Imbalance.h - where ranks cost differently --------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_IMBALANCE_H
#define HOCKET_TOOLS_HOCKET_IMBALANCE_H

#include "hocket/Plan/Costs.h"

namespace hocket::tool {

/// A line for bytes, memory and flops each, of those that differ: the least and
/// the most, and which ranks have them. Nothing where all are equal.
void printImbalance(const std::vector<plan::Costs> &costs);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_IMBALANCE_H
