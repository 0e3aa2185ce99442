//===- AttentionCosts.cpp - what attentions of a plan cost ----------------===//

#include "hocket/Plan/AttentionCosts.h"
#include "AttentionMemory.h"
#include "Sight.h"
#include "hocket/Plan/Accesses.h"
#include "hocket/Plan/Traffic.h"
#include "hocket/Plan/Work.h"
#include <algorithm>
#include <map>
#include <optional>

namespace hocket::plan {

namespace {

/// An instruction, as what it has in common with the others.
struct Call {
  const Attention *attention = nullptr;
  const NeighborhoodAttention *neighborhood = nullptr;
  bool isGradient = false;

  explicit operator bool() const { return attention || neighborhood; }
};

Call callOf(const Instruction &instruction) {
  if (auto *x = std::get_if<Attention>(&instruction.body))
    return {x, nullptr, false};
  if (auto *x = std::get_if<NeighborhoodAttention>(&instruction.body))
    return {nullptr, x, false};
  if (auto *x = std::get_if<AttentionGrad>(&instruction.body))
    return {&x->forward, nullptr, true};
  if (auto *x = std::get_if<NeighborhoodAttentionGrad>(&instruction.body))
    return {nullptr, &x->forward, true};
  return {};
}

/// Which of the attentions, and of which direction.
struct Side {
  size_t number;
  bool isBackward;
};

/// Finds out which instructions are of one attention. Its forward has one path
/// and one place in the model. A gradient has those of the result, which may be
/// others; it is of the attention whose lse it reads, or else of the last one
/// of its place in the model that has none: a backward goes back.
class Matcher {
public:
  explicit Matcher(const Plan &plan) : plan(plan) {}

  /// Call by call, of one class after another.
  void begin() { fillers.clear(), waiting.clear(), paired.clear(); }
  Side sideOf(const Instruction &instruction, const Call &call);
  /// What else is done at the path and place of an attention; nothing if there
  /// is none.
  std::optional<Side> sideAt(int source) const;
  const std::vector<std::string> &getNames() const { return names; }

private:
  /// A path of the model and the place in its text.
  using Key = std::pair<std::string, std::string>;
  Key keyOf(int source) const;
  size_t forwardOf(const Key &key);

  const Plan &plan;
  std::vector<std::string> names;
  std::map<Key, size_t> numbers;
  std::map<Key, Side> sides;                          // as paths are written
  std::map<int, size_t> fillers;                      // by buffer of lse
  std::map<std::string, std::vector<size_t>> waiting; // by place in the model
  std::map<int, size_t> paired;                       // by source of a gradient
};

Matcher::Key Matcher::keyOf(int source) const {
  if (source < 0)
    return {};
  return {plan.sources[source].path, plan.sources[source].model};
}

bool endsWith(const std::string &path, const std::string &suffix) {
  return path.size() >= suffix.size() &&
         path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
}

size_t Matcher::forwardOf(const Key &key) {
  auto [found, isNew] = numbers.try_emplace(key, names.size());
  if (isNew)
    names.push_back(key.first.empty() ? key.second : key.first);
  return found->second;
}

Side Matcher::sideOf(const Instruction &instruction, const Call &call) {
  Key key = keyOf(instruction.source), forward = key;
  bool isAgain = endsWith(key.first, ".again");
  if (isAgain)
    forward.first.resize(key.first.size() - 6);
  int lse = call.attention ? call.attention->lse.buffer
                           : call.neighborhood->lse.buffer;
  if (!call.isGradient) {
    size_t number = forwardOf(forward);
    if (lse >= 0)
      fillers[lse] = number;
    std::vector<size_t> &list = waiting[key.second];
    if (!isAgain && (list.empty() || list.back() != number))
      list.push_back(number);
    return sides[key] = {number, isAgain};
  }
  auto [known, isNew] = paired.try_emplace(instruction.source, 0);
  if (isNew) {
    std::vector<size_t> &list = waiting[key.second];
    auto filler = fillers.find(lse);
    if (filler != fillers.end())
      known->second = filler->second;
    else if (!list.empty())
      known->second = list.back();
    else
      known->second = forwardOf(key);
    list.erase(std::remove(list.begin(), list.end(), known->second),
               list.end());
  }
  return sides[key] = {known->second, true};
}

std::optional<Side> Matcher::sideAt(int source) const {
  auto found = sides.find(keyOf(source));
  return found == sides.end() ? std::nullopt : std::optional(found->second);
}

/// Of each attention by itself.
class Collector {
public:
  explicit Collector(const Plan &plan) : plan(plan), matcher(plan) {}
  std::vector<AttentionCosts> collect();

private:
  void addClass(const RankClass &rankClass);
  void addWork(const RankClass &rankClass);
  void addRing(const Instruction &instruction, const Call &call, Side side);
  void addMemory(const RankClass &rankClass);
  void noteBuffers(const Instruction &instruction, const Call &call, Side side);
  void addTraffic();
  void addHops();
  std::optional<Side> sideOf(const Traffic::Entry &entry) const;
  AttentionDirection &at(Side side) {
    AttentionCosts &costs = list[side.number];
    return side.isBackward ? costs.backward : costs.forward;
  }

