//===- Halo.cpp - which windows may read from neighbours ------------------===//
//
// A window slides over positions of which a rank holds a part; what it reads
// beyond that part comes from neighbours. `halo` allows it, as `statistics`
// allows reductions inside an operation: who reads what follows from the
// windows and the cuts, never from the line, which may only state how far.
//
//===----------------------------------------------------------------------===//

#include "HaloReach.h"
#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "hocket/Frontend/Diagnostic.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// An axis over which nothing slides is a slip, told before what follows from
/// it.
static bool hasWindowsOver(nn::FuncOp func, const Licence &licence,
                           Problems &problems) {
  bool isFound = false;
  std::set<std::string> slid;
  func.walk([&](nn::WindowedOp op) {
    if (!licence.covers(modelPath(op)))
      return;
    nn::LayoutAttr layout = nn::layoutOf(op.getPositions().front());
    for (auto [number, window] : llvm::enumerate(op.getWindows())) {
      std::string name = layout.getDims()[number].getDisplayName();
      if (window)
        slid.insert(name);
      isFound |= window && licence.isOf(op, name, number);
    }
  });
  if (isFound || slid.empty())
    return true;
  std::vector<std::string> names(slid.begin(), slid.end());
  Problem &problem = problems.addAt(licence.directive,
                                    "no window of " + licence.pattern() +
                                        " slides over '" + licence.dim + "'");
  problem.note("windows there slide over " + llvm::join(names, ", "));
  problem.lines.front().dims = names;
  if (auto near = syntax::nearest(licence.dim, names)) {
    problem.advise("did you mean '" + *near + "'?");
    problem.lines.front().renames.push_back({licence.dim, *near});
  }
  return false;
}

void Placer::readHalo(sched::HaloOp halo) {
  auto axes = readAxes(halo, halo.getOver());
  std::vector<PathNode *> nodes = resolve(halo, halo.getPattern());
  if (!axes || nodes.empty())
    return;
  Licence licence{halo, {}, *axes, {}};
  licence.dim = halo.getAxis();
  for (PathNode *node : nodes)
    licence.paths.push_back(node->path);
  if (hasWindowsOver(func, licence, problems))
    halos.push_back(std::move(licence));
}

bool Placer::mayReach(Operation *op, unsigned axis,
                      const nn::PlacementRule &rule, int factor) {
  if (assumed.contains({op, axis}))
    return true;
  std::string path = modelPath(op);
  return llvm::any_of(halos, [&](const Licence &licence) {
    return licence.isOf(op, rule.factors[factor].name, dimOf(rule, factor)) &&
           llvm::is_contained(licence.axes, axis) && licence.covers(path);
  });
}

bool Licence::isOf(Operation *op, StringRef name, int64_t number) const {
  if (isa<sched::AttentionOp>(directive))
    return isa<nn::AttentionOp, nn::AttentionGradOp,
               nn::NeighborhoodAttentionOp, nn::NeighborhoodAttentionGradOp>(
        op);
  return dim.empty() || dim == name || dim == std::to_string(number);
}

std::string Licence::pattern() const {
  auto written = directive->getAttrOfType<StringAttr>("pattern");
  return "'" + written.getValue().str() + "'";
}

/// Takes it as allowed; under `auto reshard`, as a line that was inserted.
bool Placer::allowHalo(Operation *op, const nn::PlacementRule &rule,
                       const Mismatch &mismatch) {
  if (autoReshard) {
    Problem record{op->getLoc(), "", "", {}, "", {}, {}};
    waysOut.halo(record, op, rule, mismatch);
    InsertedSync made;
    made.path = modelPath(op);
    made.model = op->getLoc();
    if (!record.ways.empty()) {
      made.line = record.ways.front().line();
      made.bytes = record.ways.front().bytes;
    }
    insertedHalos[{op, mismatch.axis}] = inserted.size();
    inserted.push_back(std::move(made));
  }
  return assumed.insert({op, mismatch.axis}).second;
}

/// Where an operand was gathered after all, windows read no neighbours.
void Placer::dropIdleHalos() {
  llvm::SmallDenseSet<size_t> idle;
  for (auto [use, number] : insertedHalos)
    if (!reached.contains(use))
      idle.insert(number);
  std::vector<InsertedSync> kept;
  for (auto [number, sync] : llvm::enumerate(inserted))
    if (!idle.contains(number))
      kept.push_back(std::move(sync));
  inserted = std::move(kept);
}
