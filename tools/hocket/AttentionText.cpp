//===- AttentionText.cpp - what attentions cost, in words -----------------===//

#include "AttentionText.h"
#include "EqualLayers.h"
#include "hocket/Placement/Meet.h"
#include "hocket/Plan/AttentionCosts.h"
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>

using namespace hocket;
using namespace hocket::tool;
using placement::bytesText;
using Json = nlohmann::ordered_json;

/// "1.2 M".
static std::string countText(int64_t count) {
  const char *units[] = {"", " k", " M", " G", " T"};
  double value = double(count);
  int unit = 0;
  for (; value >= 1000 && unit < 4; ++unit)
    value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f%s" : "%.0f%s", value,
                units[unit]);
  return text;
}

using Direction = plan::AttentionDirection;
/// By rank, of some attentions.
using Counts = std::vector<int64_t> Direction::*;

namespace {

/// One attention and those that are alike, or those that differ in what their
/// layouts show alone.
struct Shown {
  std::vector<plan::AttentionCosts> list;

  bool takes(const plan::AttentionCosts &other) const;
  std::string pathsText() const;
  std::string rangeText(Direction plan::AttentionCosts::*side, Counts counts,
                        std::string (*text)(int64_t)) const;
  std::string balanceText(Direction plan::AttentionCosts::*side,
                          Counts counts) const;
  std::string workText(Direction plan::AttentionCosts::*side) const;
  std::string trafficText(Direction plan::AttentionCosts::*side) const;
};

} // namespace

bool Shown::takes(const plan::AttentionCosts &other) const {
  plan::AttentionCosts one = list.front();
  if (one.hasLayout && other.hasLayout)
    for (auto side :
         {&plan::AttentionCosts::forward, &plan::AttentionCosts::backward})
      for (Counts counts : {&Direction::scores, &Direction::blocks})
        (one.*side).*counts = (other.*side).*counts;
  return one.isLike(other);
}

/// "a and b", "h.*.attn, h.0 to h.11", "a, b and 3 more".
std::string Shown::pathsText() const {
  std::vector<PathEntry> entries;
  for (const plan::AttentionCosts &one : list)
    for (const std::string &path : one.paths)
      entries.push_back({path, ""});
  std::vector<PathGroup> groups = groupEqualLayers(entries);
  auto text = [&](size_t i) {
    return groups[i].path +
           (groups[i].layers.empty() ? "" : ", " + groups[i].layers);
  };
  if (groups.size() == 1)
    return text(0);
  if (groups.size() == 2)
    return text(0) + " and " + text(1);
  return text(0) + ", " + text(1) + " and " +
         std::to_string(groups.size() - 2) + " more";
}

/// "1.2 M", or "1.2 M to 2.3 M".
std::string Shown::rangeText(Direction plan::AttentionCosts::*side,
                             Counts counts,
                             std::string (*text)(int64_t)) const {
  int64_t least = INT64_MAX, most = 0;
  for (const plan::AttentionCosts &one : list)
    for (int64_t count : (one.*side).*counts) {
      least = std::min(least, count);
      most = std::max(most, count);
    }
  return least == most ? text(most) : text(least) + " to " + text(most);
}

/// " (mean / most 0.57)", nothing where ranks do not differ. Of several that
/// is what their sums have, since each is waited for.
std::string Shown::balanceText(Direction plan::AttentionCosts::*side,
                               Counts counts) const {
  bool differ = false;
  double mean = 0, most = 0;
  for (const plan::AttentionCosts &one : list) {
    const std::vector<int64_t> &byRank = (one.*side).*counts;
    auto [low, high] = std::minmax_element(byRank.begin(), byRank.end());
    differ |= *low != *high;
    mean += std::accumulate(byRank.begin(), byRank.end(), 0.0) /
            double(byRank.size()) * double(one.paths.size());
    most += double(*high) * double(one.paths.size());
  }
  if (!differ)
    return "";
  char text[32];
  std::snprintf(text, sizeof text, " (mean / most %.2f)", mean / most);
  return text;
}

