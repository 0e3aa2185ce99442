//===- MpiRun.cpp - this process among those that MPI started -------------===//

#include "runtime/lib/Mpi/MpiRun.h"
#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Mpi/MpiWorld.h"
#include "runtime/lib/Ranks/ThreadRanks.h"
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <unistd.h>

namespace hocket::runtime {

namespace {

enum Tag { Length = 1, Content = 2, Word = 3 };

/// Beside the deadline, for the process that collects to say who is late.
constexpr auto grace = std::chrono::seconds(1);

MpiRun::Clock::time_point after(double seconds) {
  return MpiRun::Clock::now() +
         std::chrono::duration_cast<MpiRun::Clock::duration>(
             std::chrono::duration<double>(seconds));
}

std::string secondsText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", value);
  return text;
}

const char *environment(const char *name) { return std::getenv(name); }

} // namespace

Status MpiRun::start(const MpiOptions &given) {
  options = given;
  library.mostBytes = options.mostBytes;
  Status status = library.load(launchedBy(environment),
                               options.isMultiple ? MpiThreads::Multiple
                                                  : MpiThreads::Serialized);
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
  for (size_t process = 0; process < all.size(); ++process) {
    std::string theirHost;
    std::vector<int> theirs;
    ByteUnpacker unpacker(all[process]);
    unpacker.take(theirHost);
    unpacker.take(theirs);
    if (theirHost != host || theirs != cores.allowed)
      continue;
    before += process < size_t(ownIndex);
    ++sharing;
  }
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

std::unique_ptr<LocalRanks> MpiRun::makeRanks(const RankOptions &given) {
  ranksEach = given.ranks / processes;
  int64_t threads = given.threads;
  if (threads == 0)
    threads = std::max<int64_t>(1, leastCores / ranksEach);
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

// ---- failures -------------------------------------------------------------

void MpiRun::fail(int64_t rank, const Status &why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.load())
    return;
  culprit = rank;
  reason = why;
  BytePacker packer;
  packer.add(rank);
  packer.add(why.kind);
  packer.add(why.message);
  lastWord = packer.bytes;
  std::deque<MpiTransfer> transfers;
  for (int64_t process = 0; process < processes; ++process)
    if (process != ownIndex) {
      MpiTransfer &transfer = transfers.emplace_back();
      library.call([&](const MpiFunctions &mpi) {
        return mpi.send(lastWord.data(), int64_t(lastWord.size()),
                        library.mostBytes, int(process), Word, words,
                        &transfer.request);
      });
    }
  // A process that is stuck takes no message.
  for (auto until = after(0.2); Clock::now() < until;) {
    int64_t bytes = 0;
    int isDone = 0;
    bool all = true;
    for (MpiTransfer &transfer : transfers) {
      if (!transfer.isDone)
        library.call([&](const MpiFunctions &mpi) {
          return mpi.test(&transfer.request, &isDone, &bytes);
        });
      transfer.isDone |= isDone != 0;
      all &= transfer.isDone;
    }
    if (all)
      break;
  }
  failed.store(true);
}

void MpiRun::answer(const Status &why) {
  std::lock_guard<std::mutex> lock(mutex);
  reason = why;
  told.store(false);
}

void MpiRun::listen() {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock || failed.load())
    return;
  int isThere = 0, from = 0;
  int64_t bytes = 0;
  int code = library.call([&](const MpiFunctions &mpi) {
    return mpi.probe(Word, words, &isThere, &from, &bytes);
  });
  if (code || !isThere)
    return;
  std::string word(size_t(bytes), 0);
  MpiTransfer transfer;
  library.call([&](const MpiFunctions &mpi) {
    return mpi.receive(word.data(), bytes, library.mostBytes, from, Word, words,
                       &transfer.request);
  });
  for (int isDone = 0; !isDone;)
    if (library.call([&](const MpiFunctions &mpi) {
          return mpi.test(&transfer.request, &isDone, &bytes);
        }))
      return;
  ByteUnpacker unpacker(word);
  unpacker.take(culprit);
  unpacker.take(reason.kind);
  unpacker.take(reason.message);
  told.store(true);
  failed.store(true);
}

Status MpiRun::failure(int64_t &rank) const {
  std::lock_guard<std::mutex> lock(mutex);
  rank = culprit;
  return reason;
}

Status MpiRun::interrupted() const {
  int64_t rank;
  return failure(rank);
}

std::string MpiRun::nameOf(int64_t process) const {
  int64_t first = process * ranksEach, last = first + ranksEach - 1;
  return first == last
             ? "rank " + std::to_string(first)
             : "ranks " + std::to_string(first) + " to " + std::to_string(last);
}

