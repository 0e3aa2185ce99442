//===- Calls.cpp - calls of modules, built-in and the user's --------------===//

#include "Elaborator.h"
#include "IdRange.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static constexpr unsigned kMaxCallDepth = 64;

std::optional<CallArguments>
Elaborator::matchArguments(const CallExpr &call, llvm::StringRef what,
                           llvm::ArrayRef<llvm::StringRef> names,
                           size_t required) {
  CallArguments arguments;
  arguments.call = &call;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const Argument &argument = call.args[i];
    if (!argument.name && i >= names.size()) {
      error(argument.range,
            "'" + what.str() + "' takes at most " +
                std::to_string(names.size()) +
                (names.size() == 1 ? " argument" : " arguments") + ", found " +
                std::to_string(call.args.size()));
      return std::nullopt;
    }
    std::string name = argument.name ? argument.name->text : names[i].str();
    if (!llvm::is_contained(names, name)) {
      std::vector<std::string> known(names.begin(), names.end());
      error(argument.name->range,
            "'" + what.str() + "' has no argument '" + name + "'")
          .note("its arguments: " + llvm::join(names, ", "))
          .suggest(name, known);
      return std::nullopt;
    }
    if (!arguments.byName.emplace(name, argument.value.get()).second) {
      error(argument.range, "'" + name + "' is given twice");
      return std::nullopt;
    }
  }
  for (size_t i = 0; i < required; ++i)
    if (!arguments.get(names[i].str())) {
      error(call.range,
            "'" + what.str() + "' needs its argument '" + names[i].str() + "'");
      return std::nullopt;
    }
  return arguments;
}

Elaborator::MaybeDatum Elaborator::evaluateCall(const CallExpr &call,
                                                const Scope &scope) {
  auto *word = dynAs<NameExpr>(call.callee);
  if (word && !scope.find(word->name))
    return callFunction(word->name, call, scope);
  MaybeDatum callee = evaluate(*call.callee, scope);
  if (!callee)
    return std::nullopt;
  auto *instance = callee->as<InstancePtr>();
  // A function keeps its meaning where a parameter has the same name.
  if (!instance && word && isFunction(word->name))
    return callFunction(word->name, call, scope);
  if (!instance || (*instance)->isArray) {
    auto &diagnostic =
        error(call.range,
              std::string(instance ? "a module array" : callee->kindName()) +
                  " cannot be called");
    if (callee->as<std::monostate>())
      diagnostic.note("the member is not there; call it inside an 'if' with "
                      "the condition that makes it");
    return std::nullopt;
  }
  return callInstance(*instance, call, scope);
}

Elaborator::MaybeDatum Elaborator::callInstance(const InstancePtr &instance,
                                                const CallExpr &call,
                                                const Scope &scope) {
  if (++callDepth > kMaxCallDepth) {
    error(call.range, "calls are nested deeper than " +
                          std::to_string(kMaxCallDepth) + " levels");
    return std::nullopt;
  }
  if (!countExpansion(call.range))
    return std::nullopt;
  std::string outer = std::move(currentPath);
  currentPath = outer;
  MaybeDatum result = instance->decl ? callModule(*instance, call, scope)
                                     : callBuiltin(*instance, call, scope);
  currentPath = std::move(outer);
  --callDepth;
  return result;
}

const FunctionItem *frontend::findFunction(const ModuleDecl &decl,
                                           llvm::StringRef name) {
  for (const ItemPtr &item : decl.items)
    if (auto *function = dynAs<FunctionItem>(item))
      if (function->name.text == name)
        return function;
  return nullptr;
}

Elaborator::MaybeDatum Elaborator::callModule(Instance &instance,
                                              const CallExpr &call,
                                              const Scope &scope) {
  const FunctionItem *forward = findFunction(*instance.decl, "forward");
  if (!forward) {
    error(call.range,
          "module '" + instance.decl->name.text + "' has no forward function")
        .note(instance.decl->name.range, "it is declared here");
    return std::nullopt;
  }
  llvm::SmallVector<llvm::StringRef> names;
  for (const FunctionArg &argument : forward->args)
    names.push_back(argument.name.text);
  auto arguments =
      matchArguments(call, instance.decl->name.text, names, names.size());
  if (!arguments)
    return std::nullopt;
  std::vector<mlir::Value> values;
  for (llvm::StringRef name : names) {
    values.push_back(evaluateTensor(*arguments->get(name.str()), scope));
    if (!values.back())
      return std::nullopt;
  }
  currentPath = instance.path;
  Scope inner(&instance.scope);
  for (size_t i = 0; i < names.size(); ++i) {
    mlir::Value bound =
        bindArgument(instance, forward->args[i], values[i], inner,
                     arguments->get(names[i].str())->range);
    if (!bound)
      return std::nullopt;
    inner.names[names[i].str()] = Datum(bound);
  }
  auto results = runFunction(*forward, instance, inner, instance.path);
  if (!results)
    return std::nullopt;
  return finishModule(instance, *forward, *results, inner);
}

/// A module's path in messages; that of the model is empty.
static std::string quoted(const Instance &instance) {
  return "'" + (instance.path.empty() ? "forward" : instance.path) + "'";
}

