//===- AttentionText.cpp - what attentions compute, by rank ---------------===//

#include "AttentionText.h"
#include "hocket/Plan/Work.h"
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>

using namespace hocket;
using namespace hocket::tool;

/// How many scores an instruction computes, 0 if it is no attention: each takes
/// a product with a key and one with a value.
static int64_t scoresOf(const plan::Instruction &instruction,
                        const plan::Plan &plan,
                        const plan::RankClass &rankClass, int64_t rank) {
  auto count = [&](const auto &attention) {
    int64_t flops = plan::workOf(instruction, plan, rankClass, rank).flops;
    int64_t each = 2 * (attention.q.shape.back() + attention.v.shape.back());
    return each == 0 ? 0 : flops / each;
  };
  if (auto *attention = std::get_if<plan::Attention>(&instruction.body))
    return count(*attention);
  if (auto *attention =
          std::get_if<plan::NeighborhoodAttention>(&instruction.body))
    return count(*attention);
  return 0;
}

static bool isAttention(const plan::Instruction &instruction) {
  return std::holds_alternative<plan::Attention>(instruction.body) ||
         std::holds_alternative<plan::NeighborhoodAttention>(instruction.body);
}

/// Of each path by itself.
static std::vector<AttentionScores>
scoresByPath(const plan::Plan &plan,
             std::vector<std::vector<int64_t>> &groups) {
  std::vector<AttentionScores> list;
  std::map<std::string, size_t> numbers;
  for (const plan::RankClass &rankClass : plan.classes)
    for (std::vector<int64_t> &ranks :
         plan::ranksOfEqualWork(plan, rankClass)) {
      for (const plan::Instruction &instruction : rankClass.step) {
        if (!isAttention(instruction))
          continue;
        std::string path =
            instruction.source < 0 ? "" : plan.sources[instruction.source].path;
        auto [found, isNew] = numbers.try_emplace(path, list.size());
        if (isNew)
          list.push_back({{path}, {}});
        std::vector<int64_t> &scores = list[found->second].byGroup;
        scores.resize(groups.size() + 1);
        scores.back() += scoresOf(instruction, plan, rankClass, ranks.front());
      }
      groups.push_back(std::move(ranks));
    }
  for (AttentionScores &one : list)
    one.byGroup.resize(groups.size());
  return list;
}

AttentionPlan tool::attentionScores(const plan::Plan &plan) {
  AttentionPlan found;
  std::map<std::vector<int64_t>, size_t> numbers;
  for (AttentionScores &one : scoresByPath(plan, found.groups)) {
    auto [known, isNew] =
        numbers.try_emplace(one.byGroup, found.attentions.size());
    if (isNew)
      found.attentions.push_back(std::move(one));
    else
      found.attentions[known->second].paths.push_back(one.paths.front());
  }
  return found;
}

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

void tool::printAttentions(const plan::Plan &plan) {
  AttentionPlan found = attentionScores(plan);
  for (const AttentionScores &one : found.attentions) {
    auto [least, most] =
        std::minmax_element(one.byGroup.begin(), one.byGroup.end());
    if (*least == *most)
      continue;
    double sum = 0;
    for (size_t group = 0; group < found.groups.size(); ++group)
      sum += double(one.byGroup[group]) * double(found.groups[group].size());
    const std::string &path = one.paths.front();
    std::cout << "    scores   " << (path.empty() ? "attention" : path);
    if (one.paths.size() > 1)
      std::cout << " and " << one.paths.size() - 1 << " more";
    char balance[32];
    std::snprintf(balance, sizeof balance, "%.2f",
                  sum / double(plan.rankCount()) / double(*most));
    std::cout << ": least " << countText(*least) << ", most "
              << countText(*most) << ", mean / most " << balance << "\n";
  }
}

nlohmann::ordered_json tool::attentionsJson(const plan::Plan &plan) {
  AttentionPlan found = attentionScores(plan);
  auto json = nlohmann::ordered_json::array();
  for (const AttentionScores &one : found.attentions) {
    std::vector<int64_t> byRank(plan.rankCount());
    for (size_t group = 0; group < found.groups.size(); ++group)
      for (int64_t rank : found.groups[group])
        byRank[rank] = one.byGroup[group];
    json.push_back({{"paths", one.paths}, {"scores_per_rank", byRank}});
  }
  return json;
}
