//===- Cores.h - which cores ranks run on ----------------------*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_CORES_H
#define HOCKET_LIB_RANKS_CORES_H

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::runtime {

/// What the system gives this process.
struct Cores {
  std::vector<int> allowed; // by the affinity mask
  /// How many of them it may keep busy: fewer under a quota of its control
  /// group (a container of 1.5 CPUs: 1). At least 1.
  int64_t usable = 1;
};

/// `root` stands before /proc/self and the mounts of control groups.
Cores coresOfProcess(const std::string &root = "");

/// How ranks share cores.
struct CoreShares {
  int64_t threads = 1; // of each rank
  /// All threads have a core of their own, so that a rank that waits may keep
  /// its core; else it leaves it to the one that it waits for.
  bool spins = false;
  std::vector<std::vector<int>> pinned; // by rank; empty: anywhere
};

/// `threads` of each rank, or 0 for as many as there are cores for. What is
/// asked for says nothing of how many cores there are.
CoreShares shareCores(const Cores &cores, int64_t ranks, int64_t threads);

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_CORES_H
