//===- Dump.cpp - the structure of a file as nested lists -----------------===//

#include "DumpText.h"
#include "hocket/Frontend/Print.h"

using namespace hocket::syntax;

//===----------------------------------------------------------------------===//
// Expressions and patterns
//===----------------------------------------------------------------------===//

std::string hocket::syntax::dumpExpr(const ExprPtr &expr) {
  if (!expr)
    return "_";
  if (auto *node = dynAs<AttributeExpr>(expr))
    return "(attr " + dumpExpr(node->base) + " " + node->name.text + ")";
  if (auto *node = dynAs<CallExpr>(expr))
    return "(call " + dumpExpr(node->callee) + dumpArguments(node->args) + ")";
  if (auto *node = dynAs<IndexExpr>(expr)) {
    std::string text = "(index " + dumpExpr(node->base);
    for (const Subscript &part : node->subscripts)
      text += part.isSlice
                  ? " (slice " + dumpExpr(part.lo) + " " + dumpExpr(part.hi) +
                        " " + dumpExpr(part.step) + ")"
                  : " " + dumpExpr(part.lo);
    return text + ")";
  }
  if (auto *node = dynAs<TupleExpr>(expr))
    return "(tuple" + dumpArguments(node->items) + ")";
  if (auto *node = dynAs<ListExpr>(expr)) {
    std::string text = "(list";
    for (const ExprPtr &item : node->items)
      text += " " + dumpExpr(item);
    return text + ")";
  }
  if (auto *node = dynAs<RangeExpr>(expr))
    return "(range " + dumpExpr(node->lo) + " " + dumpExpr(node->hi) + ")";
  if (auto *node = dynAs<UnaryExpr>(expr))
    return std::string("(") + getSpelling(node->op) + " " +
           dumpExpr(node->operand) + ")";
  if (auto *node = dynAs<BinaryExpr>(expr))
    return std::string("(") + getSpelling(node->op) + " " +
           dumpExpr(node->lhs) + " " + dumpExpr(node->rhs) + ")";
  if (auto *node = dynAs<ConditionalExpr>(expr))
    return "(if " + dumpExpr(node->condition) + " " +
           dumpExpr(node->thenValue) + " " + dumpExpr(node->elseValue) + ")";
  return toString(*expr);
}

std::string hocket::syntax::dumpArguments(const std::vector<Argument> &args) {
  std::string text;
  for (const Argument &arg : args) {
    text += " ";
    if (arg.name)
      text += arg.name->text + "=";
    text += dumpExpr(arg.value);
    if (arg.except)
      text += " except " + arg.except->str();
  }
  return text;
}

std::string
hocket::syntax::dumpParameters(const std::vector<Parameter> &params) {
  std::string text = "(";
  for (const Parameter &param : params) {
    text += (text.size() > 1 ? " " : "") + param.name.text + ":" +
            getSpelling(param.type);
    if (param.defaultValue)
      text += "=" + dumpExpr(param.defaultValue);
  }
  return text + ")";
}

//===----------------------------------------------------------------------===//
// Functions and modules
//===----------------------------------------------------------------------===//

static std::string dumpValues(const std::vector<ExprPtr> &values) {
  std::string text;
  for (const ExprPtr &value : values)
    text += " " + dumpExpr(value);
  return text;
}

static void dumpBlock(const Block &block, std::string indent,
                      std::string &out) {
  indent += "  ";
  for (const StmtPtr &stmt : block.stmts) {
    if (auto *node = dynAs<LetStmt>(stmt)) {
      out += indent + "let " + node->name.text + " " + dumpExpr(node->value) +
             "\n";
    } else if (auto *node = dynAs<AssignStmt>(stmt)) {
      out += indent + "assign";
      for (const Name &target : node->targets)
        out += " " + target.text;
      out += " =" + dumpValues(node->values) + "\n";
    } else if (auto *node = dynAs<ForStmt>(stmt)) {
      out += indent + "for " + node->variable.text + " " +
             dumpExpr(node->iterable) + "\n";
      dumpBlock(node->body, indent, out);
    } else if (auto *node = dynAs<IfStmt>(stmt)) {
      out += indent + "if " + dumpExpr(node->condition) + "\n";
      dumpBlock(node->thenBlock, indent, out);
      if (!node->elseBlock)
        continue;
      out += indent + "else\n";
      dumpBlock(*node->elseBlock, indent, out);
    } else if (auto *node = dynAs<ReturnStmt>(stmt)) {
      out += indent + "return" + dumpValues(node->values) + "\n";
    }
  }
}

static std::string dumpType(const TensorType &type) {
  return type.element.text + "[" +
         (type.dims.empty() ? "" : dumpValues(type.dims).substr(1)) + "]";
}

