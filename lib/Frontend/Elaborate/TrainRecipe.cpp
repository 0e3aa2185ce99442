//===- TrainRecipe.cpp - a train block as a module attribute --------------===//

#include "TrainRecipe.h"
#include "PathMatch.h"
#include "PrecisionSetting.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include <cmath>
#include <cstdio>
#include <limits>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static constexpr double kAny = std::numeric_limits<double>::infinity();

static std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", value);
  return digits;
}

const Setting *TrainRecipe::find(llvm::StringRef key) const {
  for (const Setting &setting : decl.settings)
    if (setting.key.text == key)
      return &setting;
  return nullptr;
}

std::string TrainRecipe::lossOf(const ModuleDecl &model) {
  const Setting *setting = find("loss");
  if (!setting)
    return "loss";
  auto *name = dynAs<NameExpr>(setting->value);
  if (name && name->name != "forward" && findFunction(model, name->name))
    return name->name;
  std::vector<std::string> known;
  for (const ItemPtr &item : model.items)
    if (auto *function = dynAs<FunctionItem>(item))
      if (function->name.text != "forward")
        known.push_back(function->name.text);
  auto &diagnostic =
      elaborator.error(setting->value->range,
                       "'loss' names a function of model '" + model.name.text +
                           "' that returns one number, found '" +
                           elaborator.textOf(setting->value->range) + "'");
  if (known.empty())
    diagnostic.note("the model has none; write loss(...) -> f32[] { ... } "
                    "beside its forward");
  else
    diagnostic.note("there is: " + llvm::join(known, ", "));
  if (name)
    diagnostic.suggest(name->name, known);
  return "";
}

std::optional<double> TrainRecipe::number(const Expr *expr, const Scope &scope,
                                          double fallback, double lo, double hi,
                                          const std::string &what) {
  if (!expr)
    return fallback;
  auto value = elaborator.evaluateFloat(*expr, scope);
  if (!value || (*value >= lo && *value <= hi))
    return value;
  elaborator.error(expr->range,
                   "'" + what + "' is " +
                       (hi == kAny ? "at least " + text(lo)
                                   : "from " + text(lo) + " to " + text(hi)) +
                       ", found " + text(*value));
  return std::nullopt;
}

std::optional<int64_t> TrainRecipe::count(const Expr *expr, const Scope &scope,
                                          int64_t fallback, int64_t lo,
                                          const std::string &what) {
  if (!expr)
    return fallback;
  auto value = elaborator.evaluateInt(*expr, scope);
  if (!value || *value >= lo)
    return value;
  elaborator.error(expr->range, "'" + what + "' is at least " +
                                    std::to_string(lo) + ", found " +
                                    std::to_string(*value));
  return std::nullopt;
}

std::optional<mlir::ArrayAttr>
TrainRecipe::exceptions(const CallExpr &call, llvm::StringRef argument) {
  llvm::SmallVector<mlir::Attribute> paths;
  for (const Argument &given : call.args) {
    if (!given.name || given.name->text != argument || !given.except)
      continue;
    for (const std::string &path : parameters)
      if (matchesPath(*given.except, path))
        paths.push_back(builder.getStringAttr(path));
    if (paths.empty()) {
      elaborator.error(given.except->range,
                       "'" + given.except->str() + "' matches no parameter");
      return std::nullopt;
    }
  }
  return builder.getArrayAttr(paths);
}

bool TrainRecipe::checkExceptions(const CallExpr &call) {
  for (const Argument &given : call.args)
    if (given.except && given.name->text != "lr" &&
        given.name->text != "decay") {
      elaborator.error(given.except->range,
                       "'except' goes with lr and decay, found it after '" +
                           given.name->text + "'");
      return false;
    }
  return true;
}

std::optional<CallArguments>
TrainRecipe::match(const CallExpr &call, llvm::ArrayRef<llvm::StringRef> names,
                   size_t required) {
  return elaborator.matchArguments(call, dynAs<NameExpr>(call.callee)->name,
                                   names, required);
}

