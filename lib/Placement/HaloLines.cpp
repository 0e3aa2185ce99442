//===- HaloLines.cpp - what halo lines say of windowed operations ---------===//

#include "HaloReach.h"
#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Placement/Expect.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// "(1, 2)"
static std::string reachText(nn::Reach reach) {
  return "(" + std::to_string(reach.before) + ", " +
         std::to_string(reach.after) + ")";
}

std::string placement::axisWord(StringRef name, int64_t number) {
  return name.empty() || name.front() == '(' ? std::to_string(number)
                                             : name.str();
}

/// What one line has to say about a dim of an operation.
void Placer::checkReach(const Licence &licence, const HaloDim &dim) {
  auto halo = dyn_cast<sched::HaloOp>(licence.directive);
  auto stated = halo ? halo.getReach() : std::nullopt;
  if (!stated)
    return;
  nn::Reach wrong{(*stated)[0], (*stated)[1]};
  auto isStated = [&](nn::Reach reach) {
    return wrong.before == reach.before && wrong.after == reach.after;
  };
  if (isStated(dim.needed) || isStated(dim.withBorder))
    return;
  problems
      .addAt(halo,
             "reach " + reachText(wrong) + " of " + dim.name + " at '" +
                 dim.path + "', whose " + dim.windows + " need " +
                 reachText(dim.needed) + " where the parts begin " + "and end",
             dim.path)
      .advise("write reach " + reachText(dim.needed) + ", or reach auto");
}

/// How many layers share the exchange of a dim is for one line to say.
void Placer::checkLayers(ArrayRef<Licence *> lines, const HaloDim &dim) {
  sched::HaloOp first;
  for (Licence *licence : lines) {
    auto halo = dyn_cast<sched::HaloOp>(licence->directive);
    if (!halo || !halo.getLayers())
      continue;
    int64_t count = *halo.getLayers();
    int64_t other = first ? *first.getLayers() : count;
    if (first && (count > 1 || other > 1))
      problems
          .addAt(halo,
                 "layers " + std::to_string(count) + " of " + dim.name +
                     " at '" + dim.path + "', and layers " +
                     std::to_string(other) + " in another line",
                 dim.path)
          .note(scheduleLine(first.getLoc()), "layers " + std::to_string(other))
          .note("leave 'layers' out of one of the two, or give them patterns "
                "that have no operation in common");
    first = first ? first : halo;
  }
}

/// Which collective moves the margins of a dim: what one line says, whatever
/// others leave open.
StringRef Placer::strategyOf(ArrayRef<Licence *> lines, const HaloDim &dim) {
  StringRef strategy = "neighbors";
  sched::HaloOp first;
  for (Licence *licence : lines) {
    auto halo = dyn_cast<sched::HaloOp>(licence->directive);
    auto stated = halo ? halo.getStrategy() : std::nullopt;
    if (!stated)
      continue;
    if (first && *stated != strategy) {
      problems
          .addAt(halo,
                 "using " + stated->str() + " of " + dim.name + " at '" +
                     dim.path + "', and using " + strategy.str() +
                     " in another line",
                 dim.path)
          .note(scheduleLine(first.getLoc()), "using " + strategy.str())
          .note("leave 'using' out of one of the two; it counts as it stands "
                "in the other");
      continue;
    }
    strategy = *stated;
    first = halo;
  }
  return strategy;
}

/// Whether a line has a dim travel while an operation computes.
bool Placer::overlaps(Operation *op, ArrayRef<Licence *> lines,
                      const HaloDim &dim, StringRef strategy) {
  for (Licence *licence : lines) {
    auto halo = dyn_cast<sched::HaloOp>(licence->directive);
    if (!halo || !halo.getOverlaps())
      continue;
    bool isConvolution = isa<nn::ConvOp, nn::ConvTransposeOp>(op);
    if (isConvolution && strategy != "all_gather")
      return true;
    std::string kind = op->getName().stripDialect().str();
    problems
        .addAt(halo,
               "not supported yet: overlap of " + dim.name + " at '" +
                   dim.path + "', " +
                   (isConvolution ? "where an all_gather moves the margins"
                                  : "which is no convolution: " + kind),
               dim.path)
        .note(isConvolution
                  ? "write using neighbors, using all_to_all, or no overlap"
                  : "write this line without overlap, and beside it one for "
                    "convolutions, as: halo PATH axis " +
                        dim.axis + " over " +
                        axisText(*licence->used.begin(), mesh) + " overlap");
    return false;
  }
  return false;
}

static std::optional<StringRef> fromOf(const Licence *licence) {
  auto attention = dyn_cast<sched::AttentionOp>(licence->directive);
  return attention ? attention.getFrom() : std::nullopt;
}

