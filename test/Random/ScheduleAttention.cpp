//===- ScheduleAttention.cpp - how sequences are cut, and what travels ----===//

#include "AttentionModel.h"
#include "ScheduleText.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "lib/Placement/Locations.h"
#include <algorithm>

using namespace hocket;
using namespace hocket::random;

/// One to eight ranks over one axis, or those that two or three axes make.
void ScheduleMaker::drawAttentionMesh() {
  static const char *names[] = {"cp", "up", "tp"};
  std::vector<int64_t> sizes = {rng.between(1, 8)};
  if (rng.chance(0.5))
    sizes = rng.oneOf<std::vector<int64_t>>({{2, 2},
                                             {2, 2},
                                             {2, 3},
                                             {3, 2},
                                             {2, 4},
                                             {4, 2},
                                             {2, 1},
                                             {1, 3},
                                             {2, 2, 2}});
  for (size_t i = 0; i < sizes.size(); ++i)
    schedule.mesh.push_back({names[i], sizes[i]});
}

/// "a" or "(a, b)".
static std::string listOf(const std::vector<std::string> &axes) {
  std::string text;
  for (const std::string &axis : axes)
    text += (text.empty() ? "" : ", ") + axis;
  return axes.size() == 1 ? text : "(" + text + ")";
}

/// "over cp zigzag", "over (cp striped 2, up)", "over cp sizes (4, 0, 1)".
std::string ScheduleMaker::orderedOver(int64_t size,
                                       const std::vector<std::string> &over) {
  std::string order;
  if (rng.chance(0.5))
    order = orderOf();
  if (order.empty())
    return " over " + listOf(over) + (rng.chance(0.3) ? cutOf(size, over) : "");
  if (over.size() == 1)
    return " over " + over[0] + order;
  return " over (" + over[0] + order + ", " + over[1] + ")";
}

/// The size of that dim of a parameter or an input; 0 if it has none.
int64_t ScheduleMaker::extentOf(const Wish &wish) const {
  for (const Place &place : places)
    if (place.path == wish.path)
      for (const Factor &factor : place.factors)
        if (factor.axis == wish.axis)
          return factor.size;
  return 0;
}

/// All that have the dim are cut alike, except one at times.
void ScheduleMaker::splitAlike(const std::vector<Wish> &wanted,
                               const std::vector<std::string> &over,
                               bool mayOrder) {
  std::map<std::string, std::string> cuts; // by the dim's name
  auto draw = [&](const Wish &wish) {
    int64_t size = extentOf(wish);
    return mayOrder ? orderedOver(size, over)
                    : " over " + listOf(over) +
                          (rng.chance(0.2) ? cutOf(size, over) : "");
  };
  for (const Wish &wish : wanted) {
    if (rng.chance(wish.path == "keep" ? 0.3 : 0.04))
      continue;
    auto [known, isNew] = cuts.try_emplace(wish.axis, "");
    if (isNew)
      known->second = draw(wish);
    schedule.lines.push_back("shard " + wish.path + " axis " + wish.axis +
                             (rng.chance(0.03) ? draw(wish) : known->second));
  }
}

/// The sequence over an axis or two, batches and heads over the others.
void ScheduleMaker::splitAttended() {
  std::vector<std::string> axes = shuffledAxes();
  size_t count = axes.size() == 1   ? rng.chance(0.88)
                 : rng.chance(0.45) ? 2
                                    : rng.chance(0.92);
  sequenceAxes.assign(axes.begin(), axes.begin() + count);
  axes.erase(axes.begin(), axes.begin() + count);
  if (count)
    splitAlike(made.sequences, sequenceAxes, /*mayOrder=*/true);
  bool hasBatch = false, hasHeads = made.heads.empty();
  for (const std::string &axis : axes) {
    if (!hasHeads && rng.chance(0.5)) {
      hasHeads = true;
      std::vector<Wish> heads = made.heads;
      if (rng.chance(0.25)) // keys and values are whole
        heads.erase(std::remove_if(
                        heads.begin(), heads.end(),
                        [](const Wish &wish) { return wish.axis == "groups"; }),
                    heads.end());
      splitAlike(heads, {axis}, /*mayOrder=*/false);
    } else if (!hasBatch && rng.chance(0.8)) {
      hasBatch = true;
      splitAlike(made.batches, {axis}, /*mayOrder=*/false);
    }
  }
}

/// What a line says of the axes that cut the sequence.
std::string ScheduleMaker::strategies() {
  const std::vector<std::string> &axes = sequenceAxes;
  static const std::vector<std::string> one = {
      "ring",  "ring",       "ring",       "ring",     "heads",
      "heads", "all_gather", "all_gather", "sequence", "sequence"};
  if (axes.size() == 1)
    return rng.oneOf(one) + " over " + axes[0];
  switch (rng.below(8)) {
  case 0:
    return rng.oneOf<std::string>({"sequence", "all_gather"}) + " over " +
           listOf(axes);
  case 1:
    return "heads over " + listOf(axes);
  case 2:
    return "heads over " + axes[1] + ", all_gather over " + axes[0];
  case 3:
  case 4:
    return "ring over " + listOf(axes);
  default:
    return "heads over " + axes[1] + ", ring over " + axes[0];
  }
}

/// How attention over a split sequence is computed, by one line or one a path.
/// Blind lines stay in whether they fit or not.
void ScheduleMaker::strategySome(bool isBlind) {
  std::vector<std::string> paths;
  placed.compiler->module().walk([&](mlir::Operation *op) {
    if (mlir::isa<nn::AttentionOp, nn::NeighborhoodAttentionOp>(op))
      paths.push_back(placement::modelPath(op));
  });
  if (sequenceAxes.empty() || paths.empty())
    return;
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  if (rng.chance(0.6))
    paths = {"**"};
  for (const std::string &path : paths) {
    if (rng.chance(0.08))
      continue;
    for (int attempts = 0; attempts < 3; ++attempts) {
      std::string line = "attention " + path + " using " + strategies();
      if (isBlind)
        schedule.lines.push_back(line);
      if (isBlind || tryLine(line))
        break;
    }
  }
}

/// Lines of attention, then some of all others.
void ScheduleMaker::makeAttention(bool isBlind) {
  drawAttentionMesh();
  readPlaces();
  splitAttended();
  takeLines();
  strategySome(isBlind);
  if (isBlind)
    return;
  if (rng.chance(0.25))
    haloSome();
  if (model.find("cross_entropy") != std::string::npos && rng.chance(0.5))
    for (const std::string &axis : sequenceAxes)
      tryLine("statistics ** over " + axis);
  if (rng.chance(0.2))
    licenseSome();
  if (rng.chance(0.25))
    tryLine(syncLine());
}
