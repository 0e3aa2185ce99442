//===- Halo.cpp - which windows may read from neighbours ------------------===//
//
// A window slides over positions of which a rank holds a part; what it reads
// beyond that part comes from neighbours. `halo` allows it, as `statistics`
// allows reductions inside an operation: who reads what follows from the
// windows and the cuts, never from the line, which may only state how far.
//
//===----------------------------------------------------------------------===//

#include "Locations.h"
#include "Placer.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

void Placer::readHalo(sched::HaloOp halo) {
  auto axes = readAxes(halo, halo.getOver());
  std::vector<PathNode *> nodes = resolve(halo, halo.getPattern());
  if (!axes || nodes.empty())
    return;
  Licence licence{halo, {}, *axes, {}};
  licence.dim = halo.getAxis();
  for (PathNode *node : nodes)
    licence.paths.push_back(node->path);
  halos.push_back(std::move(licence));
}

bool Placer::mayReach(Operation *op, unsigned axis, StringRef dim) {
  if (assumed.contains({op, axis}))
    return true;
  std::string path = modelPath(op);
  return llvm::any_of(halos, [&](const Licence &licence) {
    return (licence.dim.empty() || licence.dim == dim) &&
           llvm::is_contained(licence.axes, axis) && licence.covers(path);
  });
}

std::string Licence::pattern() const {
  auto written = directive->getAttrOfType<StringAttr>("pattern");
  return "'" + written.getValue().str() + "'";
}

/// "(1, 2)"
static std::string reachText(nn::Reach reach) {
  return "(" + std::to_string(reach.before) + ", " +
         std::to_string(reach.after) + ")";
}

/// The furthest that any part reads to each side.
static nn::Reach furthest(const nn::Window &window, ArrayRef<int64_t> positions,
                          ArrayRef<int64_t> windows) {
  nn::Reach most;
  for (nn::Reach reach : nn::reachesOf(window, positions, windows)) {
    most.before = std::max(most.before, reach.before);
    most.after = std::max(most.after, reach.after);
  }
  return most;
}

/// The same of the factor that a mismatch is about, as its operand is split.
static nn::Reach furthest(Operation *op, const nn::PlacementRule &rule,
                          const Mismatch &mismatch, nn::MeshAttr mesh) {
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(mismatch.operand));
  nn::SplitAttr split =
      layout.splitOver(mesh.getAxes()[mismatch.axis].getName());
  SmallVector<nn::SplitAttr> positions =
      layout.splitsOf(split.getDim(), split.getFactor());
  // Of windows only, as those of a transposed convolution: evenly cut.
  if (!llvm::is_contained(cast<nn::WindowedOp>(op).getPositions(),
                          op->getOperand(mismatch.operand)))
    for (nn::SplitAttr &each : positions)
      each = nn::SplitAttr::get(op->getContext(), each.getAxis(), each.getDim(),
                                each.getFactor(), {});
  const nn::Window &window = *rule.factors[mismatch.factor].window;
  return furthest(window, nn::partSizes(window.extent, positions, mesh),
                  nn::windowParts(window, positions, mesh));
}

void Placer::takeHalos(nn::WindowedOp op) {
  std::string path = modelPath(op);
  nn::LayoutAttr layout = nn::layoutOf(op.getPositions().front());
  SmallVector<Attribute> lines(op.getWindows().size(),
                               UnitAttr::get(op.getContext()));
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    SmallVector<nn::SplitAttr> splits = layout.splitsOf(dim, 0);
    if (!window || splits.empty())
      continue;
    nn::Reach needed = furthest(
        *window, nn::partSizes(window->extent, splits, mesh),
        nn::partSizes(window->results(),
                      nn::layoutOf(op.getWindowed()).splitsOf(dim, 0), mesh));
    if (needed.before == 0 && needed.after == 0)
      continue;
    std::string name = layout.getDims()[dim].getDisplayName();
    for (Licence &licence : halos) {
      if ((!licence.dim.empty() && licence.dim != name) ||
          !licence.covers(path))
        continue;
      for (nn::SplitAttr split : splits) {
        unsigned axis = mesh.getIndex(split.getAxis());
        if (!llvm::is_contained(licence.axes, axis))
          continue;
        licence.used.insert(axis);
        lines[dim] = LocationAttr(licence.directive->getLoc());
      }
      auto halo = dyn_cast<sched::HaloOp>(licence.directive);
      auto stated = halo ? halo.getReach() : std::nullopt;
      if (!stated ||
          ((*stated)[0] == needed.before && (*stated)[1] == needed.after))
        continue;
      nn::Reach wrong{(*stated)[0], (*stated)[1]};
      problems
          .addAt(halo,
                 "reach " + reachText(wrong) + " of " + name + " at '" + path +
                     "', whose windows of " + std::to_string(window->span()) +
                     " need " + reachText(needed) +
                     " where the parts begin "
                     "and end",
                 path)
          .note("write reach " + reachText(needed) + ", or reach auto");
    }
  }
  if (op->hasAttr(nn::kHalos))
    op->setAttr(nn::kHaloLines, ArrayAttr::get(op.getContext(), lines));
}

