//===- LaunchedRun.cpp - what runs of several processes share -------------===//

#include "runtime/lib/Ranks/LaunchedRun.h"
#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Ranks/ThreadRanks.h"
#include <cstdio>
#include <numeric>

namespace hocket::runtime {

// ---- what each process gives, on all of them --------------------------------

/// Beside the deadline, for the process that collects to say who is late.
static constexpr auto grace = std::chrono::seconds(1);

Status LaunchedRun::gather(const std::string &mine,
                           std::vector<std::string> &all) {
  all.assign(processes, "");
  all[ownIndex] = mine;
  if (processes == 1)
    return Status::success();
  if (hasFailed())
    return interrupted();
  auto deadline = after(deadlineSeconds);
  Status status;
  if (isFirst()) {
    for (int64_t process = 1; status.ok() && process < processes; ++process)
      status = receive(process, all[process], deadline);
    return status.ok() ? handOut(all, deadline + grace) : status;
  }
  std::string bytes;
  status = send({0}, mine, deadline + grace);
  if (status.ok())
    status = receive(0, bytes, deadline + grace);
  if (!status.ok())
    return status;
  ByteUnpacker unpacker(bytes);
  for (std::string &one : all)
    unpacker.take(one);
  return status;
}

Status LaunchedRun::handOut(std::vector<std::string> &all,
                            Clock::time_point deadline) {
  BytePacker packer;
  for (const std::string &one : all)
    packer.add(one);
  std::vector<int64_t> others(processes - 1);
  std::iota(others.begin(), others.end(), 1);
  return send(others, packer.bytes, deadline);
}

Status LaunchedRun::tellLate(const std::string &late) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g s", deadlineSeconds);
  Status status = Status::runtimeError(
      late + " did not come to where all ranks meet within " + seconds +
      " of " + nameOf(ownIndex));
  fail(firstRankOf(ownIndex), status);
  return status;
}

// ---- what processes tell each other when one fails --------------------------

void LaunchedRun::fail(int64_t rank, const Status &why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.load())
    return;
  takeWord(spread(packWord(ownIndex, rank, why)));
}

std::string LaunchedRun::packWord(int64_t teller, int64_t rank,
                                  const Status &why) {
  BytePacker packer;
  packer.add(teller);
  packer.add(rank);
  packer.add(why.kind);
  packer.add(why.message);
  return packer.bytes;
}

void LaunchedRun::takeWord(const std::string &word) {
  if (failed.load())
    return;
  int64_t teller = 0;
  ByteUnpacker unpacker(word);
  unpacker.take(teller);
  unpacker.take(culprit);
  unpacker.take(reason.kind);
  unpacker.take(reason.message);
  told.store(teller != ownIndex);
  failed.store(true);
  wakeWaiting();
}

void LaunchedRun::answer(const Status &why) {
  std::lock_guard<std::mutex> lock(mutex);
  reason = why;
  told.store(false);
}

Status LaunchedRun::failure(int64_t &rank) const {
  std::lock_guard<std::mutex> lock(mutex);
  rank = culprit;
  return reason;
}

Status LaunchedRun::interrupted() const {
  int64_t rank;
  return failure(rank);
}

std::string LaunchedRun::nameOf(int64_t process) const {
  int64_t first = firstRankOf(process), last = first + ranksEach - 1;
  return first == last
             ? "rank " + std::to_string(first)
             : "ranks " + std::to_string(first) + " to " + std::to_string(last);
}

// ---- the ranks of this process ----------------------------------------------

std::unique_ptr<LocalRanks>
LaunchedRun::makeRanks(const RankOptions &given, std::unique_ptr<World> world) {
  ranksEach = given.ranks / processes;
  CoreShares shares = cores.share(ranksEach, given.threads);
  std::vector<int64_t> numbers(ranksEach);
  std::iota(numbers.begin(), numbers.end(), firstRankOf(ownIndex));
  if (!world)
    world = makeWorld(given, shares.spins);
  return makeThreadRanks(
      {numbers, given.ranks, shares, given.pin, given.deadlineSeconds},
      std::move(world));
}

} // namespace hocket::runtime
