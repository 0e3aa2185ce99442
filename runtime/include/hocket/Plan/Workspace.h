//===- Workspace.h - memory of an instruction beside its operands -*- C++ -*-=//

#ifndef HOCKET_PLAN_WORKSPACE_H
#define HOCKET_PLAN_WORKSPACE_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// Bytes of the arena that a workspace begins at a multiple of.
inline constexpr int64_t workspaceAlignment = 256;

/// Whether an instruction of a plan for GPUs has a workspace, of 0 bytes or
/// more: those that a library computes, and those whose kernels leave something
/// to each other.
bool takesWorkspace(const Instruction &instruction);

int64_t workspaceBytes(const Instruction &instruction);

/// The largest workspace that an instruction of each rank has.
std::vector<int64_t> workspaceByRank(const Plan &plan);

} // namespace hocket::plan

#endif // HOCKET_PLAN_WORKSPACE_H
