//===- Instances.cpp - members: modules and built-ins with parameters -----===//

#include "Elaborator.h"
#include "PathMatch.h"
#include "dialects/Nn/Values.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static constexpr unsigned kMaxInstanceDepth = 64;

/// What a model may expand to: a file of a few lines that use each other twice
/// would else take all memory.
static constexpr unsigned kMaxExpansions = 50000;

bool Elaborator::countExpansion(SourceRange range) {
  if (expansions > kMaxExpansions)
    return false; // reported once
  if (++expansions <= kMaxExpansions)
    return true;
  error(range, "the model expands to more than " +
                   std::to_string(kMaxExpansions) +
                   " modules, calls and statements")
      .note("modules that use each other twice double at each level; use fewer "
            "layers or levels");
  return false;
}

static Builtin builtinOf(const std::string &name) {
  static const std::map<std::string, Builtin> table = {
      {"Linear", Builtin::Linear},       {"Conv1D", Builtin::Conv1D},
      {"Embedding", Builtin::Embedding}, {"LayerNorm", Builtin::LayerNorm},
      {"RmsNorm", Builtin::RmsNorm},     {"Dropout", Builtin::Dropout}};
  auto found = table.find(name);
  return found == table.end() ? Builtin::None : found->second;
}

/// Modules of the domain feature set, known but not there yet.
static bool isLaterBuiltin(const std::string &name) {
  static const char *const names[] = {"Upsample"};
  for (const char *known : names)
    if (name == known)
      return true;
  return false;
}

/// Whether `value` is this expression, or a conditional that may choose it.
static bool mayChoose(const Expr &value, const Expr &expr) {
  auto *choice = dynAs<ConditionalExpr>(&value);
  return &value == &expr || (choice && (mayChoose(*choice->thenValue, expr) ||
                                        mayChoose(*choice->elseValue, expr)));
}

/// Modules are private to the file that the call stands in.
const ModuleDecl *Elaborator::moduleNamed(const NameExpr &callee) const {
  for (const ModuleDecl *decl : modules)
    if (decl->name.text == callee.name && !decl->isModel &&
        decl->name.range.file == callee.range.file)
      return decl;
  return nullptr;
}

InstancePtr Elaborator::instantiate(const Expr &expr, const Scope &scope,
                                    const std::string &path, unsigned depth) {
  auto *call = dynAs<CallExpr>(&expr);
  auto *callee = call ? dynAs<NameExpr>(call->callee) : nullptr;
  if (!callee) {
    error(expr.range, "expected a module call such as Linear(in, out)");
    return nullptr;
  }
  if (depth > kMaxInstanceDepth) {
    error(expr.range, "modules are nested deeper than " +
                          std::to_string(kMaxInstanceDepth) +
                          " levels; does '" + callee->name +
                          "' contain itself?");
    return nullptr;
  }
  if (!countExpansion(expr.range))
    return nullptr;
  if (variant)
    for (size_t i = 0; i < variant->changes.size(); ++i) {
      const VariantDecl::Change &change = variant->changes[i];
      if (change.kind != VariantDecl::Change::Kind::Replace ||
          !matchesPath(change.pattern, path) || mayChoose(*change.value, expr))
        continue;
      ++variantHits[i];
      // The replacement sees the variant's names and those of the place.
      Scope both(&scope);
      for (auto &entry : variantScope->names)
        both.names.insert(entry);
      const Expr *chosen = chooseMember(*change.value, both);
      return chosen ? instantiate(*chosen, both, path, depth + 1) : nullptr;
    }
  if (const ModuleDecl *decl = moduleNamed(*callee))
    return instantiateModule(*decl, *call, scope, path, depth);
  Builtin builtin = builtinOf(callee->name);
  if (builtin != Builtin::None)
    return instantiateBuiltin(builtin, *call, scope, path);
  if (bool isTransposed; convolutionDims(callee->name, isTransposed))
    return instantiateConvolution(*call, callee->name, scope, path);
  if (normNamed(callee->name))
    return instantiateNorm(*call, callee->name, scope, path);
  if (bool isMax; llvm::StringRef(callee->name).contains("Pool") &&
                  poolingDims(callee->name, isMax))
    return instantiatePooling(*call, scope, path);
  if (isLaterBuiltin(callee->name)) {
    error(callee->range, "not supported yet: module '" + callee->name + "'");
    return nullptr;
  }
  std::vector<std::string> names = {
      "Linear",      "Conv1D",          "Embedding",       "LayerNorm",
      "RmsNorm",     "Dropout",         "Conv1d",          "Conv2d",
      "Conv3d",      "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
      "GroupNorm",   "InstanceNorm1d",  "InstanceNorm2d",  "InstanceNorm3d",
      "BatchNorm1d", "BatchNorm2d",     "BatchNorm3d",     "MaxPool1d",
      "MaxPool2d",   "MaxPool3d",       "AvgPool1d",       "AvgPool2d",
      "AvgPool3d",   "Parameter",       "Buffer"};
  const ModuleDecl *ofAnother = nullptr;
  for (const ModuleDecl *decl : modules)
    if (decl->name.range.file == callee->range.file)
      names.push_back(decl->name.text);
    else if (decl->name.text == callee->name)
      ofAnother = decl;
  auto &diagnostic = error(callee->range, "no module '" + callee->name + "'")
                         .suggest(callee->name, names);
  if (ofAnother)
    diagnostic.note(ofAnother->name.range,
                    ofAnother->isModel
                        ? "this is a model, and no member"
                        : "this one is private to the file it stands in");
  return nullptr;
}

