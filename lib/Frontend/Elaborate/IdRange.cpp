//===- IdRange.cpp - ids that are known when compiling --------------------===//

#include "IdRange.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::frontend;

static std::optional<IdRange> rangeOf(nn::FillOp fill) {
  double value = fill.getValue().convertToDouble();
  if (!(std::abs(value) < double(int64_t(1) << 40)))
    return std::nullopt;
  return IdRange{int64_t(value), int64_t(value)};
}

static std::optional<IdRange> rangeOf(nn::IotaOp iota) {
  int64_t size = nn::layoutOf(iota.getResult()).getShape()[iota.getDim()];
  return size > 0 ? std::optional(IdRange{0, size - 1}) : std::nullopt;
}

/// Every pair of elements meets where one side is one number.
static std::optional<IdRange> rangeOf(nn::BinaryOp op) {
  auto a = knownIds(op.getA()), b = knownIds(op.getB());
  bool isKnown =
      a && b && (a->least == a->most || b->least == b->most) &&
      std::max({a->most, b->most, -a->least, -b->least}) < (int64_t(1) << 31);
  if (!isKnown)
    return std::nullopt;
  switch (op.getKind()) {
  case nn::BinaryKind::Add:
    return IdRange{a->least + b->least, a->most + b->most};
  case nn::BinaryKind::Sub:
    return IdRange{a->least - b->most, a->most - b->least};
  case nn::BinaryKind::Maximum:
    return IdRange{std::max(a->least, b->least), std::max(a->most, b->most)};
  case nn::BinaryKind::Minimum:
    return IdRange{std::min(a->least, b->least), std::min(a->most, b->most)};
  case nn::BinaryKind::Mul: {
    auto ends = std::minmax({a->least * b->least, a->least * b->most,
                             a->most * b->least, a->most * b->most});
    return IdRange{ends.first, ends.second};
  }
  case nn::BinaryKind::Div:
  case nn::BinaryKind::Pow:
  case nn::BinaryKind::And:
  case nn::BinaryKind::Or:
  case nn::BinaryKind::Eq:
  case nn::BinaryKind::Ne:
  case nn::BinaryKind::Lt:
  case nn::BinaryKind::Le:
  case nn::BinaryKind::Gt:
  case nn::BinaryKind::Ge:
    return std::nullopt;
  }
  llvm_unreachable("an enumerator");
}

/// A slice of iota along its dim begins later and ends earlier.
static std::optional<IdRange> rangeOf(nn::SliceOp slice) {
  Value x = slice.getX();
  while (auto value = x.getDefiningOp<nn::ValueOp>())
    x = value.getX();
  auto whole = knownIds(x);
  auto iota = x.getDefiningOp<nn::IotaOp>();
  bool isAlong = iota && iota.getDim() == slice.getDim();
  if (isAlong && slice.getSize() > 0)
    return IdRange{int64_t(slice.getStart()),
                   int64_t(slice.getStart() + slice.getSize() - 1)};
  bool isWhole = iota || (whole && whole->least == whole->most);
  return isWhole && slice.getSize() > 0 ? whole : std::nullopt;
}

std::optional<IdRange> frontend::knownIds(Value ids) {
  Operation *op = ids.getDefiningOp();
  auto shape = nn::layoutOf(ids).getShape();
  if (!op || llvm::is_contained(shape, 0))
    return std::nullopt;
  if (auto fill = dyn_cast<nn::FillOp>(op))
    return rangeOf(fill);
  if (auto iota = dyn_cast<nn::IotaOp>(op))
    return rangeOf(iota);
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    return rangeOf(binary);
  if (auto slice = dyn_cast<nn::SliceOp>(op))
    return rangeOf(slice);
  if (isa<nn::ValueOp, nn::RearrangeOp, nn::BroadcastOp>(op))
    return knownIds(op->getOperand(0));
  return std::nullopt;
}
