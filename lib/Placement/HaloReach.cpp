//===- HaloReach.cpp - how far windows read, and what that moves ----------===//

#include "HaloReach.h"
#include "Lines.h"
#include "dialects/Nn/Edges.h"
#include "hocket/Plan/HaloRuns.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

int64_t placement::dimOf(const nn::PlacementRule &rule, int factor) {
  for (ArrayRef<nn::PlacementRule::Value> values :
       {ArrayRef(rule.operands), ArrayRef(rule.results)})
    for (const nn::PlacementRule::Value &value : values)
      for (auto [number, factors] : llvm::enumerate(value.dims))
        if (llvm::is_contained(factors, factor))
          return number;
  return -1;
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

std::optional<placement::SlidDim>
placement::slidDim(nn::WindowedOp op, size_t number, nn::MeshAttr mesh) {
  std::optional<nn::Window> window = op.getWindows()[number];
  SmallVector<nn::SplitAttr> splits =
      nn::layoutOf(op.getPositions().front()).splitsOf(number, 0);
  if (!window || splits.empty())
    return std::nullopt;
  SmallVector<nn::SplitAttr> cuts =
      nn::layoutOf(op.getWindowed()).splitsOf(number, 0);
  while (cuts.size() > splits.size()) // of windows over the same positions
    cuts.pop_back();
  return SlidDim{*window, splits, nn::partSizes(window->extent, splits, mesh),
                 nn::partSizes(window->results(), cuts, mesh)};
}

bool placement::SlidDim::readsOthers() const {
  nn::Reach reach = furthest(window, positions, windows);
  return reach.before > 0 || reach.after > 0;
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

int64_t placement::haloBytes(nn::WindowedOp op, const nn::PlacementRule &rule,
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

int64_t placement::receivedForHalo(Operation *op, const nn::PlacementRule &rule,
                                   unsigned axis, int factor,
                                   nn::MeshAttr mesh) {
  Mismatch use{Mismatch::Kind::NeedsHalo};
  use.axis = axis;
  use.factor = factor;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    use.operand = i;
    if (nn::layoutOf(op->getOperand(i)).splitOver(axisText(axis, mesh)))
      return haloBytes(cast<nn::WindowedOp>(op), rule, use, mesh);
  }
  return 0;
}

std::string placement::haloReason(Operation *op, const nn::PlacementRule &rule,
                                  const Mismatch &mismatch, nn::MeshAttr mesh) {
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
