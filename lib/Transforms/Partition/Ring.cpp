//===- Ring.cpp - attention whose keys and values travel ------------------===//

#include "Ring.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Lse.h"
#include "dialects/Nn/Ring.h"
#include "dialects/Nn/Shape.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// Of q, k and v: [batch, heads, positions, head dim].
constexpr int64_t kPositions = 2;

//===-- Hops --------------------------------------------------------------===//

template <class OpTy> static WindowedDims hopsOf(OpTy op, Shares &shares) {
  nn::LayoutAttr keys = nn::layoutOf(op.getK());
  AxisList axes = shares.axesOf(keys, kPositions, 0);
  if (!op.getRing() || axes.empty())
    return {};
  MLIRContext *context = op.getContext();
  Share own = shares.of(keys, kPositions, 0);
  int64_t members = 1;
  for (StringAttr axis : axes)
    members *= shares.getMesh().getSize(axis.getValue());
  SmallVector<int64_t> offsets = own.offset.valuesFor(members),
                       sizes = own.size.valuesFor(members);
  SmallVector<nn::Interval> parts;
  for (auto [offset, size] : llvm::zip(offsets, sizes))
    parts.push_back({offset, size});
  WindowedDims hops;
  for (const nn::RingHop &hop : nn::ringHops(nn::RingMask::of(op), parts)) {
    SmallVector<int64_t> heldOffsets(offsets), heldSizes(members, 0);
    for (int64_t member = 0; member < members; ++member)
      if (hop.receives[member]) {
        const nn::Interval &from =
            parts[(member + members - hop.distance) % members];
        heldOffsets[member] = from.offset;
        heldSizes[member] = from.size;
      }
    nn::Window window;
    window.extent = keys.getDims()[kPositions].getSize();
    Share held{spmd::TableAttr::simplified(context, axes, heldOffsets),
               spmd::TableAttr::simplified(context, axes, heldSizes)};
    hops.push_back({kPositions, window, axes, own, held, members,
                    /*isExtended=*/true});
  }
  return hops;
}

WindowedDims partitioning::ringHops(nn::AttentionOp op, Shares &shares) {
  return hopsOf(op, shares);
}
WindowedDims partitioning::ringHops(nn::AttentionGradOp op, Shares &shares) {
  return hopsOf(op, shares);
}

//===-- Keys and values ---------------------------------------------------===//

template <class OpTy>
Ring::Part Ring::ownPart(OpTy op, const WindowedDim &hop) {
  return {local(op.getK()), local(op.getV()), hop.own};
}

/// The next hop's keys and values begin to travel.
void Ring::start(const Part &own, const WindowedDims &hops, size_t next) {
  if (next < hops.size())
    margins.start({own.k, own.v}, hops[next]);
}

Ring::Part Ring::receive(const Part &own, const WindowedDim &hop) {
  SmallVector<Margins, 2> moved = {{own.k, kPositions}, {own.v, kPositions}};
  margins.moveMargins(moved, hop, /*attaches=*/true, /*isStarted=*/true);
  return {moved[0].value, moved[1].value, hop.held};
}

/// On the ranks of this class, all of which then have none.
bool Ring::isEmpty(const Part &part) const { return here(part.held.size) == 0; }

