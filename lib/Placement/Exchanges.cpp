//===- Exchanges.cpp - exchanges before attention under a window ----------===//
//
// Where windows of an attention reach what other ranks own, an exchange of keys
// and values stands before it, unless these were made in margins (`from`). What
// was exchanged for an attention before is not exchanged again. Masks are
// exchanged by themselves: many attentions have one mask.
//
//===----------------------------------------------------------------------===//

#include "HaloReach.h"
#include "HeldDemand.h"
#include "Lines.h"
#include "Locations.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

namespace {
/// The exchanges of one attention.
class Exchanges {
public:
  Exchanges(nn::WindowedOp op, nn::MeshAttr mesh) : op(op), mesh(mesh) {}

  void run();

private:
  Value exchanged(Value x, Type type, int64_t dim);
  void exchange(ArrayRef<unsigned> operands, int64_t dim);
  void exchangeDim(int64_t number, const nn::Window &window);

  nn::WindowedOp op;
  nn::MeshAttr mesh;
  // Of the dim that is exchanged:
  Location loc = op.getLoc();
  StringRef strategy = "neighbors";
  nn::HeldAttr held;
  int64_t before = 0, after = 0;
};
} // namespace

/// What an exchange before makes of the value, of that type.
Value Exchanges::exchanged(Value x, Type type, int64_t dim) {
  for (Operation *user : x.getUsers()) {
    auto known = dyn_cast<nn::ExchangeOp>(user);
    if (!known || known.getStrategy() != strategy ||
        int64_t(known.getDim()) != dim)
      continue;
    for (auto [from, made] : llvm::zip_equal(known.getXs(), known.getMade()))
      if (from == x && made.getType() == type)
        return made;
  }
  return {};
}

/// What the backward computes again is exchanged again; a view is not computed.
static Attribute partOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<nn::ValueOp, nn::RearrangeOp, nn::SliceOp>(op))
      return op->getAttr(nn::kRecompute);
    value = op->getOperand(0);
  }
  return {};
}

/// At once, of what was not exchanged yet.
void Exchanges::exchange(ArrayRef<unsigned> operands, int64_t dim) {
  auto typeOf = [&](Value x) {
    nn::LayoutAttr layout = nn::layoutOf(x).holding(
        nn::heldAt(held, {true, dim, 0}, /*areTerms=*/false));
    return nn::withLayout(cast<RankedTensorType>(x.getType()), layout);
  };
  llvm::SmallSetVector<Value, 2> xs;
  SmallVector<Type> types;
  Attribute part;
  for (unsigned number : operands) {
    Value x = op->getOperand(number);
    if (exchanged(x, typeOf(x), dim) || !xs.insert(x))
      continue;
    types.push_back(typeOf(x));
    part = part ? part : partOf(x);
  }
  if (!xs.empty()) {
    OpBuilder builder(op);
    auto made = nn::ExchangeOp::create(builder, loc, types, xs.getArrayRef(),
                                       dim, before, after, strategy);
    if (part)
      made->setAttr(nn::kRecompute, part);
  }
  for (unsigned number : operands) {
    Value x = op->getOperand(number);
    op->setOperand(number, exchanged(x, typeOf(x), dim));
  }
}

/// Keys and values of an attention, by number.
template <class OpTy> static SmallVector<unsigned, 2> keysOf(OpTy op) {
  return {op.getKMutable().getOperandNumber(),
          op.getVMutable().getOperandNumber()};
}

void Exchanges::exchangeDim(int64_t number, const nn::Window &window) {
  auto lines = op->getAttrOfType<ArrayAttr>(nn::kHaloLines);
  auto line = dyn_cast<LocationAttr>(lines[number]);
  loc = line ? madeBy(op.getLoc(), line) : op.getLoc();
  if (auto stated = op->getAttrOfType<ArrayAttr>(nn::kHaloStrategies))
    strategy = cast<StringAttr>(stated[number]).getValue();
  held = nn::heldOf(op.getContext(), {true, number, 0},
                    readParts({op}, number, mesh).front());
  // Near an end neighborhoods are moved inward.
  before = window.neighborhood ? window.span() - 1 : window.low;
  after = window.neighborhood ? window.span() - 1 : window.high;
  auto attention = dyn_cast<nn::AttentionOp>(op.getOperation());
  if (!attention)
    return exchange(
        keysOf(cast<nn::NeighborhoodAttentionOp>(op.getOperation())), number);
  exchange(keysOf(attention), number);
  nn::MaskOperands mask = nn::MaskOperands::of(attention);
  for (std::optional<unsigned> operand : {mask.keep, mask.keyDocuments})
    if (operand)
      exchange(*operand, number - 1);
}

/// One dim after another, so that corners come along.
void Exchanges::run() {
  for (auto [number, window] : llvm::enumerate(op.getWindows())) {
    nn::LayoutAttr keys = nn::layoutOf(op.getPositions().front());
    std::optional<SlidDim> slid = slidDim(op, number, mesh);
    if (slid && slid->readsOthers() && !keys.heldOf(number, /*factor=*/0))
      exchangeDim(number, *window);
  }
}

void placement::exchangeBefore(nn::FuncOp func, nn::MeshAttr mesh) {
  func.walk([&](nn::WindowedOp op) {
    if (!isa<nn::AttentionOp, nn::NeighborhoodAttentionOp>(op.getOperation()))
      return;
    Exchanges(op, mesh).run();
    for (StringRef said :
         {nn::kHaloLines, nn::kHaloStrategies, nn::kHaloOverlaps})
      op->removeAttr(said);
  });
}