// ---- gathering ------------------------------------------------------------

Status MpiRun::gather(const std::string &mine, std::vector<std::string> &all) {
  all.assign(processes, "");
  all[ownIndex] = mine;
  if (processes == 1)
    return Status::success();
  if (hasFailed())
    return interrupted();
  auto deadline = after(options.deadlineSeconds);
  std::string bytes;
  if (isFirst()) {
    if (Status status = collect(mine, all, deadline); !status.ok())
      return status;
    BytePacker packer;
    for (const std::string &one : all)
      packer.add(one);
    bytes = packer.bytes;
    return handOut(bytes, deadline + grace);
  }
  std::deque<MpiTransfer> transfers;
  int64_t length;
  Status status = sendTo(0, mine, length, transfers);
  if (status.ok())
    status = receiveFrom(0, bytes, deadline + grace);
  if (status.ok())
    status = finish(transfers, deadline + grace, [&] { return nameOf(0); });
  if (!status.ok())
    return status;
  ByteUnpacker unpacker(bytes);
  for (std::string &one : all)
    unpacker.take(one);
  return status;
}

Status MpiRun::collect(const std::string &mine, std::vector<std::string> &all,
                       Clock::time_point deadline) {
  Status status;
  for (int64_t process = 1; status.ok() && process < processes; ++process)
    status = receiveFrom(process, all[process], deadline);
  return status;
}

Status MpiRun::handOut(std::string &bytes, Clock::time_point deadline) {
  std::deque<MpiTransfer> transfers;
  std::vector<int64_t> lengths(processes);
  Status status;
  for (int64_t process = 1; status.ok() && process < processes; ++process)
    status = sendTo(process, bytes, lengths[process], transfers);
  auto whoIsLate = [&] {
    for (size_t i = 0; i < transfers.size(); ++i)
      if (!transfers[i].isDone)
        return nameOf(1 + int64_t(i) / 2);
    return nameOf(1);
  };
  return status.ok() ? finish(transfers, deadline, whoIsLate) : status;
}

Status MpiRun::sendTo(int64_t to, const std::string &bytes, int64_t &length,
                      std::deque<MpiTransfer> &transfers) {
  length = int64_t(bytes.size());
  int code = library.call([&](const MpiFunctions &mpi) {
    int code = mpi.send(&length, sizeof length, library.mostBytes, int(to),
                        Length, gathers, &transfers.emplace_back().request);
    return code ? code
                : mpi.send(bytes.data(), length, library.mostBytes, int(to),
                           Content, gathers, &transfers.emplace_back().request);
  });
  return code ? library.failure("MPI_Isend", code) : Status::success();
}

Status MpiRun::finish(std::deque<MpiTransfer> &transfers,
                      Clock::time_point deadline,
                      const std::function<std::string()> &whoIsLate) {
  int code = 0;
  WaitResult result = wait(false, deadline, [&] {
    bool all = true;
    for (MpiTransfer &transfer : transfers) {
      int isDone = 0;
      int64_t bytes = 0;
      if (!transfer.isDone && !code)
        code = library.call([&](const MpiFunctions &mpi) {
          return mpi.test(&transfer.request, &isDone, &bytes);
        });
      transfer.isDone |= isDone != 0;
      all &= transfer.isDone;
    }
    return all || code != 0;
  });
  if (code)
    return library.failure("MPI_Test", code);
  if (result == WaitResult::Arrived)
    return Status::success();
  if (result == WaitResult::Aborted)
    return interrupted();
  Status status = Status::runtimeError(
      whoIsLate() + " did not come to where all ranks meet within " +
      secondsText(options.deadlineSeconds) + " of " + nameOf(ownIndex));
  fail(ownIndex * ranksEach, status);
  return status;
}

Status MpiRun::receiveFrom(int64_t from, std::string &bytes,
                           Clock::time_point deadline) {
  int64_t length = 0;
  auto receive = [&](void *data, int64_t size, int tag) {
    std::deque<MpiTransfer> transfers(1);
    int code = library.call([&](const MpiFunctions &mpi) {
      return mpi.receive(data, size, library.mostBytes, int(from), tag, gathers,
                         &transfers[0].request);
    });
    if (code)
      return library.failure("MPI_Irecv", code);
    return finish(transfers, deadline, [&] { return nameOf(from); });
  };
  Status status = receive(&length, sizeof length, Length);
  if (!status.ok())
    return status;
  bytes.resize(size_t(length));
  return receive(bytes.data(), length, Content);
}

} // namespace hocket::runtime
