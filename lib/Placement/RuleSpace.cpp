//===- RuleSpace.cpp - type factors and rule factors ----------------------===//

#include "RuleSpace.h"
#include "dialects/Nn/Ordered.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;
using nn::LayoutAttr;
using nn::PlacementRule;

namespace {
/// Elements of a dim: a factor of size (major / minor) strides by minor.
struct Span {
  int64_t minor, major;
};
} // namespace

static SmallVector<Span> typeSpans(nn::DimAttr dim) {
  SmallVector<Span> spans(dim.getFactors().size());
  int64_t size = 1;
  for (size_t i = spans.size(); i-- > 0;) {
    int64_t major = size * dim.getFactors()[i].getSize();
    spans[i] = {size, major};
    size = major;
  }
  return spans;
}

static int64_t multiplicityOf(const PlacementRule::Value &value, unsigned dim) {
  return value.multiplicity.empty() ? 1 : value.multiplicity[dim];
}

static SmallVector<Span> ruleSpans(const PlacementRule &rule,
                                   const PlacementRule::Value &value,
                                   unsigned dim) {
  ArrayRef<int> factors = value.dims[dim];
  SmallVector<Span> spans(factors.size());
  int64_t size = multiplicityOf(value, dim);
  for (size_t i = spans.size(); i-- > 0;) {
    int64_t major = size * (factors[i] < 0 ? 1 : rule.factors[factors[i]].size);
    spans[i] = {size, major};
    size = major;
  }
  return spans;
}

static bool holds(Span span, Span part) {
  return span.major == part.major && span.minor <= part.minor;
}

/// Whether the runs of an order are whole elements where there are `up / down`
/// as many, and those that the order has there. Chunks of a zigzag are if they
/// are all equal.
static bool keepsOrder(const AxisCut &cut, int64_t up, int64_t down) {
  nn::Ordering order = cut.bounds.order;
  if (!order.isOrdered() || up == down)
    return true;
  if (order.kind == nn::Order::Striped)
    return order.block * up % down == 0;
  return cut.sizes.sum() % (2 * cut.sizes.count() * down) == 0;
}

AxisCut AxisCut::times(int64_t count) const {
  AxisCut made{axis, sizes.times(count), bounds.moved(count, 1)};
  if (!keepsOrder(*this, count, 1))
    made.bounds.order.block = 0; // that of nothing else
  return made;
}

std::optional<AxisCut> AxisCut::over(int64_t count) const {
  auto fewer = sizes.dividedBy(count);
  if (!fewer || !keepsOrder(*this, 1, count))
    return std::nullopt;
  return AxisCut{axis, std::move(*fewer), bounds.moved(1, count)};
}

/// The cut that each axis makes, major first, of what all of them together cut
/// in `parts`: what is inside of a part of a major axis adds up to it.
static AxisCuts nestedCuts(ArrayRef<unsigned> axes, const nn::Parts &parts,
                           nn::MeshAttr mesh) {
  AxisCuts cuts;
  size_t groups = 1;
  for (unsigned axis : axes) {
    groups *= mesh.getAxes()[axis].getSize();
    size_t inside = parts.sizes.size() / groups;
    SmallVector<int64_t> sizes(groups);
    for (auto [i, size] : llvm::enumerate(parts.sizes))
      sizes[i / inside] += size;
    AxisCut cut{axis, nn::PartSizes(sizes), {}};
    cut.bounds.denominator = parts.bounds.denominator;
    for (size_t i = inside; i <= parts.bounds.places.size(); i += inside)
      cut.bounds.places.push_back(parts.bounds.places[i - 1]);
    cuts.push_back(std::move(cut));
  }
  return cuts;
}

/// The cuts of the windows over positions that splits cut.
static AxisCuts cutsOfWindows(const nn::Window &window,
                              ArrayRef<nn::SplitAttr> splits,
                              nn::MeshAttr mesh) {
  SmallVector<unsigned> axes;
  for (nn::SplitAttr split : splits)
    axes.push_back(mesh.getIndex(split.getAxis()));
  return nestedCuts(axes, nn::windowParts(window, splits, mesh), mesh);
}

