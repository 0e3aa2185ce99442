//===- Placer.cpp - gives values their places -----------------------------===//

#include "Placer.h"
#include "Rearranged.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::bufferization;
using namespace hocket::views;

Phase Placer::phaseOf(Value value) const {
  return loadTime.contains(value) ? Phase::Load : Phase::Step;
}

Strided Placer::get(Value value) const {
  auto found = values.find(value);
  assert(found != values.end() && "a value before its operation");
  return found->second;
}

Strided bufferization::rowMajorAt(Value value, Value buffer) {
  Strided at;
  at.buffer = buffer;
  at.sizes = factorSizes(nn::layoutOf(value));
  at.strides = rowMajorStrides(at.sizes);
  return at;
}

/// Dense strides in the order of `like` where there are as many factors, else
/// row-major. What is dense stays as it is: the stride of a factor of size 1
/// says where its margins go.
static Numbers ordered(Value value, ArrayRef<int64_t> like) {
  Numbers sizes = factorSizes(nn::layoutOf(value));
  if (like.size() != sizes.size())
    return rowMajorStrides(sizes);
  Numbers strides = stridesLike(sizes, like);
  for (auto [size, stride, given] : llvm::zip(sizes, strides, like))
    if (size != 1 && stride != given)
      return strides;
  return Numbers(like);
}

Strided Placer::own(Value value, ArrayRef<int64_t> strides) {
  Strided at;
  at.sizes = factorSizes(nn::layoutOf(value));
  at.strides = ordered(value, strides);
  at.buffer = writer.buffer(value, phaseOf(value));
  values[value] = at;
  return at;
}

Strided Placer::place(Value value, ArrayRef<int64_t> strides) {
  if (values.count(value)) // around what has been computed in its middle
    return get(value);
  if (auto found = at(destinations.of(value), value, strides)) {
    values[value] = *found;
    return *found;
  }
  return own(value, strides);
}

/// The part of `held`, which a halo has margins around, without them.
static Strided middleOf(Strided held, Value owned, spmd::TableAttr before,
                        size_t factor) {
  held.sizes = factorSizes(nn::layoutOf(owned));
  held.moveBy(before, held.strides[factor]);
  return held;
}

template <class OpTy> static size_t cutFactor(OpTy op, unsigned number) {
  return firstFactor(nn::layoutOf(op.getXs()[number]), op.getDims()[number]) +
         op.getFactors()[number];
}

std::optional<Strided> Placer::at(const Destination &destination, Value value,
                                  ArrayRef<int64_t> strides) {
  using Kind = Destination::Kind;
  OpOperand *use = destination.use;
  switch (destination.kind) {
  case Kind::Own:
    return std::nullopt;
  case Kind::Part:
    return atPart(destination, value);
  case Kind::Zeros:
    return amongZeros(cast<spmd::PlaceOp>(use->getOwner()), strides);
  case Kind::Middle: {
    auto exchange = cast<spmd::HaloExchangeOp>(use->getOwner());
    unsigned number = use->getOperandNumber();
    Value held = exchange.getResults()[number];
    return middleOf(place(held, strides), value, destination.before,
                    cutFactor(exchange, number));
  }
  case Kind::Within: {
    Strided held = get(destination.stored);
    auto reduce = cast<spmd::HaloReduceOp>(value.getDefiningOp());
    if (held.buffer.getDefiningOp<buffers::StateOp>())
      return std::nullopt;
    return middleOf(held, value, destination.before,
                    cutFactor(reduce, cast<OpResult>(value).getResultNumber()));
  }
  case Kind::Stored: {
    Strided order;
    order.sizes = factorSizes(nn::layoutOf(value));
    order.strides = ordered(value, strides);
    if (!order.isDenseRowMajor() && !isa<spmd::KernelOp>(value.getDefiningOp()))
      return std::nullopt;
    return get(destination.stored);
  }
  }
  return std::nullopt;
}

//===-- Concatenations ----------------------------------------------------===//

Strided Placer::partOf(nn::ConcatOp op, unsigned number) {
  Value result = op.getResult();
  auto layout = nn::layoutOf(result);
  if (!values.count(result))
    place(result, target.order(cast<OpResult>(result), {}));
  Strided part = *reshaped(get(result), layout.getShape());
  size_t dim = op.getDim();
  for (Value before : op.getXs().take_front(number))
    part.offset += nn::layoutOf(before).getShape()[dim] * part.strides[dim];
  part.sizes.assign(nn::layoutOf(op.getXs()[number]).getShape());
  return part;
}

std::optional<Strided> Placer::atPart(const Destination &part, Value value) {
  auto concat = cast<nn::ConcatOp>(part.use->getOwner());
  auto layout = nn::layoutOf(value);
  Strided there = partOf(concat, part.use->getOperandNumber());
  auto found = part.view ? beforeRearrange(part.view, there)
                         : reshaped(there, factorSizes(layout));
  if (!found || !reshaped(*found, layout.getShape()))
    return std::nullopt;
  inConcat.insert(part.use->get());
  return found;
}

//===-- Zeros and copies --------------------------------------------------===//

Strided Placer::amongZeros(spmd::PlaceOp op, ArrayRef<int64_t> like) {
  Value result = op.getResult();
  Strided zeros = own(result, like);
  writer.fill(op.getLoc(), zeros, 0, phaseOf(result));
  return partAt(zeros, op.getX(), op);
}

Strided Placer::copied(Location loc, const Strided &at, Value value) {
  Strided dense;
  dense.sizes = at.sizes;
  dense.strides = rowMajorStrides(at.sizes);
  dense.buffer = writer.buffer(value, phaseOf(value));
  writer.copy(loc, at, dense, phaseOf(value));
  return dense;
}

Strided Placer::copied(OpOperand &operand, const Strided &at) {
  Value value = operand.get();
  Operation *maker = phaseOf(value) == Phase::Load ? value.getDefiningOp()
                                                   : operand.getOwner();
  return copied(maker->getLoc(), at, value);
}

Strided Placer::reshapedOrCopied(Location loc, const Strided &at, Value value,
                                 ArrayRef<int64_t> sizes) {
  if (auto fitted = reshaped(at, sizes))
    return *fitted;
  return *reshaped(copied(loc, at, value), sizes);
}