  /// Of a class: buffers that attentions read, and that their gradients fill.
  struct Buffers {
    std::map<int, Side> read, written;
  };
  /// One of the ways around a ring, which are told apart by their queries.
  using Round = std::pair<int, int>; // source, buffer
  struct Ring {
    std::set<int> axes; // over which its keys are split
    /// By class; those without queries go around with the others.
    std::map<size_t, std::set<Round>> forward, backward;
  };

  const Plan &plan;
  Matcher matcher;
  std::vector<AttentionCosts> list;
  std::vector<std::pair<const Instruction *, Side>> calls; // of a class
  std::vector<Buffers> buffers;                            // by class
  std::map<size_t, Ring> rings;                            // by number
};

/// The parts of a ring begin at different positions, which a table says.
void Collector::addRing(const Instruction &instruction, const Call &call,
                        Side side) {
  if (!call.attention || !call.attention->isTerm)
    return;
  Ring &ring = rings[side.number];
  (side.isBackward ? ring.backward : ring.forward)[buffers.size()].insert(
      {instruction.source, call.attention->q.buffer});
  if (call.attention->keyOffset.table >= 0)
    for (int axis : plan.tables[call.attention->keyOffset.table].axes)
      ring.axes.insert(axis);
}

void Collector::noteBuffers(const Instruction &instruction, const Call &call,
                            Side side) {
  Accesses accesses = accessesOf(instruction);
  for (const View *view : accesses.reads)
    buffers.back().read.try_emplace(view->buffer, side);
  // Others read the result as well: what moves it for attention has its path.
  if (call.isGradient)
    for (const View *view : accesses.writes)
      buffers.back().written.try_emplace(view->buffer, side);
}

void Collector::addClass(const RankClass &rankClass) {
  calls.clear();
  matcher.begin();
  buffers.emplace_back();
  for (const Instruction &instruction : rankClass.step) {
    Call call = callOf(instruction);
    if (!call)
      continue;
    Side side = matcher.sideOf(instruction, call);
    calls.push_back({&instruction, side});
    noteBuffers(instruction, call, side);
    addRing(instruction, call, side);
  }
  std::vector<int64_t> zeros(plan.rankCount(), 0);
  for (size_t number = list.size(); number < matcher.getNames().size();
       ++number) {
    AttentionCosts &made = list.emplace_back();
    made.paths = {matcher.getNames()[number]};
    made.forward = made.backward = {zeros, zeros, zeros};
  }
  addWork(rankClass);
  addMemory(rankClass);
}

void Collector::addWork(const RankClass &rankClass) {
  for (const std::vector<int64_t> &ranks : ranksOfEqualWork(plan, rankClass))
    for (auto [instruction, side] : calls) {
      Call call = callOf(*instruction);
      Sight sight = call.attention
                        ? sightOf(*call.attention, plan, ranks.front())
                        : sightOf(*call.neighborhood, plan, ranks.front());
      AttentionCosts &costs = list[side.number];
      costs.hasBackward |= side.isBackward;
      if (call.attention) {
        const std::optional<BlockLayout> &layout = call.attention->layout;
        costs.hasLayout = layout.has_value();
        costs.block = layout ? layout->block : kCountedBlock;
      }
      int64_t batch =
          (call.attention ? call.attention->q : call.neighborhood->q).shape[0];
      for (int64_t rank : ranks) {
        int64_t &scores = at(side).scores[rank],
                &blocks = at(side).blocks[rank];
        scores = saturatingSum(scores, saturatingProduct(batch, sight.pairs));
        blocks = saturatingSum(blocks, saturatingProduct(batch, sight.blocks));
      }
    }
}

void Collector::addMemory(const RankClass &rankClass) {
  std::vector<AttentionViews> views(list.size());
  Lifetimes lifetimes(rankClass);
  for (auto [instruction, side] : calls)
    views[side.number].add(*instruction, rankClass);
  for (size_t number = 0; number < list.size(); ++number) {
    AttentionMemory here = views[number].memory(lifetimes),
                    &most = list[number].memory;
    for (int64_t AttentionMemory::*part :
         {&AttentionMemory::queries, &AttentionMemory::keysAndValues,
          &AttentionMemory::results, &AttentionMemory::lse,
          &AttentionMemory::gradients, &AttentionMemory::bias})
      most.*part = std::max(most.*part, here.*part);
  }
}

/// Of the attention that a collective moves something for.
std::optional<Side> Collector::sideOf(const Traffic::Entry &entry) const {
  size_t number = 0; // the first class that has it
  while (entry.counts[number] < 0)
    ++number;
  for (const Collective::Pair &pair : entry.collective->pairs) {
    auto filled = buffers[number].read.find(pair.dst.buffer);
    if (filled != buffers[number].read.end())
      return filled->second;
    auto sent = buffers[number].written.find(pair.src.buffer);
    if (sent != buffers[number].written.end())
      return sent->second;
  }
  return matcher.sideAt(entry.sources().front());
}

void Collector::addTraffic() {
  Traffic traffic(plan, &RankClass::step);
  for (const Traffic::Entry &entry : traffic.entries()) {
    std::optional<Side> side = sideOf(entry);
    if (!side || !entry.collective->hook.empty())
      continue;
    std::vector<Received> received = traffic.byRank(entry);
    for (size_t rank = 0; rank < received.size(); ++rank) {
      int64_t &sum = at(*side).received[rank];
      sum = saturatingSum(sum, received[rank].bytes);
    }
    at(*side).hops +=
        rings.count(side->number) &&
        std::holds_alternative<HaloExchange>(entry.collective->kind);
  }
}

void Collector::addHops() {
  auto most = [](const std::map<size_t, std::set<Round>> &byClass) {
    size_t rounds = 0;
    for (const auto &[number, list] : byClass)
      rounds = std::max(rounds, list.size());
    return int64_t(rounds);
  };
  for (const auto &[number, ring] : rings) {
    int64_t others = plan.memberCount({ring.axes.begin(), ring.axes.end()}) - 1;
    list[number].forward.allHops = most(ring.forward) * others;
    list[number].backward.allHops = most(ring.backward) * others;
  }
}

std::vector<AttentionCosts> Collector::collect() {
  for (const RankClass &rankClass : plan.classes)
    addClass(rankClass);
  addTraffic();
  addHops();
  return std::move(list);
}

} // namespace

std::vector<AttentionCosts> attentionCosts(const Plan &plan) {
  std::vector<AttentionCosts> found;
  for (AttentionCosts &one : Collector(plan).collect()) {
    auto like = std::find_if(found.begin(), found.end(),
                             [&](auto &other) { return one.isLike(other); });
    if (like == found.end())
      found.push_back(std::move(one));
    else
      like->paths.push_back(one.paths.front());
  }
  return found;
}

} // namespace hocket::plan
