//===- MemberCounts.cpp - what members receive in a collective ------------===//
//
// Bytes from all others in closed form; from how many, by whether each sends
// any: the sums of what receivedFrom says of each pair.
//
//===----------------------------------------------------------------------===//

#include "MemberCounts.h"
#include "KindNumbers.h"
#include "Moved.h"
#include <algorithm>
#include <numeric>

namespace hocket::plan {

std::vector<int64_t> keyOf(const RankClass &rankClass,
                           const Collective &collective) {
  std::vector<int64_t> key = numbersOf(collective.kind);
  auto add = [&](const auto &list) {
    key.push_back(int64_t(list.size()));
    key.insert(key.end(), list.begin(), list.end());
  };
  add(collective.axes);
  for (const Collective::Pair &pair : collective.pairs) {
    key.push_back(byteSize(rankClass.buffers[pair.dst.buffer].type));
    add(pair.dst.shape);
  }
  return key;
}

namespace {

/// By member, of one collective: each tensor adds its bytes, and marks those
/// who send any of it.
struct Members {
  explicit Members(int64_t count) : bytes(count, 0), sends(count, false) {}

  int64_t count() const { return int64_t(bytes.size()); }
  /// Each sends `part` bytes of its own to every other one.
  void addParts(const std::vector<int64_t> &part) {
    int64_t all = std::accumulate(part.begin(), part.end(), int64_t(0));
    for (int64_t me = 0; me < count(); ++me) {
      bytes[me] += all - part[me];
      sends[me] = sends[me] || part[me] > 0;
    }
  }

  std::vector<int64_t> bytes;
  std::vector<bool> sends;
};

} // namespace

const HaloCounts &MemberCounter::haloCounts(const HaloExchange &halo) {
  auto [known, isNew] = exchanges.try_emplace(numbersOf(halo));
  if (isNew)
    known->second = countExchange(haloOf(plan, halo));
  return known->second;
}

const HaloCounts &MemberCounter::haloCounts(const HaloReduce &halo) {
  auto [known, isNew] = reductions.try_emplace(numbersOf(halo));
  if (isNew)
    known->second = countReduce(haloOf(plan, halo));
  return known->second;
}

namespace {

/// Adds what one tensor takes: one overload a kind.
struct TensorAdder {
  const Plan &plan;
  const View &dst;
  size_t tensor;
  int64_t size; // of an element
  Members &members;
  const HaloCounts *halo; // of a halo

  /// Every member adds up its chunk of what others have, and sends it to them.
  void operator()(const AllReduce &) const {
    int64_t count = members.count(), whole = elementsBut(dst.shape, -1);
    for (int64_t me = 0; me < count; ++me) {
      int64_t chunk = chunkOf(whole, me, count);
      members.bytes[me] += size * ((count - 1) * chunk + whole - chunk);
      members.sends[me] = members.sends[me] || chunk > 0;
    }
  }
  void operator()(const ReduceScatter &) const {
    members.addParts(std::vector<int64_t>(members.count(),
                                          elementsBut(dst.shape, -1) * size));
  }
  void operator()(const AllGather &x) const { addShares(x.shares[tensor]); }
  void operator()(const AllToAll &x) const { addShares(x.from[tensor]); }
  void operator()(const Broadcast &x) const {
    std::vector<int64_t> part(members.count(), 0);
    part[x.root] = elementsBut(dst.shape, -1) * size;
    members.addParts(part);
  }
  void operator()(const HaloExchange &x) const { addRows(x); }
  void operator()(const HaloReduce &x) const { addRows(x); }

  void addShares(const Share &share) const {
    std::vector<int64_t> part = plan.tables[share.size].values;
    for (int64_t &count : part)
      count *= elementsBut(dst.shape, share.dim) * size;
    members.addParts(part);
  }
  void addRows(const HaloShares &shares) const {
    int64_t row = elementsBut(dst.shape, shares.dims[tensor]) * size;
    for (int64_t me = 0; me < members.count(); ++me)
      members.bytes[me] += halo->positions[me] * row;
  }
};

/// From how many others member `me` gets any: one overload a kind.
struct PeerCounter {
  const Members &members;
  const HaloCounts *halo;
  int64_t senders, me;

  int64_t others() const { return senders - members.sends[me]; }
  /// Of a chunk that is added up, every other member has terms.
  int64_t operator()(const AllReduce &) const {
    return members.sends[me] ? members.count() - 1 : others();
  }
  int64_t operator()(const ReduceScatter &) const { return others(); }
  int64_t operator()(const AllGather &) const { return others(); }
  int64_t operator()(const AllToAll &) const { return others(); }
  int64_t operator()(const Broadcast &) const { return others(); }
  int64_t operator()(const HaloShares &) const {
    return members.bytes[me] ? halo->peers[me] : 0;
  }
};

} // namespace

std::vector<Received> MemberCounter::count(const RankClass &rankClass,
                                           const Collective &collective) {
  Members members(plan.memberCount(collective.axes));
  const HaloCounts *halo = nullptr;
  if (auto *exchange = std::get_if<HaloExchange>(&collective.kind))
    halo = &haloCounts(*exchange);
  if (auto *reduce = std::get_if<HaloReduce>(&collective.kind))
    halo = &haloCounts(*reduce);
  for (size_t tensor = 0; tensor < collective.pairs.size(); ++tensor) {
    const View &dst = collective.pairs[tensor].dst;
    int64_t size = byteSize(rankClass.buffers[dst.buffer].type);
    std::visit(TensorAdder{plan, dst, tensor, size, members, halo},
               collective.kind);
  }
  std::vector<Received> received;
  int64_t senders =
      std::count(members.sends.begin(), members.sends.end(), true);
  for (int64_t me = 0; me < members.count(); ++me)
    received.push_back(
        {members.bytes[me],
         std::visit(PeerCounter{members, halo, senders, me}, collective.kind)});
  return received;
}

} // namespace hocket::plan
