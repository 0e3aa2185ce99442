//===- Hooks.cpp - a user's own functions, as declared --------------------===//

#include "ScheduleEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static std::string called(const HookDecl &hook) {
  return "hook '" + hook.name.text + "'";
}

/// "x: f32[rows, inner]", or without the name.
static std::string textOf(mlir::Attribute attribute, bool named = true) {
  auto tensor = mlir::cast<mlir::DictionaryAttr>(attribute);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (named && tensor.get("name"))
    stream << tensor.getAs<mlir::StringAttr>("name").getValue() << ": ";
  stream << tensor.getAs<mlir::TypeAttr>("element").getValue() << "[";
  llvm::interleaveComma(
      tensor.getAs<mlir::ArrayAttr>("dims").getAsValueRange<mlir::StringAttr>(),
      stream);
  stream << "]";
  return text;
}

static std::string textOf(llvm::ArrayRef<mlir::Attribute> tensors,
                          bool named = true) {
  std::vector<std::string> parts;
  for (mlir::Attribute tensor : tensors)
    parts.push_back(textOf(tensor, named));
  return "(" + llvm::join(parts, ", ") + ")";
}

static bool isFloat(mlir::Attribute tensor) {
  return mlir::isa<mlir::FloatType>(mlir::cast<mlir::DictionaryAttr>(tensor)
                                        .getAs<mlir::TypeAttr>("element")
                                        .getValue());
}

static bool hasDim(llvm::ArrayRef<mlir::Attribute> tensors,
                   llvm::StringRef name) {
  return llvm::any_of(tensors, [&](mlir::Attribute tensor) {
    return llvm::is_contained(mlir::cast<mlir::DictionaryAttr>(tensor)
                                  .getAs<mlir::ArrayAttr>("dims")
                                  .getAsValueRange<mlir::StringAttr>(),
                              name);
  });
}

mlir::DictionaryAttr ScheduleEmitter::describeTensor(const HookDecl &hook,
                                                     const std::string &name,
                                                     const TensorType &type) {
  mlir::Type element = elaborator.elementType(type.element);
  if (!element)
    return {};
  std::vector<llvm::StringRef> dims;
  for (const ExprPtr &expr : type.dims) {
    auto *dim = dynAs<NameExpr>(expr.get());
    if (!dim || llvm::is_contained(dims, dim->name)) {
      elaborator
          .error(expr->range, "a dim of " + called(hook) + " is a name, each " +
                                  "once in a tensor")
          .note("write 'x: f32[rows, cols]': equal names are equal sizes");
      return {};
    }
    dims.push_back(dim->name);
  }
  std::vector<mlir::NamedAttribute> fields{
      builder.getNamedAttr("element", mlir::TypeAttr::get(element)),
      builder.getNamedAttr("dims", builder.getStrArrayAttr(dims))};
  if (!name.empty())
    fields.push_back(text("name", name));
  return builder.getDictionaryAttr(fields);
}

/// What a file of a hook may be: of one for a CPU, of one for GPUs.
static const std::vector<std::string> &endingsOf(const std::string &key) {
  static const std::vector<std::string> cpu = {".c", ".cc", ".cpp", ".cxx",
                                               ".o", ".a",  ".so"};
  static const std::vector<std::string> cuda = {".cu",  ".c", ".cc", ".cpp",
                                                ".cxx", ".o", ".a",  ".so"};
  return key == "cuda" ? cuda : cpu;
}

/// The file that a setting names, if it is there, by a name that does not
/// depend on where the hook's own file is.
bool ScheduleEmitter::readFile(const DeclaredHook &hook, const std::string &key,
                               std::vector<mlir::NamedAttribute> &fields) {
  const Setting *setting = hook.decl->find(key);
  if (!setting)
    return true;
  auto *name = dynAs<StringExpr>(setting->value.get());
  if (!name) {
    elaborator
        .error(setting->value->range,
               called(*hook.decl) + " needs the file that it is in")
        .note("write '" + key + " \"" + hook.decl->name.text +
              (key == "cuda" ? ".cu\"'" : ".cpp\"'"));
    return false;
  }
  llvm::StringRef ending = llvm::sys::path::extension(name->value);
  if (!llvm::is_contained(endingsOf(key), ending)) {
    auto &error = elaborator.error(name->range, "'" + name->value +
                                                    "' is no file of a hook");
    if (ending == ".cu")
      error.note("write 'cuda \"" + name->value + "\"': it is for GPUs");
    else
      error.note("there is: " + llvm::join(endingsOf(key), ", "));
    return false;
  }
  llvm::SmallString<128> path(name->value);
  if (!hook.folder.empty() && llvm::sys::path::is_relative(path)) {
    path = hook.folder;
    llvm::sys::path::append(path, name->value);
  }
  if (!llvm::sys::fs::exists(path)) {
    elaborator
        .error(name->range,
               "cannot find '" + name->value + "' of " + called(*hook.decl))
        .note("it is looked for beside the file that declares the hook");
    return false;
  }
  fields.push_back(text(key == "cuda" ? "cuda" : "file", path.str().str()));
  return true;
}