std::string Shown::workText(Direction plan::AttentionCosts::*side) const {
  std::string text = rangeText(side, &Direction::scores, countText) +
                     " scores" + balanceText(side, &Direction::scores);
  if (int64_t block = list.front().block)
    text += ", " + rangeText(side, &Direction::blocks, countText) +
            " blocks of " + std::to_string(block) +
            balanceText(side, &Direction::blocks);
  return text;
}

/// What is received, and in how many hops of a ring.
std::string Shown::trafficText(Direction plan::AttentionCosts::*side) const {
  const Direction &direction = list.front().*side;
  std::string text;
  if (std::any_of(direction.received.begin(), direction.received.end(),
                  [](int64_t bytes) { return bytes != 0; }))
    text +=
        ", " + rangeText(side, &Direction::received, bytesText) + " received";
  if (direction.allHops == 0)
    return text;
  text += ", " + std::to_string(direction.hops) + " of " +
          std::to_string(direction.allHops) +
          (direction.allHops == 1 ? " hop" : " hops");
  if (int64_t pruned = direction.allHops - direction.hops; pruned > 0)
    text += ", " + std::to_string(pruned) + " pruned";
  return text;
}

static void printMemory(const plan::AttentionMemory &memory) {
  std::cout << "    memory    queries " << bytesText(memory.queries)
            << ", keys and values " << bytesText(memory.keysAndValues)
            << ", results " << bytesText(memory.results);
  if (memory.bias)
    std::cout << ", bias " << bytesText(memory.bias);
  if (memory.lse)
    std::cout << ", lse " << bytesText(memory.lse);
  if (memory.gradients)
    std::cout << ", gradients " << bytesText(memory.gradients);
  std::cout << "\n";
}

static std::vector<Shown> shownOf(const plan::Plan &plan) {
  std::vector<Shown> all;
  for (plan::AttentionCosts &one : plan::attentionCosts(plan)) {
    auto found = std::find_if(all.begin(), all.end(), [&](const Shown &shown) {
      return shown.takes(one);
    });
    if (found == all.end())
      found = all.insert(all.end(), Shown());
    found->list.push_back(std::move(one));
  }
  return all;
}

void tool::printAttentions(const plan::Plan &plan) {
  auto forward = &plan::AttentionCosts::forward;
  auto backward = &plan::AttentionCosts::backward;
  for (const Shown &shown : shownOf(plan)) {
    const plan::AttentionCosts &first = shown.list.front();
    std::string work = shown.workText(forward);
    std::cout << "  attention " << shown.pathsText() << "\n    forward   "
              << work << shown.trafficText(forward) << "\n";
    if (first.hasBackward) {
      std::string again = shown.workText(backward);
      std::cout << "    backward  " << (again == work ? "as many" : again)
                << shown.trafficText(backward) << "\n";
    }
    printMemory(first.memory);
  }
}

static Json directionJson(const plan::AttentionDirection &direction,
                          const plan::AttentionCosts &costs) {
  Json json = {{"scores_per_rank", direction.scores}};
  if (costs.block)
    json["blocks_per_rank"] = direction.blocks;
  json["received_bytes_per_rank"] = direction.received;
  if (direction.allHops) {
    json["hops"] = direction.hops;
    json["all_hops"] = direction.allHops;
  }
  return json;
}

Json tool::attentionsJson(const plan::Plan &plan) {
  Json json = Json::array();
  for (const plan::AttentionCosts &one : plan::attentionCosts(plan)) {
    Json &entry = json.emplace_back(Json{{"paths", one.paths}});
    if (one.block)
      entry["block"] = one.block;
    entry["forward"] = directionJson(one.forward, one);
    if (one.hasBackward)
      entry["backward"] = directionJson(one.backward, one);
    entry["memory_bytes"] = {{"queries", one.memory.queries},
                             {"keys_and_values", one.memory.keysAndValues},
                             {"results", one.memory.results},
                             {"lse", one.memory.lse},
                             {"gradients", one.memory.gradients},
                             {"bias", one.memory.bias}};
  }
  return json;
}
