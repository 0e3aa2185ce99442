//===- Summary.cpp - what a plan moves and holds --------------------------===//

#include "hocket/Plan/Summary.h"
#include "PlanFields.h"
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

using Json = nlohmann::ordered_json;

namespace hocket::plan {

const char *toString(CollectiveKind kind) {
  bool isHalo = kind == CollectiveKind::HaloExchange ||
                kind == CollectiveKind::HaloReduce;
  return isHalo ? "halo" : words(CollectiveKind())[size_t(kind)];
}

int64_t memoryAtLeast(const RankClass &rankClass) {
  const Budget &budget = rankClass.budget;
  return budget.arenaBytes + budget.weightBytes + budget.stateBytes +
         packedBytesAtLeast(rankClass);
}

int64_t peersIn(const std::vector<int64_t> &received) {
  return int64_t(received.size()) -
         std::count(received.begin(), received.end(), 0);
}

Json ranksByPeers(const std::vector<int64_t> &peersPerRank) {
  std::map<int64_t, int64_t> ranks;
  for (int64_t peers : peersPerRank)
    ++ranks[peers];
  Json out = Json::object();
  for (auto [peers, count] : ranks)
    out[std::to_string(peers)] = count;
  return out;
}

namespace {

/// The collectives of one stage, each with its bytes on every rank. All
/// classes have the same ones in the same order.
struct Stage {
  const Plan &plan;
  const char *name;
  const std::vector<Instruction> RankClass::*list;

  struct Entry {
    const Instruction *instruction;
    const Collective *collective;
    std::vector<int64_t> bytes, peers; // by rank

    /// Where its tensors come from.
    std::vector<int> sources() const {
      std::vector<int> list{instruction->source};
      for (const Collective::Pair &pair : collective->more)
        list.push_back(pair.source);
      return list;
    }
  };
  std::vector<Entry> entries;

  void collect() {
    for (const RankClass &rankClass : plan.classes) {
      size_t next = 0;
      for (const Instruction &instruction : rankClass.*list) {
        auto *collective = std::get_if<Collective>(&instruction.body);
        if (!collective || !collective->moves())
          continue;
        if (next == entries.size()) {
          std::vector<int64_t> zeros(plan.rankCount(), 0);
          entries.push_back({&instruction, collective, zeros, zeros});
        }
        count(rankClass, *collective, entries[next++]);
      }
    }
  }

  /// What the ranks of a class receive. Those at one coordinate along the axes
  /// of the collective receive alike, each in its own group.
  void count(const RankClass &rankClass, const Collective &collective,
             Entry &entry) const {
    std::vector<int64_t> first(plan.memberCount(collective.axes), -1);
    for (int64_t rank : rankClass.ranks) {
      int64_t &alike = first[plan.coordinate(rank, collective.axes)];
      if (alike < 0) {
        alike = rank;
        std::vector<int64_t> from =
            receivedFrom(plan, rankClass, collective, rank);
        entry.bytes[rank] =
            std::accumulate(from.begin(), from.end(), int64_t(0));
        entry.peers[rank] = peersIn(from);
      }
      entry.bytes[rank] = entry.bytes[alike];
      entry.peers[rank] = entry.peers[alike];
    }
  }

  Source sourceOf(int index) const {
    return index < 0 ? Source() : plan.sources[index];
  }

  /// The value that a collective of the backward belongs to: `h.0.x` of
  /// `h.0.x.grad` and `h.0.x.again`. False for one of the forward.
  static bool isOfBackward(std::string &path) {
    for (std::string suffix : {".grad", ".again"})
      if (path.size() >= suffix.size() &&
          path.compare(path.size() - suffix.size(), suffix.size(), suffix) ==
              0) {
        path.resize(path.size() - suffix.size());
        return true;
      }
    return false;
  }

  /// An update has no other direction.
  static bool isOfUpdate(const std::string &path) {
    constexpr std::string_view suffix = ".update";
    return path == "grad_norm" || (path.size() > suffix.size() &&
                                   path.compare(path.size() - suffix.size(),
                                                suffix.size(), suffix) == 0);
  }

  /// For each entry those of the other direction that one line of the schedule
  /// made at one value.
  std::vector<std::vector<int64_t>> pairs() const {
    // Its path, or where it has none its line in the model; line.
    using Place = std::pair<std::string, std::string>;
    std::map<Place, std::array<std::vector<size_t>, 2>> places;
    for (size_t i = 0; i < entries.size(); ++i)
      for (int index : entries[i].sources()) {
        Source source = sourceOf(index);
        std::string path = source.path;
        bool ofBackward = isOfBackward(path);
        if (!source.schedule.empty())
          places[{path.empty() ? source.model : path, source.schedule}]
                [ofBackward]
                    .push_back(i);
      }
    std::vector<std::set<int64_t>> found(entries.size());
    for (auto &[place, sides] : places)
      for (size_t forward : sides[0])
        for (size_t backward : sides[1]) {
          found[forward].insert(entries[backward].collective->id);
          found[backward].insert(entries[forward].collective->id);
        }
    std::vector<std::vector<int64_t>> lists;
    for (const std::set<int64_t> &ids : found)
      lists.emplace_back(ids.begin(), ids.end());
    return lists;
  }