bool TrainRecipe::readSchedule(const Expr &written, const Scope &scope) {
  auto *call = dynAs<CallExpr>(&written);
  auto *callee = call ? dynAs<NameExpr>(call->callee) : nullptr;
  std::string kind = callee ? callee->name : "constant";
  std::optional<double> most, least = 0;
  std::optional<int64_t> warmup = 0, steps = 0;
  if (!call) {
    most = number(&written, scope, 0, 0, kAny, "lr");
  } else if (kind == "constant") {
    auto arguments = match(*call, {"max", "warmup"}, 1);
    if (!arguments)
      return false;
    most = number(arguments->get("max"), scope, 0, 0, kAny, "max");
    warmup = count(arguments->get("warmup"), scope, 0, 0, "warmup");
  } else if (kind == "linear" || kind == "cosine") {
    auto arguments = match(*call, {"max", "warmup", "steps", "min"}, 1);
    if (!arguments)
      return false;
    if (!arguments->get("steps")) {
      elaborator.error(call->range, "'" + kind + "' needs its argument 'steps'")
          .note("over how many steps the rate goes down, warmup included: " +
                kind + "(1e-3, warmup = 100, steps = 1000)");
      return false;
    }
    most = number(arguments->get("max"), scope, 0, 0, kAny, "max");
    warmup = count(arguments->get("warmup"), scope, 0, 0, "warmup");
    least =
        number(arguments->get("min"), scope, 0, 0, most.value_or(kAny), "min");
    steps = !warmup ? warmup
                    : count(arguments->get("steps"), scope, 0, *warmup + 1,
                            "steps");
  } else {
    elaborator
        .error(call->callee->range, "'" + kind + "' is no schedule of a rate")
        .note("there is: a number, constant(max, warmup), linear(max, warmup, "
              "steps, min), cosine(max, warmup, steps, min)")
        .suggest(kind, {"constant", "linear", "cosine"});
    return false;
  }
  if (!most || !least || !warmup || !steps)
    return false;
  mlir::NamedAttrList rate;
  rate.set("kind", builder.getStringAttr(kind));
  rate.set("max", builder.getF64FloatAttr(*most));
  rate.set("min", builder.getF64FloatAttr(*least));
  rate.set("warmup", builder.getI64IntegerAttr(*warmup));
  rate.set("steps", builder.getI64IntegerAttr(*steps));
  set("lr", rate.getDictionary(builder.getContext()));
  return true;
}

bool TrainRecipe::readRate(const CallExpr &optimizer,
                           const CallArguments &arguments, const Scope &scope) {
  auto frozen = exceptions(optimizer, "lr");
  if (!frozen || !readSchedule(*arguments.get("lr"), scope))
    return false;
  set("frozen", *frozen);
  return true;
}

bool TrainRecipe::readDecay(const CallExpr &optimizer,
                            const CallArguments &arguments,
                            const Scope &scope) {
  auto decay = number(arguments.get("decay"), scope, 0, 0, kAny, "decay");
  auto undecayed = exceptions(optimizer, "decay");
  if (!decay || !undecayed)
    return false;
  set("decay", builder.getF64FloatAttr(*decay));
  set("undecayed", *undecayed);
  return true;
}

bool TrainRecipe::readAdamW(const CallArguments &arguments,
                            const Scope &scope) {
  double betas[] = {0.9, 0.999};
  if (const Expr *written = arguments.get("betas")) {
    auto *tuple = dynAs<TupleExpr>(written);
    if (!tuple || tuple->items.size() != 2) {
      elaborator.error(written->range,
                       "'betas' takes two numbers, such as (0.9, 0.95), found "
                       "'" +
                           elaborator.textOf(written->range) + "'");
      return false;
    }
    for (int i : {0, 1}) {
      const Expr &item = *tuple->items[i].value;
      auto beta = elaborator.evaluateFloat(item, scope);
      if (beta && (*beta < 0 || *beta >= 1)) {
        elaborator.error(item.range, "'betas' are at least 0 and less than 1, "
                                     "found " +
                                         text(*beta));
        return false;
      }
      if (!beta)
        return false;
      betas[i] = *beta;
    }
  }
  auto eps = number(arguments.get("eps"), scope, 1e-8, 0, kAny, "eps");
  if (!eps)
    return false;
  set("betas", builder.getF64ArrayAttr(betas));
  set("eps", builder.getF64FloatAttr(*eps));
  return true;
}

bool TrainRecipe::readSgd(const CallArguments &arguments, const Scope &scope) {
  auto momentum = number(arguments.get("momentum"), scope, 0, 0, 1, "momentum");
  std::optional<bool> nesterov = false;
  const Expr *written = arguments.get("nesterov");
  if (written)
    nesterov = elaborator.evaluateBool(*written, scope);
  if (!momentum || !nesterov)
    return false;
  if (*nesterov && *momentum == 0) {
    elaborator
        .error(written->range,
               "'nesterov' needs a momentum of more than 0, found 0")
        .note("write: sgd(lr = ..., momentum = 0.9, nesterov = true)");
    return false;
  }
  set("momentum", builder.getF64FloatAttr(*momentum));
  set("nesterov", builder.getBoolAttr(*nesterov));
  return true;
}

