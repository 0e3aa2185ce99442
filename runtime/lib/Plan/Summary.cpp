//===- Summary.cpp - what a plan moves and holds --------------------------===//

#include "hocket/Plan/Summary.h"
#include "PlanFields.h"
#include "hocket/Plan/Work.h"
#include "hocket/Plan/Workspace.h"
#include <algorithm>
#include <array>
#include <map>
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

/// `h.0.x` of `h.0.x.grad` and `h.0.x.again`, which belong to it.
bool dropBackward(std::string &path) {
  for (std::string suffix : {".grad", ".again"})
    if (path.size() >= suffix.size() &&
        path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0) {
      path.resize(path.size() - suffix.size());
      return true;
    }
  return false;
}

/// An update has no other direction.
bool isOfUpdate(const std::string &path) {
  constexpr std::string_view suffix = ".update";
  return path == "grad_norm" || (path.size() > suffix.size() &&
                                 path.compare(path.size() - suffix.size(),
                                              suffix.size(), suffix) == 0);
}

Source sourceOf(const Plan &plan, int index) {
  return index < 0 ? Source() : plan.sources[index];
}

/// For each entry those of the other direction that one line of the schedule
/// made at one value.
std::vector<std::vector<int64_t>> pairs(const Plan &plan,
                                        const Traffic &traffic) {
  // Its path, or where it has none its line in the model; line.
  using Place = std::pair<std::string, std::string>;
  std::map<Place, std::array<std::vector<size_t>, 2>> places;
  const std::vector<Traffic::Entry> &entries = traffic.entries();
  for (size_t i = 0; i < entries.size(); ++i)
    for (int index : entries[i].sources()) {
      Source source = sourceOf(plan, index);
      std::string path = source.path;
      bool ofBackward = dropBackward(path);
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

std::vector<int64_t> bytesOf(const std::vector<Received> &ranks) {
  std::vector<int64_t> list;
  for (const Received &rank : ranks)
    list.push_back(rank.bytes);
  return list;
}

std::vector<int64_t> peersOf(const std::vector<Received> &ranks) {
  std::vector<int64_t> list;
  for (const Received &rank : ranks)
    list.push_back(rank.peers);
  return list;
}

void append(const Plan &plan, const Traffic &traffic,
            const CollectiveSummary &one, Json &out) {
  const Collective &collective = *one.entry->collective;
  Json axes = Json::array();
  for (int axis : collective.axes)
    axes.push_back(plan.mesh[axis].name);
  std::vector<Received> received = traffic.byRank(*one.entry);
  out.push_back({{"stage", one.isOfLoad ? "load" : "step"},
                 {"id", collective.id},
                 {"kind", toString(collective.namedKind())},
                 {"tensors", collective.pairs.size()},
                 {"axes", axes},
                 {"path", one.source.path},
                 {"model", one.source.model},
                 {"schedule", one.source.schedule},
                 {"bytes_per_rank", bytesOf(received)},
                 {"ranks_by_peers", ranksByPeers(peersOf(received))}});
  if (one.pairing != Pairing::None)
    out.back()[one.pairing == Pairing::OfBackward ? "forward" : "backward"] =
        one.paired;
  for (const Source &member : one.members)
    out.back()["members"].push_back({{"path", member.path},
                                     {"model", member.model},
                                     {"schedule", member.schedule}});
  if (!collective.hook.empty())
    out.back()["hook"] = collective.hook;
  if (collective.isStarted)
    out.back()["started"] = true;
}

Json totalsOf(const Traffic &traffic, int64_t ranks) {
  Json out = Json::object();
  for (size_t kind = 0; kind < words(CollectiveKind()).size(); ++kind) {
    KindTotal total = totalOf(traffic, CollectiveKind(kind));
    if (total.calls == 0)
      total.received.resize(ranks);
    out[total.word] = {
        {"calls", total.calls},
        {"bytes_per_rank", bytesOf(total.received)},
        {"ranks_by_peers", ranksByPeers(peersOf(total.received))}};
  }
  return out;
}

/// Bytes of a region that the class's buffers reach.
int64_t endOf(const RankClass &rankClass, Region region) {
  int64_t end = 0;
  for (const Buffer &buffer : rankClass.buffers)
    if (buffer.region == region)
      end = std::max(end, buffer.offset + buffer.bytes);
  return end;
}

/// What the hooks of one class do, once each time that no class before did.
void addUnproved(const Plan &plan, const RankClass &rankClass,
                 std::map<std::string, int64_t> &said, Json &out) {
  std::map<std::string, int64_t> times; // in this class
  for (auto [name, list] :
       {std::pair("load", &rankClass.load), std::pair("step", &rankClass.step)})
    for (const Instruction &instruction : *list) {
      auto *hook = std::get_if<Hook>(&instruction.body);
      auto *collective = std::get_if<Collective>(&instruction.body);
      if (!hook && (!collective || collective->hook.empty()))
        continue;
      Source source = sourceOf(plan, instruction.source);
      Json entry = {
          {"stage", name},
          {"hook", hook ? hook->name : collective->hook},
          {"does", hook ? "kernel" : toString(collective->namedKind())},
          {"path", source.path},
          {"schedule", source.schedule}};
      std::string text = entry.dump();
      if (++times[text] > said[text]) {
        ++said[text];
        out.push_back(std::move(entry));
      }
    }
}

} // namespace

Json unproved(const Plan &plan) {
  Json out = Json::array();
  std::map<std::string, int64_t> said; // how often, by what is said
  for (const RankClass &rankClass : plan.classes)
    addUnproved(plan, rankClass, said, out);
  return out;
}

int64_t mostBytes(const Plan &plan, Region region) {
  int64_t most = 0;
  for (const RankClass &rankClass : plan.classes)
    most = std::max(most, endOf(rankClass, region));
  return most;
}

std::vector<CollectiveSummary>
collectivesOf(const Plan &plan, const Traffic &traffic, bool isOfLoad) {
  std::vector<std::vector<int64_t>> paired = pairs(plan, traffic);
  std::vector<CollectiveSummary> list;
  for (const Traffic::Entry &entry : traffic.entries()) {
    CollectiveSummary one;
    one.isOfLoad = isOfLoad;
    one.entry = &entry;
    one.source = sourceOf(plan, entry.instruction->source);
    if (entry.collective->pairs.size() > 1)
      for (int index : entry.sources())
        one.members.push_back(sourceOf(plan, index));
    one.paired = std::move(paired[list.size()]);
    std::string path = one.source.path;
    if (!isOfUpdate(path))
      one.pairing =
          dropBackward(path) ? Pairing::OfBackward : Pairing::OfForward;
    list.push_back(std::move(one));
  }
  return list;
}

KindTotal totalOf(const Traffic &traffic, CollectiveKind kind) {
  KindTotal total;
  total.word = toString(kind);
  auto isOfKind = [&](const Collective &collective) {
    return toString(collective.namedKind()) == std::string_view(total.word) &&
           collective.hook.empty();
  };
  std::vector<int64_t> calls; // by class
  for (const Traffic::Entry &entry : traffic.entries()) {
    calls.resize(entry.counts.size());
    for (size_t k = 0; k < calls.size(); ++k)
      calls[k] += entry.counts[k] >= 0 && isOfKind(*entry.collective);
  }
  if (!calls.empty())
    total.calls = *std::max_element(calls.begin(), calls.end());
  if (total.calls > 0)
    total.received = traffic.total(isOfKind);
  return total;
}

/// The keys that are not about collectives.
static Json rankSummary(const Plan &plan) {
  std::vector<int64_t> arena(plan.rankCount(), 0), weights = arena,
                                                   states = arena;
  for (const RankClass &rankClass : plan.classes)
    for (auto [list, value] :
         {std::pair(&arena, endOf(rankClass, Region::Arena)),
          {&weights, endOf(rankClass, Region::Weights)},
          {&states, endOf(rankClass, Region::State)}})
      for (int64_t rank : rankClass.ranks)
        (*list)[rank] = value;
  Json out = {{"unproved", unproved(plan)},
              {"arena_bytes", arena},
              {"weight_bytes", weights},
              {"state_bytes", states},
              {"flops_per_rank", flopsByRank(plan)}};
  if (plan.target == Target::Cuda)
    out["workspace_bytes"] = workspaceByRank(plan);
  return out;
}

Json summary(const Plan &plan) {
  Traffic load(plan, &RankClass::load), step(plan, &RankClass::step);
  Json collectives = Json::array();
  for (const CollectiveSummary &one : collectivesOf(plan, load, true))
    append(plan, load, one, collectives);
  for (const CollectiveSummary &one : collectivesOf(plan, step, false))
    append(plan, step, one, collectives);
  Json out = {{"ranks", plan.rankCount()},
              {"collectives", collectives},
              {"totals",
               {{"load", totalsOf(load, plan.rankCount())},
                {"step", totalsOf(step, plan.rankCount())}}}};
  WindowCount windows = countWindows(plan);
  out["windows"] = {{"all", windows.all}, {"elsewhere", windows.elsewhere}};
  out.update(rankSummary(plan));
  return out;
}

} // namespace hocket::plan
