//===- Ring.cpp - attention whose keys and values travel ------------------===//

#include "Ring.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Lse.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Ring.h"
#include "dialects/Nn/Shape.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// Of q, k and v: [batch, heads, positions, head dim].
constexpr int64_t kPositions = 2;

//===-- Hops --------------------------------------------------------------===//

template <class OpTy> static std::vector<Hop> hopsOf(OpTy op, Shares &shares) {
  nn::LayoutAttr keys = nn::layoutOf(op.getK());
  AxisList axes = shares.axesOf(keys, kPositions, 0);
  if (!op.getRing() || axes.empty())
    return {};
  MLIRContext *context = op.getContext();
  nn::Window window;
  window.extent = keys.getDims()[kPositions].getSize();
  auto parts = nn::runsOfDim(keys, kPositions, shares.getMesh());
  int64_t members = parts.size();
  // Parts travel as they are listed, one after another.
  SmallVector<int64_t> offsets, sizes;
  int64_t next = 0;
  for (const nn::RunList &runs : parts) {
    offsets.push_back(next);
    sizes.push_back(0);
    for (nn::Interval run : runs)
      sizes.back() += run.size;
    next += sizes.back();
  }
  Share own{spmd::TableAttr::simplified(context, axes, offsets),
            spmd::TableAttr::simplified(context, axes, sizes)};
  std::vector<Hop> hops;
  hops.push_back({{kPositions, window, axes, own, own, members,
                   /*isExtended=*/false},
                  parts});
  for (const nn::RingHop &hop : nn::ringHops(nn::RingMask::of(op), parts)) {
    SmallVector<int64_t> heldOffsets(offsets), heldSizes(members, 0);
    SmallVector<nn::RunList> held(members);
    for (int64_t member = 0; member < members; ++member)
      if (hop.receives[member]) {
        int64_t from = (member + members - hop.distance) % members;
        heldOffsets[member] = offsets[from];
        heldSizes[member] = sizes[from];
        held[member] = parts[from];
      }
    Share share{spmd::TableAttr::simplified(context, axes, heldOffsets),
                spmd::TableAttr::simplified(context, axes, heldSizes)};
    hops.push_back({{kPositions, window, axes, own, share, members,
                     /*isExtended=*/true},
                    std::move(held)});
  }
  return hops;
}

std::vector<Hop> partitioning::ringHops(nn::AttentionOp op, Shares &shares) {
  return hopsOf(op, shares);
}
std::vector<Hop> partitioning::ringHops(nn::AttentionGradOp op,
                                        Shares &shares) {
  return hopsOf(op, shares);
}

//===-- Keys and values ---------------------------------------------------===//

/// The dim, which may be of several factors, as one.
Value Ring::asOneFactor(Value x, int64_t dim) {
  auto type = cast<RankedTensorType>(x.getType());
  return margins.withFactorsOf(x, withSize(type, dim, type.getDimSize(dim)));
}

/// What the rank has of keys and values.
Ring::Part Ring::ownPart(Value k, Value v) {
  return {asOneFactor(local(k), kPositions), asOneFactor(local(v), kPositions)};
}

/// The next hop's keys and values begin to travel.
void Ring::start(const Part &own, ArrayRef<Hop> hops, size_t next) {
  if (next < hops.size())
    margins.start({own.k, own.v}, hops[next].slid);
}

Ring::Part Ring::receive(const Part &own, const Hop &hop) {
  SmallVector<Margins, 2> moved = {{own.k, kPositions}, {own.v, kPositions}};
  margins.moveMargins(moved, hop.slid, /*attaches=*/true, /*isStarted=*/true);
  return {moved[0].value, moved[1].value};
}

/// What the ranks of this class hold.
const nn::RunList &Ring::heldOf(const Hop &hop) {
  return hop.held[spmd::memberIndex(shares.getMesh(), listOf(hop.slid.axes),
                                    rankClass.coordinates)];
}

