//===- Meet.cpp - applying a placement rule, axis by axis -----------------===//

#include "hocket/Placement/Meet.h"
#include "AxisCuts.h"
#include "RuleSpace.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;
using nn::FactorUse;
using nn::PartialUse;
using nn::Reduction;

namespace {

class Meeting {
public:
  explicit Meeting(const MeetRequest &request)
      : request(request), rule(request.rule), space(rule, request.mesh) {}
  MeetResult run();

private:
  using Kind = Mismatch::Kind;

  void readOperands();
  bool meetAxis(unsigned axis);
  bool meetPartial(unsigned axis);
  bool splitsPositions(unsigned axis, int factor);
  bool windowsReach(unsigned operand, int factor);
  bool meetSplit(unsigned axis);
  bool isGrouped(unsigned operand, int factor) const;
  /// Keys or values of which a rank holds what its query heads read, whoever
  /// owns it: these meet as whole ones do, and keep their cuts.
  bool holdsGroups(unsigned i, int factor) const {
    return isGrouped(i, factor) && !rule.factors[factor].window &&
           space.isHeld(rule.operands[i], request.operands[i], factor);
  }
  bool splitMayMeetWhole(unsigned operand, int factor, unsigned axis);
  void orderNestings();
  int64_t groupOf(int factor) const;
  AxisCuts allCuts(int factor, int64_t group, unsigned &from) const;
  bool followCuts(unsigned operand, int factor, int64_t group,
                  ArrayRef<AxisCut> all, unsigned from);
  bool isWholeOver(unsigned axis, const nn::PlacementRule::Value &value) const;
  RuleValue resultOf(const nn::PlacementRule::Value &value) const;
  nn::LayoutAttr cutAsOperands(const nn::PlacementRule::Value &value,
                               nn::LayoutAttr layout) const;
  void writeLayouts();

  State &stateOf(unsigned operand, unsigned axis) {
    return operands[operand].axes[axis];
  }
  bool isPartial(unsigned operand, unsigned axis) {
    return stateOf(operand, axis).hold == State::Hold::Partial;
  }
  bool isSplit(unsigned operand, unsigned axis) {
    return stateOf(operand, axis).hold == State::Hold::Split;
  }
  /// Records the mismatch; false, to return.
  bool refuse(Kind kind, unsigned axis, unsigned operand, unsigned other = 0,
              int factor = -1, int otherFactor = -1) {
    out.mismatches.push_back({kind, axis, operand, other, factor, otherFactor});
    return false;
  }

  const MeetRequest &request;
  const nn::PlacementRule &rule;
  RuleSpace space;
  SmallVector<RuleValue, 0> operands;
  /// (operand, axis) that becomes split or a masked sum.
  SmallVector<std::pair<unsigned, unsigned>> masks;
  RuleValue result;
  MeetResult out;
};

} // namespace

void Meeting::readOperands() {
  for (unsigned i = 0; i < request.operands.size(); ++i) {
    SmallVector<Mismatch> mismatches;
    operands.push_back(
        space.toRule(rule.operands[i], request.operands[i], mismatches));
    for (State &state : operands.back().axes)
      if (state.factor >= 0 && holdsGroups(i, state.factor))
        state = {};
    for (Mismatch mismatch : mismatches) {
      mismatch.operand = i;
      out.mismatches.push_back(mismatch);
    }
  }
}

/// Keys or values, of which several query heads read one head.
bool Meeting::isGrouped(unsigned operand, int factor) const {
  return llvm::is_contained(rule.operands[operand].picks, factor);
}

/// Grouped heads: a rank reads the kv heads that its query heads need, so these
/// may be whole; keys and values alike, for their heads go in pairs.
bool Meeting::splitMayMeetWhole(unsigned operand, int factor, unsigned axis) {
  if (rule.operands[operand].isLike)
    return true;
  if (!isGrouped(operand, factor))
    return false;
  bool isAlone = request.isFree.test(operand); // no whole one to go with
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!isGrouped(i, factor))
      continue;
    if (isSplit(i, axis))
      return false;
    isAlone &= request.isFree.test(i);
  }
  return !isAlone;
}

