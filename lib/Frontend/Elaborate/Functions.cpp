//===- Functions.cpp - built-in functions on elements and reductions ------===//

#include "Functions.h"
#include "Kinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include <cmath>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

llvm::ArrayRef<Elaborator::FunctionEntry> Elaborator::functionTable() {
  using E = Elaborator;
  static const llvm::SmallVector<llvm::StringRef, 6> maxPooling = {
      "x",        "kernel",    "stride",        "padding",
      "dilation", "ceil_mode", "return_indices"};
  static const llvm::SmallVector<llvm::StringRef, 6> meanPooling = {
      "x", "kernel", "stride", "padding", "ceil_mode", "count_include_pad"};
  static const FunctionEntry table[] = {
      {"gelu", {"x"}, 1, &E::unaryFunction},
      {"gelu_tanh", {"x"}, 1, &E::unaryFunction},
      {"silu", {"x"}, 1, &E::unaryFunction},
      {"relu", {"x"}, 1, &E::unaryFunction},
      {"sigmoid", {"x"}, 1, &E::unaryFunction},
      {"tanh", {"x"}, 1, &E::unaryFunction},
      {"exp", {"x"}, 1, &E::unaryFunction},
      {"log", {"x"}, 1, &E::unaryFunction},
      {"sqrt", {"x"}, 1, &E::unaryFunction},
      {"rsqrt", {"x"}, 1, &E::unaryFunction},
      {"erf", {"x"}, 1, &E::unaryFunction},
      {"abs", {"x"}, 1, &E::unaryFunction},
      {"sin", {"x"}, 1, &E::unaryFunction},
      {"cos", {"x"}, 1, &E::unaryFunction},
      {"f32", {"x"}, 1, &E::castFunction},
      {"f64", {"x"}, 1, &E::castFunction},
      {"f16", {"x"}, 1, &E::castFunction},
      {"bf16", {"x"}, 1, &E::castFunction},
      {"i32", {"x"}, 1, &E::castFunction},
      {"i64", {"x"}, 1, &E::castFunction},
      {"bool", {"x"}, 1, &E::castFunction},
      {"maximum", {"a", "b"}, 2, &E::binaryFunction},
      {"minimum", {"a", "b"}, 2, &E::binaryFunction},
      {"pow", {"a", "b"}, 2, &E::binaryFunction},
      {"where", {"condition", "a", "b"}, 3, &E::whereFunction},
      {"matmul", {"a", "b"}, 2, &E::matmulFunction},
      {"softmax", {"x", "axis"}, 2, &E::softmaxFunction},
      {"sum", {"x", "axis", "keepdim"}, 1, &E::reduceFunction},
      {"mean", {"x", "axis", "keepdim"}, 1, &E::reduceFunction},
      {"max", {"x", "axis", "keepdim"}, 1, &E::reduceFunction},
      {"min", {"x", "axis", "keepdim"}, 1, &E::reduceFunction},
      {"cross_entropy",
       {"logits", "targets", "ignore", "smoothing"},
       2,
       &E::crossEntropyFunction},
      {"mean_squared_error", {"x", "y"}, 2, &E::squaredErrorFunction},
      {"mse_loss", {"x", "y"}, 2, &E::squaredErrorFunction},
      {"dropout", {"x", "p"}, 2, &E::dropoutFunction},
      {"attention",
       {"q", "k", "v", "mask", "scale", "dropout", "bias"},
       3,
       &E::attentionFunction},
      {"padding", {"keep"}, 1, &E::paddingFunction},
      {"documents", {"ids", "keys"}, 1, &E::documentsFunction},
      {"window", {"before", "after"}, 1, &E::windowFunction},
      {"dense", {"block", "per_head"}, 0, &E::blockLayoutFunction},
      {"fixed",
       {"block", "local", "global", "attention", "horizontal", "patterns",
        "per_head"},
       0,
       &E::blockLayoutFunction},
      {"variable",
       {"block", "local", "global", "global_end", "random", "attention",
        "horizontal", "per_head", "seed"},
       0,
       &E::blockLayoutFunction},
      {"bigbird",
       {"block", "random", "window", "global", "attention", "per_head", "seed"},
       0,
       &E::blockLayoutFunction},
      {"bslongformer",
       {"block", "window", "global", "global_end", "attention", "per_head"},
       0,
       &E::blockLayoutFunction},
      {"local_sliding_window",
       {"block", "window", "attention"},
       0,
       &E::blockLayoutFunction},
      {"layout", {"file", "block"}, 1, &E::blockLayoutFunction},
      {"neighborhood",
       {"kernel", "stride", "dilation", "causal"},
       1,
       &E::neighborhoodFunction},
      {"rotary",
       {"x", "axis", "base", "style", "scaling", "frequencies", "positions"},
       2,
       &E::rotaryFunction},
      {"interpolate",
       {"x", "size", "scale", "mode", "align_corners"},
       1,
       &E::interpolateFunction},
      {"edge_list", {"source", "target", "nodes"}, 1, &E::edgeListFunction},
      {"gather", {"x", "ends", "axis"}, 3, &E::gatherFunction},
      {"scatter_sum",
       {"x", "ends", "axis", "like", "size"},
       3,
       &E::scatterSumFunction},
      {"iota", {"dim"}, 1, &E::iotaFunction},
      {"fill", {"value", "like", "dims"}, 1, &E::fillFunction},
      {"constant", {"values", "dims"}, 1, &E::constantFunction},
      {"broadcast", {"x", "dims", "like"}, 1, &E::broadcastFunction},
      {"chunk", {"x", "parts", "axis"}, 3, &E::chunkFunction},
      {"roll", {"x", "shift", "axis"}, 3, &E::rollFunction},
      {"flip", {"x", "axis"}, 2, &E::flipFunction},
      {"take", {"x", "ids", "axis"}, 3, &E::takeFunction},
      {"take_along", {"x", "ids", "axis"}, 3, &E::takeAlongFunction},
      {"softplus", {"x", "beta"}, 1, &E::softplusFunction},
      {"cumsum", {"x", "axis"}, 2, &E::cumsumFunction},
      {"argmax", {"x", "axis", "keepdim"}, 2, &E::argmaxFunction},
      {"topk", {"x", "k", "axis"}, 3, &E::topkFunction},
      {"transpose", {"x", "a", "b"}, 1, &E::transposeFunction},
      {"rearrange", {"x", "pattern"}, 2, &E::rearrangeFunction},
      {"concat", {}, 0, &E::concatFunction},
      {"split", {"x", "parts", "axis"}, 3, &E::splitFunction},
      {"slice", {"x", "axis", "start", "size"}, 4, &E::sliceFunction},
      {"pad",
       {"x", "axis", "before", "after", "border", "value"},
       3,
       &E::padFunction},
      {"crop", {"x", "axis", "before", "after"}, 3, &E::cropFunction},
      {"crop_end", {"x", "like"}, 2, &E::cropEndFunction},
      {"max_pool1d", maxPooling, 2, &E::poolFunction},
      {"max_pool2d", maxPooling, 2, &E::poolFunction},
      {"max_pool3d", maxPooling, 2, &E::poolFunction},
      {"avg_pool1d", meanPooling, 2, &E::poolFunction},
      {"avg_pool2d", meanPooling, 2, &E::poolFunction},
      {"avg_pool3d", meanPooling, 2, &E::poolFunction},
  };
  return table;
}

