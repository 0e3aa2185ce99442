//===- Exchanges.cpp - exchanges where windows reach what others own ------===//
//
// Where windows reach what other ranks own, an exchange of what they slide over
// stands before the operation, unless that was made in margins (`from`,
// `layers`). What was exchanged for an operation before is not exchanged again.
// An operation that makes positions (a transposed convolution, a sum over
// edges) makes terms of what others own; behind it stands an exchange that
// sends these back.
//
//===----------------------------------------------------------------------===//

#include "HaloReach.h"
#include "HeldDemand.h"
#include "Lines.h"
#include "Locations.h"
#include "ReadParts.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

namespace {
/// What an exchange of one dim does.
struct Move {
  int64_t dim;
  Location loc;
  StringRef strategy;
  nn::BorderAttr border;
  bool overlap;
  nn::HeldAttr held;
  int64_t before, after;

  /// Whether one exchange does for both, of one value.
  bool isLike(const Move &other) const {
    return dim == other.dim && strategy == other.strategy &&
           border == other.border && overlap == other.overlap &&
           held == other.held;
  }
  nn::HeldAttr heldAt(int64_t at, bool areTerms) const {
    return nn::heldAt(held, {true, at, 0}, areTerms);
  }
  nn::ExchangeOp create(OpBuilder &builder, TypeRange types, ValueRange xs,
                        int64_t at, bool isBack) const {
    return nn::ExchangeOp::create(builder, loc, types, xs, at, before, after,
                                  strategy, border, overlap, isBack);
  }
};

/// What moves for an operation, and what of other dims need not.
struct Moves {
  SmallVector<Move> moves, crops;
};

/// The exchanges of one operation.
class Exchanges {
public:
  Exchanges(nn::WindowedOp op, const AskedHalos &all, nn::MeshAttr mesh)
      : op(op), asked(all.at(op)), all(all), mesh(mesh) {}

  void run();

private:
  Move moveOf(int64_t number, const SlidDim &slid);
  std::optional<Move> cropOf(int64_t number);
  Moves find();
  void exchange(ArrayRef<unsigned> operands, const Move &move, int64_t at);
  void exchange(const Move &move);
  void sendBack(ArrayRef<Move> moves);
  bool isSharedUncropped(const Moves &mine);

  nn::WindowedOp op;
  ArrayRef<AskedHalo> asked;
  const AskedHalos &all;
  nn::MeshAttr mesh;
};
} // namespace

/// The names of a value.
static SmallVector<Value> namesOf(Value x) {
  while (auto named = x.getDefiningOp<nn::ValueOp>())
    x = named.getX();
  SmallVector<Value> names{x};
  for (size_t i = 0; i < names.size(); ++i)
    for (Operation *user : names[i].getUsers())
      if (auto named = dyn_cast<nn::ValueOp>(user))
        names.push_back(named.getResult());
  return names;
}

/// What an exchange before makes of the value, of that type.
static Value exchanged(Value x, Type type, const Move &move, int64_t at) {
  for (Value name : namesOf(x))
    for (Operation *user : name.getUsers()) {
      auto known = dyn_cast<nn::ExchangeOp>(user);
      if (!known || known.getBack() || known.getStrategy() != move.strategy ||
          known.getBorder() != move.border ||
          known.getOverlap() != move.overlap || int64_t(known.getDim()) != at)
        continue;
      for (auto [from, made] : llvm::zip_equal(known.getXs(), known.getMade()))
        if (from == name && made.getType() == type)
          return made;
    }
  return {};
}

/// What the backward computes again is exchanged again; a view is not computed,
/// and what is moved on its way is moved again, unless it is kept so.
static Attribute partOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Attribute part = op->getAttr(nn::kRecompute);
    if (part || op->hasAttr(nn::kGathered) ||
        !isa<nn::ValueOp, nn::RearrangeOp, nn::SliceOp, nn::ExchangeOp,
             nn::RedistributeOp>(op))
      return part;
    value = op->getOperand(0);
  }
  return {};
}

static Type holding(Value x, nn::HeldAttr held) {
  return nn::withLayout(cast<RankedTensorType>(x.getType()),
                        nn::layoutOf(x).holding(held));
}

