//===- Elaborate.cpp - choosing what to elaborate and doing it ------------===//

#include "hocket/Frontend/Elaborate.h"
#include "PrecisionSetting.h"
#include "ScheduleEmitter.h"
#include "TrainRecipe.h"
#include "dialects/Nn/Program.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

bool frontend::parseDefine(const std::string &text, Define &define) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    return false;
  std::string key = text.substr(0, equals);
  define.value = text.substr(equals + 1);
  size_t dot = key.find('.');
  define.target = dot == std::string::npos ? "" : key.substr(0, dot);
  define.name = dot == std::string::npos ? key : key.substr(dot + 1);
  bool targetKnown = define.target.empty() || define.target == "model" ||
                     define.target == "schedule" ||
                     define.target == "variant" || define.target == "train";
  return targetKnown && !define.name.empty();
}

namespace {

/// What a run elaborates: the declarations and the files they stand in.
struct Selection {
  const ModuleDecl *model = nullptr;
  const LoadedFile *modelFile = nullptr;
  const VariantDecl *variant = nullptr;
  const LoadedFile *variantFile = nullptr;
  const ScheduleDecl *schedule = nullptr;
  const TrainDecl *train = nullptr;
};

class Chooser {
public:
  Chooser(const Program &program, DiagnosticEngine &diagnostics)
      : program(program), diagnostics(diagnostics) {}

  bool choose(const ElaborateOptions &options, Selection &selection) {
    std::string wanted =
        options.variant.empty() ? options.model : options.variant;
    if (!options.train.empty()) {
      selection.train = find<TrainDecl>(options.train, "recipe", nullptr);
      if (!selection.train)
        return false;
      if (wanted.empty())
        wanted = selection.train->base.text;
    }
    if (!options.schedule.empty()) {
      selection.schedule =
          find<ScheduleDecl>(options.schedule, "schedule", nullptr);
      if (!selection.schedule)
        return false;
      if (wanted.empty())
        wanted = selection.schedule->model.text;
    }
    selection.variant =
        wanted.empty() ? nullptr
                       : lookup<VariantDecl>(wanted, &selection.variantFile);
    if (!options.variant.empty() && !selection.variant)
      return find<VariantDecl>(options.variant, "variant", nullptr);
    if (selection.variant)
      wanted = selection.variant->base.text;
    selection.model = wanted.empty() ? onlyModel(&selection.modelFile)
                                     : findModel(wanted, selection);
    return selection.model && checkTrained(options, selection) &&
           checkScheduled(options, selection);
  }

private:
  /// The model of a name, which may be a variant's.
  std::string baseOf(const std::string &name) {
    auto *variant = lookup<VariantDecl>(name, nullptr);
    return variant ? variant->base.text : name;
  }

  /// Declarations of a kind for this model or its variants, as a note.
  template <typename T>
  void listFor(const std::string &model, const char *kind, Name T::*of,
               const std::string &otherwise, Diagnostic &diagnostic) {
    std::vector<std::string> names;
    for (auto &loaded : program.files)
      for (const DeclPtr &decl : loaded->ast.decls)
        if (auto *found = dynAs<T>(decl))
          if (baseOf((found->*of).text) == model)
            names.push_back(found->name.text);
    diagnostic.note(names.empty() ? std::string("there is no ") + kind +
                                        " for '" + model + "'; " + otherwise
                                  : std::string(kind) + "s for '" + model +
                                        "': " + join(names));
  }

  static std::string chosenBy(const ElaborateOptions &options) {
    return options.variant.empty() ? "--model says '" + options.model + "'"
                                   : "--variant says '" + options.variant + "'";
  }

  bool checkTrained(const ElaborateOptions &options,
                    const Selection &selection) {
    const std::string &model = selection.model->name.text;
    if (!selection.train || baseOf(selection.train->base.text) == model)
      return true;
    Diagnostic &fault = diagnostics.error(
        selection.train->base.range,
        "recipe '" + selection.train->name.text + "' is of '" +
            selection.train->base.text + "', and " + chosenBy(options));
    listFor(model, "recipe", &TrainDecl::base, "leave out --train", fault);
    return false;
  }

