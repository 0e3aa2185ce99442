//===- Expressions.cpp - names, operators, indexing -----------------------===//

#include "Elaborator.h"
#include "Kinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

syntax::Diagnostic &Elaborator::error(SourceRange range,
                                      const std::string &text) {
  return diagnostics.error(range, text);
}

mlir::Location Elaborator::locationOf(SourceRange range, llvm::StringRef path) {
  mlir::Location place = builder.getUnknownLoc();
  if (range.isValid()) {
    LineColumn at = sources.getLineColumn(range);
    place = mlir::FileLineColLoc::get(context, sources.getName(range.file),
                                      at.line, at.column);
  }
  return mlir::NameLoc::get(builder.getStringAttr(path), place);
}

mlir::Location Elaborator::locationOf(SourceRange range) {
  return locationOf(range, currentPath);
}

mlir::Value Elaborator::emitValue(mlir::Value x, const std::string &path,
                                  nn::ValueRole role,
                                  mlir::RankedTensorType type,
                                  SourceRange range) {
  mlir::OperationState state(
      locationOf(range, path), nn::ValueOp::getOperationName(), x, type,
      {named("path", builder.getStringAttr(path)),
       named("role", nn::ValueRoleAttr::get(context, role))});
  return builder.create(state)->getResult(0);
}

Elaborator::MaybeDatum Elaborator::evaluate(const Expr &expr,
                                            const Scope &scope) {
  switch (expr.kind) {
  case Expr::Kind::Int:
    return Datum(dynAs<IntExpr>(&expr)->value);
  case Expr::Kind::Float:
    return Datum(dynAs<FloatExpr>(&expr)->value);
  case Expr::Kind::String:
    return Datum(dynAs<StringExpr>(&expr)->value);
  case Expr::Kind::Bool:
    return Datum(dynAs<BoolExpr>(&expr)->value);
  case Expr::Kind::None:
    return Datum();
  case Expr::Kind::Name:
    return evaluateName(*dynAs<NameExpr>(&expr), scope);
  case Expr::Kind::Attribute:
    return evaluateAttribute(*dynAs<AttributeExpr>(&expr), scope);
  case Expr::Kind::Call:
    return evaluateCall(*dynAs<CallExpr>(&expr), scope);
  case Expr::Kind::Index:
    return evaluateIndex(*dynAs<IndexExpr>(&expr), scope);
  case Expr::Kind::Tuple: {
    auto tuple = std::make_shared<Tuple>();
    for (const Argument &item : dynAs<TupleExpr>(&expr)->items) {
      MaybeDatum datum = evaluate(*item.value, scope);
      if (!datum)
        return std::nullopt;
      tuple->push_back(*datum);
    }
    return Datum(tuple);
  }
  case Expr::Kind::List: {
    auto tuple = std::make_shared<Tuple>();
    for (const ExprPtr &item : dynAs<ListExpr>(&expr)->items) {
      MaybeDatum datum = evaluate(*item, scope);
      if (!datum)
        return std::nullopt;
      tuple->push_back(*datum);
    }
    return Datum(tuple);
  }
  case Expr::Kind::Range:
    llvm_unreachable("the parser takes ranges only after 'in'");
  case Expr::Kind::Unary:
    return evaluateUnary(*dynAs<UnaryExpr>(&expr), scope);
  case Expr::Kind::Binary:
    return evaluateBinary(*dynAs<BinaryExpr>(&expr), scope);
  case Expr::Kind::Conditional: {
    auto *choice = dynAs<ConditionalExpr>(&expr);
    auto condition = evaluateBool(*choice->condition, scope);
    if (!condition)
      return std::nullopt;
    return evaluate(*condition ? *choice->thenValue : *choice->elseValue,
                    scope);
  }
  }
  return std::nullopt;
}

mlir::Value Elaborator::evaluateTensor(const Expr &expr, const Scope &scope) {
  MaybeDatum datum = evaluate(expr, scope);
  if (!datum)
    return {};
  if (mlir::Value value = datum->tensor())
    return value;
  error(expr.range,
        std::string("expected a tensor, found ") + datum->kindName());
  return {};
}

Elaborator::MaybeDatum Elaborator::evaluateName(const NameExpr &expr,
                                                const Scope &scope) {
  if (const Datum *datum = scope.find(expr.name))
    return *datum;
  if (expr.name == "causal")
    return Datum(Mask{true, {}});
  if (scope.hasFailed(expr.name))
    return std::nullopt;
  error(expr.range, "'" + expr.name + "' is not declared here")
      .suggest(expr.name, scope.visibleNames());
  return std::nullopt;
}

