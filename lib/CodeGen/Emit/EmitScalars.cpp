//===- EmitScalars.cpp - scalar functions as arith and math operations ----===//
//
// Element-wise floating point carries `contract` only: products and sums may
// fuse, nothing else changes, so -inf masks and NaN behave. Sums over a row
// may be reordered (`reassoc`), or they would not vectorize.
//
//===----------------------------------------------------------------------===//

#include "ValueEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket::codegen {

static constexpr auto fused = arith::FastMathFlags::contract;
static constexpr auto reordered = arith::FastMathFlags::contract |
                                  arith::FastMathFlags::reassoc |
                                  arith::FastMathFlags::nsz;

static bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F64;
}

Value ValueEmitter::constant(double value, DType type) {
  Type to = typeOf(type);
  if (isFloat(type))
    return arith::ConstantOp::create(builder, loc, to,
                                     builder.getFloatAttr(to, value));
  return arith::ConstantOp::create(builder, loc, to,
                                   builder.getIntegerAttr(to, int64_t(value)));
}

Value ValueEmitter::arithmetic(ScalarOp function, Value a, Value b) {
  bool isReal = isa<FloatType>(a.getType());
#define HOCKET_ARITH(CASE, REAL, INTEGER)                                      \
  case ScalarOp::CASE:                                                         \
    return isReal ? Value(arith::REAL::create(builder, loc, a, b, fused))      \
                  : Value(arith::INTEGER::create(builder, loc, a, b));
  switch (function) {
    HOCKET_ARITH(Add, AddFOp, AddIOp)
    HOCKET_ARITH(Sub, SubFOp, SubIOp)
    HOCKET_ARITH(Mul, MulFOp, MulIOp)
    HOCKET_ARITH(Max, MaximumFOp, MaxSIOp)
    HOCKET_ARITH(Min, MinimumFOp, MinSIOp)
  case ScalarOp::And:
    return arith::AndIOp::create(builder, loc, a, b);
  case ScalarOp::Or:
    return arith::OrIOp::create(builder, loc, a, b);
  default:
    break;
  }
#undef HOCKET_ARITH
  if (function == ScalarOp::Pow)
    return isReal ? Value(math::PowFOp::create(builder, loc, a, b))
                  : integerPower(a, b);
  return isReal ? Value(arith::DivFOp::create(builder, loc, a, b, fused))
                : integerDivision(a, b);
}

Value ValueEmitter::integer(int64_t value, Type type) {
  return arith::ConstantOp::create(builder, loc, type,
                                   builder.getIntegerAttr(type, value));
}

/// A divisor of 0, or of -1 under the smallest number, would stop the process:
/// the first gives 0, the second wraps around.
Value ValueEmitter::integerDivision(Value a, Value b) {
  Type type = a.getType();
  Value zero = integer(0, type), one = integer(1, type);
  Value isZero = comparison(ScalarOp::Eq, b, zero);
  Value isMinus = comparison(ScalarOp::Eq, b, integer(-1, type));
  Value special = arith::OrIOp::create(builder, loc, isZero, isMinus);
  Value safe = arith::SelectOp::create(builder, loc, special, one, b);
  Value ratio = arith::DivSIOp::create(builder, loc, a, safe);
  Value minus = arith::SubIOp::create(builder, loc, zero, a);
  ratio = arith::SelectOp::create(builder, loc, isMinus, minus, ratio);
  return arith::SelectOp::create(builder, loc, isZero, zero, ratio);
}

/// By squaring, wrapping around. Under a negative exponent only 1 and -1 do not
/// give 0, and they are their own inverse.
Value ValueEmitter::integerPower(Value a, Value b) {
  Type type = a.getType();
  Value zero = integer(0, type), one = integer(1, type);
  Value isNegative = comparison(ScalarOp::Lt, b, zero);
  Value size = math::AbsIOp::create(builder, loc, a);
  Value isUnit = comparison(ScalarOp::Eq, size, one);
  Value left = math::AbsIOp::create(builder, loc, b);
  Value bits = index(type.getIntOrFloatBitWidth());
  auto loop = scf::ForOp::create(builder, loc, index(0), bits, index(1),
                                 ValueRange{one, a, left});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value result = loop.getRegionIterArg(0), square = loop.getRegionIterArg(1),
          rest = loop.getRegionIterArg(2);
    Value bit = arith::AndIOp::create(builder, loc, rest, one);
    Value more = arith::MulIOp::create(builder, loc, result, square);
    Value isSet = comparison(ScalarOp::Ne, bit, zero);
    result = arith::SelectOp::create(builder, loc, isSet, more, result);
    square = arith::MulIOp::create(builder, loc, square, square);
    rest = arith::ShRUIOp::create(builder, loc, rest, one);
    scf::YieldOp::create(builder, loc, ValueRange{result, square, rest});
  }
  Value inverse =
      arith::SelectOp::create(builder, loc, isUnit, loop.getResult(0), zero);
  return arith::SelectOp::create(builder, loc, isNegative, inverse,
                                 loop.getResult(0));
}