  bool checkScheduled(const ElaborateOptions &options,
                      const Selection &selection) {
    const std::string &model = selection.model->name.text;
    if (!selection.schedule || baseOf(selection.schedule->model.text) == model)
      return true;
    bool isChosen = !options.model.empty() || !options.variant.empty();
    std::string other = isChosen ? chosenBy(options)
                                 : "recipe '" + selection.train->name.text +
                                       "' is of '" +
                                       selection.train->base.text + "'";
    Diagnostic &fault = diagnostics.error(
        selection.schedule->model.range,
        "schedule '" + selection.schedule->name.text + "' is for '" +
            selection.schedule->model.text + "', and " + other);
    listFor(model, "schedule", &ScheduleDecl::model,
            "leave out --schedule for one device", fault);
    return false;
  }

  template <typename T>
  const T *lookup(const std::string &name, const LoadedFile **file) {
    for (auto &loaded : program.files)
      for (const DeclPtr &decl : loaded->ast.decls)
        if (auto *found = dynAs<T>(decl))
          if (found->name.text == name && isModelOrOther(found)) {
            if (file)
              *file = loaded.get();
            return found;
          }
    return nullptr;
  }
  static bool isModelOrOther(const ModuleDecl *decl) { return decl->isModel; }
  static bool isModelOrOther(const Decl *) { return true; }

  template <typename T>
  const T *find(const std::string &name, const char *kind,
                const LoadedFile **file) {
    if (const T *found = lookup<T>(name, file))
      return found;
    std::vector<std::string> names;
    for (auto &loaded : program.files)
      for (const DeclPtr &decl : loaded->ast.decls)
        if (auto *other = dynAs<T>(decl))
          if (isModelOrOther(other))
            names.push_back(other->name.text);
    auto &diagnostic = diagnostics.error(
        SourceRange(), std::string("no ") + kind + " '" + name + "'");
    if (!names.empty())
      diagnostic.note(std::string("there is: ") + join(names));
    diagnostic.suggest(name, names);
    return nullptr;
  }

  static std::string join(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  const ModuleDecl *findModel(const std::string &name, Selection &selection) {
    const ModuleDecl *model = lookup<ModuleDecl>(name, &selection.modelFile);
    if (model)
      return model;
    if (selection.variant && lookup<VariantDecl>(name, nullptr)) {
      diagnostics
          .error(selection.variant->base.range,
                 "variant '" + selection.variant->name.text + "' is of '" +
                     name + "', which is a variant; expected a model")
          .note("write of " + baseOf(name) + ", and in it what '" + name +
                "' changes as well");
      return nullptr;
    }
    const Name *written = nullptr;
    if (selection.schedule && selection.schedule->model.text == name)
      written = &selection.schedule->model;
    if (selection.train && selection.train->base.text == name)
      written = &selection.train->base;
    if (written) {
      std::vector<std::string> names;
      for (auto &loaded : program.files)
        for (const DeclPtr &decl : loaded->ast.decls) {
          auto *module = dynAs<ModuleDecl>(decl);
          if (module && module->isModel)
            names.push_back(module->name.text);
          if (auto *changed = dynAs<VariantDecl>(decl))
            names.push_back(changed->name.text);
        }
      auto &diagnostic = diagnostics.error(
          written->range, "no model or variant '" + name + "'");
      if (!names.empty())
        diagnostic.note("there is: " + join(names));
      diagnostic.suggest(name, names);
      return nullptr;
    }
    return find<ModuleDecl>(name, "model", nullptr);
  }

  const ModuleDecl *onlyModel(const LoadedFile **file) {
    const ModuleDecl *only = nullptr;
    std::vector<std::string> names;
    for (auto &loaded : program.files)
      for (const DeclPtr &decl : loaded->ast.decls)
        if (auto *model = dynAs<ModuleDecl>(decl))
          if (model->isModel) {
            names.push_back(model->name.text);
            only = model;
            *file = loaded.get();
          }
    if (names.size() == 1)
      return only;
    diagnostics.error(SourceRange(),
                      names.empty() ? "no model in this file or its imports"
                                    : "more than one model: " + join(names) +
                                          "; choose one with --model");
    return nullptr;
  }

  const Program &program;
  DiagnosticEngine &diagnostics;
};

/// Parameter values: -D first, else the default.
class ParameterBinder {
public:
  ParameterBinder(Elaborator &elaborator, SourceManager &scratch,
                  const std::vector<Define> &defines)
      : elaborator(elaborator), scratch(scratch), defines(defines),
        used(defines.size(), false) {}

