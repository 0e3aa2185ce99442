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

/// The number of the dim that a factor of a rule stands in.
static int64_t dimOf(const nn::PlacementRule &rule, int factor) {
  for (ArrayRef<nn::PlacementRule::Value> values :
       {ArrayRef(rule.operands), ArrayRef(rule.results)})
    for (const nn::PlacementRule::Value &value : values)
      for (auto [number, factors] : llvm::enumerate(value.dims))
        if (llvm::is_contained(factors, factor))
          return number;
  return -1;
}

bool Placer::mayReach(Operation *op, unsigned axis,
                      const nn::PlacementRule &rule, int factor) {
  if (assumed.contains({op, axis}))
    return true;
  std::string path = modelPath(op);
  return llvm::any_of(halos, [&](const Licence &licence) {
    return licence.isOf(rule.factors[factor].name, dimOf(rule, factor)) &&
           llvm::is_contained(licence.axes, axis) && licence.covers(path);
  });
}

bool Licence::isOf(StringRef name, int64_t number) const {
  return dim.empty() || dim == name || dim == std::to_string(number);
}

std::string Licence::pattern() const {
  auto written = directive->getAttrOfType<StringAttr>("pattern");
  return "'" + written.getValue().str() + "'";
}

nn::Reach placement::furthest(const nn::Window &window,
                              ArrayRef<int64_t> positions,
                              ArrayRef<int64_t> windows) {
  nn::Reach most;
  for (nn::Reach reach : nn::reachesOf(window, positions, windows)) {
    most.before = std::max(most.before, reach.before);
    most.after = std::max(most.after, reach.after);
  }
  return most;
}

namespace {
/// The factor that a mismatch is about, as its operand is split.
struct CutWindows {
  const nn::Window &window;
  SmallVector<int64_t> positions, windows; // of each part
};
} // namespace

static CutWindows cutOf(Operation *op, const nn::PlacementRule &rule,
                        const Mismatch &mismatch, nn::MeshAttr mesh) {
  unsigned number = mismatch.operand;
  SmallVector<Value> positioned = cast<nn::WindowedOp>(op).getPositions();
  auto scatter = dyn_cast<nn::ScatterSumOp>(op);
  bool isLike = scatter && scatter.getLike() &&
                nn::layoutOf(scatter.getLike())
                    .splitOver(mesh.getAxes()[mismatch.axis].getName());
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(isLike ? 1 : number));
  nn::SplitAttr split =
      layout.splitOver(mesh.getAxes()[mismatch.axis].getName());
  SmallVector<nn::SplitAttr> positions =
      layout.splitsOf(split.getDim(), split.getFactor());
  // Of windows only, as those of a transposed convolution: evenly cut.
  if (!isLike && !llvm::is_contained(positioned, op->getOperand(number)))
    for (nn::SplitAttr &each : positions)
      each = nn::SplitAttr::get(op->getContext(), each.getAxis(), each.getDim(),
                                each.getFactor(), {});
  const nn::Window &window = *rule.factors[mismatch.factor].window;
  return {window, nn::partSizes(window.extent, positions, mesh),
          nn::windowParts(window, positions, mesh)};
}

/// The most positions that any part reads of others.
static int64_t mostRead(const CutWindows &cut) {
  nn::Reach reach = furthest(cut.window, cut.positions, cut.windows);
  if (!cut.window.lookup)
    return reach.before + reach.after;
  int64_t most = 0, node = 0, edge = 0;
  for (auto [nodes, edges] : llvm::zip_equal(cut.positions, cut.windows)) {
    llvm::DenseSet<int64_t> others;
    for (int64_t index : cut.window.lookup->indices.slice(edge, edges))
      if (index < node || index >= node + nodes)
        others.insert(index);
    most = std::max<int64_t>(most, others.size());
    node += nodes;
    edge += edges;
  }
  return most;
}

void Placer::wayHalo(Problem &problem, Operation *op,
                     const nn::PlacementRule &rule, const Mismatch &mismatch) {
  WayOut way;
  way.kind = WayOut::Kind::Halo;
  way.path = modelPath(op);
  way.axis = rule.factors[mismatch.factor].name;
  if (way.axis.empty())
    way.axis = std::to_string(dimOf(rule, mismatch.factor));
  way.over = {axisText(mismatch.axis)};
  Value value = op->getOperand(mismatch.operand);
  auto type = cast<RankedTensorType>(value.getType());
  nn::LayoutAttr layout = nn::layoutOf(value);
  nn::SplitAttr split = layout.splitOver(way.over.front());
  int64_t longest = llvm::divideCeil(layout.getDims()[split.getDim()].getSize(),
                                     mesh.getAxes()[mismatch.axis].getSize());
  int64_t row = localElements(layout, mesh) / std::max<int64_t>(longest, 1);
  way.bytes = mostRead(cutOf(op, rule, mismatch, mesh)) * row *
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

/// "its windows of 3 read up to 1 before and 1 after a rank's part"
std::string Placer::haloReason(Operation *op, const nn::PlacementRule &rule,
                               const Mismatch &mismatch) const {
  const nn::Window &window = *rule.factors[mismatch.factor].window;
  CutWindows cut = cutOf(op, rule, mismatch, mesh);
  nn::Reach needed = furthest(window, cut.positions, cut.windows);
  std::string who =
      isa<nn::GatherOp>(op) ? "its edges read"
      : isa<nn::ScatterSumOp>(op)
          ? "its edges add to nodes"
          : "its windows of " + std::to_string(window.span()) + " read";
  return who + " up to " + std::to_string(needed.before) + " before and " +
         std::to_string(needed.after) + " after a rank's part";
}