/// The operation on a part of the keys.
template <class PartOp, class OpTy>
FailureOr<PartOp> Ring::attend(OpTy op, const Part &part, TypeRange types) {
  IRMapping operands = mapping;
  operands.map(op.getK(), part.k);
  operands.map(op.getV(), part.v);
  if (Value keep = op.getKeep())
    operands.map(
        keep,
        spmd::SliceOp::create(
            builder, loc,
            withSize(local(keep).getType(), /*dim=*/1, here(part.held.size)),
            local(keep), /*dim=*/1, /*factor=*/0, part.held.offset));
  OperationState state(loc, op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(operands.lookup(operand));
  state.addTypes(types);
  state.addAttributes(op->getAttrs());
  auto copy = cast<OpTy>(builder.create(state));
  copy.removeRingAttr();
  FailureOr<Operation *> adapted = operations.adapt(*op, *copy);
  if (failed(adapted))
    return failure();
  auto made = cast<PartOp>(*adapted);
  made.setIsTerm(true);
  made.setKeysAttr(spmd::PositionsAttr::get(
      builder.getContext(), part.held.offset, made.getKeys().getExtent()));
  return made;
}

//===-- The result --------------------------------------------------------===//

/// [b, h, s] as [b, h, s, 1].
Value Ring::withUnit(Value x) {
  nn::LayoutAttr source = nn::layoutOf(x);
  MLIRContext *context = builder.getContext();
  SmallVector<nn::DimAttr> dims(source.getDims());
  dims.push_back(nn::dimOf(context, "", 1));
  SmallVector<Attribute> order;
  int64_t next = 0;
  for (nn::DimAttr dim : source.getDims()) {
    int64_t first = next;
    next += dim.getFactors().size();
    order.push_back(builder.getI64ArrayAttr(
        llvm::to_vector(llvm::seq<int64_t>(first, next))));
  }
  order.push_back(builder.getI64ArrayAttr({}));
  return nn::RearrangeOp::create(
      builder, loc,
      nn::tensorOf(getElementTypeOrSelf(x), nn::LayoutAttr::get(context, dims)),
      x, source, builder.getArrayAttr(order));
}

/// [b, h, s, 1] as [b, h, s].
Value Ring::withoutUnit(Value x, RankedTensorType type) {
  nn::LayoutAttr source = nn::layoutOf(x);
  SmallVector<Attribute> order;
  int64_t next = 0;
  for (nn::DimAttr dim : source.getDims().drop_back()) {
    int64_t first = next;
    next += dim.getFactors().size();
    order.push_back(builder.getI64ArrayAttr(
        llvm::to_vector(llvm::seq<int64_t>(first, next))));
  }
  return nn::RearrangeOp::create(builder, loc, type, x, source,
                                 builder.getArrayAttr(order));
}

FailureOr<Ring::Term> Ring::termOf(nn::AttentionOp op, const Part &part) {
  RankedTensorType type = localOf(op.getResult());
  RankedTensorType lse = nn::lseType(type);
  auto made = attend<spmd::AttentionOp>(op, part, {type, lse});
  if (failed(made))
    return failure();
  return Term{convert(made->getResult(), lse.getElementType()),
              withUnit(made->getLse())};
}

/// Terms of different keys as one: of a softmax over both,
///   lse = log(exp(lse_a) + exp(lse_b)),
///   out = exp(lse_a - lse) out_a + exp(lse_b - lse) out_b,
/// computed from the larger lse. A query that sees nothing in both has a zero,
/// and an lse of -inf.
Ring::Term Ring::merged(const Term &a, const Term &b) {
  using Kind = nn::BinaryKind;
  Type element = getElementTypeOrSelf(a.lse);
  auto where = [&](Value condition, Value yes, Value no) -> Value {
    return nn::WhereOp::create(builder, loc, condition, yes, no);
  };
  Value nothing = scalar(-std::numeric_limits<double>::infinity(), element);
  Value zero = scalar(0, element);
  Value larger = binary(Kind::Maximum, a.lse, b.lse);
  Value shift = where(binary(Kind::Eq, larger, nothing), zero, larger);
  auto weight = [&](const Term &term) {
    return unary(nn::UnaryKind::Exp, binary(Kind::Sub, term.lse, shift));
  };
  Value ofA = weight(a), ofB = weight(b);
  Value total = binary(Kind::Add, ofA, ofB);
  Value divisor =
      where(binary(Kind::Eq, total, zero), scalar(1, element), total);
  Value sum = binary(Kind::Add, binary(Kind::Mul, a.out, ofA),
                     binary(Kind::Mul, b.out, ofB));
  return {binary(Kind::Div, sum, divisor),
          binary(Kind::Add, shift, unary(nn::UnaryKind::Log, total))};
}

LogicalResult Ring::lower(nn::AttentionOp op, const WindowedDims &hops) {
  Part own = ownPart(op, hops.front());
  start(own, hops, 0);
  FailureOr<Term> sum = termOf(op, own);
  if (failed(sum))
    return failure();
  for (auto [number, hop] : llvm::enumerate(hops)) {
    Part part = receive(own, hop);
    start(own, hops, number + 1);
    if (isEmpty(part))
      continue;
    FailureOr<Term> term = termOf(op, part);
    if (failed(term))
      return failure();
    sum = merged(*sum, *term);
  }
  RankedTensorType type = localOf(op.getResult());
  mapping.map(op.getResult(), convert(sum->out, type.getElementType()));
  if (op.getLse())
    mapping.map(op.getLse(), withoutUnit(sum->lse, localOf(op.getLse())));
  return success();
}

//===-- Its gradient ------------------------------------------------------===//

/// Terms of q's, those of the part's k and v, as they are summed.
FailureOr<Ring::Gradients> Ring::gradientsOf(nn::AttentionGradOp op,
                                             const Part &part) {
  auto made = attend<spmd::AttentionGradOp>(
      op, part,
      {local(op.getQ()).getType(), part.k.getType(), part.v.getType()});
  if (failed(made))
    return failure();
  return Gradients{made->getDq(), made->getDk(), made->getDv()};
}

/// To the owner of the part, who adds them to what it has.
void Ring::sendBack(Gradients &sum, const Gradients &made,
                    const WindowedDim &hop) {
  SmallVector<Margins, 2> moved = {{made.k, kPositions}, {made.v, kPositions}};
  margins.moveMargins(moved, hop, /*attaches=*/false);
  Type element = getElementTypeOrSelf(sum.k);
  sum.k = binary(nn::BinaryKind::Add, sum.k, convert(moved[0].value, element));
  sum.v = binary(nn::BinaryKind::Add, sum.v, convert(moved[1].value, element));
}

LogicalResult Ring::lower(nn::AttentionGradOp op, const WindowedDims &hops) {
  Part own = ownPart(op, hops.front());
  Type element = getElementTypeOrSelf(op.getLse());
  start(own, hops, 0);
  FailureOr<Gradients> first = gradientsOf(op, own);
  if (failed(first))
    return failure();
  Gradients sum{convert(first->q, element), convert(first->k, element),
                convert(first->v, element)};
  Part part = receive(own, hops.front());
  for (auto [number, hop] : llvm::enumerate(hops)) {
    start(own, hops, number + 1);
    Gradients made{{}, part.k, part.v}; // of no keys, none
    if (!isEmpty(part)) {
      FailureOr<Gradients> computed = gradientsOf(op, part);
      if (failed(computed))
        return failure();
      made = *computed;
      sum.q = binary(nn::BinaryKind::Add, sum.q, convert(made.q, element));
    }
    if (number + 1 < hops.size())
      part = receive(own, hops[number + 1]);
    sendBack(sum, made, hop);
  }
  for (auto [result, value] :
       {std::pair(op.getDq(), sum.q), std::pair(op.getDk(), sum.k),
        std::pair(op.getDv(), sum.v)}) {
    RankedTensorType type = localOf(result);
    mapping.map(result, margins.withFactorsOf(
                            convert(value, type.getElementType()), type));
  }
  return success();
}