/// The first of equal moves of one value, which may be keys and values; each
/// may be of several steps.
static Value firstAlike(Value x) {
  auto first = x.getDefiningOp<nn::RedistributeOp>();
  if (!first)
    return x;
  for (Operation *user : firstAlike(first.getX()).getUsers()) {
    auto move = dyn_cast<nn::RedistributeOp>(user);
    if (move && move.getType() == x.getType() &&
        move->getAttrDictionary() == first->getAttrDictionary() &&
        move->isBeforeInBlock(first))
      first = move;
  }
  return first.getResult();
}

/// At once, of what was not exchanged yet.
void Exchanges::exchange(ArrayRef<unsigned> operands, const Move &move,
                         int64_t at) {
  nn::HeldAttr held = move.heldAt(at, /*areTerms=*/false);
  llvm::SmallSetVector<Value, 2> xs;
  SmallVector<Type> types;
  Attribute part;
  for (unsigned number : operands) {
    Value x = firstAlike(op->getOperand(number));
    if (exchanged(x, holding(x, held), move, at) || !xs.insert(x))
      continue;
    types.push_back(holding(x, held));
    part = part ? part : partOf(x);
  }
  if (!xs.empty()) {
    OpBuilder builder(op);
    nn::ExchangeOp made =
        move.create(builder, types, xs.getArrayRef(), at, /*isBack=*/false);
    if (part)
      made->setAttr(nn::kRecompute, part);
  }
  for (unsigned number : operands) {
    Value x = firstAlike(op->getOperand(number));
    op->setOperand(number, exchanged(x, holding(x, held), move, at));
  }
}

/// What an operation slides over, by number.
static SmallVector<unsigned, 2> slidOperands(nn::WindowedOp op) {
  return TypeSwitch<Operation *, SmallVector<unsigned, 2>>(op)
      .Case<nn::AttentionOp, nn::NeighborhoodAttentionOp>([](auto attention) {
        return SmallVector<unsigned, 2>{
            attention.getKMutable().getOperandNumber(),
            attention.getVMutable().getOperandNumber()};
      })
      .Default([](Operation *) { return SmallVector<unsigned, 2>{0}; });
}

/// Masks are exchanged by themselves: many attentions have one mask.
void Exchanges::exchange(const Move &move) {
  exchange(slidOperands(op), move, move.dim);
  auto attention = dyn_cast<nn::AttentionOp>(op.getOperation());
  if (!attention)
    return;
  nn::MaskOperands mask = nn::MaskOperands::of(attention);
  for (std::optional<unsigned> operand : {mask.keep, mask.keyDocuments})
    if (operand)
      exchange(*operand, move, move.dim - 1);
}

/// What makes positions makes terms of all that its windows reach.
void Exchanges::sendBack(ArrayRef<Move> moves) {
  Value made = op.getPositions().front();
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  for (const Move &move : moves)
    made.setType(holding(made, move.heldAt(move.dim, /*areTerms=*/true)));
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : made.getUses())
    uses.push_back(&use);
  Value sent = made;
  for (const Move &move : llvm::reverse(moves)) {
    Type type = nn::withLayout(cast<RankedTensorType>(sent.getType()),
                               nn::layoutOf(sent).owning(move.dim, 0));
    nn::ExchangeOp back =
        move.create(builder, type, sent, move.dim, /*isBack=*/true);
    if (Attribute part = op->getAttr(nn::kRecompute))
      back->setAttr(nn::kRecompute, part);
    sent = back.getMade().front();
  }
  for (OpOperand *use : uses)
    use->set(sent);
}

Move Exchanges::moveOf(int64_t number, const SlidDim &slid) {
  const AskedHalo &said = asked[number];
  nn::Reach reach = furthest(slid.window, slid.positions, slid.windows);
  bool isAttention = slid.window.isTruncated;
  return {number,
          said.line ? madeBy(op.getLoc(), said.line) : op.getLoc(),
          said.strategy,
          nn::BorderAttr::get(op.getContext(), slid.window.border),
          said.overlaps,
          heldFor(op, number, said.strategy, mesh),
          isAttention ? slid.window.low : reach.before,
          isAttention ? slid.window.high : reach.after};
}

/// Of a split dim that stays where it is: margins of other dims are without
/// what no window reads.
std::optional<Move> Exchanges::cropOf(int64_t number) {
  nn::HeldAttr held = croppedFor(op, number, mesh);
  if (!held)
    return std::nullopt;
  return Move{
      number,
      op.getLoc(),
      "neighbors",
      nn::BorderAttr::get(op.getContext(), op.getWindows()[number]->border),
      /*overlap=*/false,
      held,
      /*before=*/0,
      /*after=*/0};
}

