//===- Ast.h - declarations and files of the AST --------------------------===//
//
// The top of the tree: a File holds imports and declarations in source order.
// Names are not looked up here; that a name is declared twice is the
// resolver's business.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_AST_H
#define HOCKET_FRONTEND_AST_H

#include "hocket/Frontend/AstSchedule.h"

namespace hocket::syntax {

/// The deepest nesting that the parser accepts, of expressions, blocks and
/// patterns together.
constexpr unsigned kMaxDepth = 200;

struct Decl {
  enum class Kind { Module, Variant, Train, Schedule, Def, Hook, Loss };
  const Kind kind;
  Name name;
  /// From the keyword to the closing brace.
  SourceRange range;
  virtual ~Decl() = default;

protected:
  explicit Decl(Kind kind) : kind(kind) {}
};
using DeclPtr = std::unique_ptr<Decl>;

/// `module Name(params) { ... }`, `model Name(params) { ... }`.
struct ModuleDecl : Decl {
  HOCKET_AST_NODE(ModuleDecl, Decl, Module)
  bool isModel = false;
  std::vector<Parameter> params;
  std::vector<ItemPtr> items;
};

/// `KEY VALUE [KEY VALUE]...`, such as `precision bf16 master f32 reduce f32`.
struct Setting {
  struct Clause {
    Name key;
    ExprPtr value;
  };
  Name key;
  ExprPtr value;
  std::vector<Clause> clauses;
  SourceRange range;
};

/// `variant V(params) of M { ... }`: changes in source order.
struct VariantDecl : Decl {
  HOCKET_AST_NODE(VariantDecl, Decl, Variant)
  struct Change {
    enum class Kind { Replace, Mask, Precision };
    Kind kind = Kind::Replace;
    /// Replace and Mask.
    PathPattern pattern;
    /// Replace: the call after `with`. Mask: the mask.
    ExprPtr value;
    /// Precision.
    std::optional<Setting> setting;
    SourceRange range;
  };
  std::vector<Parameter> params;
  Name base;
  std::vector<std::unique_ptr<LetItem>> lets;
  std::vector<Change> changes;
};

/// `train T(params) of M { ... }`: settings in source order, keys unique.
struct TrainDecl : Decl {
  HOCKET_AST_NODE(TrainDecl, Decl, Train)
  std::vector<Parameter> params;
  Name base; ///< a model or a variant
  std::vector<std::unique_ptr<LetItem>> lets;
  std::vector<Setting> settings;
};

/// `loss NAME of M(x: T, ...) -> f32[] { ... }`: a function of a model that
/// stands elsewhere. A loaded program has it among the items of the model, and
/// none here.
struct LossDecl : Decl {
  HOCKET_AST_NODE(LossDecl, Decl, Loss)
  Name base; ///< a model
  std::unique_ptr<FunctionItem> function;
};

/// `schedule S(params) for M { ... }`.
struct ScheduleDecl : Decl {
  HOCKET_AST_NODE(ScheduleDecl, Decl, Schedule)
  std::vector<Parameter> params;
  Name model; ///< a model or a variant
  ScheduleBlock body;
};

/// A `def` at the top of a file; `name` equals `def->name`.
struct DefDecl : Decl {
  HOCKET_AST_NODE(DefDecl, Decl, Def)
  std::unique_ptr<DefStmt> def;
};

/// `hook NAME[(x: T, ...) -> T] { ... }`, a user's own function: settings in
/// source order, keys unique.
struct HookDecl : Decl {
  HOCKET_AST_NODE(HookDecl, Decl, Hook)
  std::vector<FunctionArg> args;
  std::vector<TensorType> results;
  std::vector<Setting> settings;

  const Setting *find(std::string_view key) const {
    for (const Setting &setting : settings)
      if (setting.key.text == key)
        return &setting;
    return nullptr;
  }
};

/// `import "gpt2.hkt"`.
struct ImportDecl {
  std::string path;
  SourceRange pathRange;
  SourceRange range;
};

/// One parsed file. After errors it holds what could be made of the text;
/// ask the DiagnosticEngine whether there were any.
struct File {
  FileId id = SourceRange::kNoFile;
  int64_t version = 1;
  std::vector<ImportDecl> imports;
  std::vector<DeclPtr> decls;
};

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_AST_H
