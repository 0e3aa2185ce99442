//===- ScheduleDomain.cpp - splits of domains, and what crosses them ------===//

#include "ScheduleText.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"
#include "lib/Placement/Locations.h"
#include <algorithm>
#include <optional>
#include <regex>

using namespace hocket;
using namespace hocket::random;

/// 1 to 3 axes; of a domain sometimes one that has more ranks than an axis of
/// several.
void ScheduleMaker::drawMesh() {
  static const char *names[] = {"tp", "dp", "cp"};
  if (hasWindows && rng.chance(0.15)) {
    schedule.mesh = {{names[0], rng.oneOf<int64_t>({1, 5, 6, 6, 8, 8})}};
    return;
  }
  if (hasWindows && rng.chance(0.3)) {
    auto sizes = rng.oneOf<std::vector<int64_t>>(
        {{2, 2}, {2, 3}, {3, 2}, {2, 4}, {2, 2, 2}});
    for (size_t i = 0; i < sizes.size(); ++i)
      schedule.mesh.push_back({names[i], sizes[i]});
    return;
  }
  int64_t ranks = 1;
  for (int64_t i = 0, count = rng.between(1, 3); i < count; ++i) {
    int64_t size = rng.chance(0.12) ? 1 : rng.between(2, 4);
    if (ranks * size > 8)
      break;
    ranks *= size;
    schedule.mesh.push_back({names[i], size});
  }
}

/// Mostly with those of one rank last.
std::vector<std::string> ScheduleMaker::shuffledAxes() {
  std::vector<std::string> axes, single;
  for (auto &[axis, size] : schedule.mesh)
    axes.push_back(axis);
  rng.shuffle(axes);
  if (rng.chance(0.1))
    return axes;
  auto isReal = [&](const std::string &axis) { return sizeOf(axis) > 1; };
  llvm::copy_if(axes, std::back_inserter(single),
                [&](const std::string &axis) { return !isReal(axis); });
  llvm::erase_if(axes, [&](const std::string &axis) { return !isReal(axis); });
  axes.insert(axes.end(), single.begin(), single.end());
  return axes;
}

/// One dim over one axis or two, or several dims over an axis each. Gives the
/// axes; the dims are no more to be had.
std::vector<std::string> ScheduleMaker::splitDomain(const Wish &wish) {
  auto asked = [&](const Place &place) { return place.path == wish.path; };
  auto place = std::find_if(places.begin(), places.end(), asked);
  if (place == places.end() || rng.chance(0.1))
    return {};
  std::vector<std::string> axes = shuffledAxes(), taken;
  auto split = [&](Factor factor, std::vector<std::string> over) {
    auto isIt = [&](const Factor &each) { return each.axis == factor.axis; };
    auto &left = place->factors;
    left.erase(std::remove_if(left.begin(), left.end(), isIt), left.end());
    taken.insert(taken.end(), over.begin(), over.end());
    int64_t ranks = 1;
    std::string text;
    for (const std::string &axis : over) {
      ranks *= sizeOf(axis);
      text += (text.empty() ? "" : ", ") + axis;
    }
    if (factor.size >= ranks || rng.chance(0.4))
      schedule.lines.push_back("shard " + wish.path + " axis " + factor.axis +
                               " over " +
                               (over.size() > 1 ? "(" + text + ")" : text) +
                               cutOf(factor.size, over));
  };
  std::vector<Factor> others;
  std::optional<Factor> own;
  for (const Factor &factor : place->factors)
    if (factor.axis == wish.axis)
      own = factor;
    else if (factor.axis.back() > '1')
      others.push_back(factor);
  if (!own)
    return {};
  rng.shuffle(others);
  if (axes.size() > 1 && !others.empty() && rng.chance(0.7)) {
    split(*own, {axes[0]});
    split(others[0], {axes[1]});
    if (axes.size() > 2 && others.size() > 1)
      split(others[1], {axes[2]});
  } else if (axes.size() > 1 && rng.chance(0.3)) {
    split(*own, {axes[0], axes[1]});
  } else {
    split(*own, {axes[0]});
  }
  return taken;
}

/// The line with a reach, with layers, and with words that say how margins
/// travel; without those that do not fit.
void ScheduleMaker::tryHalo(const std::string &line, std::string reach,
                            std::string layers) {
  std::string strategy, overlap;
  if (rng.chance(0.35))
    strategy = " using " + rng.oneOf<std::string>(
                               {"neighbors", "all_to_all", "all_gather"});
  if (rng.chance(0.2))
    overlap = " overlap";
  static const std::regex needed("write reach (\\([0-9]+, [0-9]+\\))");
  for (int attempts = 0; attempts < 5; ++attempts) {
    if (tryLine(line + reach + strategy + overlap + layers))
      return;
    std::smatch match;
    if (!reach.empty() && std::regex_search(refusal, match, needed) &&
        reach != " reach " + match[1].str())
      reach = " reach " + match[1].str();
    else if (!overlap.empty())
      overlap.clear();
    else if (!layers.empty())
      layers.clear();
    else if (!strategy.empty())
      strategy.clear();
    else
      return;
  }
}

