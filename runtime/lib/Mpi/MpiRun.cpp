//===- MpiRun.cpp - this process among those that MPI started -------------===//

#include "runtime/lib/Mpi/MpiRun.h"
#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Mpi/MpiWorld.h"
#include "runtime/lib/Ranks/ThreadRanks.h"
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <unistd.h>

namespace hocket::runtime {

static MpiThreads threadsFor(MpiCalls calls) {
  switch (calls) {
  case MpiCalls::OfFirstThread:
    return MpiThreads::Funneled;
  case MpiCalls::OneAtATime:
    return MpiThreads::Serialized;
  case MpiCalls::OfAllThreads:
    return MpiThreads::Multiple;
  }
  return MpiThreads::Multiple;
}

static const char *environment(const char *name) { return std::getenv(name); }

Status MpiRun::start(const MpiOptions &given) {
  options = given;
  library.mostBytes = options.mostBytes;
  Launched launched = launchedBy(environment);
  launcher = launched.name;
  Status status =
      library.load(launched, threadsFor(options.calls), shimOf(launched));
  if (!status.ok())
    return status;
  if (library.threads < MpiThreads::Serialized)
    return Status::userError(
        library.version +
        " cannot be called by other threads than the first, which ranks need; "
        "use one that is built with MPI_THREAD_SERIALIZED at least");
  int rank = 0, size = 1;
  int code = library.call([&](const MpiFunctions &mpi) {
    int code = mpi.rank(mpi.everybody(), &rank);
    if (!code)
      code = mpi.size(mpi.everybody(), &size);
    return code ? code : mpi.largestTag(&largestTag);
  });
  if (code)
    return library.failure("MPI_Comm_rank", code);
  largestTag = std::min(largestTag, options.mostTag);
  ownIndex = rank;
  processes = size;
  for (MpiComm *comm : {&gathers, &words})
    if (status.ok())
      status = copyEverybody(*comm);
  return status.ok() ? gatherCores() : status;
}

Status MpiRun::copyEverybody(MpiComm &made) {
  int code = library.call([&](const MpiFunctions &mpi) {
    return mpi.copy(mpi.everybody(), &made);
  });
  return code ? library.failure("MPI_Comm_dup", code) : Status::success();
}

// ---- cores ----------------------------------------------------------------

/// Processes of one machine that may use the same cores share them.
Status MpiRun::gatherCores() {
  cores = coresOfProcess();
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  BytePacker packer;
  packer.add(std::string(host));
  packer.add(cores.allowed);
  std::vector<std::string> all;
  if (Status status = gather(packer.bytes, all); !status.ok())
    return status;
  size_t sharing = 0, before = 0;
  std::set<int> used;
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
    if (theirs != cores.allowed)
      continue;
    before += process < size_t(ownIndex);
    ++sharing;
  }
  usedHere = used.size();
  coresHere = size_t(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  size_t own = cores.allowed.size(), first = own * before / sharing,
         last = own * (before + 1) / sharing;
  if (sharing > 1) {
    cores.usable = std::max<int64_t>(cores.usable / int64_t(sharing), 1);
    if (first < last)
      cores.allowed = std::vector<int>(cores.allowed.begin() + first,
                                       cores.allowed.begin() + last);
  }
  // Of machines that have more processes than cores none is alone on its core.
  bool isCrowded = sharing > own;
  BytePacker mine;
  mine.add(isCrowded ? int64_t(0) : cores.usable);
  Status status = gather(mine.bytes, all);
  leastCores = cores.usable;
  for (const std::string &bytes : all) {
    int64_t theirs = 0;
    ByteUnpacker(bytes).take(theirs);
    leastCores = std::min(leastCores, theirs);
  }
  return status;
}

int64_t MpiRun::threadsOf(int64_t ranks) const {
  return std::max<int64_t>(1, leastCores / (ranks / processes));
}

std::string MpiRun::threadsNote(int64_t ranks) const {
  if (usedHere >= coresHere)
    return "";
  int64_t threads = threadsOf(ranks);
  auto number = [](int64_t count, const char *what, const char *several) {
    return std::to_string(count) + " " + (count == 1 ? what : several);
  };
  return (ranks == 1 ? "the rank has " : "each rank has ") +
         number(threads, "thread", "threads") + ": " + launcher + " leaves " +
         std::to_string(usedHere) + " of the " + std::to_string(coresHere) +
         " cores of this machine to its " +
         number(int64_t(processesHere), "process", "processes") +
         "; more with --bind-to none (mpirun) or --cpus-per-task N (srun)";
}

std::unique_ptr<LocalRanks> MpiRun::makeRanks(const RankOptions &given) {
  ranksEach = given.ranks / processes;
  int64_t threads = given.threads;
  if (threads == 0)
    threads = threadsOf(given.ranks);
  CoreShares shares = shareCores(cores, ranksEach, threads);
  shares.spins &= leastCores > 0;
  if (!shares.spins)
    shares.pinned.clear();
  std::vector<int64_t> numbers(ranksEach);
  std::iota(numbers.begin(), numbers.end(), ownIndex * ranksEach);
  return makeThreadRanks(
      {numbers, given.ranks, shares, given.pin, given.deadlineSeconds},
      std::make_unique<MpiWorld>(*this, given, shares.spins));
}

} // namespace hocket::runtime