/// Whether the axis splits what windows slide over, not only their results: in
/// an operand, or, where none has it, in what the operation makes.
bool Meeting::splitsPositions(unsigned axis, int factor) {
  auto has = [&](const nn::PlacementRule::Value &value) {
    return llvm::any_of(value.dims, [&](ArrayRef<int> dim) {
      return llvm::is_contained(dim, factor);
    });
  };
  bool isMade = true;
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!has(rule.operands[i]))
      continue;
    isMade = false;
    if (isSplit(i, axis))
      return true;
  }
  return isMade;
}

/// Whether windows over what the operand splits read beyond any of its parts.
bool Meeting::windowsReach(unsigned operand, int factor) {
  const nn::Window &window = *rule.factors[factor].window;
  ArrayRef<AxisCut> cuts = operands[operand].nesting[factor];
  // Ranks that share positions have terms of a sum over all of their windows.
  while (cuts.size() > 1 && !splitsPositions(cuts.back().axis, factor))
    cuts = cuts.drop_back();
  // What has the positions says how they are cut.
  SmallVector<nn::SplitAttr> splits;
  auto read = [&](const nn::PlacementRule::Value &value,
                  nn::LayoutAttr layout) {
    auto found = space.find(value, layout, factor);
    if (splits.empty() && found && found->own == factor)
      splits = space.splitsOfPositions(layout, *found, cuts);
  };
  for (unsigned i = 0; i < operands.size(); ++i)
    read(rule.operands[i], request.operands[i]);
  for (unsigned i = 0; i < request.results.size(); ++i)
    read(rule.results[i], request.results[i]);
  auto reaches =
      nn::reachesOf(window, nn::partSizes(window.extent, splits, request.mesh),
                    cuts.back().sizes.list());
  return llvm::any_of(reaches, [](nn::Reach reach) {
    return reach.before > 0 || reach.after > 0;
  });
}

/// The factor that the axis splits, the same for every operand that has it.
bool Meeting::meetSplit(unsigned axis) {
  int first = -1;
  unsigned count = operands.size();
  for (unsigned i = 0; i < count; ++i)
    if (isSplit(i, axis) &&
        rule.factors[stateOf(i, axis).factor].use == FactorUse::Whole)
      return refuse(Kind::NeedsWhole, axis, i, 0, stateOf(i, axis).factor);
  for (unsigned i = 0; i < count; ++i) {
    if (!isSplit(i, axis))
      continue;
    int factor = stateOf(i, axis).factor;
    if (first >= 0 && stateOf(first, axis).factor != factor)
      return refuse(Kind::TwoFactors, axis, first, i,
                    stateOf(first, axis).factor, factor);
    if (first < 0)
      first = i;
  }
  if (first < 0)
    return true;
  int factor = stateOf(first, axis).factor;
  const auto &stated = rule.factors[factor];
  if (stated.use == FactorUse::Statistics) {
    if (!request.isLicensed(axis))
      return refuse(Kind::NeedsLicence, axis, first, 0, factor);
    out.statistics.push_back(axis);
  }
  if (stated.window && splitsPositions(axis, factor) &&
      windowsReach(first, factor)) {
    if (!request.mayReach(axis, factor))
      return refuse(Kind::NeedsHalo, axis, first, 0, factor);
    out.halos.push_back({axis, factor});
  }
  for (unsigned i = 0; i < count; ++i)
    if (isPartial(i, axis))
      return refuse(Kind::PartialAndSplit, axis, i, first, -1, factor);
  out.source[axis] = first;
  for (unsigned i = 0; i < count; ++i) {
    if (isSplit(i, axis) || !space.has(rule.operands[i], factor) ||
        holdsGroups(i, factor) || splitMayMeetWhole(i, factor, axis))
      continue;
    if (request.isFree.test(i))
      stateOf(i, axis) = {State::Hold::Split, factor};
    else
      return refuse(Kind::WholeAndSplit, axis, i, first, factor);
  }
  if (stated.use == FactorUse::Contracted) {
    result.axes[axis] = {State::Hold::Partial, -1, stated.reduction};
    out.contracted[axis] = factor;
    return true;
  }
  result.axes[axis] = {State::Hold::Split, factor};
  return true;
}