/// Over axes of size 1 nothing is exchanged, but the lines were written.
void Placer::countVacuousHalos() {
  for (const Licence &licence : halos) {
    if (!licence.axes.empty())
      continue;
    func.walk([&](nn::WindowedOp op) {
      std::string path = modelPath(op);
      nn::LayoutAttr layout = nn::layoutOf(op.getPositions().front());
      for (auto [dim, window] : llvm::enumerate(op.getWindows()))
        if (window && licence.covers(path) && window->span() > window->stride &&
            (licence.dim.empty() ||
             licence.dim == layout.getDims()[dim].getDisplayName()))
          vacuous.push_back({"halo", path});
    });
  }
}

void Placer::checkHalos() {
  countVacuousHalos();
  for (const Licence &licence : halos) {
    std::string what = licence.dim.empty() ? "attention" : "halo";
    std::string dim = licence.dim.empty() ? "its keys" : licence.dim;
    for (unsigned axis : licence.axes)
      if (!licence.used.count(axis))
        problems
            .addAt(licence.directive,
                   what + " of " + licence.pattern() + " over " +
                       axisText(axis) +
                       " has no effect: no window slides "
                       "beyond a part of " +
                       dim + " there",
                   licence.paths.front())
            .note("leave this line out");
  }
}

void Placer::wayHalo(Problem &problem, Operation *op,
                     const nn::PlacementRule &rule, const Mismatch &mismatch) {
  WayOut way;
  way.kind = WayOut::Kind::Halo;
  way.path = modelPath(op);
  way.axis = rule.factors[mismatch.factor].name;
  way.over = {axisText(mismatch.axis)};
  if (way.axis.empty())
    return;
  Value value = op->getOperand(mismatch.operand);
  auto type = cast<RankedTensorType>(value.getType());
  nn::LayoutAttr layout = nn::layoutOf(value);
  nn::SplitAttr split = layout.splitOver(way.over.front());
  nn::Reach needed = furthest(op, rule, mismatch, mesh);
  int64_t longest = llvm::divideCeil(layout.getDims()[split.getDim()].getSize(),
                                     mesh.getAxes()[mismatch.axis].getSize());
  int64_t row = localElements(layout, mesh) / std::max<int64_t>(longest, 1);
  way.bytes = (needed.before + needed.after) * row *
              llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (!way.path.empty()) // a function in the model itself has no other name
    problem.ways.push_back(way);
  way.path = "**"; // where other windows slide over that dim as well
  problem.ways.push_back(way);
}

/// Takes it as allowed; under `auto reshard`, as a line that was inserted.
bool Placer::allowHalo(Operation *op, const nn::PlacementRule &rule,
                       const Mismatch &mismatch) {
  if (autoReshard) {
    Problem record{op->getLoc(), "", "", {}, "", {}};
    wayHalo(record, op, rule, mismatch);
    InsertedSync made;
    made.path = modelPath(op);
    made.model = op->getLoc();
    if (!record.ways.empty()) {
      made.line = record.ways.front().line();
      made.bytes = record.ways.front().bytes;
    }
    inserted.push_back(std::move(made));
  }
  return assumed.insert({op, mismatch.axis}).second;
}

/// "windows of 3 need up to 1 before and 1 after a part"
std::string Placer::haloReason(Operation *op, const nn::PlacementRule &rule,
                               const Mismatch &mismatch) const {
  const nn::Window &window = *rule.factors[mismatch.factor].window;
  nn::Reach needed = furthest(op, rule, mismatch, mesh);
  return "its windows of " + std::to_string(window.span()) + " read up to " +
         std::to_string(needed.before) + " before and " +
         std::to_string(needed.after) + " after a rank's part";
}
