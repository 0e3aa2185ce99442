//===- Gathered.cpp - what the ranks of all processes counted -------------===//

#include "runtime/lib/Executor/State.h"

namespace hocket::runtime {

static void pack(const RankCounters &counters, BytePacker &packer) {
  packer.add(counters.rank);
  packer.add(counters.load);
  packer.add(counters.step);
  for (int64_t bytes :
       {counters.arenaBytes, counters.weightBytes, counters.stateBytes,
        counters.packedBytes, counters.scratchBytes, counters.boxBytes,
        counters.stagingBytes})
    packer.add(bytes);
  packer.add(int64_t(counters.implementations.size()));
  for (const auto &[name, count] : counters.implementations) {
    packer.add(name);
    packer.add(count);
  }
}

static RankCounters unpackCounters(const std::string &bytes) {
  ByteUnpacker unpacker(bytes);
  RankCounters counters;
  unpacker.take(counters.rank);
  unpacker.take(counters.load);
  unpacker.take(counters.step);
  for (int64_t *count :
       {&counters.arenaBytes, &counters.weightBytes, &counters.stateBytes,
        &counters.packedBytes, &counters.scratchBytes, &counters.boxBytes,
        &counters.stagingBytes})
    unpacker.take(*count);
  int64_t implementations;
  unpacker.take(implementations);
  for (int64_t i = 0; i < implementations; ++i) {
    std::string name;
    unpacker.take(name);
    unpacker.take(counters.implementations[name]);
  }
  return counters;
}

int Executor::threads() const { return state->ranks->threads(); }

Status Executor::counters(std::vector<RankCounters> &all) const {
  std::vector<std::string> byRank;
  Status status =
      state->gather([](const RankRunner &rank,
                       BytePacker &packer) { pack(rank.counters, packer); },
                    byRank);
  all.clear();
  for (const std::string &bytes : byRank)
    all.push_back(unpackCounters(bytes));
  return status;
}

Status Executor::peers(std::vector<PeerCounters> &all) const {
  std::vector<std::string> byRank;
  Status status = state->gather(
      [](const RankRunner &rank, BytePacker &packer) {
        PeerCounters peers = rank.peers();
        packer.add(peers.load);
        packer.add(peers.step);
      },
      byRank);
  all.clear();
  for (const std::string &bytes : byRank) {
    ByteUnpacker unpacker(bytes);
    unpacker.take(all.emplace_back().load);
    unpacker.take(all.back().step);
  }
  return status;
}

/// The devices of all processes are of one kind and say the same of each.
Status Executor::memoryBeside(std::vector<DeviceMemory> &all) const {
  BytePacker mine;
  all = state->devices->memoryBeside();
  for (const DeviceMemory &one : all)
    mine.add(one.bytes.front());
  std::vector<std::string> byProcess;
  Status status = state->processes.gather(mine.bytes, byProcess);
  for (DeviceMemory &one : all)
    one.bytes.clear();
  for (const std::string &bytes : byProcess) {
    ByteUnpacker unpacker(bytes);
    for (DeviceMemory &one : all)
      unpacker.take(one.bytes.emplace_back());
  }
  return status;
}

int64_t Executor::receivedBytes() const { return state->receivedBytes(); }

int64_t Executor::State::receivedBytes() const {
  int64_t bytes = 0;
  for (const Recorded &part : recorded)
    bytes += std::max<int64_t>(part.runs - 1, 0) * part.bytes;
  for (const std::unique_ptr<RankRunner> &runner : runners)
    for (const CollectiveCounter &one : runner->counters.step.collectives)
      bytes += one.receivedBytes;
  return bytes;
}

} // namespace hocket::runtime
