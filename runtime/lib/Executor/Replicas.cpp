//===- Replicas.cpp - whether replicas of an output are equal -------------===//

#include "runtime/lib/Executor/State.h"
#include <cstring>
#include <map>

namespace hocket::runtime {

namespace {

/// A rank's box of an output as bytes.
struct Replica {
  int64_t rank;
  std::vector<char> bytes;
};

} // namespace

static Status readReplica(const RankRunner &runner, size_t output, int64_t size,
                          std::vector<char> &bytes) {
  bytes.resize(size);
  return runner.viewOutput(output, [&](const void *host) {
    std::memcpy(bytes.data(), host, size);
    return Status::success();
  });
}

/// The ranks that hold one box of `output` must hold the bytes of the first.
static Status
compareReplicas(const plan::Plan &plan, size_t output,
                const std::vector<std::unique_ptr<RankRunner>> &runners) {
  const plan::GlobalTensor &tensor = plan.outputs[output];
  std::map<std::vector<int64_t>, Replica> first; // by offset and size
  int64_t element = plan::byteSize(tensor.type);
  std::vector<char> bytes;
  for (int64_t rank = 0; rank < plan.rankCount(); ++rank) {
    if (!runners[rank]->holdsOutput(output))
      continue;
    Box box = boxOf(plan, tensor, rank);
    std::vector<int64_t> key = box.offset;
    key.insert(key.end(), box.size.begin(), box.size.end());
    int64_t size = box.elements() * element;
    Status status = readReplica(*runners[rank], output, size, bytes);
    if (!status.ok())
      return status;
    auto [place, isFirst] = first.try_emplace(key, Replica{rank, bytes});
    const std::vector<char> &expected = place->second.bytes;
    if (isFirst || bytes == expected)
      continue;
    int64_t at = 0;
    while (bytes[at] == expected[at])
      ++at;
    return Status::runtimeError(
        "output '" + tensor.name + "' is replicated, but rank " +
        std::to_string(rank) + " differs from rank " +
        std::to_string(place->second.rank) + " from element " +
        std::to_string(at / element) + " of " + std::to_string(size / element) +
        " on");
  }
  return Status::success();
}

Status Executor::checkReplicas() const {
  Status status;
  for (size_t i = 0; status.ok() && i < state->plan.outputs.size(); ++i)
    status = compareReplicas(state->plan, i, state->runners);
  return status;
}

} // namespace hocket::runtime
