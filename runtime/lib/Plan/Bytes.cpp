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

Halo haloOf(const Plan &plan, const HaloShares &shares) {
  auto table = [&](int index) { return plan.tables[index].values; };
  Halo halo = {table(shares.offset),
               table(shares.size),
               table(shares.heldOffset),
               table(shares.heldSize),
               shares.extent,
               shares.border,
               {}};
  if (shares.rows >= 0)
    halo.rows = plan.rowLists[shares.rows];
  return halo;
}

namespace {

/// Elements of a tensor that member `me` gets from each, from itself as well:
/// one overload a kind.
struct ElementsFrom {
  const Plan &plan;
  const View &dst;
  size_t tensor;
  int64_t me, members;
  using Counts = std::vector<int64_t>;

  Counts operator()(const AllReduce &) const {
    int64_t whole = elementsBut(dst.shape, -1);
    Counts counts;
    for (int64_t peer = 0; peer < members; ++peer)
      counts.push_back(chunkOf(whole, me, members) +
                       chunkOf(whole, peer, members));
    return counts;
  }
  Counts operator()(const ReduceScatter &) const {
    return Counts(members, elementsBut(dst.shape, -1));
  }
  Counts operator()(const AllGather &x) const {
    return parts(x.shares[tensor]);
  }
  /// dst already has this member's own share of `to`.
  Counts operator()(const AllToAll &x) const { return parts(x.from[tensor]); }
  Counts operator()(const Broadcast &x) const {
    Counts counts(members, 0);
    counts[x.root] = elementsBut(dst.shape, -1);
    return counts;
  }
  Counts operator()(const HaloExchange &x) const {
    return rows(x, readInExchange(haloOf(plan, x), me));
  }
  Counts operator()(const HaloReduce &x) const {
    return rows(x, readInReduce(haloOf(plan, x), me));
  }

  Counts parts(const Share &share) const {
    Counts counts = plan.tables[share.size].values;
    for (int64_t &count : counts)
      count *= elementsBut(dst.shape, share.dim);
    return counts;
  }
  Counts rows(const HaloShares &shares, Counts counts) const {
    for (int64_t &count : counts)
      count *= elementsBut(dst.shape, shares.dims[tensor]);
    return counts;
  }
};

} // namespace

std::vector<int64_t> receivedFrom(const Plan &plan, const RankClass &rankClass,
                                  const Collective &collective, int64_t rank) {
  int64_t members = plan.memberCount(collective.axes);
  int64_t me = plan.coordinate(rank, collective.axes);
  std::vector<int64_t> bytes(members, 0);
  for (size_t tensor = 0; tensor < collective.pairs.size(); ++tensor) {
    const View &dst = collective.pairs[tensor].dst;
    int64_t size = byteSize(rankClass.buffers[dst.buffer].type);
    std::vector<int64_t> elements = std::visit(
        ElementsFrom{plan, dst, tensor, me, members}, collective.kind);
    for (int64_t peer = 0; peer < members; ++peer)
      if (peer != me)
        bytes[peer] += elements[peer] * size;
  }
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
