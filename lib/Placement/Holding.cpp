//===- Holding.cpp - what ranks hold of what is made of held values -------===//
//
// An operation that is made later, of the backward, holds of its results what
// it has of its operands: copies of copies, where it computes each position by
// itself; and terms of terms, in which it is linear, and which meet copies of
// the same positions. What joins terms without being one is a term that is zero
// but where its rank owns it. A sum over positions takes of copies what is
// owned, for other ranks have the rest; of terms it is a sum over ranks.
//
// What slides makes, of positions, terms of what the forward held of them: so
// says the type that it is made with.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/OpPlacer.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

namespace {
/// One operation, whose types say what is owned of its results.
class Holding {
public:
  Holding(nn::PlacedOp op, const nn::PlacementRule &rule)
      : op(op), rule(rule), builder(op) {}

  void holdFactor(int factor);
  void holdPicked(int factor);
  void holdPositions(unsigned result, nn::LayoutAttr made);

private:
  void holdTerms(int factor, nn::HeldAttr terms, ArrayRef<nn::PartHere> read);
  void read(const nn::PartHere &here, nn::LayoutAttr layout);
  void readOwn(const nn::PartHere &here);
  void make(ArrayRef<nn::PartHere> made, nn::HeldAttr held);

  nn::PlacedOp op;
  const nn::PlacementRule &rule;
  OpBuilder builder;
  llvm::SmallDenseMap<std::pair<Value, Attribute>, Value> taken;
};
} // namespace

static void setLayout(Value value, nn::LayoutAttr layout) {
  value.setType(
      nn::withLayout(cast<RankedTensorType>(value.getType()), layout));
}

void Holding::read(const nn::PartHere &here, nn::LayoutAttr layout) {
  OpOperand &operand = op->getOpOperand(here.number);
  Value &part = taken[{operand.get(), layout}];
  if (!part)
    part = nn::holdAs(builder, op.getLoc(), operand.get(), layout);
  operand.set(part);
}

void Holding::readOwn(const nn::PartHere &here) {
  read(here,
       nn::layoutOf(here.value).owning(here.place.dim, here.place.factor));
}

void Holding::make(ArrayRef<nn::PartHere> made, nn::HeldAttr held) {
  for (const nn::PartHere &here : made)
    setLayout(here.value,
              nn::layoutOf(here.value)
                  .holding(nn::heldAt(held, here.place, held.getTerms())));
}

/// Adds its operands, or sets them side by side.
static bool joins(Operation *op) {
  auto binary = dyn_cast<nn::BinaryOp>(op);
  return isa<nn::ConcatOp>(op) ||
         (binary && (binary.getKind() == nn::BinaryKind::Add ||
                     binary.getKind() == nn::BinaryKind::Sub));
}

void Holding::holdTerms(int factor, nn::HeldAttr terms,
                        ArrayRef<nn::PartHere> operands) {
  for (nn::PartHere here : operands) {
    nn::HeldAttr held = here.getHeld();
    if (!joins(op) || (held && held.getTerms()))
      continue;
    readOwn(here);
    here.value = op->getOperand(here.number);
    read(here, nn::layoutOf(here.value)
                   .holding(nn::heldAt(terms, here.place, /*areTerms=*/true)));
  }
  make(nn::resultsWith(op, rule, factor), terms);
}

void Holding::holdFactor(int factor) {
  auto operands = nn::operandsWith(op, rule, factor);
  nn::HeldAttr terms, copies;
  for (const nn::PartHere &here : operands)
    if (nn::HeldAttr held = here.getHeld())
      (held.getTerms() ? terms : copies) = held;
  if (terms)
    return holdTerms(factor, terms, operands);
  if (!copies)
    return;
  auto made = nn::resultsWith(op, rule, factor);
  bool areCopies = nn::computesAlone(op) && !made.empty() &&
                   llvm::all_of(operands, [&](const nn::PartHere &here) {
                     return nn::holdTheSame(here.getHeld(), copies);
                   });
  if (areCopies)
    make(made, copies);
  else
    llvm::for_each(operands, [&](const nn::PartHere &here) { readOwn(here); });
}

/// Each rank has a term of what it picked.
void Holding::holdPicked(int factor) {
  nn::HeldAttr copies;
  for (const nn::PartHere &here : nn::operandsWith(op, rule, factor))
    if (nn::HeldAttr held = here.getHeld())
      copies = held;
  if (!copies)
    return;
  for (const nn::PartHere &here : nn::resultsWith(op, rule, factor))
    if (llvm::is_contained(rule.results[here.number].picks, factor))
      make({here}, nn::heldAt(copies, here.place, /*areTerms=*/true));
}

void Holding::holdPositions(unsigned number, nn::LayoutAttr made) {
  Value result = op->getResult(number);
  for (nn::HeldAttr held : made.getHeld()) {
    int factor = nn::ruleFactor(rule, rule.results[number],
                                made.getDims()[held.getDim()], held.getDim(),
                                held.getFactor());
    if (factor >= 0 && rule.factors[factor].window)
      make({{result, number, {true, held.getDim(), held.getFactor()}}},
           nn::heldAt(held, {true, held.getDim(), held.getFactor()}, true));
  }
}

/// Owns its dim then; of a gradient behind it copies, where there were terms.
static void holdExchanged(nn::ExchangeOp op, ArrayRef<nn::LayoutAttr> made) {
  int64_t dim = op.getDim();
  for (auto [x, result, asked] : llvm::zip(op.getXs(), op.getMade(), made)) {
    for (nn::HeldAttr held : nn::layoutOf(x).owning(dim, 0).getHeld())
      setLayout(result, nn::layoutOf(result).holding(held));
    if (op.getBack())
      continue;
    nn::HeldAttr copies =
        nn::heldAt(asked.heldOf(dim, 0), {true, dim, 0}, /*areTerms=*/false);
    setLayout(result, nn::layoutOf(result).holding(copies));
  }
}

void OpPlacer::hold(Operation *op, const nn::PlacementRule &rule,
                    ArrayRef<nn::LayoutAttr> made) {
  if (auto exchange = dyn_cast<nn::ExchangeOp>(op))
    return holdExchanged(exchange, made);
  Holding holding(cast<nn::PlacedOp>(op), rule);
  for (auto [number, factor] : llvm::enumerate(rule.factors))
    if (!factor.window && factor.windowsOf < 0) {
      if (nn::isPicked(rule, number))
        holding.holdPicked(number);
      else
        holding.holdFactor(number);
    }
  for (auto [number, layout] : llvm::enumerate(made))
    holding.holdPositions(number, layout);
}
