//===- FunctionsLoss.cpp - cross_entropy, mean_squared_error --------------===//
//
// Losses are written in nn operations, so that placement, derivative and
// reference need to know nothing of them. Means divide by what was counted:
// they are right where ranks hold different numbers of valid tokens.
//
//===----------------------------------------------------------------------===//

#include "FactorOrder.h"
#include "Functions.h"
#include "Kinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static mlir::Type elementOf(mlir::Value x) {
  return mlir::cast<mlir::RankedTensorType>(x.getType()).getElementType();
}

mlir::Value Elaborator::callBinary(nn::BinaryKind kind, mlir::Value a,
                                   mlir::Value b) {
  return emit<nn::BinaryOp>(callRange, {a, b}, kindOf(context, kind));
}

mlir::Value Elaborator::callNumber(double value, mlir::Type element) {
  return asTensor(Datum(value), element, callRange);
}

mlir::Value Elaborator::lossReduce(nn::ReduceKind kind, mlir::Value x,
                                   llvm::ArrayRef<int64_t> dims) {
  return emit<nn::ReduceOp>(callRange, x,
                            {kindOf(context, kind),
                             named("dims", builder.getDenseI64ArrayAttr(dims)),
                             named("keepdim", builder.getBoolAttr(false))});
}

/// Losses are computed in F32 where the model is in less.
mlir::Value Elaborator::widened(mlir::Value x) {
  mlir::Type element = elementOf(x);
  if (!element.isF16() && !element.isBF16())
    return x;
  auto type = nn::tensorOf(builder.getF32Type(), nn::layoutOf(x));
  return emitAs<nn::CastOp>(callRange, type, x);
}

bool Elaborator::checkTargets(mlir::Value logits, mlir::Value targets,
                              const CallArguments &arguments) {
  auto given = mlir::cast<mlir::RankedTensorType>(logits.getType());
  auto ids = mlir::cast<mlir::RankedTensorType>(targets.getType());
  if (given.getRank() < 1 ||
      !mlir::isa<mlir::FloatType>(given.getElementType())) {
    error(arguments.get("logits")->range,
          "'cross_entropy' takes logits of floats with the classes as their "
          "last dim, found " +
              nn::describe(given));
    return false;
  }
  bool isInteger =
      ids.getElementType().isInteger() && !ids.getElementType().isInteger(1);
  if (isInteger && ids.getShape() == given.getShape().drop_back())
    return true;
  error(arguments.get("targets")->range,
        "'cross_entropy' takes one integer target for each row of logits, "
        "found targets " +
            nn::describe(ids) + " for logits " + nn::describe(given));
  return false;
}

/// logits[..., targets[...]], 0 where a target is no class. Written as a sum,
/// so that each rank of a split of the classes adds what it has.
mlir::Value Elaborator::pickTargets(mlir::Value logits, mlir::Value targets) {
  auto dims = nn::layoutOf(targets).getDims();
  llvm::SmallVector<nn::DimAttr> result(dims);
  result.push_back(nn::dimOf(context, "", 1));
  auto order = factorOrder(dims);
  order.emplace_back();
  mlir::Value column = emitRearrange(targets, dims, order, result, callRange);
  int64_t last = dims.size();
  auto type = nn::tensorOf(elementOf(targets), nn::layoutOf(logits));
  mlir::Value classes = emitAs<nn::IotaOp>(
      callRange, type, logits, named("dim", builder.getI64IntegerAttr(last)));
  mlir::Value zero = callNumber(0, elementOf(logits));
  mlir::Value isTarget = callBinary(nn::BinaryKind::Eq, classes, column);
  mlir::Value kept = emit<nn::WhereOp>(callRange, {isTarget, logits, zero});
  return lossReduce(nn::ReduceKind::Sum, kept, {last});
}

