//===- PathTree.h - paths of a model, and patterns over them ---*- C++ -*-===//
//
// The tree of everything a schedule can name in one function: modules (inner
// nodes), arguments, results, bindings, parameters and inputs. Patterns are
// those of the language, parsed by the frontend.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLACEMENT_PATHTREE_H
#define HOCKET_PLACEMENT_PATHTREE_H

#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "hocket/Frontend/Parser.h"
#include <memory>
#include <optional>

namespace hocket::placement {

struct PathNode {
  std::string name, path; ///< the last component; all of it, dotted
  PathNode *parent = nullptr;
  unsigned depth = 0; ///< components of the path
  std::vector<std::unique_ptr<PathNode>> children;

  nn::ParameterOp parameter;                ///< null if it is none
  mlir::BlockArgument input;                ///< null if it is none
  llvm::SmallVector<nn::ValueOp, 1> values; ///< one a call, in op order
  /// Names an argument of a function that is not compiled (`targets`).
  bool isElsewhere = false;

  PathNode *child(llvm::StringRef name) const;
  bool hasRole(nn::ValueRole role) const;
};

class PathTree {
public:
  PathTree() : root(std::make_unique<PathNode>()) {}
  explicit PathTree(nn::FuncOp func);

  /// The node of a dotted path, made if new.
  PathNode &insert(llvm::StringRef path);
  /// Null if there is none.
  const PathNode *find(llvm::StringRef path) const;
  PathNode &getRoot() const { return *root; }

private:
  std::unique_ptr<PathNode> root;
};

/// Where a pattern, or one of its alternatives, got no further.
struct MatchFailure {
  std::string written;   ///< what matched nothing: the pattern or alternative
  std::string component; ///< the component that nothing matched
  std::string prefix;    ///< the pattern before it; empty at the root
  std::vector<const PathNode *> reached; ///< where it looked
};

struct Match {
  std::vector<PathNode *> nodes; ///< in the order of the tree, each once
  /// No node at all, or an alternative of `{a,b}` that contributed none.
  std::optional<MatchFailure> failure;
};

/// A pattern of the language, absolute.
class PathQuery {
public:
  /// Nothing if the text is no pattern.
  static std::optional<PathQuery> parse(llvm::StringRef text);
  Match match(const PathTree &tree) const;
  const std::string &getText() const { return text; }

private:
  std::string text;
  syntax::PathPattern ast;
};

/// Of a failure, as notes: what is there, and "did you mean 'attn'?".
std::vector<std::string> explainFailure(const MatchFailure &failure);

} // namespace hocket::placement

#endif // HOCKET_PLACEMENT_PATHTREE_H