  bool bind(const std::vector<Parameter> &params, const std::string &target,
            Scope &scope) {
    bool ok = true;
    for (const Parameter &param : params) {
      known.push_back(param.name.text);
      const Expr *expr = param.defaultValue.get();
      for (size_t i = 0; i < defines.size(); ++i) {
        if (defines[i].name != param.name.text ||
            (!defines[i].target.empty() && defines[i].target != target))
          continue;
        if (used[i] && defines[i].target.empty())
          elaborator.error(SourceRange(),
                           "-D " + defines[i].name +
                               " fits more than one item; write model." +
                               defines[i].name + " or schedule." +
                               defines[i].name);
        used[i] = true;
        expr = parse(defines[i], param.type);
        if (!expr)
          return false;
      }
      if (!expr) {
        elaborator.error(param.range, "'" + param.name.text +
                                          "' has no value; give one with -D " +
                                          target + "." + param.name.text +
                                          "=...");
        ok = false;
        continue;
      }
      auto datum =
          elaborator.evaluateAs(param.type, *expr, scope, param.name.text);
      if (datum)
        scope.names[param.name.text] = *datum;
      ok &= datum.has_value();
    }
    return ok;
  }

  bool checkAllUsed() {
    bool ok = true;
    for (size_t i = 0; i < defines.size(); ++i)
      if (!used[i]) {
        const Define &define = defines[i];
        elaborator
            .error(SourceRange(),
                   "-D " + define.target + (define.target.empty() ? "" : ".") +
                       define.name + ": no parameter of that name")
            .note("there is: " + llvm::join(known, ", "))
            .suggest(define.name, known);
        ok = false;
      }
    return ok;
  }

private:
  const Expr *parse(const Define &define, ParamType type) {
    FileId file = scratch.addFile("-D " + define.name, define.value);
    if (type == ParamType::Str && define.value[0] != '"') {
      // A shell takes quotes away.
      auto text = std::make_unique<StringExpr>();
      text->value = define.value;
      text->range = {file, 0, static_cast<uint32_t>(define.value.size())};
      parsed.push_back(std::move(text));
      return parsed.back().get();
    }
    DiagnosticEngine local(scratch);
    ExprPtr expr = parseExpression(scratch, file, local);
    if (!expr || local.hasErrors()) {
      elaborator.error(SourceRange(), "-D " + define.name + "=" + define.value +
                                          " is not an expression");
      return nullptr;
    }
    // Errors about the value have no place in a file.
    parsed.push_back(std::move(expr));
    return parsed.back().get();
  }

