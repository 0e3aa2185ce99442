//===- Accumulate.cpp - adding the contributions to one gradient ----------===//

#include "Backward.h"
#include "dialects/Nn/FsdpUnit.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::differentiation;

nn::LayoutAttr differentiation::gradientLayout(Value value) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  if (auto parameter = value.getDefiningOp<nn::ParameterOp>())
    if (auto split = parameter->getAttrOfType<nn::LayoutAttr>(nn::kShard))
      if (auto stage = parameter->getAttrOfType<IntegerAttr>(nn::kStage))
        if (stage.getInt() >= 2)
          layout = split;
  return layout.withPlacement(layout.getSplits(), {});
}

Value Backward::zeros(RankedTensorType like, int64_t dim, int64_t size) {
  SmallVector<nn::DimAttr> dims(nn::layoutOf(like).getDims());
  dims[dim] = nn::dimOf(like.getContext(), "", size);
  auto type =
      nn::withLayout(like, nn::LayoutAttr::get(like.getContext(), dims));
  return makeTyped<nn::FillOp>(type, APFloat(0.0));
}

Value Backward::assemble(SmallVectorImpl<Contribution> &ranges,
                         int64_t extent) {
  llvm::sort(ranges, [](const Contribution &a, const Contribution &b) {
    return a.start < b.start;
  });
  int64_t dim = ranges.front().dim, end = 0;
  auto type = cast<RankedTensorType>(ranges.front().value.getType());
  SmallVector<Value> pieces;
  SmallVector<Contribution> rest;
  for (const Contribution &range : ranges) {
    if (range.start < end) {
      rest.push_back(range);
      continue;
    }
    if (range.start > end)
      pieces.push_back(zeros(type, dim, range.start - end));
    pieces.push_back(range.value);
    end = range.start +
          cast<RankedTensorType>(range.value.getType()).getDimSize(dim);
  }
  if (end < extent)
    pieces.push_back(zeros(type, dim, extent - end));
  ranges.assign(rest);
  return pieces.size() == 1 ? pieces.front()
                            : make<nn::ConcatOp>(pieces, dim).getResult();
}

static bool areHeldAlike(Value a, Value b) {
  nn::LayoutAttr x = nn::layoutOf(a), y = nn::layoutOf(b);
  return x.getSplits() == y.getSplits() && x.getPartials() == y.getPartials();
}

/// Whether both are split over one axis, and not alike.
static bool areSplitOtherwise(nn::LayoutAttr a, nn::LayoutAttr b) {
  return llvm::any_of(a.getSplits(), [&](nn::SplitAttr split) {
    nn::SplitAttr other = b.splitOver(split.getAxis());
    return other && other != split;
  });
}

/// Of terms that do not meet as they are, one that is split otherwise than
/// their sum is to be is moved there; the others stay where they are.
bool Backward::moveOne(MutableArrayRef<Value> terms, nn::LayoutAttr target,
                       Location loc) {
  for (Value &term : terms) {
    nn::LayoutAttr layout = nn::layoutOf(term);
    if (!layout.getPartials().empty() || !areSplitOtherwise(layout, target) ||
        llvm::none_of(terms, [&](Value other) {
          return areSplitOtherwise(layout, nn::layoutOf(other));
        }))
      continue;
    term = placer.redistribute(ops, loc, term, target);
    return true;
  }
  return false;
}

Value Backward::add(const Contributions &contributions, ArrayRef<int64_t> shape,
                    nn::LayoutAttr target, Location loc) {
  SmallVector<Value> terms;
  llvm::MapVector<int64_t, SmallVector<Contribution>> ranges;
  for (const Contribution &contribution : contributions)
    if (contribution.dim < 0)
      terms.push_back(contribution.value);
    else
      ranges[contribution.dim].push_back(contribution);
  for (auto &[dim, list] : ranges)
    while (!list.empty())
      terms.push_back(assemble(list, shape[dim]));
  // Terms that are held alike first: sums that are partial are added as such,
  // and moved once.
  while (terms.size() > 1) {
    size_t a = 0, b = 1;
    bool found = false;
    for (size_t i = 0; i < terms.size() && !found; ++i)
      for (size_t j = i + 1; j < terms.size() && !found; ++j)
        if (areHeldAlike(terms[i], terms[j])) {
          a = i, b = j;
          found = true;
        }
    if (!found && moveOne(terms, target, loc))
      continue;
    terms[a] = binary(nn::BinaryKind::Add, terms[a], terms[b]);
    terms.erase(terms.begin() + b);
  }
  return terms.front();
}

/// The parameter that the value is, or was gathered from.
static nn::ParameterOp parameterOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto parameter = dyn_cast<nn::ParameterOp>(op))
      return parameter;
    if (!isa<nn::ValueOp, nn::RedistributeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return {};
}

/// What an op makes of one parameter and constants alone has a gradient that is
/// the parameter's through a linear derivative, which a partial sum may pass.
/// It is reduced behind that where this takes fewer bytes, as under fsdp, which
/// scatters the gradient of a table that positions look up; and a transposed
/// parameter is the parameter, so that a tied one is reduced once.
bool Backward::isReducedBehind(Operation *maker, Value sum) {
  nn::LayoutAttr layout = nn::layoutOf(sum);
  Value source;
  for (Value operand : maker->getOperands()) {
    if (!free.contains(operand) || (source && wanted.contains(operand)))
      return false;
    if (wanted.contains(operand))
      source = operand;
  }
  if (!source || isa<nn::RearrangeOp>(maker))
    return bool(source);
  nn::ParameterOp parameter = parameterOf(source);
  if (!parameter || layout.getPartials().empty())
    return false;
  nn::LayoutAttr target = gradientLayout(parameter);
  SmallVector<nn::SplitAttr> splits(target.getSplits());
  bool isScattered = true;
  for (nn::PartialAttr partial : layout.getPartials())
    isScattered &= bool(target.splitOver(partial.getAxis()));
  llvm::erase_if(splits, [&](nn::SplitAttr split) {
    return bool(layout.partialOver(split.getAxis()));
  });
  int64_t before =
      placement::localElements(target.withPlacement(splits, {}), mesh);
  return (isScattered ? 1 : 2) * before <
         2 * placement::localElements(layout, mesh);
}

std::optional<Contribution> Backward::takeSum(Value value) {
  auto found = contributions.find(value);
  if (found == contributions.end())
    return std::nullopt;
  Contributions all = std::move(found->second);
  contributions.erase(found);
  Contribution sum;
  for (const Contribution &contribution : all)
    if (contribution.sync)
      sum.sync = contribution.sync;
  sum.value = add(all, cast<RankedTensorType>(value.getType()).getShape(),
                  gradientLayout(value), sum.sync.value_or(at));
  return sum;
}

Value Backward::moveToItsPlace(Value value, const Contribution &sum) {
  nn::LayoutAttr target = withDelayed(gradientLayout(value), value, sum.value);
  Value moved =
      placer.redistribute(ops, sum.sync.value_or(at), sum.value, target);
  nn::markUnit(value, sum.value, moved);
  return moved;
}

Value Backward::gradientOf(Value value) {
  std::optional<Contribution> sum = takeSum(value);
  return sum ? moveToItsPlace(value, *sum) : Value();
}