/// That in runs of one size each; of nothing none.
SmallVector<Ring::Run> Ring::runsOf(const Part &part, const Hop &hop) {
  MLIRContext *context = builder.getContext();
  const nn::RunList &held = heldOf(hop);
  SmallVector<Run> runs;
  int64_t start = 0;
  for (auto [number, here] : llvm::enumerate(held)) {
    SmallVector<int64_t> positions;
    for (const nn::RunList &list : hop.held)
      positions.push_back(number < list.size() ? list[number].offset : 0);
    auto slice = [&](Value x) -> Value {
      if (held.size() == 1)
        return x;
      return spmd::SliceOp::create(
          builder, loc, withSize(x.getType(), kPositions, here.size), x,
          kPositions, /*factor=*/0, spmd::TableAttr::constant(context, start));
    };
    runs.push_back(
        {{slice(part.k), slice(part.v)},
         spmd::TableAttr::simplified(context, hop.slid.axes, positions),
         here.size});
    start += here.size;
  }
  return runs;
}

/// Of a rank without queries or keys, an attention of 0 keys: it makes nothing,
/// but has the operands that it has on other ranks. So the same forward values
/// are kept for the backward, operations are fused into the same kernels, and
/// what all ranks compute alike has the same bits.
Ring::Run Ring::emptyRun(const Part &own, const Hop &hop) {
  SmallVector<int64_t> positions(hop.held.size(), 0);
  return {own,
          spmd::TableAttr::simplified(builder.getContext(), hop.slid.axes,
                                      positions),
          /*size=*/0};
}

/// The operation on some of the keys.
template <class PartOp, class OpTy>
FailureOr<PartOp> Ring::attend(OpTy op, const Run &run, TypeRange types) {
  // By number: one value may be queries and keys.
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(local(operand));
  operands[1] = run.part.k;
  operands[2] = run.part.v;
  // A bias has the keys of all.
  nn::MaskOperands mask = nn::MaskOperands::of(op);
  for (auto [number, value] : llvm::enumerate(operands))
    if (mask.isByKey(number))
      value = spmd::SliceOp::create(
          builder, loc, withSize(value.getType(), /*dim=*/1, run.size),
          asOneFactor(value, /*dim=*/1), /*dim=*/1, /*factor=*/0, run.position);
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op->getAttrs());
  auto copy = cast<OpTy>(builder.create(state));
  copy.removeRingAttr();
  FailureOr<Operation *> adapted = operations.adapt(*op, *copy);
  if (failed(adapted))
    return failure();
  auto made = cast<PartOp>(*adapted);
  made.setIsTerm(true);
  made.setKeysAttr(spmd::PositionsAttr::get(builder.getContext(), run.position,
                                            made.getKeys().getExtent()));
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

