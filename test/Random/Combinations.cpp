//===- Combinations.cpp - attention in every combination ------------------===//

#include "Combinations.h"
#include <algorithm>
#include <set>

using namespace hocket::random;

namespace {
enum Factor { Mask, Strategy, Order, Ranks, Length, Heads, Dropout, Precision };
} // namespace

/// BLOCK stands for a number that divides the length.
static const std::vector<std::string> kMasks = {
    "none",
    "causal",
    "window(3, 1)",
    "causal * window(2)",
    "padding(keep)",
    "causal * padding(keep)",
    "causal * documents(ids)",
    "window(3, 1) * documents(ids) * padding(keep)",
    "none, bias = b",
    "window(3, 1) * padding(keep), bias = b",
    "causal * b",
    "neighborhood(3)",
    "bigbird(block = BLOCK, random = 1, window = 1, per_head = true, seed = 7)",
    "causal * fixed(block = BLOCK, local = 2, global = 1) * padding(keep)",
    "variable(block = BLOCK, local = (1, 2), per_head = true)"};
static const std::vector<std::string> kStrategies = {
    "ring", "heads", "all_gather", "sequence", "heads x ring"};
static const std::vector<std::string> kOrders = {"", " zigzag", " striped",
                                                 " striped 2"};
static const std::vector<std::string> kLengths = {"even", "uneven", "short"};
static const std::vector<std::pair<int, int>> kHeads = {
    {8, 1},  {8, 2},  {8, 4},  {8, 8},   {12, 1}, {12, 2},
    {12, 3}, {12, 4}, {12, 6}, {12, 12}, {5, 5},  {3, 1}};

static const Combination kSizes = {int(kMasks.size()),
                                   int(kStrategies.size()),
                                   int(kOrders.size()),
                                   8,
                                   int(kLengths.size()),
                                   int(kHeads.size()),
                                   2,
                                   2};

static int ranksOf(const Combination &c) { return c[Ranks] + 1; }

static int lengthOf(const Combination &c) {
  int ranks = ranksOf(c);
  if (kLengths[c[Length]] == "short")
    return std::max(1, ranks - 1);
  return kLengths[c[Length]] == "even" ? 4 * ranks : 3 * ranks + 2;
}

static bool exists(const Combination &c) {
  const std::string &mask = kMasks[c[Mask]],
                    &strategy = kStrategies[c[Strategy]];
  bool isNeighborhood = mask.rfind("neighborhood", 0) == 0;
  bool hasWindow = mask.find("window(") != std::string::npos || isNeighborhood;
  bool isBounded =
      mask.rfind("window(3, 1)", 0) == 0 || mask == "causal * window(2)";
  bool isRing = strategy.find("ring") != std::string::npos;
  if (isNeighborhood && (isRing || c[Dropout] == 1 || lengthOf(c) < 3))
    return false;
  if (strategy == "sequence")
    return c[Order] == 0 && (isBounded || isNeighborhood) && lengthOf(c) > 1;
  return !(strategy == "all_gather" && hasWindow && c[Order] != 0);
}

std::vector<Combination> hocket::random::allCombinations() {
  std::vector<Combination> all;
  Combination at{};
  for (;;) {
    if (exists(at))
      all.push_back(at);
    size_t factor = 0;
    while (factor < at.size() && ++at[factor] == kSizes[factor])
      at[factor++] = 0;
    if (factor == at.size())
      return all;
  }
}

using Pair = std::array<int, 4>; // two factors and their values

static std::vector<Pair> pairsOf(const Combination &c) {
  std::vector<Pair> pairs;
  for (int i = 0; i < int(c.size()); ++i)
    for (int j = i + 1; j < int(c.size()); ++j)
      pairs.push_back({i, c[i], j, c[j]});
  return pairs;
}

