//===- AstModel.h - modules, functions and their statements ---------------===//
//
// What a `module` or `model` is made of: parameters, lets, members, and
// functions such as `forward` and `loss`.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ASTMODEL_H
#define HOCKET_FRONTEND_ASTMODEL_H

#include "hocket/Frontend/AstExpr.h"

namespace hocket::syntax {

//===----------------------------------------------------------------------===//
// Parameters and types
//===----------------------------------------------------------------------===//

enum class ParamType { Int, Float, Bool, Dim, Str, MeshAxis };

/// `int`, `float`, `bool`, `dim`, `str`, `mesh_axis`.
const char *getSpelling(ParamType type);

/// `name: type` or `name: type = default`, of a module, model, variant,
/// schedule or def. Names are unique in their list.
struct Parameter {
  Name name;
  ParamType type = ParamType::Int;
  SourceRange typeRange;
  ExprPtr defaultValue; ///< null when it has none
  SourceRange range;
};

/// `f32[batch, seq, (heads, head_dim)]`, `f32[]`. The element name is as
/// written; a dim is any expression (TupleExpr: a product of factors).
struct TensorType {
  Name element;
  std::vector<ExprPtr> dims;
  SourceRange range;
};

//===----------------------------------------------------------------------===//
// Statements of a function
//===----------------------------------------------------------------------===//

struct Stmt {
  enum class Kind { Let, Assign, For, If, Return };
  const Kind kind;
  SourceRange range;
  virtual ~Stmt() = default;

protected:
  explicit Stmt(Kind kind) : kind(kind) {}
};
using StmtPtr = std::unique_ptr<Stmt>;

/// `{ ... }`, with the range of the braces.
struct Block {
  std::vector<StmtPtr> stmts;
  SourceRange range;
};

/// `let name = value`: a static value.
struct LetStmt : Stmt {
  HOCKET_AST_NODE(LetStmt, Stmt, Let)
  Name name;
  ExprPtr value;
};

/// `x = value`, `q, k, v = value` or `a, b = f(x), g(x)`. `values` has one
/// entry or as many as `targets`; targets differ, but `_` may repeat.
struct AssignStmt : Stmt {
  HOCKET_AST_NODE(AssignStmt, Stmt, Assign)
  std::vector<Name> targets;
  std::vector<ExprPtr> values;
};

/// `for variable in iterable { ... }`; the iterable is a module array or a
/// RangeExpr.
struct ForStmt : Stmt {
  HOCKET_AST_NODE(ForStmt, Stmt, For)
  Name variable;
  ExprPtr iterable;
  Block body;
};

/// `if condition { ... } else { ... }`; `else if` is an else block with the
/// one inner IfStmt. The condition is static.
struct IfStmt : Stmt {
  HOCKET_AST_NODE(IfStmt, Stmt, If)
  ExprPtr condition;
  Block thenBlock;
  std::optional<Block> elseBlock;
};

/// `return a, b`; at least one value.
struct ReturnStmt : Stmt {
  HOCKET_AST_NODE(ReturnStmt, Stmt, Return)
  std::vector<ExprPtr> values;
};

//===----------------------------------------------------------------------===//
// Items of a module
//===----------------------------------------------------------------------===//

struct Item {
  enum class Kind { Let, Member, MemberArray, Ignore, Prefix, Function };
  const Kind kind;
  SourceRange range;
  virtual ~Item() = default;

protected:
  explicit Item(Kind kind) : kind(kind) {}
};
using ItemPtr = std::unique_ptr<Item>;

/// `let name = value`.
struct LetItem : Item {
  HOCKET_AST_NODE(LetItem, Item, Let)
  Name name;
  ExprPtr value;
};

/// `name = Linear(...)`, also of a conditional, a list of members or `none`.
struct MemberItem : Item {
  HOCKET_AST_NODE(MemberItem, Item, Member)
  Name name;
  ExprPtr value;
};

/// `name = [element for variable in lo..hi]`.
struct MemberArrayItem : Item {
  HOCKET_AST_NODE(MemberArrayItem, Item, MemberArray)
  Name name;
  ExprPtr element;
  Name variable;
  /// A RangeExpr.
  ExprPtr bounds;
};

/// `ignore "pattern", ...`: names of the weight file left unread.
struct IgnoreItem : Item {
  HOCKET_AST_NODE(IgnoreItem, Item, Ignore)
  struct Entry {
    std::string text;
    SourceRange range;
  };
  std::vector<Entry> entries;
};

/// `prefix "text.", ...`: what names of the weight file may begin with.
struct PrefixItem : Item {
  HOCKET_AST_NODE(PrefixItem, Item, Prefix)
  std::vector<IgnoreItem::Entry> entries;
};

/// `x: f32[batch, seq]`.
struct FunctionArg {
  Name name;
  TensorType type;
  SourceRange range;
};

/// `forward(x: f32[...]) -> f32[...] { ... }`. `results` is empty when the type
/// is left out, to be inferred; several are written `-> (T, T)`.
struct FunctionItem : Item {
  HOCKET_AST_NODE(FunctionItem, Item, Function)
  Name name;
  std::vector<FunctionArg> args;
  std::vector<TensorType> results;
  Block body;
};

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_ASTMODEL_H