/// The cuts that splits make of a factor of a type, in units of `unit`; nothing
/// where one misses the bound of a unit.
static std::optional<AxisCuts> cutsIn(ArrayRef<nn::SplitAttr> splits,
                                      int64_t extent, int64_t unit,
                                      nn::MeshAttr mesh) {
  AxisCuts cuts;
  nn::PartSizes parts(extent);
  for (nn::SplitAttr split : splits) {
    parts = nn::cutBy(split, parts, mesh);
    AxisCut cut{unsigned(mesh.getIndex(split.getAxis())), parts,
                nn::boundsOf(split)};
    std::optional<AxisCut> units = cut.over(unit);
    if (!units)
      return std::nullopt;
    cuts.push_back(std::move(*units));
  }
  return cuts;
}

RuleValue RuleSpace::toRule(const PlacementRule::Value &value,
                            LayoutAttr layout,
                            SmallVectorImpl<Mismatch> &mismatches) const {
  RuleValue placed;
  placed.axes.resize(mesh.getAxes().size());
  placed.nesting.resize(rule.factors.size());
  placed.ownCuts.resize(rule.factors.size());
  if (!value.isLike)
    for (auto partial : layout.getPartials())
      placed.axes[mesh.getIndex(partial.getAxis())] = {State::Hold::Partial, -1,
                                                       partial.getReduction()};
  for (unsigned dim = 0; dim < layout.getDims().size(); ++dim) {
    SmallVector<Span> types = typeSpans(layout.getDims()[dim]);
    SmallVector<Span> rules = ruleSpans(rule, value, dim);
    for (unsigned f = 0; f < types.size(); ++f) {
      SmallVector<nn::SplitAttr> splits = layout.splitsOf(dim, f);
      if (splits.empty())
        continue;
      int found = -1;
      for (unsigned r = 0; r < rules.size(); ++r)
        if (value.dims[dim][r] >= 0 && holds(types[f], rules[r])) {
          found = r;
          break;
        }
      Mismatch mismatch{Mismatch::Kind::NotInRule,
                        unsigned(mesh.getIndex(splits.front().getAxis()))};
      mismatch.typeDim = dim;
      mismatch.typeFactor = f;
      if (found < 0 && value.isLike)
        continue;
      if (found < 0) {
        mismatches.push_back(mismatch);
        continue;
      }
      int factor = value.dims[dim][found];
      bool slides =
          rule.factors[factor].window || rule.factors[factor].windowsOf >= 0;
      if (slides && splits.front().isOrdered()) {
        mismatch.kind = Mismatch::Kind::Ordered;
        mismatch.factor = factor;
        mismatches.push_back(mismatch);
        continue;
      }
      int64_t extent = layout.getDims()[dim].getFactors()[f].getSize();
      int64_t unit = rules[found].minor / types[f].minor;
      std::optional<AxisCuts> cuts = cutsIn(splits, extent, unit, mesh);
      bool isOwn = !cuts && rules[found].minor == multiplicityOf(value, dim) &&
                   multiplicityOf(value, dim) > 1;
      if (isOwn) {
        placed.ownCuts.set(factor);
        cuts = cutsIn(splits, extent, 1, mesh);
        for (AxisCut &cut : *cuts)
          cut = cut.times(types[f].minor);
      } else if (!cuts) {
        mismatch.kind = Mismatch::Kind::Unaligned;
        mismatch.factor = factor;
        mismatches.push_back(mismatch);
        continue;
      }
      if (rule.factors[factor].window)
        cuts = cutsOfWindows(*rule.factors[factor].window, splits, mesh);
      factor = rule.positionsOf(factor);
      for (const AxisCut &cut : *cuts)
        placed.axes[cut.axis] = {State::Hold::Split, factor};
      placed.nesting[factor] = std::move(*cuts);
    }
  }
  return placed;
}