InstancePtr Elaborator::instantiateModule(const ModuleDecl &decl,
                                          const CallExpr &call,
                                          const Scope &scope,
                                          const std::string &path,
                                          unsigned depth) {
  auto instance = std::make_shared<Instance>();
  instance->decl = &decl;
  instance->path = path;
  if (!bindParameters(decl.params, call.args, call.range, scope,
                      instance->scope, decl.name.text, decl.name.range) ||
      !addItems(decl, *instance, depth))
    return nullptr;
  return instance;
}

/// What a new parameter holds where it is not the plan's default, normal with
/// deviation 0.02; null in a model that is not trained.
mlir::Attribute Elaborator::initOf(const Instance &instance,
                                   llvm::StringRef name) {
  bool isNorm = instance.builtin == Builtin::LayerNorm ||
                instance.builtin == Builtin::RmsNorm ||
                instance.builtin == Builtin::Norm;
  if (!isTraining || (!isNorm && name != "bias"))
    return {};
  bool isZero = name == "bias" || name == "running_mean";
  return nn::InitAttr::get(context, nn::InitKind::Constant,
                           builder.getF64FloatAttr(isZero ? 0 : 1));
}

mlir::Value Elaborator::addParameter(Instance &instance, llvm::StringRef name,
                                     llvm::ArrayRef<nn::DimAttr> dims,
                                     llvm::ArrayRef<llvm::StringRef> roles,
                                     SourceRange range) {
  auto type = nn::tensorOf(builder.getF32Type(),
                           nn::LayoutAttr::get(context, dims, {}, {}));
  mlir::Value value =
      addParameter(joinPath(instance.path, name.str()), type, roles, range);
  if (mlir::Attribute init = initOf(instance, name))
    lastParameter->setAttr("init", init);
  instance.parameters[name.str()] = value;
  return value;
}

mlir::Value Elaborator::addParameter(const std::string &path,
                                     mlir::RankedTensorType type,
                                     llvm::ArrayRef<llvm::StringRef> roles,
                                     SourceRange range) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (lastParameter)
    builder.setInsertionPointAfter(lastParameter);
  else
    builder.setInsertionPointToStart(parameterBlock);
  isCountable(*this, type, range); // or reported
  mlir::OperationState state(locationOf(range, path),
                             nn::ParameterOp::getOperationName());
  state.addTypes(type);
  state.addAttribute("path", builder.getStringAttr(path));
  // `axis out` and `axis in` name the dims of a weight by their role.
  if (!roles.empty())
    state.addAttribute("nn.dim_names", builder.getStrArrayAttr(roles));
  lastParameter = builder.create(state);
  return lastParameter->getResult(0);
}

