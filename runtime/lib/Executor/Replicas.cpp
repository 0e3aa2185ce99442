//===- Replicas.cpp - whether replicas of an output are equal -------------===//

#include "runtime/lib/Executor/State.h"
#include <map>

namespace hocket::runtime {

using Gather = std::function<Status(
    const std::function<void(const RankRunner &, BytePacker &)> &,
    std::vector<std::string> &)>;

/// The bytes of each rank's box of an output, empty where it has none.
static Status gatherReplicas(const plan::GlobalTensor &tensor, size_t output,
                             const plan::Plan &plan, const Gather &gather,
                             std::vector<std::string> &byRank) {
  Status status;
  Status gathered = gather(
      [&](const RankRunner &rank, BytePacker &packer) {
        if (!rank.holdsOutput(output))
          return;
        int64_t bytes = boxOf(plan, tensor, rank.counters.rank).elements() *
                        plan::byteSize(tensor.type);
        Status viewed = rank.viewOutput(output, [&](const void *host) {
          packer.bytes.assign(static_cast<const char *>(host), bytes);
          return Status::success();
        });
        if (status.ok())
          status = viewed;
      },
      byRank);
  return status.ok() ? gathered : status;
}

/// The ranks that hold one box of `output` must hold the bytes of the first.
static Status compareReplicas(const plan::Plan &plan, size_t output,
                              const std::vector<std::string> &byRank) {
  const plan::GlobalTensor &tensor = plan.outputs[output];
  std::map<std::vector<int64_t>, int64_t> firstRank; // by offset and size
  for (int64_t rank = 0; rank < plan.rankCount(); ++rank) {
    const std::string &bytes = byRank[rank];
    Box box = boxOf(plan, tensor, rank);
    if (bytes.empty())
      continue;
    std::vector<int64_t> key = box.offset;
    key.insert(key.end(), box.size.begin(), box.size.end());
    int64_t first = firstRank.insert({key, rank}).first->second;
    const std::string &expected = byRank[first];
    if (bytes == expected)
      continue;
    int64_t element = plan::byteSize(tensor.type);
    size_t at = 0;
    while (bytes[at] == expected[at])
      ++at;
    return Status::runtimeError(
        "output '" + tensor.name + "' is replicated, but rank " +
        std::to_string(rank) + " differs from rank " + std::to_string(first) +
        " from element " + std::to_string(int64_t(at) / element) + " of " +
        std::to_string(int64_t(bytes.size()) / element) + " on");
  }
  return Status::success();
}

Status Executor::checkReplicas() const {
  const plan::Plan &plan = state->plan;
  Gather gather = [&](const auto &pack, std::vector<std::string> &byRank) {
    return state->gather(pack, byRank);
  };
  Status status;
  for (size_t i = 0; status.ok() && i < plan.outputs.size(); ++i) {
    std::vector<std::string> byRank;
    status = gatherReplicas(plan.outputs[i], i, plan, gather, byRank);
    if (status.ok())
      status = compareReplicas(plan, i, byRank);
  }
  return status;
}

} // namespace hocket::runtime