bool TrainRecipe::readOptimizer(const Scope &scope) {
  const Setting *setting = find("optimizer");
  if (!setting) {
    elaborator
        .error(decl.name.range,
               "recipe '" + decl.name.text + "' has no optimizer")
        .note("write: optimizer adamw(lr = 1e-3)");
    return false;
  }
  auto *call = dynAs<CallExpr>(setting->value);
  auto *callee = call ? dynAs<NameExpr>(call->callee) : nullptr;
  std::string name = callee ? callee->name : "";
  if (name != "adamw" && name != "sgd") {
    elaborator
        .error(setting->value->range,
               "'" + elaborator.textOf(setting->value->range) +
                   "' is no optimizer")
        .note("there is: adamw(lr, betas, eps, decay), "
              "sgd(lr, momentum, nesterov, decay)")
        .suggest(name, {"adamw", "sgd"});
    return false;
  }
  bool isAdamW = name == "adamw";
  auto arguments =
      isAdamW ? match(*call, {"lr", "betas", "eps", "decay"}, 1)
              : match(*call, {"lr", "momentum", "nesterov", "decay"}, 1);
  if (!arguments || !checkExceptions(*call))
    return false;
  set("optimizer", builder.getStringAttr(name));
  return readRate(*call, *arguments, scope) &&
         readDecay(*call, *arguments, scope) &&
         (isAdamW ? readAdamW(*arguments, scope) : readSgd(*arguments, scope));
}

bool TrainRecipe::readPrecision(mlir::ModuleOp module, const Scope &scope) {
  const Setting *setting = find("precision");
  if (!setting)
    return true;
  auto precision = frontend::readPrecision(elaborator, *setting, scope,
                                           module.getContext(), true);
  if (!precision)
    return false;
  nn::ModelOp model = nn::modelOf(module);
  mlir::DictionaryAttr own = precision->attribute();
  if (model.isNarrow() && model.getPrecision() != own) {
    elaborator
        .error(setting->range, "the variant that recipe '" + decl.name.text +
                                   "' is for has another precision")
        .note("leave it out here to train with that of the variant");
    return false;
  }
  model.setPrecisionAttr(own);
  if (precision->scale != 1 || precision->isDynamic) {
    mlir::NamedAttrList scale;
    scale.set("first", builder.getF64FloatAttr(precision->scale));
    scale.set("dynamic", builder.getBoolAttr(precision->isDynamic));
    set("loss_scale", scale.getDictionary(module.getContext()));
  }
  return true;
}

bool TrainRecipe::readOthers(const Scope &scope) {
  auto valueOf = [&](const char *key) -> const Expr * {
    const Setting *setting = find(key);
    return setting ? setting->value.get() : nullptr;
  };
  auto clip = number(valueOf("clip"), scope, 0, 0, kAny, "clip");
  auto accumulate = count(valueOf("accumulate"), scope, 1, 1, "accumulate");
  auto given = count(valueOf("seed"), scope, 0, 0, "seed");
  if (!clip || !accumulate || !given)
    return false;
  seed = *given;
  set("clip", builder.getF64FloatAttr(*clip));
  set("accumulate", builder.getI64IntegerAttr(*accumulate));
  return true;
}

bool TrainRecipe::emit(mlir::ModuleOp module, const Scope &outer) {
  module.walk([&](nn::ParameterOp parameter) {
    parameters.push_back(parameter.getPath().str());
  });
  Scope scope(&outer);
  for (const auto &let : decl.lets) {
    auto datum = elaborator.evaluate(*let->value, scope);
    if (!datum)
      return false;
    scope.names[let->name.text] = *datum;
  }
  if (!checkClauses())
    return false;
  set("name", builder.getStringAttr(decl.name.text));
  bool ok = readOptimizer(scope);
  ok &= readPrecision(module, scope);
  ok &= readOthers(scope);
  ok &= readRun(scope);
  if (!ok)
    return false;
  nn::ModelOp model = nn::modelOf(module);
  model.setGradients(nn::Gradients::Parameters);
  model.setTrainAttr(recipe.getDictionary(module.getContext()));
  model.setRunAttr(run.getDictionary(module.getContext()));
  model.setSeed(seed);
  return true;
}
