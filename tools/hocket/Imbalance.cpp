//===- Imbalance.cpp - where ranks cost differently -----------------------===//

#include "Imbalance.h"
#include "PlanText.h"
#include "hocket/Placement/Meet.h"
#include <algorithm>
#include <iostream>

using namespace hocket;
using namespace hocket::tool;

/// "rank 3", "ranks 0 to 3 and 8", "16 ranks, 0, 2, 4, 6 among them".
static std::string ranksText(const std::vector<int64_t> &ranks) {
  constexpr int mostRanges = 4;
  std::string text;
  int ranges = 0;
  for (size_t i = 0; i < ranks.size() && ranges < mostRanges; ++ranges) {
    size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
      ++end;
    text += (i == 0                ? ""
             : end == ranks.size() ? " and "
                                   : ", ") +
            std::to_string(ranks[i]);
    if (end - i > 1)
      text +=
          (end - i == 2 ? " and " : " to ") + std::to_string(ranks[end - 1]);
    i = end;
    if (ranges + 1 == mostRanges && i < ranks.size())
      return std::to_string(ranks.size()) + " ranks, " + text + " among them";
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

static std::vector<int64_t> ranksWith(const std::vector<plan::Costs> &costs,
                                      int64_t plan::Costs::*cost,
                                      int64_t value) {
  std::vector<int64_t> ranks;
  for (size_t rank = 0; rank < costs.size(); ++rank)
    if (costs[rank].*cost == value)
      ranks.push_back(rank);
  return ranks;
}

void tool::printImbalance(const std::vector<plan::Costs> &costs) {
  struct Row {
    const char *title;
    int64_t plan::Costs::*cost;
    std::string (*text)(int64_t);
  };
  bool isFirst = true;
  for (const Row &row :
       {Row{"received ", &plan::Costs::receivedBytes, placement::bytesText},
        Row{"memory   ", &plan::Costs::memoryBytes, placement::bytesText},
        Row{"compute  ", &plan::Costs::flops, flopsText}}) {
    auto [least, most] =
        std::minmax_element(costs.begin(), costs.end(), [&](auto &a, auto &b) {
          return a.*row.cost < b.*row.cost;
        });
    int64_t low = *least.*row.cost, high = *most.*row.cost;
    if (low == high)
      continue;
    if (isFirst)
      std::cout << "  ranks differ\n";
    isFirst = false;
    std::cout << "    " << row.title << "least " << row.text(low) << " on "
              << ranksText(ranksWith(costs, row.cost, low)) << ", most "
              << row.text(high) << " on "
              << ranksText(ranksWith(costs, row.cost, high)) << "\n";
  }
}
