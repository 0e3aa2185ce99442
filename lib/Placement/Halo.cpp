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
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "hocket/Frontend/Diagnostic.h"
#include "hocket/Plan/HaloRuns.h"
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
  const nn::Window &window = *rule.factors[mismatch.factor].window;
  // Of windows only, as those of a transposed convolution.
  if (!isLike && !llvm::is_contained(positioned, op->getOperand(number)))
    return {window, nn::positionParts(window, positions, mesh).sizes,
            nn::partSizes(window.results(), positions, mesh)};
  return {window, nn::partSizes(window.extent, positions, mesh),
          nn::windowParts(window, positions, mesh).sizes};
}

/// What each part owns and holds.
static plan::Halo haloOf(const CutWindows &cut) {
  plan::Halo halo;
  halo.extent = cut.window.extent;
  halo.border = cut.window.border;
  nn::Interval own{0, 0}, made{0, 0};
  for (auto [positions, windows] :
       llvm::zip_equal(cut.positions, cut.windows)) {
    own = {own.offset + own.size, positions};
    made = {made.offset + made.size, windows};
    nn::Interval held = windows > 0 ? cut.window.reads(made) : own;
    if (cut.window.lookup) {
      std::vector<int64_t> rows;
      llvm::append_range(rows, llvm::seq(own.offset, own.offset + own.size));
      llvm::append_range(
          rows, cut.window.lookup->indices.slice(made.offset, made.size));
      llvm::sort(rows);
      rows.erase(llvm::unique(rows), rows.end());
      held = {own.offset - (llvm::lower_bound(rows, own.offset) - rows.begin()),
              int64_t(rows.size())};
      halo.rows.push_back(std::move(rows));
    }
    halo.offset.push_back(own.offset);
    halo.size.push_back(own.size);
    halo.heldOffset.push_back(held.offset);
    halo.heldSize.push_back(held.size);
  }
  return halo;
}

nn::Reach placement::furthestOf(const plan::Halo &halo, bool countsBorder) {
  nn::Reach most;
  for (size_t part = 0; part < halo.size.size(); ++part) {
    int64_t begin = halo.offset[part], end = begin + halo.size[part];
    int64_t held = halo.heldSize[part];
    auto isFar = [&](int64_t i) {
      int64_t place = halo.shown(part, i);
      return countsBorder || (place >= 0 && !halo.owns(part, place));
    };
    // Positions rise: the first that is before its own part is the furthest,
    // and the last behind it. Zeros before the data are passed at once.
    bool passesZeros = !countsBorder && halo.rows.empty() &&
                       halo.border == plan::Border::Zero && held > 0;
    int64_t first = 0, last = held - 1;
    if (passesZeros) {
      first = std::max<int64_t>(-halo.heldOffset[part], 0);
      last = std::min(last, halo.extent - 1 - halo.heldOffset[part]);
    }
    for (; first < held && halo.positionOf(part, first) < begin; ++first)
      if (isFar(first)) {
        most.before =
            std::max(most.before, begin - halo.positionOf(part, first));
        break;
      }
    for (; last >= 0 && halo.positionOf(part, last) >= end; --last)
      if (isFar(last)) {
        most.after =
            std::max(most.after, halo.positionOf(part, last) - end + 1);
        break;
      }
  }
  return most;
}

nn::Reach placement::furthestWithBorder(const nn::Window &window,
                                        ArrayRef<int64_t> positions,
                                        ArrayRef<int64_t> windows) {
  if (window.lookup)
    return furthest(window, positions, windows);
  return furthestOf(
      haloOf({window, llvm::to_vector(positions), llvm::to_vector(windows)}),
      /*countsBorder=*/true);
}

/// The most positions that any part receives, to have its margins or to add up
/// those that others made.
static int64_t mostReceived(const CutWindows &cut, bool isBack) {
  plan::Halo halo = haloOf(cut);
  plan::HaloCounts counts =
      isBack ? plan::countReduce(halo) : plan::countExchange(halo);
  return *llvm::max_element(counts.positions);
}

/// How many elements one position of a dim has on a rank that has most, with
/// the margins of the dims before it, which are there by then.
static int64_t rowElements(nn::WindowedOp op, Value value, size_t number,
                           nn::MeshAttr mesh) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  auto windows = op.getWindows();
  SmallVector<int64_t> sizes;
  for (auto [dim, attr] : llvm::enumerate(layout.getDims())) {
    int64_t size = 1;
    for (unsigned f = 0; f < attr.getFactors().size(); ++f)
      size *= nn::partsOf(attr.getFactors()[f].getSize(),
                          layout.splitsOf(dim, f), mesh)
                  .largest();
    sizes.push_back(size);
  }
  sizes[op.getPositionsDim(value, number)] = 1;
  for (size_t before = 0; before < number; ++before) {
    if (!windows[before])
      continue;
    const nn::Window &window = *windows[before];
    int64_t dim = op.getPositionsDim(value, before);
    auto splits = layout.splitsOf(dim, 0);
    bool addsZeros = op.addsZeros() && window.border == nn::Border::Zero;
    if (!splits.empty())
      sizes[dim] = *llvm::max_element(
          haloOf({window, nn::partSizes(window.extent, splits, mesh),
                  nn::windowParts(window, splits, mesh).sizes})
              .heldSize);
    else if (!addsZeros)
      sizes[dim] = window.low + window.extent + window.high;
  }
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

/// Bytes that the rank receives that receives most.
static int64_t haloBytes(nn::WindowedOp op, const nn::PlacementRule &rule,
                         const Mismatch &mismatch, nn::MeshAttr mesh) {
  SmallVector<Value> positions = op.getPositions();
  bool isBack = !llvm::is_contained(op->getOperands(), positions.front());
  int64_t count = mostReceived(cutOf(op, rule, mismatch, mesh), isBack);
  if (isBack) // its result has no parts yet: by what it is made from
    positions = {op->getOperand(mismatch.operand)};
  int64_t bytes = 0;
  llvm::SmallDenseSet<Value> seen;
  for (Value value : positions)
    if (seen.insert(value).second)
      bytes +=
          count * rowElements(op, value, dimOf(rule, mismatch.factor), mesh) *
          llvm::divideCeil(getElementTypeOrSelf(value).getIntOrFloatBitWidth(),
                           8);
  return bytes;
}

void Placer::wayHalo(Problem &problem, Operation *op,
                     const nn::PlacementRule &rule, const Mismatch &mismatch) {
  WayOut way;
  way.kind = WayOut::Kind::Halo;
  way.path = modelPath(op);
  way.axis = axisWord(rule.factors[mismatch.factor].name,
                      dimOf(rule, mismatch.factor));
  way.over = {axisText(mismatch.axis)};
  way.bytes = haloBytes(cast<nn::WindowedOp>(op), rule, mismatch, mesh);
  if (!way.path.empty()) // a function in the model itself has no other name
    problem.ways.push_back(way);
  way.path = "**"; // where other windows slide over that dim as well
  problem.ways.push_back(way);
}

int64_t Placer::receivedForHalo(Operation *op, const nn::PlacementRule &rule,
                                unsigned axis, int factor) const {
  Mismatch use{Mismatch::Kind::NeedsHalo};
  use.axis = axis;
  use.factor = factor;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    use.operand = i;
    if (nn::layoutOf(op->getOperand(i)).splitOver(axisText(axis)))
      return haloBytes(cast<nn::WindowedOp>(op), rule, use, mesh);
  }
  return 0;
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