  Elaborator &elaborator;
  SourceManager &scratch;
  const std::vector<Define> &defines;
  std::vector<bool> used;
  std::vector<std::string> known; // names of all parameters
  std::vector<ExprPtr> parsed;
};

std::vector<const ModuleDecl *> modulesOf(const Selection &selection) {
  std::vector<const ModuleDecl *> modules;
  for (const LoadedFile *file : {selection.variantFile, selection.modelFile})
    for (size_t i = 0; file && i < file->ast.decls.size(); ++i)
      if (auto *decl = dynAs<ModuleDecl>(file->ast.decls[i]))
        modules.push_back(decl);
  return modules;
}

std::vector<const DefStmt *> defsOf(const Program &program) {
  std::vector<const DefStmt *> defs;
  for (auto file = program.files.rbegin(); file != program.files.rend(); ++file)
    for (const DeclPtr &decl : (*file)->ast.decls)
      if (auto *def = dynAs<DefDecl>(decl))
        defs.push_back(def->def.get());
  return defs;
}

std::vector<DeclaredHook> hooksOf(const Program &program) {
  std::vector<DeclaredHook> hooks;
  for (const auto &file : program.files)
    for (const DeclPtr &decl : file->ast.decls)
      if (auto *hook = dynAs<HookDecl>(decl))
        hooks.push_back({hook, llvm::sys::path::parent_path(file->path).str()});
  return hooks;
}

/// The functions that are not compiled.
std::set<std::string> otherFunctions(const ModuleDecl &model,
                                     const std::string &compiled) {
  std::set<std::string> names;
  for (const ItemPtr &item : model.items)
    if (auto *function = dynAs<FunctionItem>(item))
      if (function->name.text != "forward" && function->name.text != compiled)
        names.insert(function->name.text);
  return names;
}

/// The values of the parameters of all that was chosen.
struct Bindings {
  Scope model, variant{&model}, schedule{&model}, train{&model};

  bool bind(ParameterBinder &binder, const Selection &selection) {
    bool ok = binder.bind(selection.model->params, "model", model);
    if (selection.variant) {
      ok &= binder.bind(selection.variant->params, "variant", variant);
      for (auto &entry : variant.names)
        model.names.insert(entry);
    }
    if (selection.schedule)
      ok &= binder.bind(selection.schedule->params, "schedule", schedule);
    if (selection.train)
      ok &= binder.bind(selection.train->params, "train", train);
    return binder.checkAllUsed() && ok;
  }
};

} // namespace

mlir::OwningOpRef<mlir::ModuleOp>
frontend::elaborate(const Program &program, const SourceManager &sources,
                    DiagnosticEngine &diagnostics, mlir::MLIRContext *context,
                    const ElaborateOptions &options) {
  Selection selection;
  if (!Chooser(program, diagnostics).choose(options, selection))
    return {};
  context->loadDialect<nn::NnDialect, sched::SchedDialect>();
  Elaborator elaborator(sources, diagnostics, context, modulesOf(selection));
  if (options.training || selection.train)
    elaborator.train();
  elaborator.shortenArrays(options.mostElements);
  ParameterBinder binder(elaborator, const_cast<SourceManager &>(sources),
                         options.defines);
  Bindings bindings;
  if (!bindings.bind(binder, selection))
    return {};
  std::optional<TrainRecipe> recipe;
  std::string function = options.function;
  if (selection.train) {
    recipe.emplace(elaborator, *selection.train, context);
    function = recipe->lossOf(*selection.model);
    if (function.empty())
      return {};
  }

  mlir::OpBuilder builder(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  nn::createModel(builder, builder.getUnknownLoc(), selection.model->name.text);
  bool ok = elaborator.emitModel(*module, *selection.model, selection.variant,
                                 bindings.model, function);
  if (ok && selection.variant)
    ok = emitPrecision(elaborator, *selection.variant, bindings.variant,
                       *module);
  if (ok && recipe)
    ok = recipe->emit(*module, bindings.train);
  if (selection.schedule) {
    ScheduleEmitter emitter(elaborator, context, defsOf(program),
                            hooksOf(program),
                            otherFunctions(*selection.model, function));
    ok &= emitter.emit(*module, *selection.schedule, bindings.schedule);
  }
  if (!ok || diagnostics.hasErrors() || mlir::failed(mlir::verify(*module)))
    return {};
  return module;
}
