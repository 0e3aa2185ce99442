//===- FunctionsAttention.cpp - attention, iota, fill -------------------===//

#include "FactorOrder.h"
#include "Functions.h"
#include "dialects/Nn/BlockLayouts.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"
#include <cmath>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// Why one tensor numbers no queries and keys; empty where it does.
static std::string whyNotAlike(mlir::Value queries, mlir::Value keys,
                               const Mask &mask) {
  auto countOf = [](mlir::Value value) {
    auto shape = nn::layoutOf(value).getShape();
    return shape.size() == 4 ? shape[2] : 0;
  };
  if (!mask.keyDocuments || mask.queryDocuments != mask.keyDocuments ||
      countOf(queries) == countOf(keys))
    return "";
  return "documents(ids) numbers queries and keys alike, but there are " +
         std::to_string(countOf(queries)) + " queries and " +
         std::to_string(countOf(keys)) + " keys";
}

/// A bias or a mask of scores with 4 dims; those that it lacks are 1, as
/// broadcasting goes. Null after an error.
mlir::Value Elaborator::ofScores(mlir::Value tensor, const char *what,
                                 SourceRange range) {
  nn::LayoutAttr layout = nn::layoutOf(tensor);
  size_t rank = layout.getDims().size();
  if (rank < 2 || rank > 4) {
    error(range, std::string("attention takes a ") + what +
                     " of [queries, keys], [heads, queries, keys] or [batch, "
                     "heads, queries, keys], but it is " +
                     nn::describe(tensor.getType()));
    return {};
  }
  if (rank == 4)
    return tensor;
  llvm::SmallVector<nn::DimAttr> dims(4 - rank, nn::dimOf(context, "", 1));
  llvm::append_range(dims, layout.getDims());
  auto order = factorOrder(layout.getDims());
  order.insert(order.begin(), 4 - rank, {});
  return emitRearrange(tensor, layout.getDims(), order, dims, range);
}

/// What an attention adds to scores: its bias, and -infinity where a mask of
/// scores hides a key; null where it has neither.
std::optional<mlir::Value> Elaborator::biasOf(const CallArguments &arguments,
                                              mlir::Value shown,
                                              mlir::ValueRange operands,
                                              const Scope &scope) {
  mlir::Value bias;
  if (const Expr *written = arguments.get("bias")) {
    bias = evaluateTensor(*written, scope);
    if (bias)
      bias = ofScores(bias, "bias", written->range);
    if (!bias)
      return std::nullopt;
  }
  if (!shown)
    return bias;
  SourceRange range = arguments.call->range;
  mlir::Type element = mlir::getElementTypeOrSelf(bias ? bias : operands[0]);
  // A mask whose last dim is 1 is for all keys; what others lack the attention
  // says.
  llvm::ArrayRef<nn::DimAttr> all, keys = nn::layoutOf(operands[1]).getDims();
  if (nn::layoutOf(shown).getShape().back() == 1 && keys.size() == 4)
    all = keys.slice(2, 1);
  auto filled = [&](double value, llvm::ArrayRef<nn::DimAttr> dims) {
    auto type =
        nn::tensorOf(element, nn::LayoutAttr::get(context, dims, {}, {}));
    return emitAs<nn::FillOp>(range, type, {},
                              named("value", builder.getF64FloatAttr(value)));
  };
  mlir::Value hidden = filled(-std::numeric_limits<double>::infinity(), all);
  bias = emit<nn::WhereOp>(range, {shown, bias ? bias : filled(0, {}), hidden});
  return bias ? std::optional(bias) : std::nullopt;
}

