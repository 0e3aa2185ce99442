//===- Writes.h - what an instruction writes -------------------*- C++ -*-===//

#ifndef HOCKET_PLAN_WRITES_H
#define HOCKET_PLAN_WRITES_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// The views that an instruction writes; none for PackWeight.
std::vector<const View *> writtenViews(const Instruction &instruction);

} // namespace hocket::plan

#endif // HOCKET_PLAN_WRITES_H