/// The file for a CPU, the one for GPUs, or both.
bool ScheduleEmitter::readFiles(const DeclaredHook &hook,
                                std::vector<mlir::NamedAttribute> &fields) {
  const HookDecl &decl = *hook.decl;
  if (decl.find("from") || decl.find("cuda"))
    return readFile(hook, "from", fields) && readFile(hook, "cuda", fields);
  elaborator
      .error(decl.name.range, called(decl) + " needs the file that it is in")
      .note("write 'from \"" + decl.name.text +
            ".cpp\"', or for GPUs 'cuda \"" + decl.name.text + ".cu\"'");
  return false;
}

/// `NAME` or `[NAME, ...]`.
bool ScheduleEmitter::readNames(const Setting &setting,
                                std::vector<Name> &names) {
  std::vector<const Expr *> items;
  if (auto *list = dynAs<ListExpr>(setting.value.get()))
    for (const ExprPtr &item : list->items)
      items.push_back(item.get());
  else
    items.push_back(setting.value.get());
  for (const Expr *item : items) {
    auto *name = dynAs<NameExpr>(item);
    if (!name) {
      elaborator
          .error(item->range,
                 "expected a name after '" + setting.key.text + "'")
          .note("write '" + setting.key.text + " NAME' or '" +
                setting.key.text + " [NAME, NAME]'");
      return false;
    }
    names.push_back({name->name, name->range});
  }
  return true;
}

mlir::ArrayAttr
ScheduleEmitter::splitOf(const HookDecl &hook,
                         const std::vector<mlir::Attribute> &inputs) {
  std::vector<Name> names;
  const Setting *split = hook.find("split");
  if (split && !readNames(*split, names))
    return {};
  std::vector<llvm::StringRef> dims;
  for (const Name &name : names) {
    if (!hasDim(inputs, name.text)) {
      elaborator.error(name.range, called(hook) + " has no dim '" + name.text +
                                       "' to split");
      return {};
    }
    dims.push_back(name.text);
  }
  return builder.getStrArrayAttr(dims);
}

bool ScheduleEmitter::checkResultDims(
    const HookDecl &hook, const std::vector<mlir::Attribute> &inputs) {
  for (const TensorType &type : hook.results)
    for (const ExprPtr &expr : type.dims)
      if (auto *dim = dynAs<NameExpr>(expr.get());
          dim && !hasDim(inputs, dim->name)) {
        elaborator.error(dim->range, called(hook) + " gives a dim '" +
                                         dim->name +
                                         "' that none of its tensors has");
        return false;
      }
  return true;
}

/// The declared hook that `derivative` names, which must take and give what
/// the derivative of this one does.
mlir::DictionaryAttr
ScheduleEmitter::derivativeOf(const HookDecl &hook,
                              const std::vector<mlir::Attribute> &inputs,
                              const std::vector<mlir::Attribute> &results) {
  const Setting *setting = hook.find("derivative");
  std::vector<Name> names;
  if (!readNames(*setting, names))
    return {};
  mlir::DictionaryAttr gradient = hookNamed(names.front());
  if (!gradient)
    return {};
  auto listOf = [&](llvm::StringRef key) {
    auto list = gradient.getAs<mlir::ArrayAttr>(key);
    return list ? list.getValue() : llvm::ArrayRef<mlir::Attribute>();
  };
  std::vector<mlir::Attribute> takes = inputs, gives;
  takes.insert(takes.end(), results.begin(), results.end());
  llvm::copy_if(inputs, std::back_inserter(gives), isFloat);
  std::string expected = textOf(takes, false) + " -> " + textOf(gives, false);
  std::string found = textOf(listOf("inputs"), false) + " -> " +
                      textOf(listOf("results"), false);
  if (expected == found)
    return gradient;
  elaborator
      .error(setting->value->range, "the derivative of " + called(hook) +
                                        " is a hook " + expected + ", but '" +
                                        names.front().text + "' is " + found)
      .note("it takes what the hook takes, then the gradients of its results, "
            "and gives the gradients of what it takes");
  return {};
}