mlir::Value Elaborator::bindArgument(Instance &instance,
                                     const FunctionArg &argument,
                                     mlir::Value value, Scope &scope,
                                     SourceRange use) {
  const std::string &name = argument.name.text;
  auto input = mlir::dyn_cast<mlir::BlockArgument>(value);
  bool isModel = instance.path.empty();
  bool isTaken = isModel && inputs.count(name);
  std::string path = joinPath(isTaken ? "forward" : instance.path, name);
  mlir::Value bound =
      bindTensor(value, &argument.type, path, nn::ValueRole::Argument, scope,
                 use, "argument '" + name + "' of " + quoted(instance));
  // An input that a loss hands on to forward is the forward's own.
  if (bound && isTaken && input && inputs.lookup(name) == value &&
      bound.getType() == value.getType()) {
    bound.getDefiningOp()->erase();
    return value;
  }
  return bound;
}

Elaborator::MaybeDatum
Elaborator::finishModule(Instance &instance, const FunctionItem &function,
                         std::vector<mlir::Value> results, Scope &scope) {
  if (!function.results.empty() && function.results.size() != results.size()) {
    error(function.name.range, quoted(instance) + " returns " +
                                   std::to_string(results.size()) +
                                   " values and declares " +
                                   std::to_string(function.results.size()));
    return std::nullopt;
  }
  auto tuple = std::make_shared<Tuple>();
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorType *declared =
        function.results.empty() ? nullptr : &function.results[i];
    std::string path =
        instance.path.empty() ? outputName(i, results.size()) : instance.path;
    mlir::Value named =
        bindTensor(results[i], declared, path, nn::ValueRole::Result, scope,
                   function.name.range, "the result of " + quoted(instance));
    if (!named)
      return std::nullopt;
    tuple->push_back(Datum(named));
  }
  if (tuple->size() == 1)
    return tuple->front();
  return Datum(tuple);
}

/// Ids that are known when compiling are rows of the table.
static bool checkIds(Elaborator &elaborator, Instance &instance,
                     mlir::Value ids, SourceRange range) {
  int64_t rows =
      nn::layoutOf(instance.parameters["weight"]).getDims()[0].getSize();
  std::optional<IdRange> known = knownIds(ids);
  if (!known || (known->least >= 0 && known->most < rows))
    return true;
  auto &diagnostic = elaborator.error(
      range, quoted(instance) + " is read at ids " +
                 std::to_string(known->least) + " to " +
                 std::to_string(known->most) + ", and has rows 0 to " +
                 std::to_string(rows - 1));
  if (known->least >= 0)
    diagnostic.note(
        "make it an Embedding of at least " + std::to_string(known->most + 1) +
        " rows, or what counts its ids no longer than " + std::to_string(rows));
  else
    diagnostic.note("ids are counted from 0");
  return false;
}

Elaborator::MaybeDatum Elaborator::callBuiltin(Instance &instance,
                                               const CallExpr &call,
                                               const Scope &scope) {
  bool isEmbedding = instance.builtin == Builtin::Embedding;
  const char *name = isEmbedding ? "ids" : "x";
  auto arguments = matchArguments(call, instance.path, {name}, 1);
  mlir::Value x =
      arguments ? evaluateTensor(*arguments->get(name), scope) : mlir::Value();
  if (!x)
    return std::nullopt;
  currentPath = instance.path;
  Scope unused;
  x = bindTensor(x, nullptr, instance.path + "." + name,
                 nn::ValueRole::Argument, unused, call.range, name);
  auto weight = [&](const char *which) { return instance.parameters[which]; };
  llvm::SmallVector<mlir::Value> operands{x};
  if (instance.parameters.count("weight"))
    operands.push_back(weight("weight"));
  if (instance.parameters.count("bias"))
    operands.push_back(weight("bias"));
  auto eps = named("eps", builder.getF64FloatAttr(instance.number));
  mlir::Value result;
  switch (instance.builtin) {
  case Builtin::Linear:
  case Builtin::Conv1D: {
    bool transposed = instance.builtin == Builtin::Conv1D;
    result = emit<nn::LinearOp>(
        call.range, operands,
        named("transposed", builder.getBoolAttr(transposed)));
    break;
  }
  case Builtin::Embedding:
    if (!checkIds(*this, instance, x, call.range))
      return std::nullopt;
    result = emit<nn::EmbeddingOp>(call.range, {weight("weight"), x});
    break;
  case Builtin::LayerNorm:
    result = emit<nn::LayerNormOp>(call.range, operands, eps);
    break;
  case Builtin::RmsNorm:
    result = emit<nn::RmsNormOp>(call.range, operands, eps);
    break;
  case Builtin::Dropout:
    result = emitDropout(x, instance.number, instance.path, call.range);
    break;
  case Builtin::Convolution:
    result = callConvolution(instance, x, call.range);
    break;
  case Builtin::Norm:
    result = callNorm(instance, x, call.range);
    break;
  case Builtin::Pooling:
    result =
        callPooling(*instance.pooling, instance.path, x, call.range, false);
    break;
  case Builtin::None:
    break;
  }
  if (!result)
    return std::nullopt;
  result = bindTensor(result, nullptr, instance.path, nn::ValueRole::Result,
                      unused, call.range, "");
  if (!instance.pooling || !instance.pooling->givesIndices)
    return Datum(result);
  mlir::Value indices =
      callPooling(*instance.pooling, instance.path, x, call.range, true);
  return Datum(std::make_shared<Tuple>(Tuple{Datum(result), Datum(indices)}));
}
