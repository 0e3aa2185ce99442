//===- SharedCores.cpp - cores that processes of a run share --------------===//

#include "runtime/lib/Ranks/SharedCores.h"
#include "hocket/Runtime/PackedBytes.h"
#include <algorithm>
#include <set>
#include <unistd.h>

namespace hocket::runtime {

/// Processes of one machine that may use the same cores share them.
Status SharedCores::gather(Processes &processes) {
  own = coresOfProcess();
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  BytePacker packer;
  packer.add(std::string(host));
  packer.add(own.allowed);
  std::vector<std::string> all;
  if (Status status = processes.gather(packer.bytes, all); !status.ok())
    return status;
  size_t sharing = 0, before = 0;
  std::set<int> used;
  processesHere = 0;
  for (size_t process = 0; process < all.size(); ++process) {
    std::string theirHost;
    std::vector<int> theirs;
    ByteUnpacker unpacker(all[process]);
    unpacker.take(theirHost);
    unpacker.take(theirs);
    if (theirHost != host)
      continue;
    used.insert(theirs.begin(), theirs.end());
    ++processesHere;
    bool isBefore = process < size_t(processes.index());
    index += isBefore;
    if (theirs != own.allowed)
      continue;
    before += isBefore;
    ++sharing;
  }
  usedHere = used.size();
  coresHere = size_t(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  size_t allowed = own.allowed.size(), first = allowed * before / sharing,
         last = allowed * (before + 1) / sharing;
  if (sharing > 1) {
    own.usable = std::max<int64_t>(own.usable / int64_t(sharing), 1);
    if (first < last)
      own.allowed = std::vector<int>(own.allowed.begin() + first,
                                     own.allowed.begin() + last);
  }
  // Of machines that have more processes than cores none is alone on its core.
  return gatherLeast(processes, sharing > allowed);
}

Status SharedCores::gatherLeast(Processes &processes, bool isCrowded) {
  BytePacker mine;
  mine.add(isCrowded ? int64_t(0) : own.usable);
  std::vector<std::string> all;
  Status status = processes.gather(mine.bytes, all);
  leastCores = own.usable;
  for (const std::string &bytes : all) {
    int64_t theirs = 0;
    ByteUnpacker(bytes).take(theirs);
    leastCores = std::min(leastCores, theirs);
  }
  return status;
}

int64_t SharedCores::threadsOf(int64_t ranks) const {
  return std::max<int64_t>(1, leastCores / ranks);
}

CoreShares SharedCores::share(int64_t ranks, int64_t threads) const {
  CoreShares shares =
      shareCores(own, ranks, threads ? threads : threadsOf(ranks));
  shares.spins &= leastCores > 0;
  if (!shares.spins)
    shares.pinned.clear();
  return shares;
}

std::string SharedCores::note(int64_t ranks, int64_t ranksHere,
                              const std::string &launcher) const {
  if (usedHere >= coresHere)
    return "";
  auto number = [](int64_t count, const char *what, const char *several) {
    return std::to_string(count) + " " + (count == 1 ? what : several);
  };
  return (ranks == 1 ? "the rank has " : "each rank has ") +
         number(threadsOf(ranksHere), "thread", "threads") + ": " + launcher +
         " leaves " + std::to_string(usedHere) + " of the " +
         std::to_string(coresHere) + " cores of this machine to its " +
         number(countHere(), "process", "processes") +
         "; more with --bind-to none (mpirun) or --cpus-per-task N (srun)";
}

} // namespace hocket::runtime
