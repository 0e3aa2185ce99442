//===- FunctionsOrder.cpp - sums and largest elements along a dim ---------===//
//
// softplus, cumsum, argmax and topk, of other operations: so each has their
// placements, derivatives and kernels.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Kinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include <cmath>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// Of rounds that topk takes, one for each of the largest.
static constexpr int64_t kMaxTaken = 64;

/// log(1 + exp(beta x)) / beta, as max(b x, 0) + log(1 + exp(-|b x|)).
Elaborator::MaybeDatum
Elaborator::softplusFunction(const CallArguments &arguments,
                             const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  const Expr *given = arguments.get("beta");
  auto beta = given ? evaluateFloat(*given, scope) : std::optional(1.0);
  if (!x || !beta)
    return std::nullopt;
  callRange = range;
  auto number = [&](double value) {
    return callNumber(value, nn::tensorType(x).getElementType());
  };
  auto unary = [&](nn::UnaryKind kind, mlir::Value of) {
    return of ? emit<nn::UnaryOp>(range, of, kindOf(context, kind)) : of;
  };
  if (*beta != 1)
    x = callBinary(nn::BinaryKind::Mul, x, number(*beta));
  mlir::Value size = unary(nn::UnaryKind::Abs, x);
  mlir::Value small =
      unary(nn::UnaryKind::Exp, unary(nn::UnaryKind::Neg, size));
  if (!small)
    return std::nullopt;
  mlir::Value rest = unary(nn::UnaryKind::Log,
                           callBinary(nn::BinaryKind::Add, small, number(1)));
  mlir::Value sum =
      callBinary(nn::BinaryKind::Add,
                 callBinary(nn::BinaryKind::Maximum, x, number(0)), rest);
  if (*beta != 1)
    sum = callBinary(nn::BinaryKind::Mul, sum, number(1 / *beta));
  return wrap(sum);
}

/// Each round adds to an element what lies twice as far before it.
Elaborator::MaybeDatum
Elaborator::cumsumFunction(const CallArguments &arguments, const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto dim = x ? selectDim(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!dim)
    return std::nullopt;
  x = joinFactors(x, {*dim}, range);
  size_t rank = nn::layoutOf(x).getDims().size();
  int64_t extent = nn::layoutOf(x).getDims()[*dim].getSize();
  llvm::SmallVector<int64_t> lows(rank, 0), highs(rank, 0);
  llvm::SmallVector<nn::Border> borders(rank, nn::Border::Zero);
  callRange = range;
  for (int64_t reach = 1; reach < extent && x; reach *= 2) {
    lows[*dim] = reach;
    mlir::Value before = emitSlice(x, *dim, 0, extent - reach, range);
    if (!before)
      return std::nullopt;
    mlir::Value moved = emit<nn::PadOp>(
        range, before,
        {named("lows", builder.getDenseI64ArrayAttr(lows)),
         named("highs", builder.getDenseI64ArrayAttr(highs)),
         named("borders", nn::BordersAttr::get(context, borders))});
    moved =
        moved ? emitRenamed(moved, nn::layoutOf(x).getDims(), range) : moved;
    x = moved ? callBinary(nn::BinaryKind::Add, x, moved) : moved;
  }
  return wrap(x);
}

//===-- The largest elements ----------------------------------------------===//

/// 0, 1, ... along `dim`, split as x is.
mlir::Value Elaborator::placesAlong(mlir::Value x, int64_t dim,
                                    SourceRange range) {
  auto type = nn::tensorOf(builder.getI32Type(), nn::layoutOf(x));
  return emitAs<nn::IotaOp>(range, type, x,
                            named("dim", builder.getI64IntegerAttr(dim)));
}

