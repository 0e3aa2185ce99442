//===- Traffic.h - what ranks receive in the collectives of a plan -*- C++ -*-//
//
// Ranks of one class at one coordinate along the axes of a collective receive
// alike, and the collectives of equal layers are equal: each is counted once
// for each coordinate, by formulas. So time grows with neither layers nor pairs
// of ranks. It is the sum of what receivedFrom says of each pair.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_TRAFFIC_H
#define HOCKET_PLAN_TRAFFIC_H

#include "hocket/Plan/Plan.h"
#include <functional>
#include <memory>

namespace hocket::plan {

/// What a rank receives from others.
struct Received {
  int64_t bytes = 0;
  int64_t peers = 0; // from how many any come
};

/// The collectives of one of a plan's stages that move anything: those of the
/// first class in its order, then those that only others have.
class Traffic {
public:
  Traffic(const Plan &plan, std::vector<Instruction> RankClass::*stage);
  ~Traffic();

  struct Entry {
    const Instruction *instruction; // of the first class that has it
    const Collective *collective;
    std::vector<int> counts; // of each class: which of its counts, or -1
    std::vector<int> sources() const; // where its tensors come from
  };
  const std::vector<Entry> &entries() const { return list; }

  /// The most bytes and peers of any rank.
  Received most(const Entry &entry) const;
  std::vector<Received> byRank(const Entry &entry) const;
  /// Of all entries that are `chosen`: bytes of all, peers in one at most.
  std::vector<Received>
  total(const std::function<bool(const Collective &)> &chosen) const;

private:
  class Counts; // of one class
  const Plan &plan;
  std::vector<Entry> list;
  std::vector<std::unique_ptr<Counts>> classes;
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_TRAFFIC_H