bool Elaborator::addLinear(Instance &instance, const CallArguments &arguments,
                           const Scope &scope) {
  auto in = evaluateDim(*arguments.get("in"), scope);
  auto out = evaluateDim(*arguments.get("out"), scope);
  std::optional<bool> bias = true;
  if (const Expr *given = arguments.get("bias"))
    bias = evaluateBool(*given, scope);
  if (!in || !out || !bias)
    return false;
  SourceRange range = arguments.call->range;
  if (instance.builtin == Builtin::Conv1D)
    addParameter(instance, "weight", {*in, *out}, {"in", "out"}, range);
  else
    addParameter(instance, "weight", {*out, *in}, {"out", "in"}, range);
  if (*bias)
    addParameter(instance, "bias", {*out}, {"out"}, range);
  return true;
}

InstancePtr Elaborator::instantiateBuiltin(Builtin kind, const CallExpr &call,
                                           const Scope &scope,
                                           const std::string &path) {
  auto instance = std::make_shared<Instance>();
  instance->builtin = kind;
  instance->path = path;
  SourceRange range = call.range;
  const std::string &name = dynAs<NameExpr>(call.callee)->name;
  auto number = [&](const CallArguments &arguments, const char *which,
                    double fallback) {
    const Expr *given = arguments.get(which);
    auto value =
        given ? evaluateFloat(*given, scope) : std::optional<double>(fallback);
    instance->number = value.value_or(0);
    return value.has_value();
  };
  switch (kind) {
  case Builtin::Linear:
  case Builtin::Conv1D: {
    auto arguments = matchArguments(call, name, {"in", "out", "bias"}, 2);
    if (!arguments || !addLinear(*instance, *arguments, scope))
      return nullptr;
    return instance;
  }
  case Builtin::Embedding: {
    auto arguments = matchArguments(call, name, {"rows", "out"}, 2);
    if (!arguments)
      return nullptr;
    auto rows = evaluateDim(*arguments->get("rows"), scope);
    auto out = evaluateDim(*arguments->get("out"), scope);
    if (!rows || !out)
      return nullptr;
    addParameter(*instance, "weight", {*rows, *out}, {}, range);
    return instance;
  }
  case Builtin::LayerNorm:
  case Builtin::RmsNorm: {
    bool layer = kind == Builtin::LayerNorm;
    auto arguments = layer
                         ? matchArguments(call, name, {"dim", "eps", "bias"}, 1)
                         : matchArguments(call, name, {"dim", "eps"}, 1);
    if (!arguments || !number(*arguments, "eps", layer ? 1e-5 : 1e-6))
      return nullptr;
    if (auto *sizes = dynAs<ListExpr>(arguments->get("dim")); layer && sizes)
      return instantiateLayerNorm(*arguments, *sizes, scope, path);
    auto dim = evaluateDim(*arguments->get("dim"), scope);
    std::optional<bool> bias = layer;
    if (const Expr *given = arguments->get("bias"))
      bias = evaluateBool(*given, scope);
    if (!dim || !bias)
      return nullptr;
    addParameter(*instance, "weight", {*dim}, {}, range);
    if (*bias)
      addParameter(*instance, "bias", {*dim}, {}, range);
    return instance;
  }
  case Builtin::Dropout: {
    auto arguments = matchArguments(call, name, {"p"}, 1);
    if (!arguments || !number(*arguments, "p", 0))
      return nullptr;
    if (instance->number < 0 || instance->number >= 1) {
      error(range, "a dropout probability lies in [0, 1), found " +
                       llvm::formatv("{0}", instance->number).str());
      return nullptr;
    }
    return instance;
  }
  case Builtin::Convolution: // instantiateConvolution
  case Builtin::Norm:        // instantiateNorm
  case Builtin::Pooling:     // instantiatePooling
  case Builtin::None:
    break;
  }
  return nullptr;
}
