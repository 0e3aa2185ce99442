//===- SeparateWorld.h - ranks that cannot communicate ---------*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_SEPARATEWORLD_H
#define HOCKET_LIB_RANKS_SEPARATEWORLD_H

#include "runtime/lib/Ranks/LaunchedProcesses.h"

namespace hocket::runtime {

/// Of programs without collectives: `ranks` in all processes, none of which can
/// reach another one's tensors. To prepare a collective is an error.
std::unique_ptr<World> separateWorld(LaunchedProcesses &processes,
                                     int64_t ranks);

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_SEPARATEWORLD_H
