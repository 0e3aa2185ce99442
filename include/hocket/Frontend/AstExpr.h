//===- AstExpr.h - expressions and path patterns of the AST ---------------===//
//
// Nodes are plain structs owned by unique_ptr. Each hierarchy has a `kind` and
// `classof`, so llvm::isa / cast / dyn_cast work on it; `dynAs<T>(node)` does
// the same without LLVM. Every node has the range of the text it came from.
// A node's depth is bounded by the parser (kMaxDepth), so recursion over an
// AST is safe.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ASTEXPR_H
#define HOCKET_FRONTEND_ASTEXPR_H

#include "hocket/Frontend/Source.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hocket::syntax {

/// A word of the source.
struct Name {
  std::string text;
  SourceRange range;
};

/// `node` as a T, or null when it is of another kind (or null).
template <typename T, typename Base> const T *dynAs(const Base *node) {
  return node && T::classof(node) ? static_cast<const T *>(node) : nullptr;
}
template <typename T, typename Base>
const T *dynAs(const std::unique_ptr<Base> &node) {
  return dynAs<T>(static_cast<const Base *>(node.get()));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

struct Expr {
  enum class Kind {
    Int,
    Float,
    String,
    Bool,
    None,
    Name,
    Attribute,
    Call,
    Index,
    Tuple,
    List,
    Range,
    Unary,
    Binary,
    Conditional,
  };

  const Kind kind;
  /// Nesting levels at and below this node, kept by the parser.
  uint32_t depth = 1;
  /// Without enclosing parentheses that only group.
  SourceRange range;

  virtual ~Expr() = default;

protected:
  explicit Expr(Kind kind) : kind(kind) {}
};
using ExprPtr = std::unique_ptr<Expr>;

/// Gives a node struct its kind, constructor and classof.
#define HOCKET_AST_NODE(STRUCT, BASE, KIND)                                    \
  STRUCT() : BASE(Kind::KIND) {}                                               \
  static bool classof(const BASE *node) { return node->kind == Kind::KIND; }

struct PathPattern;

/// One argument or tuple item: `value` or `name = value`, and in a training
/// recipe `name = value except PATTERN`.
struct Argument {
  std::optional<Name> name;
  ExprPtr value;
  std::unique_ptr<PathPattern> except;
  SourceRange range;
};

/// `12`; always >= 0 (a minus sign is a Unary).
struct IntExpr : Expr {
  HOCKET_AST_NODE(IntExpr, Expr, Int)
  int64_t value = 0;
};

/// `1e-12`, `0.5`; finite.
struct FloatExpr : Expr {
  HOCKET_AST_NODE(FloatExpr, Expr, Float)
  double value = 0;
};

/// `"text"`, with escapes (\" \\ \n \t) already decoded.
struct StringExpr : Expr {
  HOCKET_AST_NODE(StringExpr, Expr, String)
  std::string value;
};

/// `true`, `false`.
struct BoolExpr : Expr {
  HOCKET_AST_NODE(BoolExpr, Expr, Bool)
  bool value = false;
};

/// `none`.
struct NoneExpr : Expr {
  HOCKET_AST_NODE(NoneExpr, Expr, None)
};

/// `x`.
struct NameExpr : Expr {
  HOCKET_AST_NODE(NameExpr, Expr, Name)
  std::string name;
};

/// `base.name`, e.g. `wte.weight`.
struct AttributeExpr : Expr {
  HOCKET_AST_NODE(AttributeExpr, Expr, Attribute)
  ExprPtr base;
  Name name;
};

/// `callee(args)`. Positional arguments come before named ones, and no name
/// occurs twice (the parser checks both).
struct CallExpr : Expr {
  HOCKET_AST_NODE(CallExpr, Expr, Call)
  ExprPtr callee;
  std::vector<Argument> args;
};

/// One subscript: an index (only `lo`), or a slice `lo:hi:step` whose parts may
/// be null.
struct Subscript {
  bool isSlice = false;
  ExprPtr lo, hi, step;
  SourceRange range;
};

/// `base[subscripts]`, at least one.
struct IndexExpr : Expr {
  HOCKET_AST_NODE(IndexExpr, Expr, Index)
  ExprPtr base;
  std::vector<Subscript> subscripts;
};

/// `(a, b)`, `(a,)`, `()`, and products of dims: `(heads, head_dim)`,
/// `(qkv = 3, heads)`, `(inner = 4 * hidden)`. `(a)` alone is not a tuple.
struct TupleExpr : Expr {
  HOCKET_AST_NODE(TupleExpr, Expr, Tuple)
  std::vector<Argument> items;
};

/// `[a, b]`.
struct ListExpr : Expr {
  HOCKET_AST_NODE(ListExpr, Expr, List)
  std::vector<ExprPtr> items;
};

/// `lo..hi`, without hi. Only after `in`.
struct RangeExpr : Expr {
  HOCKET_AST_NODE(RangeExpr, Expr, Range)
  ExprPtr lo, hi;
};

enum class UnaryOp { Negate, Plus, Not };

struct UnaryExpr : Expr {
  HOCKET_AST_NODE(UnaryExpr, Expr, Unary)
  UnaryOp op = UnaryOp::Negate;
  ExprPtr operand;
};

/// Comparisons do not chain.
enum class BinaryOp {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Or,
};

struct BinaryExpr : Expr {
  HOCKET_AST_NODE(BinaryExpr, Expr, Binary)
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr lhs, rhs;
};

/// `thenValue if condition else elseValue`.
struct ConditionalExpr : Expr {
  HOCKET_AST_NODE(ConditionalExpr, Expr, Conditional)
  ExprPtr condition, thenValue, elseValue;
};

/// The operator as written: `+`, `//`, `and`, `not`.
const char *getSpelling(BinaryOp op);
const char *getSpelling(UnaryOp op);

//===----------------------------------------------------------------------===//
// Path patterns
//===----------------------------------------------------------------------===//

/// One entry of `[...]`: `2`, `0..3` (without 3; either end may be left out),
/// `even` or `odd`.
struct IndexSelector {
  enum class Kind { Single, Range, Even, Odd };
  Kind kind = Kind::Single;
  /// Single: lo. Range: lo and hi, each null when left out.
  ExprPtr lo, hi;
  SourceRange range;
};

/// One component of a path pattern.
struct PatternComponent {
  enum class Kind {
    Name,        ///< `attn`, and indices written as a component: `0`
    Glob,        ///< `ln_*`: a name with stars for any run of characters
    Any,         ///< `*`: exactly one component
    AnyDepth,    ///< `**`: any number of components, also none
    Index,       ///< `[0..3]`: one component, an index in the selectors' union
    Alternation, ///< `{weight,attn.bias}`
  };
  Kind kind = Kind::Name;
  /// Name and Glob: the text.
  std::string text;
  /// Index.
  std::vector<IndexSelector> selectors;
  /// Alternation: at least one.
  std::vector<PathPattern> branches;
  SourceRange range;
};

/// A path pattern, relative to the block it stands in. No components: `.`,
/// the block itself.
struct PathPattern {
  std::vector<PatternComponent> components;
  SourceRange range;

  bool isSelf() const { return components.empty(); }
  /// True when it has only Name components, so it names one path.
  bool isPlain() const;
  /// Canonical text: `h.*.{attn,mlp}.c_proj`, `h[0..3].attn`, `.`.
  std::string str() const;
};

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_ASTEXPR_H