bool Elaborator::isFunction(const std::string &name) {
  return llvm::any_of(functionTable(), [&](const FunctionEntry &entry) {
    return name == entry.name;
  });
}

Elaborator::MaybeDatum Elaborator::callFunction(const std::string &name,
                                                const CallExpr &call,
                                                const Scope &scope) {
  std::vector<std::string> names = scope.visibleNames();
  for (const FunctionEntry &entry : functionTable()) {
    names.push_back(entry.name);
    if (name != entry.name)
      continue;
    if (name == "concat") {
      CallArguments arguments;
      arguments.call = &call;
      return concatFunction(arguments, scope);
    }
    auto arguments =
        matchArguments(call, name, entry.arguments, entry.required);
    return arguments ? (this->*entry.rule)(*arguments, scope) : std::nullopt;
  }
  error(call.callee->range, "no function or module '" + name + "'")
      .suggest(name, names);
  return std::nullopt;
}

static const std::string &calleeName(const CallArguments &arguments) {
  return dynAs<NameExpr>(arguments.call->callee)->name;
}

Elaborator::MaybeDatum Elaborator::unaryFunction(const CallArguments &arguments,
                                                 const Scope &scope) {
  MaybeDatum x = evaluate(*arguments.get("x"), scope);
  if (!x)
    return std::nullopt;
  const std::string &kind = calleeName(arguments);
  if (!x->tensor() && x->number() && (kind == "sqrt" || kind == "abs"))
    return Datum(kind == "sqrt" ? std::sqrt(*x->number())
                                : std::fabs(*x->number()));
  mlir::Value tensor = x->tensor();
  if (!tensor) {
    error(arguments.get("x")->range,
          "'" + kind + "' takes a tensor, found " + std::string(x->kindName()));
    return std::nullopt;
  }
  return wrap(
      emit<nn::UnaryOp>(arguments.call->range, tensor,
                        kindOf(context, *nn::symbolizeUnaryKind(kind))));
}

