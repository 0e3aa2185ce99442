//===- Words.cpp - what text and image say alike --------------------------===//

#include "hocket/Drawing/Picture.h"

using namespace hocket;
using namespace hocket::drawing;

/// "a, b and c"; of many the first ones, and how many more.
static std::string listed(const std::vector<std::string> &items) {
  constexpr size_t most = 6;
  std::string text;
  size_t shown = items.size() > most ? most - 1 : items.size();
  for (size_t i = 0; i < shown; ++i)
    text += (i == 0                                    ? ""
             : i + 1 == shown && shown == items.size() ? " and "
                                                       : ", ") +
            items[i];
  if (shown < items.size())
    text += " and " + std::to_string(items.size() - shown) + " more";
  return text;
}

static std::string runText(Run run) {
  return std::to_string(run.begin) +
         (run.end - run.begin > 1 ? " to " + std::to_string(run.end - 1) : "");
}

std::string drawing::runsText(const Runs &runs) {
  std::vector<std::string> items;
  for (Run run : runs)
    items.push_back(runText(run));
  return items.empty() ? "none" : listed(items);
}

std::string drawing::ranksText(const std::vector<int64_t> &ranks) {
  Runs runs;
  for (int64_t rank : ranks)
    if (!runs.empty() && runs.back().end == rank)
      ++runs.back().end;
    else
      runs.push_back({rank, rank + 1});
  return (ranks.size() == 1 ? "rank " : "ranks ") + runsText(runs);
}

static bool isWhole(const Runs &runs, int64_t extent) {
  return runs == Runs{{0, extent}};
}

std::string drawing::ownedText(const Attention &attention, const Owner &owner) {
  std::string text;
  if (!isWhole(owner.heads, attention.heads))
    text = "heads " + runsText(owner.heads) + ", ";
  auto partText = [](const Runs &runs, const std::string &byDim) {
    return byDim.empty() || runs.empty() ? runsText(runs) : "of " + byDim;
  };
  text += isWhole(owner.queries, attention.queries)
              ? "all queries"
              : "queries " + partText(owner.queries, owner.queriesByDim);
  if (isWhole(owner.keys, attention.keys))
    return text + ", all keys";
  return text + ", keys " +
         (owner.keys == owner.queries ? "the same"
                                      : partText(owner.keys, owner.keysByDim));
}

std::string drawing::titleOf(const Attention &attention) {
  auto counted = [](int64_t count, const char *one, const char *several) {
    return std::to_string(count) + (count == 1 ? one : several);
  };
  std::string text = attention.name();
  if (!attention.path.empty() && !attention.place.empty())
    text += " (" + attention.place + ")";
  return text + ": " + counted(attention.heads, " head, ", " heads, ") +
         counted(attention.queries, " query, ", " queries, ") +
         counted(attention.keys, " key, mask ", " keys, mask ") +
         attention.mask;
}

std::string drawing::hopText(const DrawnRing &ring, size_t hop) {
  return hop == 0
             ? "own keys"
             : "keys of " + std::to_string(ring.distances[hop - 1]) + " before";
}
