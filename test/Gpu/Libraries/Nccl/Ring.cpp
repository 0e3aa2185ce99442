//===- Ring.cpp - the order in which a ring adds up -----------------------===//

#include "test/Gpu/Libraries/Nccl/Ring.h"

namespace hocket::lookalike {

/// Downwards from where it begins. That it does not end at the last rank keeps
/// it from being the order of the ranks, also without the first two.
std::vector<int> ringOrder(const ncclComm &comm, int chunk) {
  int ranks = comm.ranks, turn = chunk;
  for (const Member &member : comm.members)
    turn += member.world;
  int begin = ranks - 1;
  if (ranks > 2 && turn % (ranks - 1) != ranks - 2)
    begin = turn % (ranks - 1);
  std::vector<int> order;
  for (int i = 0; i < ranks; ++i)
    order.push_back((begin - i + ranks) % ranks);
  return order;
}

std::vector<char> reducePart(const ncclComm &comm, const Operation &operation,
                             const std::vector<std::vector<char>> &parts,
                             int chunk, size_t begin, size_t count) {
  size_t size = sizeOf(operation.type);
  std::vector<int> order = ringOrder(comm, chunk);
  auto first = parts[order[0]].begin() + begin * size;
  std::vector<char> sum(first, first + count * size);
  for (size_t i = 1; i < order.size(); ++i)
    accumulate(operation.type, operation.reduction, count, sum.data(),
               parts[order[i]].data() + begin * size);
  return sum;
}

std::vector<char> reduceAll(const ncclComm &comm, const Operation &operation,
                            const std::vector<std::vector<char>> &parts) {
  std::vector<char> all;
  for (int chunk = 0; chunk < comm.ranks; ++chunk) {
    size_t begin = operation.count * chunk / comm.ranks;
    size_t end = operation.count * (chunk + 1) / comm.ranks;
    std::vector<char> sum =
        reducePart(comm, operation, parts, chunk, begin, end - begin);
    all.insert(all.end(), sum.begin(), sum.end());
  }
  return all;
}

} // namespace hocket::lookalike