/// The mean of `losses` where `valid`; 0 where nothing is.
mlir::Value Elaborator::meanOfValid(mlir::Value losses, mlir::Value valid) {
  llvm::SmallVector<int64_t> all;
  for (size_t i = 0; i < nn::layoutOf(losses).getDims().size(); ++i)
    all.push_back(i);
  mlir::Type element = elementOf(losses);
  mlir::Value zero = callNumber(0, element), one = callNumber(1, element);
  mlir::Value kept = emit<nn::WhereOp>(callRange, {valid, losses, zero});
  mlir::Value counted = emit<nn::WhereOp>(callRange, {valid, one, zero});
  mlir::Value total = lossReduce(nn::ReduceKind::Sum, kept, all);
  mlir::Value count = lossReduce(nn::ReduceKind::Sum, counted, all);
  return callBinary(nn::BinaryKind::Div, total,
                    callBinary(nn::BinaryKind::Maximum, count, one));
}

Elaborator::MaybeDatum
Elaborator::crossEntropyFunction(const CallArguments &arguments,
                                 const Scope &scope) {
  mlir::Value logits = evaluateTensor(*arguments.get("logits"), scope);
  mlir::Value targets =
      logits ? evaluateTensor(*arguments.get("targets"), scope) : logits;
  if (!targets || !checkTargets(logits, targets, arguments))
    return std::nullopt;
  std::optional<int64_t> ignored = -100;
  if (const Expr *given = arguments.get("ignore"))
    ignored = evaluateInt(*given, scope);
  std::optional<double> smoothing = 0.0;
  if (const Expr *given = arguments.get("smoothing")) {
    smoothing = evaluateFloat(*given, scope);
    if (smoothing && (*smoothing < 0 || *smoothing >= 1)) {
      error(given->range, "a smoothing is at least 0 and less than 1, found " +
                              textOf(given->range));
      return std::nullopt;
    }
  }
  if (!ignored || !smoothing)
    return std::nullopt;
  callRange = arguments.call->range;
  logits = widened(logits);
  mlir::Type element = elementOf(logits);
  int64_t last = nn::layoutOf(logits).getDims().size() - 1;
  // -log p of the target is lse - logits[target]; smoothing takes a part of
  // the target's weight and spreads it over all classes.
  mlir::Value lse = emit<nn::LogSumExpOp>(
      callRange, logits, named("dim", builder.getI64IntegerAttr(last)));
  mlir::Value expected = pickTargets(logits, targets);
  if (*smoothing > 0) {
    mlir::Value part = callNumber(*smoothing, element);
    mlir::Value mean = lossReduce(nn::ReduceKind::Mean, logits, {last});
    mlir::Value spread = callBinary(nn::BinaryKind::Mul, mean, part);
    mlir::Value own = callBinary(nn::BinaryKind::Mul, expected,
                                 callNumber(1 - *smoothing, element));
    expected = callBinary(nn::BinaryKind::Add, own, spread);
  }
  mlir::Value losses = callBinary(nn::BinaryKind::Sub, lse, expected);
  mlir::Value valid =
      callBinary(nn::BinaryKind::Ne, targets,
                 callNumber(double(*ignored), elementOf(targets)));
  return Datum(meanOfValid(losses, valid));
}

Elaborator::MaybeDatum
Elaborator::squaredErrorFunction(const CallArguments &arguments,
                                 const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  mlir::Value y = x ? evaluateTensor(*arguments.get("y"), scope) : x;
  if (!y)
    return std::nullopt;
  auto a = mlir::cast<mlir::RankedTensorType>(x.getType());
  auto b = mlir::cast<mlir::RankedTensorType>(y.getType());
  if (a.getShape() != b.getShape() || elementOf(x) != elementOf(y) ||
      !mlir::isa<mlir::FloatType>(elementOf(x))) {
    error(arguments.call->range,
          "'" + dynAs<NameExpr>(arguments.call->callee)->name +
              "' takes two tensors of floats of one shape, found " +
              nn::describe(a) + " and " + nn::describe(b));
    return std::nullopt;
  }
  callRange = arguments.call->range;
  y = widened(y);
  x = widened(x);
  mlir::Value difference = callBinary(nn::BinaryKind::Sub, x, y);
  llvm::SmallVector<int64_t> all;
  for (int64_t i = 0; i < a.getRank(); ++i)
    all.push_back(i);
  return Datum(
      lossReduce(nn::ReduceKind::Mean,
                 callBinary(nn::BinaryKind::Mul, difference, difference), all));
}