mlir::DictionaryAttr ScheduleEmitter::describeHook(const DeclaredHook &hook) {
  const HookDecl &decl = *hook.decl;
  std::vector<mlir::NamedAttribute> fields{text("name", decl.name.text)};
  if (!readFiles(hook, fields))
    return {};
  std::vector<mlir::Attribute> inputs, results;
  for (const FunctionArg &arg : decl.args) {
    inputs.push_back(describeTensor(decl, arg.name.text, arg.type));
    if (!inputs.back())
      return {};
  }
  for (const TensorType &type : decl.results) {
    results.push_back(describeTensor(decl, "", type));
    if (!results.back())
      return {};
  }
  if (const Setting *collective = decl.find("collective")) {
    std::vector<Name> names;
    static const std::vector<std::string> kinds = {
        "all_reduce", "reduce_scatter", "all_gather"};
    if (!readNames(*collective, names))
      return {};
    if (names.size() != 1 || !llvm::is_contained(kinds, names[0].text)) {
      elaborator
          .error(collective->value->range,
                 "'" + elaborator.textOf(collective->value->range) +
                     "' is no collective that a hook does")
          .note("there is: " + llvm::join(kinds, ", "));
      return {};
    }
    fields.push_back(text("collective", names[0].text));
    return builder.getDictionaryAttr(fields);
  }
  if (inputs.empty() || results.empty()) {
    elaborator
        .error(decl.name.range,
               called(decl) +
                   " takes and gives nothing, and does no collective")
        .note("write '" + decl.name.text +
              "(x: f32[rows]) -> f32[rows]', or 'collective all_reduce'");
    return {};
  }
  mlir::ArrayAttr split = splitOf(decl, inputs);
  if (!split || !checkResultDims(decl, inputs))
    return {};
  fields.push_back(
      builder.getNamedAttr("inputs", builder.getArrayAttr(inputs)));
  fields.push_back(
      builder.getNamedAttr("results", builder.getArrayAttr(results)));
  fields.push_back(builder.getNamedAttr("split", split));
  if (decl.find("derivative")) {
    mlir::DictionaryAttr gradient = derivativeOf(decl, inputs, results);
    if (!gradient)
      return {};
    fields.push_back(builder.getNamedAttr("derivative", gradient));
  }
  return builder.getDictionaryAttr(fields);
}

mlir::DictionaryAttr ScheduleEmitter::hookNamed(const Name &name) {
  std::vector<std::string> names;
  for (const DeclaredHook &hook : hooks) {
    names.push_back(hook.decl->name.text);
    if (hook.decl->name.text != name.text)
      continue;
    if (llvm::is_contained(describing, hook.decl)) {
      elaborator.error(name.range,
                       called(*hook.decl) + " is its own derivative");
      return {};
    }
    describing.push_back(hook.decl);
    mlir::DictionaryAttr result = describeHook(hook);
    describing.pop_back();
    return result;
  }
  elaborator.error(name.range, "no hook '" + name.text + "'")
      .suggest(name.text, names);
  return {};
}

bool ScheduleEmitter::emitHook(const HookStmt &stmt, Place &place) {
  auto pattern = absolute(stmt.pattern, place);
  mlir::DictionaryAttr hook = hookNamed(stmt.hook);
  if (!pattern || !hook)
    return false;
  if (hook.get("collective")) {
    elaborator
        .error(stmt.hook.range, "hook '" + stmt.hook.text +
                                    "' is a collective, which a sync does")
        .note("write 'sync " + stmt.pattern.str() + " fwd_post hook " +
              stmt.hook.text + " over AXES'");
    return false;
  }
  std::vector<mlir::NamedAttribute> attributes{
      text("pattern", *pattern), builder.getNamedAttr("hook", hook)};
  flag(attributes, "isOptional", place.isOptional);
  write<sched::HookOp>(location(stmt.pattern.range, place), attributes);
  return true;
}

bool ScheduleEmitter::readCollective(const SyncStmt &stmt,
                                     mlir::DictionaryAttr hook,
                                     std::string &kind) {
  auto collective = hook.getAs<mlir::StringAttr>("collective");
  if (!collective) {
    elaborator
        .error(stmt.opRange, "hook '" + stmt.hook->text +
                                 "' is no collective, and moves nothing")
        .note("write 'hook " + stmt.pattern.str() + " with " + stmt.hook->text +
              "' to compute a module with it");
    return false;
  }
  kind = collective.str();
  bool needsAxis = kind != "all_reduce";
  if (needsAxis == stmt.dim.has_value() && !stmt.toDim && !stmt.root)
    return true;
  elaborator
      .error(stmt.opRange, "hook '" + stmt.hook->text + "' does a collective " +
                               kind + ", and takes its clauses")
      .note("write 'hook " + stmt.hook->text +
            (needsAxis ? " axis DIM over AXES'" : " over AXES'"));
  return false;
}
