//===- Bytes.cpp - what a rank receives in a collective -------------------===//

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// Elements of a box of `shape`, without dim `skip`.
static int64_t elementsBut(const std::vector<int64_t> &shape, int skip) {
  int64_t product = 1;
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim)
    if (dim != skip)
      product *= shape[dim];
  return product;
}

/// Of an all_reduce: a reduce_scatter of chunks, then an all_gather of them.
static int64_t reducedElements(const View &src, int64_t me, int64_t members) {
  int64_t total = elementsBut(src.shape, -1);
  auto begin = [&](int64_t i) {
    return total / members * i + total % members * i / members;
  };
  int64_t own = begin(me + 1) - begin(me);
  return (members - 1) * own + total - own;
}

Halo haloOf(const Plan &plan, const Collective &collective) {
  auto table = [&](int index) { return plan.tables[index].values; };
  return {table(collective.offset),
          table(collective.size),
          table(collective.toOffset),
          table(collective.toSize),
          collective.extent,
          collective.border,
          collective.rows};
}

int64_t receivedBytes(const Plan &plan, const RankClass &rankClass,
                      const Collective &collective, int64_t rank) {
  if (!collective.more.empty()) {
    int64_t bytes = 0;
    for (size_t tensor = 0; tensor <= collective.more.size(); ++tensor)
      bytes += receivedBytes(plan, rankClass, collective.alone(tensor), rank);
    return bytes;
  }
  int64_t members = 1;
  for (int axis : collective.axes)
    members *= plan.mesh[axis].size;
  int64_t me = plan.coordinate(rank, collective.axes);
  const View &src = collective.src, &dst = collective.dst;
  int64_t elements = 0;
  switch (collective.kind) {
  case CollectiveKind::AllReduce:
    elements = reducedElements(src, me, members);
    break;
  case CollectiveKind::ReduceScatter:
    elements = (members - 1) * elementsBut(dst.shape, -1);
    break;
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll: {
    // dst already has this member's own share of toDim.
    const std::vector<int64_t> &size = plan.tables[collective.size].values;
    for (int64_t peer = 0; peer < members; ++peer)
      if (peer != me)
        elements += size[peer];
    elements *= elementsBut(dst.shape, collective.dim);
    break;
  }
  case CollectiveKind::Broadcast:
    elements = me == collective.root ? 0 : elementsBut(dst.shape, -1);
    break;
  case CollectiveKind::HaloExchange:
    elements = haloOf(plan, collective).receivedInExchange(me) *
               elementsBut(dst.shape, collective.dim);
    break;
  case CollectiveKind::HaloReduce:
    elements = haloOf(plan, collective).receivedInReduce(me) *
               elementsBut(dst.shape, collective.dim);
    break;
  }
  return elements * byteSize(rankClass.buffers[dst.buffer].type);
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
