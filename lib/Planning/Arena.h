//===- Arena.h - where buffers lie in the arenas of all classes -*- C++ -*-===//

#ifndef HOCKET_LIB_PLANNING_ARENA_H
#define HOCKET_LIB_PLANNING_ARENA_H

#include "Memory.h"

namespace hocket::planning {

/// Gives the buffers of all arenas their offsets, and each class's budget its
/// size. What communicates lies at one offset in all classes, so that memory
/// may be registered once for all ranks, as long as no class's arena grows by
/// more than 2 % for that. `lives` has an entry a class, each with one a
/// buffer.
void placeArenas(plan::Plan &plan, const std::vector<std::vector<Life>> &lives);

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_ARENA_H
