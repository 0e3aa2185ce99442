//===- Datum.h - what an expression evaluates to while elaborating --------===//
//
// Numbers, words and dims are known when compiling; tensors are values of the
// function being built; instances are modules with their parameters bound.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_DATUM_H
#define HOCKET_FRONTEND_ELABORATE_DATUM_H

#include "Convolutions.h"
#include "Norms.h"
#include "dialects/Nn/Nn.h"
#include "hocket/Frontend/Ast.h"
#include "hocket/Plan/BlockLayout.h"
#include <map>
#include <set>
#include <variant>

namespace hocket::frontend {

struct Instance;
using InstancePtr = std::shared_ptr<Instance>;

/// What neighborhood(...) says: one number for all dims of positions, or one
/// for each.
struct NeighborhoodMask {
  llvm::SmallVector<int64_t> kernels, strides, dilations, causal;
};

/// An attention mask: a product of the parts that are set.
struct Mask {
  bool causal = false;
  mlir::Value keep; // null without padding
  /// Of queries and keys; null without documents.
  mlir::Value queryDocuments = {}, keyDocuments = {};
  /// Keys before and after a query's own that it sees; absent: all.
  std::optional<int64_t> before = {}, after = {};
  std::optional<NeighborhoodMask> neighborhood = {}; // nothing beside it
  /// Where queries see keys, a bool tensor of 4 dims; null: everywhere.
  mlir::Value shown = {};
  /// Its key is the seed; an attention adds its path.
  std::optional<plan::BlockLayout> layout = {};
};

/// A mesh axis, as a schedule function's parameter holds it.
struct AxisName {
  std::string name;
  syntax::SourceRange range; ///< where it was given
};

/// The edges of a directed graph, from sources to targets.
struct EdgeList {
  std::vector<int64_t> sources, targets;
  std::string name;        // of its file, or empty
  int64_t targetNodes = 0; // 0: not stated
};

/// Of each edge the node that it comes from, or that it leads to.
struct EdgeEnds {
  std::shared_ptr<const EdgeList> edges;
  bool areSources = false;
  const std::vector<int64_t> &nodes() const {
    return areSources ? edges->sources : edges->targets;
  }
};

struct Datum;
using Tuple = std::vector<Datum>;

/// One value. `none` is std::monostate.
struct Datum {
  std::variant<std::monostate, bool, int64_t, double, std::string, nn::DimAttr,
               mlir::Value, Mask, AxisName, InstancePtr, std::shared_ptr<Tuple>,
               std::shared_ptr<const EdgeList>, EdgeEnds>
      value;

  Datum() = default;
  template <typename T> Datum(T value) : value(std::move(value)) {}

  template <typename T> const T *as() const { return std::get_if<T>(&value); }
  mlir::Value tensor() const {
    auto *held = as<mlir::Value>();
    return held ? *held : mlir::Value();
  }
  /// An int, or the size of a dim.
  std::optional<int64_t> integer() const;
  /// An int or a float.
  std::optional<double> number() const;
  /// "an int", "a tensor", ... for messages.
  const char *kindName() const;
};

/// Names in sight; inner scopes hide outer ones.
struct Scope {
  const Scope *parent = nullptr;
  std::map<std::string, Datum> names;
  /// Declared, but with an error that has been reported: uses say nothing.
  std::set<std::string> failed;

  explicit Scope(const Scope *parent = nullptr) : parent(parent) {}
  const Datum *find(const std::string &name) const;
  bool hasFailed(const std::string &name) const;
  std::vector<std::string> visibleNames() const;
};

/// The modules that the language provides.
enum class Builtin {
  None,
  Linear,
  Conv1D,
  Embedding,
  LayerNorm,
  RmsNorm,
  Dropout,
  Convolution,
  Norm,
  Pooling
};

/// A module with its parameters bound. `scope` holds parameters, lets and
/// members; a built-in's `parameters` are its weights.
struct Instance {
  const syntax::ModuleDecl *decl = nullptr;
  Builtin builtin = Builtin::None;
  std::string path;
  Scope scope;
  std::map<std::string, mlir::Value> parameters;
  double number = 0; // eps of norms, p of dropout
  std::shared_ptr<const Convolution> convolution;
  std::shared_ptr<const frontend::Norm> norm;
  std::shared_ptr<const frontend::Pooling> pooling;
  bool isArray = false;
  std::vector<Datum> elements; // of an array; `none` where there is no member
};

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_DATUM_H
