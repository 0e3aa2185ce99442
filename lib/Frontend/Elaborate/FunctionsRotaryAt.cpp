//===- FunctionsRotaryAt.cpp - rotary at positions that are given ---------===//
//
// Made of what there is: pair i is turned by positions * frequencies[i], angles
// that are computed in float64, so that far positions keep their digits.
//
//===----------------------------------------------------------------------===//

#include "FactorOrder.h"
#include "Functions.h"
#include "Kinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// Ints of the dims of x up to the first, and of `dim` last, with the dims
/// between as 1 and one of 1 at the end; null after an error.
mlir::Value Elaborator::positionsOf(const Expr &written, mlir::Value x,
                                    int64_t dim, const Scope &scope) {
  mlir::Value given = evaluateTensor(written, scope);
  if (!given)
    return given;
  llvm::SmallVector<nn::DimAttr> own(nn::layoutOf(given).getDims());
  auto shape = nn::layoutOf(x).getShape();
  int64_t before = int64_t(own.size()) - 1;
  bool fits = mlir::getElementTypeOrSelf(given).isInteger() &&
              !mlir::getElementTypeOrSelf(given).isInteger(1) && before >= 0 &&
              before <= dim && own.back().getSize() == shape[dim];
  for (int64_t i = 0; fits && i < before; ++i)
    fits = own[i].getSize() == shape[i] || own[i].getSize() == 1;
  if (!fits) {
    error(written.range,
          "'positions' of rotary are ints of the dim that it turns along, or "
          "of the first dims of x and that one, but they are " +
              nn::describe(given.getType()) + " of x " +
              nn::describe(x.getType()));
    return {};
  }
  auto numbers = factorOrder(own);
  nn::DimAttr one = nn::dimOf(context, "", 1);
  llvm::SmallVector<nn::DimAttr> dims(shape.size(), one);
  llvm::SmallVector<llvm::SmallVector<int64_t>> order(shape.size());
  for (int64_t i = 0; i <= before; ++i) {
    int64_t to = i == before ? dim : i;
    dims[to] = own[i];
    order[to] = numbers[i];
  }
  return emitRearrange(given, own, order, dims, written.range);
}

/// Turns the pairs of one x. A value is null after an error, and so is what is
/// made of it.
class Elaborator::PairTurner {
public:
  PairTurner(Elaborator &elaborator, mlir::Value x, nn::RotaryStyle style);
  mlir::Value angles(mlir::Value positions, llvm::ArrayRef<double> frequencies);
  /// The cosines or sines of angles, times `factor`, as x's elements are.
  mlir::Value part(nn::UnaryKind kind, mlir::Value angles, double factor);
  mlir::Value turn(mlir::Value cosines, mlir::Value sines);

private:
  using Kind = nn::BinaryKind;
  mlir::Value both(Kind kind, mlir::Value a, mlir::Value b) {
    return a && b ? elaborator.callBinary(kind, a, b) : mlir::Value();
  }
  mlir::Value times(mlir::Value a, mlir::Value b) {
    return both(Kind::Mul, a, b);
  }
  mlir::Value cast(mlir::Value from, mlir::Type to) {
    auto type = nn::tensorOf(to, nn::layoutOf(from));
    return elaborator.emitAs<nn::CastOp>(range, type, from);
  }
  mlir::Value together(mlir::Value first, mlir::Value second);

  Elaborator &elaborator;
  SourceRange range;
  mlir::Value x;
  llvm::SmallVector<nn::DimAttr> dims, apart; // x's; with each pair as a dim
  int64_t place;                              // of the two in `apart`
};

Elaborator::PairTurner::PairTurner(Elaborator &elaborator, mlir::Value x,
                                   nn::RotaryStyle style)
    : elaborator(elaborator), range(elaborator.callRange), x(x),
      dims(nn::layoutOf(x).getDims()), apart(dims.begin(), dims.end() - 1) {
  bool isHalf = style == nn::RotaryStyle::Half;
  nn::DimAttr two = nn::dimOf(elaborator.context, "", 2);
  nn::DimAttr pairs =
      nn::dimOf(elaborator.context, "", dims.back().getSize() / 2);
  place = isHalf ? apart.size() : apart.size() + 1;
  apart.push_back(isHalf ? two : pairs);
  apart.push_back(isHalf ? pairs : two);
}

/// In float64; the two of a pair are a dim of 1.
mlir::Value Elaborator::PairTurner::angles(mlir::Value positions,
                                           llvm::ArrayRef<double> frequencies) {
  mlir::Type wide = elaborator.builder.getF64Type();
  mlir::Value all = times(cast(positions, wide),
                          elaborator.floatsOf(frequencies, wide, range));
  if (!all)
    return all;
  llvm::SmallVector<nn::DimAttr> own(nn::layoutOf(all).getDims()), wider = own;
  auto order = factorOrder(own);
  wider.insert(wider.begin() + place, nn::dimOf(elaborator.context, "", 1));
  order.insert(order.begin() + place, llvm::SmallVector<int64_t>());
  return elaborator.emitRearrange(all, own, order, wider, range);
}

mlir::Value Elaborator::PairTurner::part(nn::UnaryKind kind, mlir::Value angles,
                                         double factor) {
  if (!angles)
    return angles;
  mlir::Value of = elaborator.emit<nn::UnaryOp>(
      range, angles, kindOf(elaborator.context, kind));
  if (factor != 1)
    of = times(
        of, elaborator.callNumber(factor, mlir::getElementTypeOrSelf(angles)));
  return of ? cast(of, mlir::getElementTypeOrSelf(x)) : of;
}

mlir::Value Elaborator::PairTurner::turn(mlir::Value cosines,
                                         mlir::Value sines) {
  llvm::SmallVector<nn::DimAttr> source = dims;
  llvm::SmallVector<nn::FactorAttr> factors(apart.end()[-2].getFactors());
  llvm::append_range(factors, apart.back().getFactors());
  source.back() = nn::DimAttr::get(elaborator.context, factors);
  mlir::Value split =
      elaborator.emitRearrange(x, source, factorOrder(apart), apart, range);
  if (!split)
    return split;
  mlir::Value a = elaborator.emitSlice(split, place, 0, 1, range);
  mlir::Value b = elaborator.emitSlice(split, place, 1, 1, range);
  return together(both(Kind::Sub, times(a, cosines), times(b, sines)),
                  both(Kind::Add, times(b, cosines), times(a, sines)));
}

/// Both under the names of x's dims.
mlir::Value Elaborator::PairTurner::together(mlir::Value first,
                                             mlir::Value second) {
  if (!first || !second)
    return {};
  mlir::Value all = elaborator.emit<nn::ConcatOp>(
      range, {first, second},
      elaborator.named("dim", elaborator.builder.getI64IntegerAttr(place)));
  if (!all)
    return all;
  llvm::SmallVector<nn::DimAttr> source(nn::layoutOf(all).getDims());
  auto order = factorOrder(source);
  llvm::SmallVector<int64_t> last = order.pop_back_val();
  llvm::append_range(order.back(), last);
  return elaborator.emitRearrange(all, source, order, dims, range);
}

mlir::Value Elaborator::rotaryAt(mlir::Value x, mlir::Value positions,
                                 llvm::ArrayRef<double> frequencies,
                                 double factor, nn::RotaryStyle style) {
  PairTurner turner(*this, x, style);
  mlir::Value angles = turner.angles(positions, frequencies);
  return turner.turn(turner.part(nn::UnaryKind::Cos, angles, factor),
                     turner.part(nn::UnaryKind::Sin, angles, factor));
}
