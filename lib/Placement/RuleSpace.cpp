//===- RuleSpace.cpp - type factors and rule factors ----------------------===//

#include "RuleSpace.h"

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

SmallVector<int64_t> RuleSpace::sizesOf(ArrayRef<unsigned> axes) const {
  return llvm::map_to_vector(
      axes, [&](unsigned axis) { return mesh.getAxes()[axis].getSize(); });
}

static void cutNested(int64_t begin, int64_t size, ArrayRef<int64_t> sizes,
                      SmallVectorImpl<int64_t> &begins) {
  if (sizes.empty()) {
    begins.push_back(begin);
    begins.push_back(begin + size);
    return;
  }
  for (int64_t part = 0; part < sizes.front(); ++part) {
    nn::Interval piece = nn::cut(size, sizes.front(), part);
    cutNested(begin + piece.offset, piece.size, sizes.drop_front(), begins);
  }
}

bool placement::cutsAlign(int64_t coarse, int64_t fine,
                          ArrayRef<int64_t> sizes) {
  if (fine == 0 || coarse % fine != 0)
    return coarse == fine;
  if (coarse == fine)
    return true;
  SmallVector<int64_t> ours, theirs;
  cutNested(0, coarse, sizes, ours);
  cutNested(0, fine, sizes, theirs);
  for (int64_t &begin : theirs)
    begin *= coarse / fine;
  return ours == theirs;
}

RuleValue RuleSpace::toRule(const PlacementRule::Value &value,
                            LayoutAttr layout,
                            SmallVectorImpl<Mismatch> &mismatches) const {
  RuleValue placed;
  placed.axes.resize(mesh.getAxes().size());
  placed.nesting.resize(rule.factors.size());
  placed.ownCuts.resize(rule.factors.size());
  for (auto partial : layout.getPartials())
    placed.axes[mesh.getIndex(partial.getAxis())] = {State::Hold::Partial, -1,
                                                     partial.getReduction()};
  for (unsigned dim = 0; dim < layout.getDims().size(); ++dim) {
    SmallVector<Span> types = typeSpans(layout.getDims()[dim]);
    SmallVector<Span> rules = ruleSpans(rule, value, dim);
    for (unsigned f = 0; f < types.size(); ++f) {
      SmallVector<unsigned, 2> axes;
      for (nn::SplitAttr split : layout.splitsOf(dim, f))
        axes.push_back(mesh.getIndex(split.getAxis()));
      if (axes.empty())
        continue;
      int found = -1;
      for (unsigned r = 0; r < rules.size(); ++r)
        if (value.dims[dim][r] >= 0 && holds(types[f], rules[r])) {
          found = r;
          break;
        }
      Mismatch mismatch{Mismatch::Kind::NotInRule, axes.front()};
      mismatch.typeDim = dim;
      mismatch.typeFactor = f;
      if (found < 0) {
        mismatches.push_back(mismatch);
        continue;
      }
      int factor = value.dims[dim][found];
      if (types[f].minor < rules[found].minor) {
        int64_t coarse = types[f].major / types[f].minor;
        bool aligned =
            cutsAlign(coarse, rule.factors[factor].size, sizesOf(axes));
        bool isOwn =
            !aligned && rules[found].minor == multiplicityOf(value, dim);
        if (isOwn && multiplicityOf(value, dim) > 1) {
          placed.ownCuts.set(factor);
        } else if (!aligned) {
          mismatch.kind = Mismatch::Kind::Unaligned;
          mismatch.factor = factor;
          mismatches.push_back(mismatch);
          continue;
        }
      }
      placed.nesting[factor] = axes;
      for (unsigned axis : axes)
        placed.axes[axis] = {State::Hold::Split, factor};
    }
  }
  return placed;
}

std::optional<TypeFactor> RuleSpace::find(const PlacementRule::Value &value,
                                          LayoutAttr layout, int factor) const {
  for (unsigned dim = 0; dim < value.dims.size(); ++dim) {
    SmallVector<Span> rules = ruleSpans(rule, value, dim);
    for (unsigned r = 0; r < rules.size(); ++r) {
      if (value.dims[dim][r] != factor)
        continue;
      SmallVector<Span> types = typeSpans(layout.getDims()[dim]);
      for (unsigned f = 0; f < types.size(); ++f)
        if (holds(types[f], rules[r]) &&
            (types[f].major > types[f].minor || rule.factors[factor].size == 1))
          return TypeFactor{dim, f, types[f].major / types[f].minor};
    }
  }
  return std::nullopt;
}

bool RuleSpace::has(const PlacementRule::Value &value, int factor) const {
  return llvm::any_of(value.dims, [&](ArrayRef<int> dim) {
    return llvm::is_contained(dim, factor);
  });
}

int64_t RuleSpace::multiplicity(const PlacementRule::Value &value,
                                int factor) const {
  for (unsigned dim = 0; dim < value.dims.size(); ++dim)
    if (llvm::is_contained(value.dims[dim], factor))
      return multiplicityOf(value, dim);
  return 1;
}

LayoutAttr RuleSpace::toType(const PlacementRule::Value &value,
                             LayoutAttr layout, const RuleValue &placed,
                             SmallVectorImpl<Mismatch> &mismatches) const {
  SmallVector<nn::SplitAttr> splits;
  SmallVector<nn::PartialAttr> partials;
  MLIRContext *context = layout.getContext();
  for (auto [axis, state] : llvm::enumerate(placed.axes))
    if (state.hold == State::Hold::Partial)
      partials.push_back(nn::PartialAttr::get(
          context, mesh.getAxes()[axis].getName(), state.reduction));
  for (int factor = 0; factor < int(placed.nesting.size()); ++factor) {
    ArrayRef<unsigned> axes = placed.nesting[factor];
    if (axes.empty() || !has(value, factor))
      continue;
    auto found = find(value, layout, factor);
    bool isOwn = placed.ownCuts.test(factor);
    if (!found || (!isOwn && !cutsAlign(found->size, rule.factors[factor].size,
                                        sizesOf(axes)))) {
      Mismatch mismatch{Mismatch::Kind::Unaligned, axes.front()};
      mismatch.factor = factor;
      mismatch.typeDim = found ? found->dim : 0;
      mismatch.typeFactor = found ? found->factor : 0;
      mismatches.push_back(mismatch);
      continue;
    }
    for (unsigned axis : axes)
      splits.push_back(nn::SplitAttr::get(
          context, mesh.getAxes()[axis].getName(), found->dim, found->factor));
  }
  return layout.withPlacement(splits, partials);
}
