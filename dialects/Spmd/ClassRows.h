//===- ClassRows.h - tables at the ranks of classes, kept ------*- C++ -*-===//
//
// A class of a million ranks has few different values of most tables, which
// every operation asks for after every pass.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_SPMD_CLASSROWS_H
#define HOCKET_SPMD_CLASSROWS_H

#include "dialects/Spmd/Spmd.h"
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace hocket::spmd {

/// Rows of values, one after the other, by the attributes that they were found
/// from. The verifiers of several functions may ask at a time.
class ClassRows {
public:
  using Key = std::vector<mlir::Attribute>;
  using Rows = std::shared_ptr<const std::vector<int64_t>>;

  /// Those of `key`; `find` is called where nobody has asked before.
  Rows get(const Key &key, llvm::function_ref<std::vector<int64_t>()> find);
  /// Whether `check`, which depends on nothing except `key`, succeeds. What has
  /// succeeded is not judged again; a failure is said of each operation.
  mlir::LogicalResult once(const Key &key,
                           llvm::function_ref<mlir::LogicalResult()> check);

private:
  struct Before {
    bool operator()(const Key &a, const Key &b) const;
  };

  std::mutex mutex;
  std::map<Key, Rows, Before> known;
  std::set<Key, Before> good;
};

/// Those of the context.
ClassRows &classRows(mlir::MLIRContext *context);

/// Of each coordinate along the axes of the tables that a rank of the class
/// has: the first such rank, then the values. The tables are over axes of the
/// mesh.
ClassRows::Rows rowsAt(nn::MeshAttr mesh, mlir::DenseI64ArrayAttr ranks,
                       llvm::ArrayRef<TableAttr> tables);
/// Those of `ranks` that the mesh has not.
ClassRows::Rows ranksOutside(nn::MeshAttr mesh, mlir::DenseI64ArrayAttr ranks);
/// Where the last share ends, of those that begin at `offsets`; if they do not
/// follow one another, where one ends and where the next begins instead.
ClassRows::Rows shareEnds(TableAttr offsets, TableAttr sizes);
/// The values of a table, ascending, each once.
ClassRows::Rows ascending(TableAttr table);

} // namespace hocket::spmd

#endif // HOCKET_SPMD_CLASSROWS_H
