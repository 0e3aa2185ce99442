//===- RuleBuilder.cpp - writing placement rules by dims ------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

RuleBuilder::RuleBuilder(Operation *op, std::string reason) : op(op) {
  auto shape = [](Value value) {
    PlacementRule::Value result;
    result.dims.resize(dimsOf(value).size());
    return result;
  };
  for (Value value : op->getOperands())
    rule.operands.push_back(shape(value));
  for (Value value : op->getResults())
    rule.results.push_back(shape(value));
  rule.reason = std::move(reason);
}

ArrayRef<FactorAttr> RuleBuilder::layoutOf(DimOf dim) const {
  Value value = dim.isResult ? Value(op->getResult(dim.value))
                             : op->getOperand(dim.value);
  return dimsOf(value)[dim.dim].getFactors();
}

int64_t RuleBuilder::sizeOf(DimOf dim) const {
  int64_t size = 1;
  for (FactorAttr factor : layoutOf(dim))
    size *= factor.getSize();
  return size;
}

SmallVector<int, 2> &RuleBuilder::factorsOf(DimOf dim) {
  return valueOf(dim).dims[dim.dim];
}

int RuleBuilder::addFactor(FactorAttr factor, FactorUse use,
                           std::string reason) {
  PlacementRule::Factor added;
  added.size = factor.getSize();
  added.use = use;
  added.name = factor.getName().str();
  added.reason = std::move(reason);
  rule.factors.push_back(added);
  return rule.factors.size() - 1;
}

void RuleBuilder::add(ArrayRef<DimOf> dims, FactorUse use, std::string reason) {
  auto lists =
      llvm::map_to_vector(dims, [&](DimOf dim) { return layoutOf(dim); });
  auto factors = refineAll(lists);
  if (failed(factors)) {
    DimAttr crossed = DimAttr::get(op->getContext(), lists.front());
    factors = llvm::to_vector(
        dimOf(op->getContext(), "", crossed.getSize()).getFactors());
    use = FactorUse::Whole;
    reason = "the operands have different factors on this dim, whose borders "
             "cross";
  }
  SmallVector<int, 2> numbers;
  for (FactorAttr factor : *factors)
    numbers.push_back(addFactor(factor, use, reason));
  for (DimOf dim : dims)
    factorsOf(dim) = numbers;
}

void RuleBuilder::contract(ArrayRef<DimOf> dims, Reduction reduction) {
  size_t first = rule.factors.size();
  add(dims, FactorUse::Contracted);
  for (auto &factor : llvm::drop_begin(rule.factors, first))
    factor.reduction = reduction;
}

void RuleBuilder::addPositions(ArrayRef<DimOf> dims, FactorUse use) {
  size_t first = rule.factors.size();
  add(dims, use);
  for (auto &minor : llvm::drop_begin(rule.factors, first + 1)) {
    minor.use = FactorUse::Whole;
    minor.reason = "the positions that a rank holds must be consecutive; split "
                   "the major factor of the dim";
  }
}

bool RuleBuilder::addWindows(ArrayRef<DimOf> positions, ArrayRef<DimOf> results,
                             const Window &window) {
  SmallVector<DimOf> all(positions);
  llvm::append_range(all, results);
  if (!llvm::all_of(all,
                    [&](DimOf dim) { return layoutOf(dim).size() == 1; })) {
    for (ArrayRef<DimOf> dims : {positions, results})
      add(dims, FactorUse::Whole,
          "windows slide over a dim of one factor where it is split");
    return false;
  }
  bool inResult = llvm::any_of(all, [](DimOf dim) { return dim.isResult; });
  FactorUse use = inResult ? FactorUse::Pointwise : FactorUse::Contracted;
  int slid = addFactor(layoutOf(positions.front()).front(), use);
  int made = addFactor(layoutOf(results.front()).front(), use);
  factor(slid).window = window;
  factor(made).windowsOf = slid;
  for (DimOf dim : positions)
    factorsOf(dim) = {slid};
  for (DimOf dim : results)
    factorsOf(dim) = {made};
  return true;
}

void RuleBuilder::broadcast(DimOf dim) { factorsOf(dim) = {-1}; }

void RuleBuilder::addBroadcasting(ArrayRef<unsigned> operands, int64_t skip) {
  ArrayRef<DimAttr> resultDims = dimsOf(op->getResult(0));
  int64_t rank = resultDims.size();
  for (int64_t d = 0; d < rank - skip; ++d) {
    SmallVector<DimOf> tied = {result(d)};
    for (unsigned index : operands) {
      ArrayRef<DimAttr> dims = dimsOf(op->getOperand(index));
      int64_t own = d - (rank - int64_t(dims.size()));
      if (own < 0)
        continue;
      if (dims[own].getSize() == resultDims[d].getSize())
        tied.push_back(operand(index, own));
      else
        broadcast(operand(index, own));
    }
    add(tied);
  }
}

void RuleBuilder::multiplicity(DimOf dim, int64_t multiplicity) {
  PlacementRule::Value &value = valueOf(dim);
  value.multiplicity.resize(value.dims.size(), 1);
  value.multiplicity[dim.dim] = multiplicity;
}

FailureOr<SmallVector<FactorAttr>>
nn::refineAll(ArrayRef<ArrayRef<FactorAttr>> lists) {
  SmallVector<FactorAttr> factors(lists.front());
  // The first list is refined with itself: that drops factors of size 1.
  for (ArrayRef<FactorAttr> list : lists) {
    auto refined = refineFactors(factors, list);
    if (failed(refined))
      return failure();
    factors = *refined;
  }
  return factors;
}
