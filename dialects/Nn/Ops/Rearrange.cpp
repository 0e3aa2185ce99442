//===- Rearrange.cpp - shape and placement of nn.rearrange ----------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// The factor numbers of each result dim; fails where `order` is no list of
/// lists of numbers.
static FailureOr<SmallVector<SmallVector<int64_t>>> orderOf(ArrayAttr order) {
  SmallVector<SmallVector<int64_t>> result;
  for (Attribute dim : order) {
    auto numbers = dyn_cast<ArrayAttr>(dim);
    if (!numbers)
      return failure();
    SmallVector<int64_t> &factors = result.emplace_back();
    for (Attribute number : numbers) {
      auto integer = dyn_cast<IntegerAttr>(number);
      if (!integer)
        return failure();
      factors.push_back(integer.getValue().getSExtValue());
    }
  }
  return result;
}

/// Source factors, numbered as `order` numbers them.
static SmallVector<FactorAttr> flatten(LayoutAttr source) {
  SmallVector<FactorAttr> factors;
  for (DimAttr dim : source.getDims())
    llvm::append_range(factors, dim.getFactors());
  return factors;
}

/// (C2) each factor once; factors of size 1 may be left out.
static LogicalResult verifyOrder(RearrangeOp op, ArrayRef<FactorAttr> factors,
                                 ArrayRef<SmallVector<int64_t>> order) {
  SmallVector<bool> isListed(factors.size());
  for (ArrayRef<int64_t> dim : order)
    for (int64_t number : dim) {
      if (number < 0 || number >= int64_t(factors.size()))
        return op.emitOpError()
               << "lists factor " << number << " of " << factors.size();
      if (std::exchange(isListed[number], true))
        return op.emitOpError() << "lists factor " << number << " twice";
    }
  for (auto [number, listed] : llvm::enumerate(isListed))
    if (!listed && factors[number].getSize() != 1)
      return op.emitOpError() << "leaves out factor " << number << " of size "
                              << factors[number].getSize();
  return success();
}

LogicalResult RearrangeOp::verify() {
  auto order = ::orderOf(getOrder());
  if (failed(order))
    return emitOpError() << "needs for each result dim the numbers of its "
                            "factors, as in [[0], [2, 1]]";
  if (!llvm::equal(getSource().getShape(),
                   tensorType(getX()).getShape())) // (C1)
    return emitOpError() << "splits dims of "
                         << describe(
                                withLayout(tensorType(getX()), getSource()))
                         << ", but x is " << describe(getX().getType());
  SmallVector<FactorAttr> factors = flatten(getSource());
  if (failed(verifyOrder(*this, factors, *order))) // (C2)
    return failure();
  ArrayRef<DimAttr> dims = dimsOf(getResult());
  if (dims.size() != order->size()) // (C3)
    return emitOpError() << "makes " << order->size()
                         << " dims, but the result is " << describe(getType());
  for (auto [index, numbers] : llvm::enumerate(*order)) {
    int64_t size = 1;
    for (int64_t number : numbers)
      size *= factors[number].getSize();
    if (size != dims[index].getSize())
      return emitOpError() << "makes dim " << index << " of size " << size
                           << ", but the result is " << describe(getType());
  }
  if (elementTypeOf(getX()) != getType().getElementType()) // (C4)
    return emitOpError() << "keeps elements, but x is "
                         << describe(getX().getType()) << " and the result "
                         << describe(getType());
  return success();
}

namespace {
/// Each source factor as the factors that operand and result see inside of it.
class Chunks {
public:
  Chunks(RearrangeOp op, ArrayRef<SmallVector<int64_t>> order);
  void write(RuleBuilder &rule) const;

private:
  struct Chunk {
    SmallVector<FactorAttr> factors;
    bool isWhole = false;
  };

  void refine(ArrayRef<int64_t> numbers, ArrayRef<FactorAttr> layout);

  SmallVector<Chunk> chunks;
  SmallVector<SmallVector<int64_t>> sources, order; // numbers of each dim
};
} // namespace

Chunks::Chunks(RearrangeOp op, ArrayRef<SmallVector<int64_t>> order)
    : order(order) {
  for (DimAttr dim : op.getSource().getDims()) {
    SmallVector<int64_t> &numbers = sources.emplace_back();
    for (FactorAttr factor : dim.getFactors()) {
      numbers.push_back(chunks.size());
      chunks.push_back({{factor}});
    }
  }
  for (auto [numbers, dim] : llvm::zip(sources, dimsOf(op.getX())))
    refine(numbers, dim.getFactors());
  for (auto [numbers, dim] : llvm::zip(this->order, dimsOf(op.getResult())))
    refine(numbers, dim.getFactors());
}

/// Refines the chunks that make a dim with the dim's own factors.
void Chunks::refine(ArrayRef<int64_t> numbers, ArrayRef<FactorAttr> layout) {
  SmallVector<FactorAttr> made;
  for (int64_t number : numbers)
    llvm::append_range(made, chunks[number].factors);
  if (made.empty())
    return;
  auto refined = refineFactors(made, layout);
  if (failed(refined)) {
    for (int64_t number : numbers)
      chunks[number].isWhole = true;
    return;
  }
  auto next = refined->begin();
  for (int64_t number : numbers) {
    Chunk &chunk = chunks[number];
    DimAttr all = DimAttr::get(layout.front().getContext(), chunk.factors);
    // Factors of size 1 have no place of their own in a larger dim.
    if (all.getSize() == 1)
      continue;
    chunk.factors.clear();
    for (int64_t size = 1; size < all.getSize() && next != refined->end();
         ++next) {
      size *= next->getSize();
      chunk.factors.push_back(*next);
    }
  }
}

void Chunks::write(RuleBuilder &rule) const {
  SmallVector<SmallVector<int, 2>> factors(chunks.size());
  for (auto [index, chunk] : llvm::enumerate(chunks))
    for (FactorAttr factor : chunk.factors)
      factors[index].push_back(rule.addFactor(
          factor, chunk.isWhole ? FactorUse::Whole : FactorUse::Pointwise,
          chunk.isWhole ? "the factors before and after rearrange cross" : ""));
  auto fill = [&](SmallVector<int, 2> &dim, ArrayRef<int64_t> numbers) {
    bool isOne = llvm::all_of(numbers, [&](int64_t number) {
      return llvm::all_of(factors[number], [&](int factor) {
        return rule.factor(factor).size == 1;
      });
    });
    for (int64_t number : numbers)
      for (int factor : factors[number])
        if (rule.factor(factor).size != 1 || (isOne && dim.empty()))
          dim.push_back(factor);
    if (dim.empty())
      dim.push_back(-1);
  };
  for (auto [index, numbers] : llvm::enumerate(sources))
    fill(rule.factorsOf(operand(0, index)), numbers);
  SmallVector<int> kept;
  for (auto [index, numbers] : llvm::enumerate(order)) {
    fill(rule.factorsOf(result(index)), numbers);
    llvm::append_range(kept, rule.factorsOf(result(index)));
  }
  for (ArrayRef<int> chunk : factors)
    for (int factor : chunk)
      if (!llvm::is_contained(kept, factor)) { // a dim of 1 that goes away
        rule.factor(factor).use = FactorUse::Whole;
        rule.factor(factor).reason = "this dim of size 1 goes away";
      }
}

PlacementRule RearrangeOp::getPlacementRule() {
  auto order = ::orderOf(getOrder());
  assert(succeeded(order) && "verified");
  RuleBuilder rule(*this);
  Chunks(*this, *order).write(rule);
  rule.partial(0, PartialUse::Any);
  return rule.take();
}
