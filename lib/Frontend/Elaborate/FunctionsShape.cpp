//===- FunctionsShape.cpp - rearrange, transpose, concat, split, slice ----===//

#include "FactorOrder.h"
#include "Functions.h"
#include "RearrangePattern.h"
#include "dialects/Nn/Shape.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

mlir::Value
Elaborator::emitRearrange(mlir::Value x, llvm::ArrayRef<nn::DimAttr> source,
                          llvm::ArrayRef<llvm::SmallVector<int64_t>> order,
                          llvm::ArrayRef<nn::DimAttr> result,
                          SourceRange range) {
  auto element =
      mlir::cast<mlir::RankedTensorType>(x.getType()).getElementType();
  llvm::SmallVector<mlir::Attribute> orders;
  for (const llvm::SmallVector<int64_t> &dim : order)
    orders.push_back(builder.getI64ArrayAttr(dim));
  auto type =
      nn::tensorOf(element, nn::LayoutAttr::get(context, result, {}, {}));
  return emitAs<nn::RearrangeOp>(
      range, type, x,
      {named("source", nn::LayoutAttr::get(context, source, {}, {})),
       named("order", builder.getArrayAttr(orders))});
}

Elaborator::MaybeDatum
Elaborator::transposeFunction(const CallArguments &arguments,
                              const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  if (!x)
    return std::nullopt;
  auto dims = nn::layoutOf(x).getDims();
  int64_t rank = dims.size(), a = rank - 2, b = rank - 1;
  bool named = arguments.get("a") && arguments.get("b");
  if (!named && (rank < 2 || arguments.get("a"))) {
    error(arguments.call->range,
          "'transpose' swaps two dims: transpose(x) the last two, "
          "transpose(x, a, b) those named");
    return std::nullopt;
  }
  if (named) {
    auto first = selectDim(*arguments.get("a"), x, scope);
    auto second = selectDim(*arguments.get("b"), x, scope);
    if (!first || !second)
      return std::nullopt;
    a = *first;
    b = *second;
  }
  llvm::SmallVector<nn::DimAttr> source(dims), result(dims);
  std::swap(result[a], result[b]);
  auto order = factorOrder(source);
  std::swap(order[a], order[b]);
  return wrap(emitRearrange(x, source, order, result, arguments.call->range));
}

Elaborator::MaybeDatum
Elaborator::rearrangeFunction(const CallArguments &arguments,
                              const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  const Expr *written = arguments.get("pattern");
  auto *text = dynAs<StringExpr>(written);
  if (!x)
    return std::nullopt;
  if (!text) {
    error(written->range, "expected a pattern such as \"a b -> b a\"");
    return std::nullopt;
  }
  RearrangePattern pattern;
  std::string problem;
  auto sizeOf = [&](const std::string &name) -> std::optional<int64_t> {
    const Datum *datum = scope.find(name);
    return datum ? datum->integer() : std::nullopt;
  };
  if (!parseRearrange(text->value, pattern, problem) ||
      !sizeRearrange(pattern, nn::layoutOf(x), sizeOf, problem)) {
    error(written->range, problem)
        .note("the tensor is " + nn::describe(x.getType()));
    return std::nullopt;
  }
  llvm::SmallVector<nn::DimAttr> source, result;
  llvm::SmallVector<llvm::SmallVector<int64_t>> order;
  // An axis is one factor, or the factors of a product dim under one name.
  auto factorsOf = [&](size_t axis) -> llvm::SmallVector<nn::FactorAttr> {
    if (pattern.axes[axis].product)
      return llvm::SmallVector<nn::FactorAttr>(
          pattern.axes[axis].product.getFactors());
    return {nn::FactorAttr::get(context,
                                builder.getStringAttr(pattern.axes[axis].name),
                                pattern.axes[axis].size)};
  };
  auto dimOf = [&](const std::vector<size_t> &group) {
    llvm::SmallVector<nn::FactorAttr> factors;
    for (size_t axis : group)
      factors.append(factorsOf(axis));
    if (factors.empty())
      factors.push_back(
          nn::FactorAttr::get(context, builder.getStringAttr(""), 1));
    return nn::DimAttr::get(context, factors);
  };
  for (const std::vector<size_t> &group : pattern.left)
    source.push_back(dimOf(group));
  // Positions of the left axes in the flat list of source factors (a dim `1`
  // counts as one factor).
  std::vector<int64_t> flat(pattern.axes.size());
  int64_t next = 0;
  for (const std::vector<size_t> &group : pattern.left) {
    for (size_t axis : group) {
      flat[axis] = next;
      next += factorsOf(axis).size();
    }
    next += group.empty() ? 1 : 0;
  }
  for (const std::vector<size_t> &group : pattern.right) {
    result.push_back(dimOf(group));
    order.emplace_back();
    for (size_t axis : group)
      for (size_t k = 0; k < factorsOf(axis).size(); ++k)
        order.back().push_back(flat[axis] + k);
  }
  return wrap(emitRearrange(x, source, order, result, arguments.call->range));
}