static std::string dumpSignature(const std::vector<FunctionArg> &args,
                                 const std::vector<TensorType> &results) {
  std::string text = "(";
  const char *separator = "";
  for (const FunctionArg &arg : args) {
    text += separator + arg.name.text + ":" + dumpType(arg.type);
    separator = " ";
  }
  text += ")";
  for (const TensorType &type : results)
    text += " -> " + dumpType(type);
  return text;
}

static void dumpFunction(const FunctionItem &item, std::string &out) {
  out += "  function " + item.name.text + " " +
         dumpSignature(item.args, item.results) + "\n";
  dumpBlock(item.body, "  ", out);
}

static void dumpStrings(const std::string &word,
                        const std::vector<IgnoreItem::Entry> &entries,
                        std::string &out) {
  out += "  " + word;
  for (const IgnoreItem::Entry &entry : entries)
    out += " <" + entry.text + ">";
  out += "\n";
}

static void dumpItem(const Item *item, std::string &out) {
  if (auto *node = dynAs<LetItem>(item)) {
    out += "  let " + node->name.text + " " + dumpExpr(node->value) + "\n";
  } else if (auto *node = dynAs<MemberItem>(item)) {
    out += "  member " + node->name.text + " " + dumpExpr(node->value) + "\n";
  } else if (auto *node = dynAs<MemberArrayItem>(item)) {
    out += "  array " + node->name.text + " " + dumpExpr(node->element) +
           " for " + node->variable.text + " " + dumpExpr(node->bounds) + "\n";
  } else if (auto *node = dynAs<IgnoreItem>(item)) {
    dumpStrings("ignore", node->entries, out);
  } else if (auto *node = dynAs<PrefixItem>(item)) {
    dumpStrings("prefix", node->entries, out);
  } else if (auto *node = dynAs<FunctionItem>(item)) {
    dumpFunction(*node, out);
  }
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

static std::string dumpSetting(const Setting &setting) {
  std::string text = setting.key.text + " " + dumpExpr(setting.value);
  for (const Setting::Clause &clause : setting.clauses)
    text += " " + clause.key.text + " " + dumpExpr(clause.value);
  return text;
}

static void dumpVariant(const VariantDecl &decl, std::string &out) {
  using Kind = VariantDecl::Change::Kind;
  out += "variant " + decl.name.text + " " + dumpParameters(decl.params) +
         " of " + decl.base.text + "\n";
  for (const auto &let : decl.lets)
    dumpItem(let.get(), out);
  for (const VariantDecl::Change &change : decl.changes) {
    if (change.kind == Kind::Precision)
      out += "  " + dumpSetting(*change.setting) + "\n";
    else
      out += (change.kind == Kind::Replace ? "  replace " : "  mask ") +
             change.pattern.str() + " " + dumpExpr(change.value) + "\n";
  }
}

static void dumpDecl(const Decl *decl, std::string &out) {
  if (auto *node = dynAs<ModuleDecl>(decl)) {
    out += (node->isModel ? "model " : "module ") + node->name.text + " " +
           dumpParameters(node->params) + "\n";
    for (const ItemPtr &item : node->items)
      dumpItem(item.get(), out);
  } else if (auto *node = dynAs<VariantDecl>(decl)) {
    dumpVariant(*node, out);
  } else if (auto *node = dynAs<TrainDecl>(decl)) {
    out += "train " + node->name.text + " " + dumpParameters(node->params) +
           " of " + node->base.text + "\n";
    for (const auto &let : node->lets)
      dumpItem(let.get(), out);
    for (const Setting &setting : node->settings)
      out += "  " + dumpSetting(setting) + "\n";
  } else if (auto *node = dynAs<LossDecl>(decl)) {
    out += "loss of " + node->base.text + "\n";
    if (node->function)
      dumpItem(node->function.get(), out);
  } else if (auto *node = dynAs<ScheduleDecl>(decl)) {
    out += "schedule " + node->name.text + " " + dumpParameters(node->params) +
           " for " + node->model.text + "\n";
    dumpScheduleBlock(node->body, "", out);
  } else if (auto *node = dynAs<HookDecl>(decl)) {
    out += "hook " + node->name.text + " " +
           dumpSignature(node->args, node->results) + "\n";
    for (const Setting &setting : node->settings)
      out += "  " + dumpSetting(setting) + "\n";
  } else if (auto *node = dynAs<DefDecl>(decl)) {
    out += "def " + node->name.text + " " + dumpParameters(node->def->params) +
           "\n";
    dumpScheduleBlock(node->def->body, "", out);
  }
}

std::string hocket::syntax::dumpAst(const File &file) {
  std::string out = "hocket " + std::to_string(file.version) + "\n";
  for (const ImportDecl &import : file.imports)
    out += "import " + import.path + "\n";
  for (const DeclPtr &decl : file.decls)
    dumpDecl(decl.get(), out);
  return out;
}
