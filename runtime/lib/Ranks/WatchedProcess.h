//===- WatchedProcess.h - a process whose end is noticed -------*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_WATCHEDPROCESS_H
#define HOCKET_LIB_RANKS_WATCHEDPROCESS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hocket::runtime {

struct WatchedProcess {
  int64_t process;
  int descriptor; // is hung up when it has ended
};

/// A socket of this process to which others connect, or -1.
int openAddress(std::string &address);

/// Of processes and their addresses those that are on this machine.
std::vector<WatchedProcess>
watchProcesses(const std::vector<std::pair<int64_t, std::string>> &others);

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_WATCHEDPROCESS_H