Value ValueEmitter::comparison(ScalarOp function, Value a, Value b) {
  unsigned kind = unsigned(function) - unsigned(ScalarOp::Eq);
  if (isa<FloatType>(a.getType())) {
    using P = arith::CmpFPredicate;
    const P order[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
    return arith::CmpFOp::create(builder, loc, order[kind], a, b);
  }
  using P = arith::CmpIPredicate;
  const P whole[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  const P boolean[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  bool isBool = a.getType().isInteger(1);
  return arith::CmpIOp::create(builder, loc, (isBool ? boolean : whole)[kind],
                               a, b);
}

Value ValueEmitter::function(ScalarOp function, Value x) {
  Type type = x.getType();
  bool isReal = isa<FloatType>(type);
  switch (function) {
  case ScalarOp::Neg:
    if (isReal)
      return arith::NegFOp::create(builder, loc, x);
    return arith::SubIOp::create(
        builder, loc,
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)), x);
  case ScalarOp::Abs:
    return isReal ? Value(math::AbsFOp::create(builder, loc, x))
                  : Value(math::AbsIOp::create(builder, loc, x));
  case ScalarOp::Not:
    return arith::XOrIOp::create(
        builder, loc, x,
        arith::ConstantOp::create(builder, loc,
                                  builder.getIntegerAttr(type, -1)));
  case ScalarOp::RoundF16:
  case ScalarOp::RoundBF16: {
    Type narrow =
        narrowTypeOf(function == ScalarOp::RoundF16 ? DType::F16 : DType::BF16);
    Value rounded = arith::TruncFOp::create(builder, loc, narrow, x);
    return arith::ExtFOp::create(builder, loc, type, rounded);
  }
#define HOCKET_MATH(CASE, OP)                                                  \
  case ScalarOp::CASE:                                                         \
    return math::OP::create(builder, loc, x);
    HOCKET_MATH(Exp, ExpOp)
    HOCKET_MATH(Log, LogOp)
    HOCKET_MATH(Sqrt, SqrtOp)
    HOCKET_MATH(Rsqrt, RsqrtOp)
    HOCKET_MATH(Erf, ErfOp)
    HOCKET_MATH(Erfc, ErfcOp)
    HOCKET_MATH(Tanh, TanhOp)
    HOCKET_MATH(Sin, SinOp)
    HOCKET_MATH(Cos, CosOp)
#undef HOCKET_MATH
  default:
    llvm_unreachable("not a function of one operand");
  }
}

Value ValueEmitter::cast(Value x, DType to) {
  Type from = x.getType(), type = typeOf(to);
  if (from == type)
    return x;
  bool fromReal = isa<FloatType>(from), toReal = isFloat(to);
  if (to == DType::Bool) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(from));
    return comparison(ScalarOp::Ne, x, zero);
  }
  if (fromReal && toReal)
    return to == DType::F64
               ? Value(arith::ExtFOp::create(builder, loc, type, x))
               : Value(arith::TruncFOp::create(builder, loc, type, x));
  if (fromReal)
    return arith::FPToSIOp::create(builder, loc, type, x);
  if (from.isInteger(1))
    return toReal ? Value(arith::UIToFPOp::create(builder, loc, type, x))
                  : Value(arith::ExtUIOp::create(builder, loc, type, x));
  if (toReal)
    return arith::SIToFPOp::create(builder, loc, type, x);
  return to == DType::I64
             ? Value(arith::ExtSIOp::create(builder, loc, type, x))
             : Value(arith::TruncIOp::create(builder, loc, type, x));
}

Value ValueEmitter::scalar(const Node &node, ArrayRef<Value> operands) {
  switch (node.function) {
  case ScalarOp::Select:
    return arith::SelectOp::create(builder, loc, operands[0], operands[1],
                                   operands[2]);
  case ScalarOp::Cast:
    return cast(operands[0], node.type);
  case ScalarOp::Eq:
  case ScalarOp::Ne:
  case ScalarOp::Lt:
  case ScalarOp::Le:
  case ScalarOp::Gt:
  case ScalarOp::Ge:
    return comparison(node.function, operands[0], operands[1]);
  default:
    return operandCount(node.function) == 2
               ? arithmetic(node.function, operands[0], operands[1])
               : function(node.function, operands[0]);
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value ValueEmitter::combine(const Node &reduce, Value a, Value b) {
  if (reduce.function == ScalarOp::Add && isFloat(reduce.type))
    return arith::AddFOp::create(builder, loc, a, b, reordered);
  return arithmetic(reduce.function, a, b);
}

Value ValueEmitter::identity(const Node &reduce) {
  if (reduce.function == ScalarOp::Add)
    return constant(0, reduce.type);
  bool isMin = reduce.function == ScalarOp::Min;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isFloat(reduce.type))
    return constant(isMin ? infinity : -infinity, reduce.type);
  unsigned width = reduce.type == DType::I32 ? 32 : 64;
  Type type = typeOf(reduce.type);
  return arith::ConstantOp::create(
      builder, loc, type,
      builder.getIntegerAttr(type,
                             isMin ? llvm::APInt::getSignedMaxValue(width)
                                   : llvm::APInt::getSignedMinValue(width)));
}

} // namespace hocket::codegen