/// Always the first that has the most pairs which none has had.
std::vector<Combination> hocket::random::pairCombinations() {
  std::vector<Combination> all = allCombinations(), chosen;
  std::set<Pair> open;
  for (const Combination &c : all)
    for (const Pair &pair : pairsOf(c))
      open.insert(pair);
  while (!open.empty()) {
    const Combination *best = nullptr;
    size_t most = 0;
    // Every seventh is looked at, from another one each time, until few are
    // left.
    size_t step = open.size() > 60 ? 7 : 1;
    for (size_t i = chosen.size() % step; i < all.size(); i += step) {
      size_t count = 0;
      for (const Pair &pair : pairsOf(all[i]))
        count += open.count(pair);
      if (count > most) {
        most = count;
        best = &all[i];
      }
    }
    if (!best)
      break;
    for (const Pair &pair : pairsOf(*best))
      open.erase(pair);
    chosen.push_back(*best);
  }
  return chosen;
}

std::string hocket::random::nameOf(const Combination &c) {
  auto [heads, groups] = kHeads[c[Heads]];
  return kMasks[c[Mask]] + ", " + kStrategies[c[Strategy]] + "," +
         (c[Order] ? kOrders[c[Order]] : " contiguous") + ", " +
         std::to_string(ranksOf(c)) + " ranks, " + std::to_string(lengthOf(c)) +
         " positions, " + std::to_string(groups) + " of " +
         std::to_string(heads) + " heads" + (c[Dropout] ? ", drops" : "") +
         (c[Precision] ? ", float64" : ", float32");
}

static std::string maskOf(const Combination &c) {
  int length = lengthOf(c), block = length;
  for (int divisor = length; divisor > 1; --divisor)
    if (length % divisor == 0)
      block = divisor;
  std::string mask = kMasks[c[Mask]];
  if (size_t at = mask.find("BLOCK"); at != std::string::npos)
    mask.replace(at, 5, std::to_string(block));
  return mask;
}

std::string hocket::random::textOf(const Combination &c) {
  auto [heads, groups] = kHeads[c[Heads]];
  int ranks = ranksOf(c);
  std::string strategy = kStrategies[c[Strategy]] + " over r";
  std::string mesh = "r = " + std::to_string(ranks), over = "r";
  std::string cut = "r" + kOrders[c[Order]];
  if (kStrategies[c[Strategy]] == "heads x ring") {
    int inner = ranks % 2 == 0 ? 2 : ranks % 3 == 0 ? 3 : 1;
    mesh = "r = " + std::to_string(ranks / inner) +
           ", u = " + std::to_string(inner);
    strategy = "heads over u, ring over r";
    cut = "(" + cut + ", u)";
  }
  bool pads = kMasks[c[Mask]].find("keep") != std::string::npos;
  bool packs = kMasks[c[Mask]].find("ids") != std::string::npos;
  bool adds = kMasks[c[Mask]].find("bias") != std::string::npos;
  bool hides = kMasks[c[Mask]] == "causal * b";
  std::string split = packs ? "x,k,ids" : adds || hides ? "x,k,b" : "x,k";
  if (pads && kStrategies[c[Strategy]] == "sequence")
    split += ",keep"; // only what moves keys moves their padding
  return "hocket 1\n\nmodel Net(batch: int = 1, heads: int = " +
         std::to_string(heads) + ", groups: int = " + std::to_string(groups) +
         ", seq: int = " + std::to_string(lengthOf(c)) +
         ") {\n  forward(x: f32[batch, heads, seq, 4], k: f32[batch, groups, "
         "seq, 4]" +
         (pads ? ", keep: bool[batch, seq]" : "") +
         (packs ? ", ids: i32[batch, seq]" : "") +
         (adds    ? ", b: f32[heads, seq, (keys = seq)]"
          : hides ? ", b: bool[heads, seq, (keys = seq)]"
                  : "") +
         ") {\n    y = attention(x, k, sin(k), mask = " + maskOf(c) +
         (c[Dropout] ? ", dropout = 0.3" : "") +
         ")\n    return y\n  }\n}\n\nschedule s for Net {\n  mesh (" + mesh +
         ")\n  shard {" + split + "} axis seq over " + cut +
         "\n  attention ** using " + strategy + "\n}\n";
}

CaseResult hocket::random::runCombination(const Combination &combination,
                                          codegen::KernelCache &cache) {
  CaseKind kind;
  kind.hasGradients = kind.isAttention = true;
  return runText(textOf(combination), /*isExact=*/false, /*seed=*/3, cache,
                 nullptr, kind, /*alsoWide=*/combination[Precision] == 1);
}
