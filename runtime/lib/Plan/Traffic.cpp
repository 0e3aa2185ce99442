//===- Traffic.cpp - what ranks receive in the collectives of a plan ------===//

#include "hocket/Plan/Traffic.h"
#include "MemberCounts.h"
#include <algorithm>

namespace hocket::plan {

/// What the ranks of a class receive.
class Traffic::Counts {
public:
  Counts(const Plan &plan, const RankClass &rankClass, MemberCounter &counter)
      : plan(plan), rankClass(rankClass), counter(counter) {}

  /// The number of what is received in this collective.
  int count(const Collective &collective) {
    std::vector<int64_t> key = keyOf(rankClass, collective);
    auto [known, isNew] = numbers.try_emplace(key, int(counted.size()));
    if (isNew) {
      counted.push_back({placesAlong(collective.axes), {}, {}});
      Counted &made = counted.back();
      std::vector<Received> all = counter.count(rankClass, collective);
      for (int64_t member : places[made.places].members) {
        const Received &one = all[member];
        made.received.push_back(one);
        made.most.bytes = std::max(made.most.bytes, one.bytes);
        made.most.peers = std::max(made.most.peers, one.peers);
      }
    }
    return known->second;
  }

  Received most(int number) const { return counted[number].most; }

  void addByRank(int number, std::vector<Received> &ranks,
                 int64_t times = 1) const {
    const Counted &one = counted[number];
    const std::vector<int> &ofRank = places[one.places].ofRank;
    for (size_t i = 0; i < ofRank.size(); ++i) {
      const Received &received = one.received[ofRank[i]];
      Received &sum = ranks[rankClass.ranks[i]];
      sum.bytes += times * received.bytes;
      sum.peers = std::max(sum.peers, received.peers);
    }
  }

private:
  /// The coordinates of the class's ranks along some axes.
  struct Places {
    std::vector<int> axes;
    std::vector<int64_t> members; // that occur
    std::vector<int> ofRank;      // number in `members`, by rank of the class
  };
  struct Counted {
    int places;
    std::vector<Received> received; // by number in Places::members
    Received most;                  // of these
  };

  int placesAlong(const std::vector<int> &axes) {
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i].axes == axes)
        return int(i);
    Places made{axes, {}, {}};
    std::vector<int> numbers(plan.memberCount(axes), -1);
    for (int64_t rank : rankClass.ranks) {
      int64_t member = plan.coordinate(rank, axes);
      if (numbers[member] < 0) {
        numbers[member] = int(made.members.size());
        made.members.push_back(member);
      }
      made.ofRank.push_back(numbers[member]);
    }
    places.push_back(std::move(made));
    return int(places.size()) - 1;
  }

  const Plan &plan;
  const RankClass &rankClass;
  MemberCounter &counter;
  std::map<std::vector<int64_t>, int> numbers; // in `counted`
  std::vector<Counted> counted;
  std::vector<Places> places;
};

Traffic::Traffic(const Plan &plan, std::vector<Instruction> RankClass::*stage)
    : plan(plan) {
  MemberCounter counter(plan);
  std::map<int64_t, size_t> places; // in `list`, by id
  for (size_t k = 0; k < plan.classes.size(); ++k) {
    const RankClass &rankClass = plan.classes[k];
    classes.push_back(std::make_unique<Counts>(plan, rankClass, counter));
    for (const Instruction &instruction : rankClass.*stage) {
      auto *collective = std::get_if<Collective>(&instruction.body);
      if (!collective || !collective->moves())
        continue;
      auto [place, isNew] = places.try_emplace(collective->id, list.size());
      if (isNew)
        list.push_back({&instruction, collective,
                        std::vector<int>(plan.classes.size(), -1)});
      list[place->second].counts[k] = classes.back()->count(*collective);
    }
  }
}

Traffic::~Traffic() = default;

std::vector<int> Traffic::Entry::sources() const {
  std::vector<int> sources;
  for (const Collective::Pair &pair : collective->pairs)
    sources.push_back(pair.source < 0 ? instruction->source : pair.source);
  return sources;
}

Received Traffic::most(const Entry &entry) const {
  Received most;
  for (size_t k = 0; k < classes.size(); ++k) {
    if (entry.counts[k] < 0)
      continue;
    Received one = classes[k]->most(entry.counts[k]);
    most.bytes = std::max(most.bytes, one.bytes);
    most.peers = std::max(most.peers, one.peers);
  }
  return most;
}

std::vector<Received> Traffic::byRank(const Entry &entry) const {
  std::vector<Received> ranks(plan.rankCount());
  for (size_t k = 0; k < classes.size(); ++k)
    if (entry.counts[k] >= 0)
      classes[k]->addByRank(entry.counts[k], ranks);
  return ranks;
}

std::vector<Received>
Traffic::total(const std::function<bool(const Collective &)> &chosen) const {
  std::vector<Received> ranks(plan.rankCount());
  for (size_t k = 0; k < classes.size(); ++k) {
    std::map<int, int64_t> times; // of what is received
    for (const Entry &entry : list)
      if (entry.counts[k] >= 0 && chosen(*entry.collective))
        ++times[entry.counts[k]];
    for (auto [number, count] : times)
      classes[k]->addByRank(number, ranks, count);
  }
  return ranks;
}

} // namespace hocket::plan