FailureOr<Ring::Term> Ring::termOf(nn::AttentionOp op, const Run &run) {
  RankedTensorType type = localOf(op.getResult());
  RankedTensorType lse = nn::lseType(type);
  auto made = attend<spmd::AttentionOp>(op, run, {type, lse});
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

LogicalResult Ring::addTerms(nn::AttentionOp op, const Part &part,
                             const Hop &hop, std::optional<Term> &sum) {
  for (const Run &run : runsOf(part, hop)) {
    FailureOr<Term> term = termOf(op, run);
    if (failed(term))
      return failure();
    sum = sum ? merged(*sum, *term) : *term;
  }
  return success();
}

LogicalResult Ring::lower(nn::AttentionOp op, ArrayRef<Hop> hops) {
  Part own = ownPart(op.getK(), op.getV()), part = own;
  std::optional<Term> sum;
  for (auto [number, hop] : llvm::enumerate(hops)) {
    if (number > 0)
      part = receive(own, hop);
    start(own, hops, number + 1);
    if (failed(addTerms(op, part, hop, sum)))
      return failure();
  }
  if (!sum) {
    FailureOr<Term> term = termOf(op, emptyRun(own, hops.front()));
    if (failed(term))
      return failure();
    sum = *term;
  }
  RankedTensorType type = localOf(op.getResult());
  mapping.map(op.getResult(), convert(sum->out, type.getElementType()));
  if (op.getLse())
    mapping.map(op.getLse(), withoutUnit(sum->lse, localOf(op.getLse())));
  return success();
}

//===-- Its gradient ------------------------------------------------------===//

/// Parts of dim 2 one after another, in the place of `whole` if there are none.
Value Ring::joined(ArrayRef<Value> parts, Value whole) {
  if (parts.empty())
    return whole;
  if (parts.size() == 1)
    return parts.front();
  return nn::ConcatOp::create(
      builder, loc, cast<RankedTensorType>(whole.getType()), parts, kPositions);
}

/// Terms of q's and of the bias's if there are runs, and those of the part's k
/// and v.
FailureOr<Ring::Gradients> Ring::gradientsOf(nn::AttentionGradOp op,
                                             const Part &part,
                                             ArrayRef<Run> runs) {
  Type element = getElementTypeOrSelf(op.getLse());
  Gradients sum;
  SmallVector<Value> ofKeys, ofValues;
  for (const Run &run : runs) {
    SmallVector<Type> types = {local(op.getQ()).getType(), run.part.k.getType(),
                               run.part.v.getType()};
    if (op.getDbias())
      types.push_back(localOf(op.getDbias()));
    auto made = attend<spmd::AttentionGradOp>(op, run, types);
    if (failed(made))
      return failure();
    sum.q = added(sum.q, convert(made->getDq(), element));
    if (made->getDbias())
      sum.bias = added(sum.bias, convert(made->getDbias(), element));
    ofKeys.push_back(made->getDk());
    ofValues.push_back(made->getDv());
  }
  sum.k = joined(ofKeys, part.k);
  sum.v = joined(ofValues, part.v);
  return sum;
}

/// The sum of terms, of which either may be none.
Value Ring::added(Value a, Value b) {
  return a && b ? binary(nn::BinaryKind::Add, a, b) : a ? a : b;
}

/// To the owner of the part, who adds them to what it has.
void Ring::sendBack(Gradients &sum, const Gradients &made, const Hop &hop) {
  SmallVector<Margins, 2> moved = {{made.k, kPositions}, {made.v, kPositions}};
  margins.moveMargins(moved, hop.slid, /*attaches=*/false);
  Type element = getElementTypeOrSelf(sum.k);
  sum.k = binary(nn::BinaryKind::Add, sum.k, convert(moved[0].value, element));
  sum.v = binary(nn::BinaryKind::Add, sum.v, convert(moved[1].value, element));
}

LogicalResult Ring::lower(nn::AttentionGradOp op, ArrayRef<Hop> hops) {
  Part own = ownPart(op.getK(), op.getV()), part = own;
  Type element = getElementTypeOrSelf(op.getLse());
  Gradients sum;
  bool isIdle =
      llvm::all_of(hops, [&](const Hop &hop) { return heldOf(hop).empty(); });
  for (auto [number, hop] : llvm::enumerate(hops)) {
    start(own, hops, number + 1);
    SmallVector<Run> runs = runsOf(part, hop);
    if (number == 0 && isIdle)
      runs = {emptyRun(own, hop)};
    FailureOr<Gradients> made = gradientsOf(op, part, runs);
    if (failed(made))
      return failure();
    if (number + 1 < hops.size())
      part = receive(own, hops[number + 1]);
    if (number == 0) {
      sum = {made->q, convert(made->k, element), convert(made->v, element),
             made->bias};
      continue;
    }
    sendBack(sum, *made, hop);
    sum.q = added(sum.q, made->q);
    sum.bias = added(sum.bias, made->bias);
  }
  if (op.getDbias())
    mapping.map(op.getDbias(),
                margins.withFactorsOf(
                    convert(sum.bias, getElementTypeOrSelf(op.getDbias())),
                    localOf(op.getDbias())));
  for (auto [result, value] :
       {std::pair(op.getDq(), sum.q), std::pair(op.getDk(), sum.k),
        std::pair(op.getDv(), sum.v)}) {
    RankedTensorType type = localOf(result);
    mapping.map(result, margins.withFactorsOf(
                            convert(value, type.getElementType()), type));
  }
  return success();
}
