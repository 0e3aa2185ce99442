//===- Replicas.cpp - whether replicas of an output are equal -------------===//

#include "runtime/lib/Executor/State.h"
#include <cstring>
#include <map>

namespace hocket::runtime {

/// The ranks that hold one box of `output` must hold the bytes of the first.
static Status
compareReplicas(const plan::Plan &plan, size_t output,
                const std::vector<std::unique_ptr<RankRunner>> &runners) {
  const plan::GlobalTensor &tensor = plan.outputs[output];
  std::map<std::vector<int64_t>, int64_t> firstRank; // by offset and size
  for (int64_t rank = 0; rank < plan.rankCount(); ++rank) {
    const char *bytes = runners[rank]->outputBox(output);
    if (!bytes)
      continue;
    Box box = boxOf(plan, tensor, rank);
    std::vector<int64_t> key = box.offset;
    key.insert(key.end(), box.size.begin(), box.size.end());
    int64_t first = firstRank.insert({key, rank}).first->second;
    int64_t element = plan::byteSize(tensor.type);
    int64_t size = box.elements() * element;
    const char *expected = runners[first]->outputBox(output);
    if (size == 0 || std::memcmp(bytes, expected, size) == 0)
      continue;
    int64_t at = 0;
    while (bytes[at] == expected[at])
      ++at;
    return Status::runtimeError(
        "output '" + tensor.name + "' is replicated, but rank " +
        std::to_string(rank) + " differs from rank " + std::to_string(first) +
        " from element " + std::to_string(at / element) + " of " +
        std::to_string(size / element) + " on");
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