Elaborator::MaybeDatum
Elaborator::attentionFunction(const CallArguments &arguments,
                              const Scope &scope) {
  llvm::SmallVector<mlir::Value> operands;
  for (const char *name : {"q", "k", "v"}) {
    operands.push_back(evaluateTensor(*arguments.get(name), scope));
    if (!operands.back())
      return std::nullopt;
  }
  auto read = [&](const char *name, std::optional<double> fallback) {
    const Expr *given = arguments.get(name);
    return given ? evaluateFloat(*given, scope) : fallback;
  };
  std::optional<Mask> maybeMask = maskOf(arguments, scope);
  if (!maybeMask)
    return std::nullopt;
  const Mask &mask = *maybeMask;
  if (std::string why = whyNotAlike(operands[0], operands[1], mask);
      !why.empty()) {
    error(arguments.call->range, why)
        .note("number the keys by themselves: documents(ids, keys = key_ids)");
    return std::nullopt;
  }
  auto shape = nn::layoutOf(operands[0]).getShape();
  double headDim = shape.empty() ? 1 : static_cast<double>(shape.back());
  auto scale = read("scale", 1 / std::sqrt(headDim));
  auto dropout = read("dropout", 0.0);
  if (!scale || !dropout)
    return std::nullopt;
  std::optional<mlir::Value> bias =
      biasOf(arguments, mask.shown, operands, scope);
  if (!bias)
    return std::nullopt;
  if (mask.neighborhood)
    return neighborhoodAttention(arguments, operands, *mask.neighborhood,
                                 *scale, *dropout);
  llvm::SmallVector<mlir::NamedAttribute> attributes = {
      named("causal", builder.getBoolAttr(mask.causal)),
      named("scale", builder.getF64FloatAttr(*scale)),
      named("dropout", builder.getF64FloatAttr(*dropout))};
  for (auto [name, reach] :
       {std::pair("before", mask.before), std::pair("after", mask.after)})
    if (reach)
      attributes.push_back(named(name, builder.getI64IntegerAttr(*reach)));
  if (mask.layout) {
    // Its random blocks are those of this place of the model.
    plan::BlockLayout layout = *mask.layout;
    if (layout.random > 0)
      layout.key ^= nextStream(joinPath(currentPath, "layout()")).getInt();
    attributes.push_back(
        named("block_layout", nn::blockLayoutAttr(context, layout)));
  }
  for (mlir::Value data :
       {mask.keep, mask.queryDocuments, mask.keyDocuments, *bias})
    if (data)
      operands.push_back(data);
  bool drops = isTraining && *dropout > 0;
  if (drops) {
    operands.push_back(step);
    attributes.push_back(
        named("stream", nextStream(joinPath(currentPath, "attention()"))));
  }
  attributes.push_back(
      named("operandSegmentSizes",
            builder.getDenseI32ArrayAttr(
                {1, 1, 1, bool(mask.keep), bool(mask.queryDocuments),
                 bool(mask.keyDocuments), bool(*bias), drops})));
  return wrap(
      emit<nn::AttentionOp>(arguments.call->range, operands, attributes));
}

Elaborator::MaybeDatum Elaborator::iotaFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  auto dim = evaluateDim(*arguments.get("dim"), scope);
  if (!dim)
    return std::nullopt;
  auto type = nn::tensorOf(builder.getI32Type(),
                           nn::LayoutAttr::get(context, {*dim}, {}, {}));
  return wrap(emitAs<nn::IotaOp>(arguments.call->range, type, {},
                                 named("dim", builder.getI64IntegerAttr(0))));
}

Elaborator::MaybeDatum Elaborator::fillFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  auto value = evaluateFloat(*arguments.get("value"), scope);
  if (!value)
    return std::nullopt;
  mlir::RankedTensorType type;
  if (const Expr *like = arguments.get("like")) {
    mlir::Value tensor = evaluateTensor(*like, scope);
    if (!tensor)
      return std::nullopt;
    type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  } else if (const Expr *written = arguments.get("dims")) {
    llvm::SmallVector<nn::DimAttr> dims;
    auto *tuple = dynAs<TupleExpr>(written);
    std::vector<const Expr *> items;
    if (tuple)
      for (const Argument &item : tuple->items)
        items.push_back(item.value.get());
    else
      items.push_back(written);
    for (const Expr *item : items) {
      auto dim = evaluateDim(*item, scope);
      if (!dim)
        return std::nullopt;
      dims.push_back(*dim);
    }
    type = nn::tensorOf(builder.getF32Type(),
                        nn::LayoutAttr::get(context, dims, {}, {}));
  } else {
    error(arguments.call->range, "'fill' needs 'like' or 'dims'")
        .note("fill(0, like = x), or fill(0, dims = (rows, columns))");
    return std::nullopt;
  }
  return wrap(
      emitAs<nn::FillOp>(arguments.call->range, type, {},
                         named("value", builder.getF64FloatAttr(*value))));
}