/// The least of the places at which x is as large as anywhere; of one where
/// nothing is (a NaN), the last.
mlir::Value Elaborator::firstLargest(mlir::Value x, mlir::Value free,
                                     mlir::Value places, int64_t dim) {
  auto extreme = [&](nn::ReduceKind kind, mlir::Value of) {
    return emit<nn::ReduceOp>(
        callRange, of,
        {kindOf(context, kind),
         named("dims", builder.getDenseI64ArrayAttr({dim})),
         named("keepdim", builder.getBoolAttr(true))});
  };
  int64_t last = nn::layoutOf(x).getDims()[dim].getSize() - 1;
  mlir::Value most = extreme(nn::ReduceKind::Max, x);
  mlir::Value isMost =
      most ? callBinary(nn::BinaryKind::Eq, x, most) : mlir::Value();
  if (isMost && free)
    isMost = callBinary(nn::BinaryKind::And, isMost, free);
  if (!isMost)
    return isMost;
  mlir::Value found = emit<nn::WhereOp>(
      callRange, {isMost, places, callNumber(last, builder.getI32Type())});
  return found ? extreme(nn::ReduceKind::Min, found) : found;
}

/// As PyTorch has them.
mlir::Value Elaborator::asIndices(mlir::Value place) {
  auto type = nn::tensorOf(builder.getI64Type(), nn::layoutOf(place));
  return emitAs<nn::CastOp>(callRange, type, place);
}

Elaborator::MaybeDatum
Elaborator::argmaxFunction(const CallArguments &arguments, const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto dim = x ? selectDim(*arguments.get("axis"), x, scope) : std::nullopt;
  const Expr *given = arguments.get("keepdim");
  auto keep = given ? evaluateBool(*given, scope) : std::optional(false);
  if (!dim || !keep)
    return std::nullopt;
  callRange = arguments.call->range;
  mlir::Value places = placesAlong(x, *dim, callRange);
  mlir::Value place = firstLargest(x, {}, places, *dim);
  if (place && !*keep)
    place = emit<nn::SliceOp>(callRange, place,
                              {named("dim", builder.getI64IntegerAttr(*dim)),
                               named("start", builder.getI64IntegerAttr(0)),
                               named("size", builder.getI64IntegerAttr(1)),
                               named("drop", builder.getBoolAttr(true))});
  return wrap(place ? asIndices(place) : place);
}

/// One round for each of the k largest: its place, its value, and what is left.
Elaborator::MaybeDatum Elaborator::topkFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto k = evaluateInt(*arguments.get("k"), scope);
  auto dim = x ? selectDim(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!k || !dim)
    return std::nullopt;
  callRange = arguments.call->range;
  auto type = nn::tensorType(x);
  int64_t extent = type.getShape()[*dim];
  if (*k < 1 || *k > std::min(extent, kMaxTaken) ||
      !mlir::isa<mlir::FloatType>(type.getElementType())) {
    error(callRange, "'topk' takes 1 to " +
                         std::to_string(std::min(extent, kMaxTaken)) +
                         " of floats along this dim, found " +
                         std::to_string(*k) + " of " + nn::describe(type));
    return std::nullopt;
  }
  mlir::Value places = placesAlong(x, *dim, callRange), free, left = x;
  mlir::Value nothing = callNumber(-INFINITY, type.getElementType());
  mlir::Value zero = callNumber(0, type.getElementType());
  llvm::SmallVector<mlir::Value> values, indices;
  for (int64_t i = 0; i < *k; ++i) {
    mlir::Value place = firstLargest(left, free, places, *dim);
    if (!place)
      return std::nullopt;
    mlir::Value other = callBinary(nn::BinaryKind::Ne, places, place);
    // A sum of one element: its gradient goes to that element alone.
    mlir::Value one = emit<nn::WhereOp>(callRange, {other, zero, x});
    values.push_back(
        emit<nn::ReduceOp>(callRange, one,
                           {kindOf(context, nn::ReduceKind::Sum),
                            named("dims", builder.getDenseI64ArrayAttr({*dim})),
                            named("keepdim", builder.getBoolAttr(true))}));
    indices.push_back(asIndices(place));
    free = free ? callBinary(nn::BinaryKind::And, free, other) : other;
    left = emit<nn::WhereOp>(callRange, {other, left, nothing});
  }
  auto join = [&](llvm::ArrayRef<mlir::Value> parts) {
    return emit<nn::ConcatOp>(callRange, parts,
                              named("dim", builder.getI64IntegerAttr(*dim)));
  };
  return Datum(std::make_shared<Tuple>(
      Tuple{Datum(join(values)), Datum(join(indices))}));
}
