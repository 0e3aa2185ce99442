//===- MemberCounts.cpp - what members receive in a collective ------------===//
//
// Bytes from all others in closed form; from how many, by whether each sends
// any: the sums of what receivedFrom says of each pair.
//
//===----------------------------------------------------------------------===//

#include "MemberCounts.h"
#include "Moved.h"
#include <numeric>

namespace hocket::plan {

std::vector<int64_t> keyOf(const RankClass &rankClass,
                           const Collective &collective) {
  std::vector<int64_t> key = {
      int64_t(collective.kind), collective.toOffset,        collective.toSize,
      collective.extent,        int64_t(collective.border), collective.rows,
      collective.root};
  auto add = [&](const std::vector<int64_t> &list) {
    key.push_back(int64_t(list.size()));
    key.insert(key.end(), list.begin(), list.end());
  };
  auto addTensor = [&](const View &dst, int dim, int offset, int size) {
    key.insert(key.end(), {dim, offset, size,
                           byteSize(rankClass.buffers[dst.buffer].type)});
    add(dst.shape);
  };
  add({collective.axes.begin(), collective.axes.end()});
  addTensor(collective.dst, collective.dim, collective.offset, collective.size);
  for (const Collective::Pair &pair : collective.more)
    addTensor(pair.dst, pair.dim, pair.offset, pair.size);
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

/// Every member adds up its chunk of what others have, and sends it to them.
static void addAllReduce(Members &members, int64_t elements, int64_t size) {
  int64_t count = members.count();
  for (int64_t me = 0; me < count; ++me) {
    int64_t chunk = chunkOf(elements, me, count);
    members.bytes[me] += size * ((count - 1) * chunk + elements - chunk);
    members.sends[me] = members.sends[me] || chunk > 0;
  }
}

const HaloCounts &MemberCounter::haloCounts(const Collective &c) {
  std::vector<int64_t> key = {int64_t(c.kind),   c.offset, c.size,
                              c.toOffset,        c.toSize, c.extent,
                              int64_t(c.border), c.rows};
  auto [known, isNew] = halos.try_emplace(std::move(key));
  if (isNew) {
    Halo halo = haloOf(plan, c);
    known->second = c.kind == CollectiveKind::HaloExchange ? countExchange(halo)
                                                           : countReduce(halo);
  }
  return known->second;
}

std::vector<Received> MemberCounter::count(const RankClass &rankClass,
                                           const Collective &collective) {
  Members members(plan.memberCount(collective.axes));
  int64_t count = members.count();
  auto add = [&](const View &dst, int dim, int table) {
    int64_t size = byteSize(rankClass.buffers[dst.buffer].type);
    int64_t whole = elementsBut(dst.shape, -1);
    int64_t other = elementsBut(dst.shape, dim);
    std::vector<int64_t> part(count, 0);
    switch (collective.kind) {
    case CollectiveKind::AllReduce:
      return addAllReduce(members, whole, size);
    case CollectiveKind::ReduceScatter:
      part.assign(count, whole * size);
      break;
    case CollectiveKind::AllGather:
    case CollectiveKind::AllToAll:
      for (int64_t i = 0; i < count; ++i)
        part[i] = plan.tables[table].values[i] * other * size;
      break;
    case CollectiveKind::Broadcast:
      part[collective.root] = whole * size;
      break;
    case CollectiveKind::HaloExchange:
    case CollectiveKind::HaloReduce: {
      const HaloCounts &halo = haloCounts(collective);
      for (int64_t me = 0; me < count; ++me)
        members.bytes[me] += halo.positions[me] * other * size;
      return;
    }
    }
    members.addParts(part);
  };
  add(collective.dst, collective.dim, collective.size);
  for (const Collective::Pair &pair : collective.more)
    add(pair.dst, pair.dim, pair.size);

  std::vector<Received> received;
  int64_t senders =
      std::count(members.sends.begin(), members.sends.end(), true);
  for (int64_t me = 0; me < count; ++me) {
    int64_t peers = senders - members.sends[me];
    if (collective.isHalo())
      peers = members.bytes[me] ? haloCounts(collective).peers[me] : 0;
    // Of a chunk that is added up, every other member has terms.
    else if (collective.kind == CollectiveKind::AllReduce && members.sends[me])
      peers = count - 1;
    received.push_back({members.bytes[me], peers});
  }
  return received;
}

} // namespace hocket::plan