std::optional<TypeFactor> RuleSpace::find(const PlacementRule::Value &value,
                                          LayoutAttr layout, int factor) const {
  for (unsigned dim = 0; dim < value.dims.size(); ++dim) {
    SmallVector<Span> rules = ruleSpans(rule, value, dim);
    for (unsigned r = 0; r < rules.size(); ++r) {
      int own = value.dims[dim][r];
      if (rule.positionsOf(own) != factor)
        continue;
      SmallVector<Span> types = typeSpans(layout.getDims()[dim]);
      for (unsigned f = 0; f < types.size(); ++f)
        if (holds(types[f], rules[r]) &&
            (types[f].major > types[f].minor || rule.factors[own].size == 1))
          return TypeFactor{dim, f, types[f].major / types[f].minor,
                            types[f].minor, own};
    }
  }
  return std::nullopt;
}

bool RuleSpace::has(const PlacementRule::Value &value, int factor) const {
  return llvm::any_of(value.dims, [&](ArrayRef<int> dim) {
    return llvm::any_of(
        dim, [&](int own) { return rule.positionsOf(own) == factor; });
  });
}

bool RuleSpace::isHeld(const PlacementRule::Value &value, LayoutAttr layout,
                       int factor) const {
  std::optional<TypeFactor> found = find(value, layout, factor);
  return found && layout.heldOf(found->dim, found->factor);
}

unsigned RuleSpace::dimOf(const PlacementRule::Value &value, int factor) const {
  unsigned dim = 0;
  while (dim + 1 < value.dims.size() &&
         !llvm::is_contained(value.dims[dim], factor))
    ++dim;
  return dim;
}

int64_t RuleSpace::multiplicity(const PlacementRule::Value &value,
                                int factor) const {
  for (unsigned dim = 0; dim < value.dims.size(); ++dim)
    if (llvm::is_contained(value.dims[dim], factor))
      return multiplicityOf(value, dim);
  return 1;
}

SmallVector<nn::SplitAttr>
RuleSpace::splitsOfPositions(LayoutAttr layout, const TypeFactor &found,
                             ArrayRef<AxisCut> cuts) const {
  const nn::Window &window = *rule.factors[found.own].window;
  SmallVector<nn::SplitAttr> stated = layout.splitsOf(found.dim, found.factor);
  if (ArrayRef(cutsOfWindows(window, stated, mesh)) == cuts)
    return stated;
  SmallVector<unsigned> axes;
  auto splitsAs = [&](ArrayRef<AxisCut> nested, int64_t extent) {
    SmallVector<nn::SplitAttr> splits;
    nn::PartSizes parts(extent);
    for (const AxisCut &cut : nested) {
      splits.push_back(nn::splitOf(mesh.getAxes()[cut.axis].getName(),
                                   found.dim, found.factor, parts, cut.sizes,
                                   cut.bounds));
      parts = cut.sizes;
    }
    return splits;
  };
  for (const AxisCut &cut : cuts)
    axes.push_back(cut.axis);
  nn::Parts parts =
      nn::positionParts(window, splitsAs(cuts, window.results()), mesh);
  return splitsAs(nestedCuts(axes, parts, mesh), window.extent);
}

/// Whether the cut, counted in other elements, still is what its order says.
static bool canOrder(const nn::PartSizes &parts, const AxisCut &cut) {
  nn::Ordering order = cut.bounds.order;
  return !order.isOrdered() ||
         (order.block > 0 && parts.count() == 1 &&
          nn::orderedSizes(parts.sum(), cut.sizes.count(), order) == cut.sizes);
}

