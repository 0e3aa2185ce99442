//===- Bytes.cpp - what a rank receives in a collective -------------------===//

#include "Moved.h"
#include "hocket/Plan/HaloRuns.h"
#include <numeric>

namespace hocket::plan {

int64_t elementsBut(const std::vector<int64_t> &shape, int skip) {
  int64_t product = 1;
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim)
    if (dim != skip)
      product *= shape[dim];
  return product;
}

int64_t chunkOf(int64_t total, int64_t member, int64_t members) {
  auto begin = [&](int64_t i) {
    return total / members * i + total % members * i / members;
  };
  return begin(member + 1) - begin(member);
}

std::vector<std::vector<int64_t>> rowsOf(const Plan &plan,
                                         const Collective &collective) {
  if (collective.rows < 0)
    return {};
  return plan.rowLists[collective.rows];
}

Halo haloOf(const Plan &plan, const Collective &collective) {
  auto table = [&](int index) { return plan.tables[index].values; };
  return {table(collective.offset),   table(collective.size),
          table(collective.toOffset), table(collective.toSize),
          collective.extent,          collective.border,
          rowsOf(plan, collective)};
}

/// Of each member, this one as well, of a collective of one tensor.
static std::vector<int64_t> elementsFrom(const Plan &plan,
                                         const Collective &collective,
                                         int64_t me, int64_t members) {
  const View &dst = collective.dst;
  int64_t whole = elementsBut(dst.shape, -1);
  std::vector<int64_t> elements(members, whole);
  switch (collective.kind) {
  case CollectiveKind::AllReduce:
    for (int64_t peer = 0; peer < members; ++peer)
      elements[peer] =
          chunkOf(whole, me, members) + chunkOf(whole, peer, members);
    break;
  case CollectiveKind::ReduceScatter:
    break;
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll: {
    // dst already has this member's own share of toDim.
    const std::vector<int64_t> &size = plan.tables[collective.size].values;
    int64_t each = elementsBut(dst.shape, collective.dim);
    for (int64_t peer = 0; peer < members; ++peer)
      elements[peer] = size[peer] * each;
    break;
  }
  case CollectiveKind::Broadcast:
    for (int64_t peer = 0; peer < members; ++peer)
      elements[peer] *= peer == collective.root;
    break;
  case CollectiveKind::HaloExchange:
  case CollectiveKind::HaloReduce: {
    Halo halo = haloOf(plan, collective);
    bool attaches = collective.kind == CollectiveKind::HaloExchange;
    elements = attaches ? readInExchange(halo, me) : readInReduce(halo, me);
    for (int64_t &count : elements)
      count *= elementsBut(dst.shape, collective.dim);
    break;
  }
  }
  return elements;
}

std::vector<int64_t> receivedFrom(const Plan &plan, const RankClass &rankClass,
                                  const Collective &collective, int64_t rank) {
  int64_t members = plan.memberCount(collective.axes);
  int64_t me = plan.coordinate(rank, collective.axes);
  std::vector<int64_t> bytes(members, 0);
  auto add = [&](const Collective &one) {
    int64_t size = byteSize(rankClass.buffers[one.dst.buffer].type);
    std::vector<int64_t> elements = elementsFrom(plan, one, me, members);
    for (int64_t peer = 0; peer < members; ++peer)
      if (peer != me)
        bytes[peer] += elements[peer] * size;
  };
  if (collective.more.empty())
    add(collective);
  else
    for (size_t tensor = 0; tensor <= collective.more.size(); ++tensor)
      add(collective.alone(tensor));
  return bytes;
}

int64_t receivedBytes(const Plan &plan, const RankClass &rankClass,
                      const Collective &collective, int64_t rank) {
  std::vector<int64_t> bytes = receivedFrom(plan, rankClass, collective, rank);
  return std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
}

int64_t packedBytesAtLeast(const RankClass &rankClass) {
  int64_t bytes = 0;
  for (const Instruction &instruction : rankClass.load)
    if (auto *pack = std::get_if<PackWeight>(&instruction.body))
      bytes += pack->b.shape[0] * pack->b.shape[1] *
               byteSize(rankClass.buffers[pack->b.buffer].type);
  return bytes;
}

} // namespace hocket::plan