Elaborator::MaybeDatum Elaborator::evaluateAttribute(const AttributeExpr &expr,
                                                     const Scope &scope) {
  MaybeDatum base = evaluate(*expr.base, scope);
  if (!base)
    return std::nullopt;
  if (auto *edges = base->as<std::shared_ptr<const EdgeList>>()) {
    const std::string &name = expr.name.text;
    if (name == "count")
      return Datum(int64_t((*edges)->sources.size()));
    if (name == "source" || name == "target")
      return Datum(EdgeEnds{*edges, name == "source"});
  }
  auto *instance = base->as<InstancePtr>();
  if (!instance) {
    error(expr.range, std::string(base->kindName()) + " has no member '" +
                          expr.name.text + "'");
    return std::nullopt;
  }
  auto parameter = (*instance)->parameters.find(expr.name.text);
  if (parameter != (*instance)->parameters.end())
    return Datum(parameter->second);
  auto member = (*instance)->scope.names.find(expr.name.text);
  if (member != (*instance)->scope.names.end())
    return member->second;
  std::vector<std::string> names = (*instance)->scope.visibleNames();
  for (auto &entry : (*instance)->parameters)
    names.push_back(entry.first);
  error(expr.name.range,
        "'" + (*instance)->path + "' has no member '" + expr.name.text + "'")
      .suggest(expr.name.text, names);
  return std::nullopt;
}

Elaborator::MaybeDatum Elaborator::evaluateIndex(const IndexExpr &expr,
                                                 const Scope &scope) {
  MaybeDatum base = evaluate(*expr.base, scope);
  if (!base)
    return std::nullopt;
  if (mlir::Value tensor = base->tensor())
    return sliceTensor(expr, tensor, scope);
  auto *instance = base->as<InstancePtr>();
  auto *tuple = base->as<std::shared_ptr<Tuple>>();
  size_t count = tuple ? (*tuple)->size() : 0;
  if (instance && (*instance)->isArray)
    count = (*instance)->elements.size();
  else if (!tuple) {
    error(expr.range, std::string(base->kindName()) + " cannot be indexed");
    return std::nullopt;
  }
  if (expr.subscripts.size() != 1 || expr.subscripts[0].isSlice) {
    error(expr.range, "expected one index");
    return std::nullopt;
  }
  auto index = evaluateInt(*expr.subscripts[0].lo, scope);
  if (!index)
    return std::nullopt;
  int64_t position = *index < 0 ? *index + static_cast<int64_t>(count) : *index;
  if (position < 0 || position >= static_cast<int64_t>(count)) {
    error(expr.range, "index " + std::to_string(*index) + " is outside of " +
                          std::to_string(count) + " elements");
    return std::nullopt;
  }
  if (tuple)
    return (**tuple)[position];
  return (*instance)->elements[position];
}

Elaborator::MaybeDatum Elaborator::sliceTensor(const IndexExpr &expr,
                                               mlir::Value tensor,
                                               const Scope &scope) {
  int64_t dim = 0;
  int64_t rank = nn::layoutOf(tensor).getDims().size();
  if (static_cast<int64_t>(expr.subscripts.size()) > rank) {
    error(expr.range, "a tensor of " + std::to_string(rank) +
                          (rank == 1 ? " dim" : " dims") + " has no " +
                          std::to_string(expr.subscripts.size()) +
                          " subscripts: " + nn::describe(tensor.getType()));
    return std::nullopt;
  }
  for (const Subscript &subscript : expr.subscripts) {
    auto shape =
        mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
    if (subscript.step) {
      error(subscript.range, "not supported yet: a slice with a step");
      return std::nullopt;
    }
    int64_t extent = shape[dim], lo = 0, hi = extent;
    auto read = [&](const ExprPtr &bound, int64_t &into) {
      if (!bound)
        return true;
      auto value = evaluateInt(*bound, scope);
      if (value)
        into = *value < 0 ? *value + extent : *value;
      return value.has_value();
    };
    if (!read(subscript.lo, lo) || !read(subscript.hi, hi))
      return std::nullopt;
    if (!subscript.isSlice)
      hi = lo + 1;
    if (lo < 0 || hi > extent || lo >= hi) {
      error(subscript.range,
            "[" + std::to_string(lo) + ", " + std::to_string(hi) +
                ") is not a part of a dim of size " + std::to_string(extent));
      return std::nullopt;
    }
    bool drop = !subscript.isSlice;
    if (drop || hi - lo != extent)
      tensor =
          emit<nn::SliceOp>(expr.range, tensor,
                            {named("dim", builder.getI64IntegerAttr(dim)),
                             named("start", builder.getI64IntegerAttr(lo)),
                             named("size", builder.getI64IntegerAttr(hi - lo)),
                             named("drop", builder.getBoolAttr(drop))});
    if (!tensor)
      return std::nullopt;
    dim += drop ? 0 : 1;
  }
  return Datum(tensor);
}