/// Lets windows reach beyond parts where they have to, one by one or all of a
/// dim.
void ScheduleMaker::haloSome() {
  std::vector<std::string> lines;
  for (const placement::InsertedSync &sync :
       placed.compiler->placement().inserted)
    if (sync.line.rfind("halo ", 0) == 0)
      lines.push_back(sync.line);
  for (std::string line : lines) {
    if (!rng.chance(0.8))
      continue;
    std::string reach = rng.chance(0.3) ? " reach auto" : "", layers;
    size_t axis = line.find(" axis ");
    if (rng.chance(0.4)) { // of operations one after another
      line = "halo **" + line.substr(axis);
      layers = " layers " + std::to_string(rng.between(2, 3));
    } else if (rng.chance(0.2)) {
      line = "halo **" + line.substr(axis);
    } else if (rng.chance(0.4)) { // mended from what the error says
      reach = rng.chance(0.5) ? " reach 1" : " reach (0, 2)";
    }
    tryHalo(line, reach, layers);
  }
}

/// Paths of what keys and values are both made of, of an attention.
static std::vector<std::string> sharedSources(nn::AttentionOp attention) {
  auto sourcesOf = [](mlir::Value of) {
    std::vector<std::string> paths;
    llvm::SmallVector<mlir::Value> open{of};
    llvm::DenseSet<mlir::Value> seen;
    while (!open.empty()) {
      mlir::Value made = open.pop_back_val();
      mlir::Operation *op = made.getDefiningOp();
      if (!op)
        continue;
      if (mlir::isa<nn::ExchangeOp>(op)) { // of values that go side by side
        open.push_back(
            op->getOperand(mlir::cast<mlir::OpResult>(made).getResultNumber()));
        continue;
      }
      if (auto value = mlir::dyn_cast<nn::ValueOp>(op))
        paths.push_back(value.getPath().str());
      for (mlir::Value operand : op->getOperands())
        if (seen.insert(operand).second)
          open.push_back(operand);
    }
    return paths;
  };
  std::vector<std::string> ofKeys = sourcesOf(attention.getK()), shared;
  for (const std::string &path : sourcesOf(attention.getV()))
    if (llvm::is_contained(ofKeys, path) && !llvm::is_contained(shared, path))
      shared.push_back(path);
  return shared;
}

/// Lets margins of what keys and values are made of be exchanged instead of
/// theirs.
bool ScheduleMaker::tryFrom(const std::string &path, const std::string &over) {
  std::vector<std::string> sources;
  placed.compiler->module().walk([&](nn::AttentionOp op) {
    if (placement::modelPath(op) == path)
      sources = sharedSources(op);
  });
  rng.shuffle(sources);
  if (sources.size() > 3)
    sources.resize(3);
  return llvm::any_of(sources, [&](llvm::StringRef source) {
    if (source.consume_front(path)) // of a module; else the model's own
      source.consume_front(".");
    return tryLine("attention " + path + " using sequence over " + over +
                   " from " + source.str());
  });
}

/// How attention over a split sequence, or split dims, is computed.
void ScheduleMaker::attentionSome() {
  std::vector<std::string> paths;
  placed.compiler->module().walk([&](mlir::Operation *op) {
    if (mlir::isa<nn::AttentionOp, nn::NeighborhoodAttentionOp>(op))
      paths.push_back(placement::modelPath(op));
  });
  for (const std::string &path : paths)
    if (rng.chance(0.6))
      for (auto &[axis, size] : schedule.mesh) {
        auto strategy = rng.oneOf<std::string>(
            {"heads", "sequence", "sequence", "all_gather", "ring"});
        if (strategy == "sequence" && rng.chance(0.5) && tryFrom(path, axis))
          continue;
        tryLine("attention " + (rng.chance(0.3) ? "**" : path) + " using " +
                strategy + " over " + axis);
      }
}

/// Lets norms and softmaxes reduce over split dims.
void ScheduleMaker::licenseSome() {
  std::vector<std::string> paths;
  placed.compiler->module().walk([&](nn::ValueOp op) {
    mlir::Operation *made = op.getX().getDefiningOp();
    if (mlir::isa_and_nonnull<nn::LayerNormOp, nn::RmsNormOp, nn::SoftmaxOp>(
            made))
      paths.push_back(op.getPath().str());
  });
  placed.compiler->module().walk(
      [&](nn::NormalizeOp op) { paths.push_back(placement::modelPath(op)); });
  for (const std::string &path : paths)
    if (rng.chance(0.8))
      for (auto &[axis, size] : schedule.mesh)
        if (size > 1)
          tryLine("statistics " + path + " over " + axis);
  if (!paths.empty() && rng.chance(0.3))
    tryLine("statistics ** over " + anyAxis());
}
