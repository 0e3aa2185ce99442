//===- Layouts.cpp - the block layouts of a program -----------------------===//

#include "hocket/Plan/Layouts.h"
#include "Sight.h"
#include "hocket/Plan/BlockLayout.h"
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace hocket::plan {

namespace {

/// A layout and the heads that all ranks have of it together.
struct Laid {
  const BlockLayout *layout;
  int64_t blocks, heads;
};

/// By the path of the attention, which is the same under every schedule.
using Layouts = std::map<std::string, std::vector<Laid>>;

void add(Layouts &layouts, const Plan &plan, const RankClass &rankClass,
         const Instruction &instruction, const Attention &attention) {
  if (!attention.layout)
    return;
  int64_t heads = 1; // of a layout that all heads have
  if (attention.layout->perHead)
    for (int64_t rank : rankClass.ranks)
      heads = std::max(heads, valueOn(plan, attention.headOffset, rank) +
                                  attention.q.shape[1]);
  std::string path;
  if (instruction.source >= 0)
    path = plan.sources[instruction.source].path;
  std::vector<Laid> &found = layouts[path];
  for (Laid &laid : found)
    if (*laid.layout == *attention.layout &&
        laid.blocks == attention.layoutBlocks) {
      laid.heads = std::max(laid.heads, heads);
      return;
    }
  found.push_back({&*attention.layout, attention.layoutBlocks, heads});
}

} // namespace

std::string layoutsDigest(const Plan &plan) {
  Layouts layouts;
  for (const RankClass &rankClass : plan.classes)
    for (const Instruction &instruction : rankClass.step)
      if (auto *forward = std::get_if<Attention>(&instruction.body))
        add(layouts, plan, rankClass, instruction, *forward);
  if (layouts.empty())
    return "none";
  uint64_t hash = 0xcbf29ce484222325;
  auto mix = [&](uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  for (const auto &[path, list] : layouts) {
    for (char letter : path)
      mix(uint8_t(letter));
    std::set<uint64_t> digests; // in no order of the instructions
    for (const Laid &laid : list)
      digests.insert(layoutDigest(*laid.layout, laid.blocks, laid.heads));
    for (uint64_t digest : digests)
      mix(digest);
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(hash));
  return text;
}

} // namespace hocket::plan