/// The line that has margins of a dim exchanged: what it says `from` counts.
static LocationAttr lineOf(ArrayRef<Licence *> lines, const HaloDim &dim,
                           Problems &problems) {
  Licence *line = lines.back(), *first = nullptr;
  for (Licence *licence : lines) {
    auto from = fromOf(licence);
    if (!from)
      continue;
    if (first && *fromOf(first) != *from)
      problems
          .addAt(licence->directive,
                 "'from " + from->str() + "' at '" + dim.path +
                     "', and 'from " + fromOf(first)->str() +
                     "' in another line",
                 dim.path)
          .note(scheduleLine(first->directive->getLoc()),
                "from " + fromOf(first)->str())
          .note("leave one of the two out, or give them patterns that have no "
                "attention in common");
    first = first ? first : licence;
  }
  return first ? first->directive->getLoc() : line->directive->getLoc();
}

static bool mayHaveLayers(Operation *op, const Licence &licence) {
  auto halo = dyn_cast<sched::HaloOp>(licence.directive);
  return halo && halo.getLayers().value_or(1) > 1 &&
         isa<nn::ConvOp, nn::PoolOp>(op);
}

void Placer::takeHalos(nn::WindowedOp op) {
  std::string path = modelPath(op);
  nn::LayoutAttr layout = nn::layoutOf(op.getPositions().front());
  SmallVector<AskedHalo, 4> asked(op.getWindows().size());
  bool isReached = false;
  for (auto [number, window] : llvm::enumerate(op.getWindows())) {
    std::optional<SlidDim> slid = slidDim(op, number, mesh);
    if (!slid || !slid->readsOthers())
      continue;
    isReached = true;
    nn::Reach needed = furthest(*window, slid->positions, slid->windows);
    std::string name = layout.getDims()[number].getDisplayName();
    HaloDim dim{path,
                name,
                axisWord(name, number),
                window->lookup ? "edges"
                               : "windows of " + std::to_string(window->span()),
                needed,
                furthestWithBorder(*window, slid->positions, slid->windows)};
    for (nn::SplitAttr split : slid->splits)
      reached.insert({op, mesh.getIndex(split.getAxis())});
    SmallVector<Licence *> covering;
    for (Licence &licence : halos) {
      if (!licence.isOf(op, dim.name, number) || !licence.covers(path))
        continue;
      bool isUsed = false;
      for (nn::SplitAttr split : slid->splits) {
        unsigned axis = mesh.getIndex(split.getAxis());
        if (!llvm::is_contained(licence.axes, axis))
          continue;
        licence.used.insert(axis);
        isUsed = true;
      }
      if (!isUsed)
        continue;
      covering.push_back(&licence);
      if (!mayHaveLayers(op, licence)) // else as far as all of them need
        checkReach(licence, dim);
    }
    if (!covering.empty())
      asked[number].line = lineOf(covering, dim, problems);
    checkLayers(covering, dim);
    asked[number].strategy = strategyOf(covering, dim);
    asked[number].overlaps =
        overlaps(op, covering, dim, asked[number].strategy);
  }
  if (isReached)
    askedHalos[op] = std::move(asked);
}

/// Over axes of size 1 nothing is exchanged, but the lines were written.
void Placer::countVacuousHalos() {
  for (const Licence &licence : halos) {
    if (!licence.axes.empty())
      continue;
    auto halo = dyn_cast<sched::HaloOp>(licence.directive);
    auto stated = halo ? halo.getStrategy() : std::nullopt;
    StringRef strategy = stated.value_or("neighbors");
    func.walk([&](nn::WindowedOp op) {
      std::string path = modelPath(op);
      nn::LayoutAttr layout = nn::layoutOf(op.getPositions().front());
      bool isBack =
          llvm::is_contained(op->getResults(), op.getPositions().front());
      for (auto [dim, window] : llvm::enumerate(op.getWindows()))
        if (window && licence.covers(path) && window->mayReach() &&
            licence.isOf(op, layout.getDims()[dim].getDisplayName(), dim))
          vacuous.push_back({haloWord(strategy, isBack), path});
    });
  }
}

void Placer::checkHalos() {
  countVacuousHalos();
  dropIdleHalos();
  for (const Licence &licence : halos) {
    std::string what = licence.dim.empty() ? "attention" : "halo";
    std::string dim = licence.dim.empty() ? "its keys" : licence.dim;
    for (unsigned axis : licence.axes)
      if (!licence.used.count(axis))
        problems
            .addAt(licence.directive,
                   what + " of " + licence.pattern() + " over " +
                       axisText(axis, mesh) +
                       " has no effect: no window slides "
                       "beyond a part of " +
                       dim + " there",
                   licence.paths.front())
            .advise("leave this line out");
  }
}
