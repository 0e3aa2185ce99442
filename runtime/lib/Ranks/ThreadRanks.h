//===- ThreadRanks.h - ranks that are threads of this process --*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_THREADRANKS_H
#define HOCKET_LIB_RANKS_THREADRANKS_H

#include "hocket/Runtime/Communicator.h"
#include "hocket/Runtime/Processes.h"
#include "runtime/lib/Ranks/Cores.h"

namespace hocket::runtime {

struct ThreadRankOptions {
  std::vector<int64_t> numbers; // of those of this process
  int64_t ranks;                // of all
  CoreShares shares;            // of those of this process
  bool pin;
  double deadlineSeconds;
};

/// A thread for each rank; `world` is what they communicate in.
std::unique_ptr<LocalRanks> makeThreadRanks(const ThreadRankOptions &options,
                                            std::unique_ptr<World> world);

/// All ranks are threads of this process, and read each other's memory.
std::unique_ptr<World> threadWorld(const RankOptions &options, bool spins);

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_THREADRANKS_H