std::optional<SmallVector<nn::SplitAttr>>
RuleSpace::splitsFor(const PlacementRule::Value &value, LayoutAttr layout,
                     int factor, ArrayRef<AxisCut> cuts, bool isOwn) const {
  auto found = find(value, layout, factor);
  if (!found)
    return std::nullopt;
  if (rule.factors[found->own].window)
    return splitsOfPositions(layout, *found, cuts);
  // Elements of the dim in those that the cuts count; the rule's factor is the
  // major part of the type's, which can say any cut of it.
  int64_t counted = 1;
  if (!isOwn)
    counted = found->size * found->unit /
              std::max<int64_t>(rule.factors[found->own].size, 1);
  SmallVector<nn::SplitAttr> splits;
  nn::PartSizes parts(found->size);
  for (const AxisCut &cut : cuts) {
    std::optional<AxisCut> made = cut.times(counted).over(found->unit);
    if (!made || !canOrder(parts, *made))
      return std::nullopt;
    splits.push_back(nn::splitOf(mesh.getAxes()[cut.axis].getName(), found->dim,
                                 found->factor, parts, made->sizes,
                                 made->bounds));
    parts = std::move(made->sizes);
  }
  return splits;
}

SmallVector<nn::SplitAttr>
RuleSpace::splitsLike(const PlacementRule::Value &value, LayoutAttr layout,
                      const PlacementRule::Value &other, LayoutAttr otherLayout,
                      int factor) const {
  SmallVector<Mismatch> ignored;
  RuleValue mine = toRule(value, layout, ignored);
  RuleValue theirs = toRule(other, otherLayout, ignored);
  if (mine.ownCuts.test(factor) || theirs.ownCuts.test(factor) ||
      !llvm::equal(
          mine.nesting[factor], theirs.nesting[factor],
          [](const AxisCut &a, const AxisCut &b) { return a.axis == b.axis; }))
    return {};
  auto splits = splitsFor(value, layout, factor, theirs.nesting[factor], false);
  return splits.value_or(SmallVector<nn::SplitAttr>());
}

LayoutAttr RuleSpace::toType(const PlacementRule::Value &value,
                             LayoutAttr layout, const RuleValue &placed,
                             SmallVectorImpl<Mismatch> &mismatches) const {
  SmallVector<nn::SplitAttr> splits;
  SmallVector<nn::PartialAttr> partials;
  MLIRContext *context = layout.getContext();
  if (value.isLike)
    return layout; // nothing is moved to be looked at
  for (auto [axis, state] : llvm::enumerate(placed.axes))
    if (state.hold == State::Hold::Partial)
      partials.push_back(nn::PartialAttr::get(
          context, mesh.getAxes()[axis].getName(), state.reduction));
  for (int factor = 0; factor < int(placed.nesting.size()); ++factor) {
    ArrayRef<AxisCut> cuts = placed.nesting[factor];
    if (cuts.empty() || !has(value, factor))
      continue;
    auto made =
        splitsFor(value, layout, factor, cuts, placed.ownCuts.test(factor));
    if (made) {
      splits.append(*made);
      continue;
    }
    auto found = find(value, layout, factor);
    Mismatch mismatch{Mismatch::Kind::Unaligned, cuts.front().axis};
    mismatch.factor = factor;
    mismatch.typeDim = found ? found->dim : dimOf(value, factor);
    mismatch.typeFactor = found ? found->factor : 0;
    mismatches.push_back(mismatch);
  }
  return layout.withPlacement(splits, partials);
}

bool placement::passes(nn::PartialUse use, nn::Reduction reduction) {
  switch (use) {
  case nn::PartialUse::Refused:
    return false;
  case nn::PartialUse::Linear:
  case nn::PartialUse::Addend:
    return reduction == nn::Reduction::Sum;
  case nn::PartialUse::Monotone:
    return reduction != nn::Reduction::Sum;
  case nn::PartialUse::Maximal:
    return reduction == nn::Reduction::Max;
  case nn::PartialUse::Minimal:
    return reduction == nn::Reduction::Min;
  case nn::PartialUse::Any:
    return true;
  }
  return false;
}