  void append(Json &out) const {
    std::vector<std::vector<int64_t>> paired = pairs();
    for (const Entry &entry : entries) {
      Source source = sourceOf(entry.instruction->source);
      std::string path = source.path;
      const char *other = isOfBackward(path) ? "forward" : "backward";
      Json axes = Json::array();
      for (int axis : entry.collective->axes)
        axes.push_back(plan.mesh[axis].name);
      out.push_back({{"stage", name},
                     {"id", entry.collective->id},
                     {"kind", toString(entry.collective->namedKind())},
                     {"tensors", 1 + entry.collective->more.size()},
                     {"axes", axes},
                     {"path", source.path},
                     {"model", source.model},
                     {"schedule", source.schedule},
                     {"bytes_per_rank", entry.bytes},
                     {"ranks_by_peers", ranksByPeers(entry.peers)}});
      if (!isOfUpdate(source.path))
        out.back()[other] = paired[&entry - entries.data()];
      if (!entry.collective->hook.empty())
        out.back()["hook"] = entry.collective->hook;
      if (entry.collective->phase == CollectivePhase::Wait)
        out.back()["started"] = true;
    }
  }

  Json totals() const {
    Json out = Json::object();
    for (size_t kind = 0; kind < words(CollectiveKind()).size(); ++kind) {
      const char *word = toString(CollectiveKind(kind));
      int64_t calls = 0;
      std::vector<int64_t> bytes(plan.rankCount(), 0), peers = bytes;
      for (const Entry &entry : entries) {
        if (toString(entry.collective->namedKind()) != std::string_view(word) ||
            !entry.collective->hook.empty())
          continue;
        ++calls;
        for (size_t rank = 0; rank < bytes.size(); ++rank) {
          bytes[rank] += entry.bytes[rank];
          peers[rank] = std::max(peers[rank], entry.peers[rank]);
        }
      }
      out[word] = {{"calls", calls},
                   {"bytes_per_rank", bytes},
                   {"ranks_by_peers", ranksByPeers(peers)}};
    }
    return out;
  }
};

/// Bytes of a region that the class's buffers reach.
int64_t endOf(const RankClass &rankClass, Region region) {
  int64_t end = 0;
  for (const Buffer &buffer : rankClass.buffers)
    if (buffer.region == region)
      end = std::max(end, buffer.offset + buffer.bytes);
  return end;
}

/// What the user's own functions do, once each line of a program: of all
/// classes, since these are alike in it.
Json unproved(const Plan &plan) {
  Json out = Json::array();
  if (plan.classes.empty())
    return out;
  for (auto [name, list] : {std::pair("load", &plan.classes[0].load),
                            std::pair("step", &plan.classes[0].step)})
    for (const Instruction &instruction : *list) {
      auto *hook = std::get_if<Hook>(&instruction.body);
      auto *collective = std::get_if<Collective>(&instruction.body);
      if (!hook && (!collective || collective->hook.empty()))
        continue;
      Source source;
      if (instruction.source >= 0)
        source = plan.sources[instruction.source];
      out.push_back(
          {{"stage", name},
           {"hook", hook ? hook->name : collective->hook},
           {"does", hook ? "kernel" : toString(collective->namedKind())},
           {"path", source.path},
           {"schedule", source.schedule}});
    }
  return out;
}

} // namespace

Json summary(const Plan &plan) {
  Stage load{plan, "load", &RankClass::load, {}};
  Stage step{plan, "step", &RankClass::step, {}};
  load.collect();
  step.collect();
  Json collectives = Json::array();
  load.append(collectives);
  step.append(collectives);
  std::vector<int64_t> arena(plan.rankCount(), 0),
      weights = arena, states = arena, flops = arena;
  for (const RankClass &rankClass : plan.classes)
    for (int64_t rank : rankClass.ranks) {
      arena[rank] = endOf(rankClass, Region::Arena);
      weights[rank] = endOf(rankClass, Region::Weights);
      states[rank] = endOf(rankClass, Region::State);
      flops[rank] = rankClass.budget.flops;
    }
  return {{"ranks", plan.rankCount()},
          {"collectives", collectives},
          {"totals", {{"load", load.totals()}, {"step", step.totals()}}},
          {"unproved", unproved(plan)},
          {"arena_bytes", arena},
          {"weight_bytes", weights},
          {"state_bytes", states},
          {"flops_per_rank", flops}};
}

} // namespace hocket::plan
