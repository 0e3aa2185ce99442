//===- Hooks.h - modules that a user's own function computes ---*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_HOOKS_H
#define HOCKET_LIB_PLACEMENT_HOOKS_H

#include "dialects/Nn/Func.h"
#include "dialects/Sched/Sched.h"
#include "hocket/Placement/Problems.h"

namespace hocket::placement {

/// Puts an nn.hook where each module that a `hook` line names is computed, and
/// takes its operations away. They stay the definition: what runs is compared
/// with the model, which has them.
void applyHooks(nn::FuncOp func, sched::ScheduleOp schedule,
                Problems &problems);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_HOOKS_H