/// Partial operands, and the addends of a sum that is partial.
bool Meeting::meetPartial(unsigned axis) {
  int first = -1, firstLinear = -1;
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!isPartial(i, axis))
      continue;
    PartialUse use = rule.operands[i].partial;
    if (!passes(use, stateOf(i, axis).reduction))
      return refuse(Kind::PartialRefused, axis, i);
    if (first >= 0 &&
        stateOf(first, axis).reduction != stateOf(i, axis).reduction)
      return refuse(Kind::TwoReductions, axis, first, i);
    if (use == PartialUse::Linear) {
      if (firstLinear >= 0)
        return refuse(Kind::TwoSums, axis, firstLinear, i);
      firstLinear = i;
    }
    if (first < 0)
      first = i;
  }
  if (first >= 0) {
    result.axes[axis] = stateOf(first, axis);
    out.source[axis] = first;
  }
  const State &made = result.axes[axis];
  if (made.hold != State::Hold::Partial || made.reduction != Reduction::Sum)
    return true;
  for (unsigned i = 0; i < operands.size(); ++i) {
    PartialUse use = rule.operands[i].partial;
    bool joins =
        use == PartialUse::Addend || (use == PartialUse::Any && first >= 0);
    if (joins && stateOf(i, axis).hold == State::Hold::Whole)
      masks.push_back({i, axis});
  }
  return true;
}

bool Meeting::meetAxis(unsigned axis) {
  return meetSplit(axis) && meetPartial(axis);
}

/// How many elements of a dim with cuts of its own make one of the rule's:
/// query heads that are cut where no kv head begins. 1 if there is none.
int64_t Meeting::groupOf(int factor) const {
  for (unsigned i = 0; i < operands.size(); ++i)
    if (operands[i].ownCuts.test(factor))
      return space.multiplicity(rule.operands[i], factor);
  return 1;
}

/// The cuts of a factor that all operands have to follow: those of the one with
/// the most, and inside of them those of others.
AxisCuts Meeting::allCuts(int factor, int64_t group, unsigned &from) const {
  AxisCuts all;
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (holdsGroups(i, factor))
      continue;
    AxisCuts own = inElements(operands[i].nesting[factor],
                              operands[i].ownCuts.test(factor) ? 1 : group);
    if (own.size() > all.size()) {
      takeBounds(own, all);
      all = std::move(own);
      from = i;
    } else {
      takeBounds(all, own);
    }
  }
  for (const RuleValue &operand : operands)
    for (const AxisCut &cut : operand.nesting[factor])
      if (llvm::none_of(all, [&](const AxisCut &other) {
            return other.axis == cut.axis;
          }))
        all.push_back(cut); // refused: it is the major one there
  return all;
}