Elaborator::MaybeDatum Elaborator::evaluateUnary(const UnaryExpr &expr,
                                                 const Scope &scope) {
  MaybeDatum operand = evaluate(*expr.operand, scope);
  if (!operand || expr.op == UnaryOp::Plus)
    return operand;
  bool isNot = expr.op == UnaryOp::Not;
  if (mlir::Value tensor = operand->tensor()) {
    mlir::Value result = emit<nn::UnaryOp>(
        expr.range, tensor,
        kindOf(context, isNot ? nn::UnaryKind::Not : nn::UnaryKind::Neg));
    return result ? MaybeDatum(Datum(result)) : std::nullopt;
  }
  if (isNot && operand->as<bool>())
    return Datum(!*operand->as<bool>());
  if (!isNot && operand->integer())
    return Datum(-*operand->integer());
  if (!isNot && operand->number())
    return Datum(-*operand->number());
  error(expr.range, std::string("'") + getSpelling(expr.op) +
                        "' does not take " + operand->kindName());
  return std::nullopt;
}

mlir::Value Elaborator::asTensor(const Datum &datum, mlir::Type element,
                                 SourceRange range) {
  if (mlir::Value tensor = datum.tensor())
    return tensor;
  auto number = datum.number();
  if (auto *truth = datum.as<bool>())
    number = *truth ? 1 : 0;
  if (!number) {
    error(range, std::string("expected a tensor or a number, found ") +
                     datum.kindName());
    return {};
  }
  if (element.isInteger() && *number != static_cast<int64_t>(*number)) {
    error(range, "a tensor of ints meets the float " +
                     llvm::formatv("{0}", *number).str());
    return {};
  }
  auto type = nn::tensorOf(element, nn::plainLayout(context, {}));
  return emitAs<nn::FillOp>(range, type, {},
                            named("value", builder.getF64FloatAttr(*number)));
}

Elaborator::MaybeDatum Elaborator::binaryOp(nn::BinaryKind kind, const Datum &a,
                                            const Datum &b, SourceRange range) {
  mlir::Value typed = a.tensor() ? a.tensor() : b.tensor();
  mlir::Type element =
      mlir::cast<mlir::RankedTensorType>(typed.getType()).getElementType();
  mlir::Value x = asTensor(a, element, range);
  mlir::Value y = x ? asTensor(b, element, range) : x;
  if (!x || !y)
    return std::nullopt;
  mlir::Value result = emit<nn::BinaryOp>(range, {x, y}, kindOf(context, kind));
  return result ? MaybeDatum(Datum(result)) : std::nullopt;
}

static std::optional<nn::BinaryKind> tensorKind(syntax::BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return nn::BinaryKind::Add;
  case BinaryOp::Sub:
    return nn::BinaryKind::Sub;
  case BinaryOp::Mul:
    return nn::BinaryKind::Mul;
  case BinaryOp::Div:
    return nn::BinaryKind::Div;
  case BinaryOp::Pow:
    return nn::BinaryKind::Pow;
  case BinaryOp::Less:
    return nn::BinaryKind::Lt;
  case BinaryOp::LessEqual:
    return nn::BinaryKind::Le;
  case BinaryOp::Greater:
    return nn::BinaryKind::Gt;
  case BinaryOp::GreaterEqual:
    return nn::BinaryKind::Ge;
  case BinaryOp::Equal:
    return nn::BinaryKind::Eq;
  case BinaryOp::NotEqual:
    return nn::BinaryKind::Ne;
  case BinaryOp::And:
    return nn::BinaryKind::And;
  case BinaryOp::Or:
    return nn::BinaryKind::Or;
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return std::nullopt;
  }
  return std::nullopt;
}

Elaborator::MaybeDatum Elaborator::evaluateBinary(const BinaryExpr &expr,
                                                  const Scope &scope) {
  MaybeDatum lhs = evaluate(*expr.lhs, scope);
  MaybeDatum rhs = evaluate(*expr.rhs, scope);
  if (!lhs || !rhs)
    return std::nullopt;
  if ((lhs->as<Mask>() || rhs->as<Mask>()) && expr.op == BinaryOp::Mul) {
    std::optional<Mask> a = asMask(*lhs, expr.lhs->range);
    std::optional<Mask> b = a ? asMask(*rhs, expr.rhs->range) : a;
    return b ? maskProduct(expr, *a, *b) : std::nullopt;
  }
  if (!lhs->tensor() && !rhs->tensor())
    return staticBinary(expr, *lhs, *rhs);
  std::optional<nn::BinaryKind> kind = tensorKind(expr.op);
  if (!kind) {
    error(expr.opRange, std::string("'") + getSpelling(expr.op) +
                            "' is for static values, not for tensors");
    return std::nullopt;
  }
  return binaryOp(*kind, *lhs, *rhs, expr.range);
}