Elaborator::MaybeDatum Elaborator::castFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  MaybeDatum x = evaluate(*arguments.get("x"), scope);
  Name word{calleeName(arguments), arguments.call->callee->range};
  mlir::Type element = elementType(word);
  if (!x)
    return std::nullopt;
  mlir::Value tensor = asTensor(*x, element, arguments.call->range);
  if (!tensor)
    return std::nullopt;
  auto type = nn::tensorOf(element, nn::layoutOf(tensor));
  if (type == tensor.getType())
    return Datum(tensor);
  return wrap(emitAs<nn::CastOp>(arguments.call->range, type, tensor));
}

Elaborator::MaybeDatum
Elaborator::binaryFunction(const CallArguments &arguments, const Scope &scope) {
  MaybeDatum a = evaluate(*arguments.get("a"), scope);
  MaybeDatum b = evaluate(*arguments.get("b"), scope);
  if (!a || !b)
    return std::nullopt;
  const std::string &kind = calleeName(arguments);
  if (a->tensor() || b->tensor())
    return binaryOp(*nn::symbolizeBinaryKind(kind), *a, *b,
                    arguments.call->range);
  if (!a->number() || !b->number()) {
    error(arguments.call->range, "'" + kind + "' does not take " +
                                     a->kindName() + " and " + b->kindName());
    return std::nullopt;
  }
  bool takeA = kind == "maximum" ? *a->number() >= *b->number()
                                 : *a->number() <= *b->number();
  if (kind == "pow")
    return Datum(std::pow(*a->number(), *b->number()));
  return takeA ? a : b;
}

Elaborator::MaybeDatum Elaborator::whereFunction(const CallArguments &arguments,
                                                 const Scope &scope) {
  mlir::Value condition = evaluateTensor(*arguments.get("condition"), scope);
  MaybeDatum a = evaluate(*arguments.get("a"), scope);
  MaybeDatum b = evaluate(*arguments.get("b"), scope);
  if (!condition || !a || !b)
    return std::nullopt;
  SourceRange range = arguments.call->range;
  mlir::Value typed = a->tensor() ? a->tensor() : b->tensor();
  mlir::Type element =
      typed
          ? mlir::cast<mlir::RankedTensorType>(typed.getType()).getElementType()
          : mlir::Type(builder.getF32Type());
  mlir::Value x = asTensor(*a, element, range);
  mlir::Value y = x ? asTensor(*b, element, range) : x;
  if (!x || !y)
    return std::nullopt;
  return wrap(emit<nn::WhereOp>(range, {condition, x, y}));
}

Elaborator::MaybeDatum
Elaborator::matmulFunction(const CallArguments &arguments, const Scope &scope) {
  mlir::Value a = evaluateTensor(*arguments.get("a"), scope);
  mlir::Value b = a ? evaluateTensor(*arguments.get("b"), scope) : a;
  if (!a || !b)
    return std::nullopt;
  return wrap(emit<nn::MatMulOp>(arguments.call->range, {a, b}));
}

Elaborator::MaybeDatum
Elaborator::softmaxFunction(const CallArguments &arguments,
                            const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  if (!x)
    return std::nullopt;
  auto dim = selectDim(*arguments.get("axis"), x, scope);
  if (!dim)
    return std::nullopt;
  return wrap(emit<nn::SoftmaxOp>(
      arguments.call->range, x, named("dim", builder.getI64IntegerAttr(*dim))));
}

Elaborator::MaybeDatum
Elaborator::reduceFunction(const CallArguments &arguments, const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  if (!x)
    return std::nullopt;
  llvm::SmallVector<int64_t> dims;
  if (const Expr *axis = arguments.get("axis")) {
    auto selected = selectDims(*axis, x, scope);
    if (!selected)
      return std::nullopt;
    dims = *selected;
    llvm::sort(dims);
  } else {
    for (size_t i = 0; i < nn::layoutOf(x).getDims().size(); ++i)
      dims.push_back(i);
  }
  std::optional<bool> keep = false;
  if (const Expr *given = arguments.get("keepdim"))
    keep = evaluateBool(*given, scope);
  if (!keep)
    return std::nullopt;
  return wrap(emit<nn::ReduceOp>(
      arguments.call->range, x,
      {kindOf(context, *nn::symbolizeReduceKind(calleeName(arguments))),
       named("dims", builder.getDenseI64ArrayAttr(dims)),
       named("keepdim", builder.getBoolAttr(*keep))}));
}

Elaborator::MaybeDatum
Elaborator::dropoutFunction(const CallArguments &arguments,
                            const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto p = evaluateFloat(*arguments.get("p"), scope);
  if (!x || !p)
    return std::nullopt;
  return wrap(emitDropout(x, *p, joinPath(currentPath, "dropout()"),
                          arguments.call->range));
}