/// Every operand must nest the axes of a factor alike and in the same sizes;
/// what is sliced for free is cut inside what is cut already.
bool Meeting::followCuts(unsigned i, int factor, int64_t group,
                         ArrayRef<AxisCut> all, unsigned from) {
  if (holdsGroups(i, factor))
    return true;
  bool isOwn = operands[i].ownCuts.test(factor);
  AxisCuts own = inElements(operands[i].nesting[factor], isOwn ? 1 : group);
  AxisCuts held;
  for (const AxisCut &cut : all)
    if (isSplit(i, cut.axis) && stateOf(i, cut.axis).factor == factor)
      held.push_back(cut);
  auto haveSameAxes = [](ArrayRef<AxisCut> a, ArrayRef<AxisCut> b) {
    return llvm::equal(a, b, [](const AxisCut &x, const AxisCut &y) {
      return x.axis == y.axis;
    });
  };
  if (!haveSameAxes(own, ArrayRef(held).take_front(own.size())) ||
      !haveSameAxes(held, all.take_front(held.size())))
    return refuse(Kind::Nesting, own.empty() ? all.front().axis : own[0].axis,
                  i, from, factor);
  auto groups = isOwn ? held : inGroups(held, group);
  // Query heads may be cut inside of a group, what they read may not.
  if (group > 1 && !isOwn &&
      (!groups || own != ArrayRef(held).take_front(own.size()))) {
    auto found = space.find(rule.operands[i], request.operands[i], factor);
    refuse(Kind::Unaligned, held.back().axis, i, 0, factor);
    out.mismatches.back().typeDim = found ? found->dim : 0;
    out.mismatches.back().typeFactor = found ? found->factor : 0;
    return false;
  }
  for (auto [mine, theirs] : llvm::zip(own, held))
    if (!(mine == theirs))
      return refuse(Kind::Sizes, mine.axis, i, from, factor, factor);
  // What the operand has stays as it is.
  AxisCuts &nesting = operands[i].nesting[factor];
  nesting.append(groups->begin() + nesting.size(), groups->end());
  return true;
}

void Meeting::orderNestings() {
  for (int factor = 0; factor < int(rule.factors.size()); ++factor) {
    int64_t group = groupOf(factor);
    unsigned from = 0;
    AxisCuts all = allCuts(factor, group, from);
    if (group > 1)
      result.ownCuts.set(factor);
    if (rule.factors[factor].use != FactorUse::Contracted)
      result.nesting[factor] = all;
    for (unsigned i = 0; i < operands.size(); ++i)
      if (space.has(rule.operands[i], factor) &&
          !followCuts(i, factor, group, all, from))
        return;
  }
}

/// Whether nothing that the result depends on differs along the axis.
bool Meeting::isWholeOver(unsigned axis,
                          const nn::PlacementRule::Value &value) const {
  if (value.ignores.empty())
    return false;
  for (unsigned i = 0; i < operands.size(); ++i)
    if (operands[i].axes[axis].hold != State::Hold::Whole &&
        !llvm::is_contained(value.ignores, i))
      return false;
  return true;
}

/// What one of the results holds: a sum, where others are split by a factor
/// that this one lacks, or has whole as the operands that pick from it.
RuleValue Meeting::resultOf(const nn::PlacementRule::Value &value) const {
  RuleValue own = result;
  for (unsigned axis = 0; axis < own.axes.size(); ++axis) {
    int factor = own.axes[axis].factor;
    if (isWholeOver(axis, value)) {
      own.axes[axis] = {};
      for (AxisCuts &cuts : own.nesting)
        llvm::erase_if(cuts,
                       [&](const AxisCut &cut) { return cut.axis == axis; });
      continue;
    }
    if (own.axes[axis].hold != State::Hold::Split ||
        rule.factors[factor].use != FactorUse::Pointwise)
      continue;
    bool isSum = !space.has(value, factor);
    if (llvm::is_contained(value.picks, factor))
      for (unsigned i = 0; i < operands.size(); ++i)
        isSum |= isGrouped(i, factor) &&
                 operands[i].axes[axis].hold != State::Hold::Split;
    if (!isSum)
      continue;
    own.axes[axis] = {State::Hold::Partial, -1, Reduction::Sum};
    llvm::erase_if(own.nesting[factor],
                   [&](const AxisCut &cut) { return cut.axis == axis; });
  }
  // What picks has whole groups, or terms of those that a rank holds.
  for (int factor : value.picks) {
    for (unsigned i = 0; i < operands.size(); ++i)
      if (holdsGroups(i, factor)) {
        own.nesting[factor] = operands[i].nesting[factor];
        for (const AxisCut &cut : own.nesting[factor])
          own.axes[cut.axis] = {State::Hold::Split, factor};
        own.ownCuts.reset(factor);
      }
    auto groups = inGroups(own.nesting[factor], groupOf(factor));
    if (!groups || !own.ownCuts.test(factor))
      continue;
    own.nesting[factor] = *groups;
    own.ownCuts.reset(factor);
  }
  return own;
}