Elaborator::MaybeDatum
Elaborator::concatFunction(const CallArguments &arguments, const Scope &scope) {
  llvm::SmallVector<mlir::Value> parts;
  const Expr *axis = nullptr;
  for (const Argument &argument : arguments.call->args) {
    if (argument.name && argument.name->text == "axis") {
      axis = argument.value.get();
      continue;
    }
    parts.push_back(evaluateTensor(*argument.value, scope));
    if (!parts.back())
      return std::nullopt;
  }
  if (parts.empty() || !axis) {
    error(arguments.call->range,
          "'concat' takes tensors and an axis: concat(a, b, axis = 1)");
    return std::nullopt;
  }
  auto dim = selectDim(*axis, parts[0], scope);
  if (!dim)
    return std::nullopt;
  return wrap(
      emit<nn::ConcatOp>(arguments.call->range, parts,
                         named("dim", builder.getI64IntegerAttr(*dim))));
}

Elaborator::MaybeDatum Elaborator::splitFunction(const CallArguments &arguments,
                                                 const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto parts = evaluateInt(*arguments.get("parts"), scope);
  if (!x || !parts)
    return std::nullopt;
  auto dim = selectDim(*arguments.get("axis"), x, scope);
  if (!dim)
    return std::nullopt;
  int64_t extent = nn::layoutOf(x).getShape()[*dim];
  if (*parts < 1 || extent % *parts != 0) {
    error(arguments.call->range, "a dim of size " + std::to_string(extent) +
                                     " does not split into " +
                                     std::to_string(*parts) + " equal parts");
    return std::nullopt;
  }
  auto tuple = std::make_shared<Tuple>();
  int64_t size = extent / *parts;
  for (int64_t i = 0; i < *parts; ++i) {
    mlir::Value part =
        emit<nn::SliceOp>(arguments.call->range, x,
                          {named("dim", builder.getI64IntegerAttr(*dim)),
                           named("start", builder.getI64IntegerAttr(i * size)),
                           named("size", builder.getI64IntegerAttr(size)),
                           named("drop", builder.getBoolAttr(false))});
    if (!part)
      return std::nullopt;
    tuple->push_back(Datum(part));
  }
  return Datum(tuple);
}

Elaborator::MaybeDatum Elaborator::sliceFunction(const CallArguments &arguments,
                                                 const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  if (!x)
    return std::nullopt;
  auto dim = selectDim(*arguments.get("axis"), x, scope);
  auto start = evaluateInt(*arguments.get("start"), scope);
  auto size = evaluateInt(*arguments.get("size"), scope);
  if (!dim || !start || !size)
    return std::nullopt;
  return wrap(
      emit<nn::SliceOp>(arguments.call->range, x,
                        {named("dim", builder.getI64IntegerAttr(*dim)),
                         named("start", builder.getI64IntegerAttr(*start)),
                         named("size", builder.getI64IntegerAttr(*size)),
                         named("drop", builder.getBoolAttr(false))}));
}