/// One dim after another, so that corners come along; those whose margins are
/// waited for before those that travel while something is computed.
Moves Exchanges::find() {
  Moves found;
  SmallVector<Move> beside;
  nn::LayoutAttr positions = nn::layoutOf(op.getPositions().front());
  for (auto [number, window] : llvm::enumerate(op.getWindows())) {
    std::optional<SlidDim> slid = slidDim(op, number, mesh);
    if (!slid || positions.heldOf(number, /*factor=*/0))
      continue;
    if (slid->readsOthers()) {
      Move move = moveOf(number, *slid);
      (move.overlap ? beside : found.moves).push_back(move);
    } else if (std::optional<Move> crop = cropOf(number)) {
      found.crops.push_back(*crop);
    }
  }
  llvm::append_range(found.moves, beside);
  return found;
}

/// Whether the first exchange is also that of an operation which crops nothing,
/// or otherwise.
bool Exchanges::isSharedUncropped(const Moves &mine) {
  Value x = op.getPositions().front();
  const Move &first = mine.moves.front();
  if (x.getDefiningOp() == op)
    return false;
  if (exchanged(x, holding(x, first.held), first, first.dim))
    return true;
  return llvm::any_of(namesOf(x), [&](Value name) {
    return llvm::any_of(name.getUsers(), [&](Operation *user) {
      auto other = dyn_cast<nn::WindowedOp>(user);
      if (!other || other == op || !all.contains(other) ||
          other.getPositions().front() != name)
        return false;
      Moves theirs = Exchanges(other, all, mesh).find();
      return !theirs.moves.empty() && theirs.moves.front().isLike(first) &&
             !llvm::equal(
                 theirs.crops, mine.crops,
                 [](const Move &a, const Move &b) { return a.isLike(b); });
    });
  });
}

void Exchanges::run() {
  Moves found = find();
  SmallVector<Move> &moves = found.moves;
  if (!moves.empty() && !isSharedUncropped(found))
    moves.insert(moves.begin(), found.crops.begin(), found.crops.end());
  if (llvm::is_contained(op->getResults(), op.getPositions().front()))
    return sendBack(moves);
  for (const Move &move : moves)
    exchange(move);
}

void placement::exchangeBefore(nn::FuncOp func, const AskedHalos &asked,
                               nn::MeshAttr mesh) {
  SmallVector<nn::WindowedOp> ops;
  func.walk([&](nn::WindowedOp op) {
    if (asked.contains(op))
      ops.push_back(op);
  });
  for (nn::WindowedOp op : ops)
    Exchanges(op, asked, mesh).run();
}

void placement::exchangeForEdges(nn::GatherOp op, nn::MeshAttr mesh) {
  int64_t dim = op.getDim();
  std::optional<SlidDim> slid = slidDim(op, dim, mesh);
  auto known = op.getX().getDefiningOp<nn::ExchangeOp>();
  if (known && (known.getBack() || int64_t(known.getDim()) != dim))
    known = {};
  if (!slid || (!known && nn::layoutOf(op.getX()).heldOf(dim, /*factor=*/0)))
    return;
  Value x = op.getX();
  if (known)
    x = known.getXs()[cast<OpResult>(x).getResultNumber()];
  AskedHalo asked; // of lines nothing, where the forward sent nothing back
  if (known)
    asked = {{}, known.getStrategy(), known.getOverlap()};
  nn::Reach reach = furthest(slid->window, slid->positions, slid->windows);
  Move move{dim,
            known ? Location(known.getLoc()) : op.getLoc(),
            asked.strategy,
            nn::BorderAttr::get(op.getContext(), nn::Border::Zero),
            asked.overlaps,
            heldFor(op, dim, asked.strategy, mesh),
            reach.before,
            reach.after};
  auto own = nn::heldParts(nn::layoutOf(x), dim, /*factor=*/0, mesh);
  Type type = holding(x, move.held);
  if (move.held == nn::heldOf(op.getContext(), {true, dim, 0}, own)) {
    op.getXMutable().assign(x);
  } else if (type != op.getX().getType()) {
    OpBuilder builder(op);
    op.getXMutable().assign(
        move.create(builder, type, x, dim, /*isBack=*/false).getMade().front());
  }
  if (known && known->use_empty())
    known.erase();
}