/// The layout of a result, with the cuts of the operand that has the same
/// positions: those of windows may go with several.
nn::LayoutAttr Meeting::cutAsOperands(const nn::PlacementRule::Value &value,
                                      nn::LayoutAttr layout) const {
  SmallVector<nn::SplitAttr> splits(layout.getSplits());
  for (int factor = 0; factor < int(rule.factors.size()); ++factor) {
    auto made = space.find(value, layout, factor);
    if (!rule.factors[factor].window || !made || made->own != factor)
      continue;
    for (auto [operand, held] : llvm::zip(rule.operands, request.operands)) {
      auto found = space.find(operand, held, factor);
      if (!found || found->own != factor)
        continue;
      SmallVector<nn::SplitAttr> cuts =
          held.splitsOf(found->dim, found->factor);
      llvm::erase_if(splits, [&](nn::SplitAttr split) {
        return split.getDim() == int64_t(made->dim) ||
               llvm::any_of(cuts, [&](nn::SplitAttr cut) {
                 return cut.getAxis() == split.getAxis();
               });
      });
      for (nn::SplitAttr split : cuts)
        splits.push_back(split.of(made->dim, made->factor));
      break;
    }
  }
  return layout.withPlacement(splits, layout.getPartials());
}

void Meeting::writeLayouts() {
  auto write = [&](const nn::PlacementRule::Value &value, nn::LayoutAttr layout,
                   const RuleValue &placed, unsigned at, bool isResult) {
    SmallVector<Mismatch> mismatches;
    auto made = space.toType(value, layout, placed, mismatches);
    for (Mismatch mismatch : mismatches) {
      mismatch.operand = at;
      mismatch.isResult = isResult;
      out.mismatches.push_back(mismatch);
    }
    return made;
  };
  for (unsigned i = 0; i < operands.size(); ++i)
    out.sliced.push_back(
        write(rule.operands[i], request.operands[i], operands[i], i, false));
  for (auto [operand, axis] : masks)
    stateOf(operand, axis) = {State::Hold::Partial, -1, Reduction::Sum};
  for (unsigned i = 0; i < operands.size(); ++i)
    out.masked.push_back(
        write(rule.operands[i], request.operands[i], operands[i], i, false));
  for (unsigned i = 0; i < request.results.size(); ++i)
    out.results.push_back(write(
        rule.results[i], cutAsOperands(rule.results[i], request.results[i]),
        resultOf(rule.results[i]), i, true));
}

MeetResult Meeting::run() {
  unsigned axes = request.mesh.getAxes().size();
  out.source.assign(axes, -1);
  out.contracted.assign(axes, -1);
  result.axes.resize(axes);
  result.nesting.resize(rule.factors.size());
  result.ownCuts.resize(rule.factors.size());
  readOperands();
  for (unsigned axis = 0; axis < axes; ++axis) {
    bool isRefused = llvm::any_of(out.mismatches, [&](const Mismatch &other) {
      return other.axis == axis;
    });
    if (!isRefused)
      meetAxis(axis);
  }
  if (out.mismatches.empty())
    orderNestings();
  if (out.mismatches.empty())
    writeLayouts();
  return std::move(out);
}

MeetResult placement::meet(const MeetRequest &request) {
  return Meeting(request).run();
}
