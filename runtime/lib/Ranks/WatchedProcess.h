//===- WatchedProcess.h - a process whose end is noticed -------*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_WATCHEDPROCESS_H
#define HOCKET_LIB_RANKS_WATCHEDPROCESS_H

#include <cstdint>
#include <utility>
#include <vector>

namespace hocket::runtime {

struct WatchedProcess {
  int64_t process;
  int descriptor; // can be read from when it has ended
};

/// Of processes and their ids those that the kernel lets watch: older ones than
/// Linux 5.3 none, and none that has ended.
std::vector<WatchedProcess>
openProcesses(const std::vector<std::pair<int64_t, int64_t>> &pids);

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_WATCHEDPROCESS_H
