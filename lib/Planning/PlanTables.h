//===- PlanTables.h - what the classes of a plan share ----------*- C++ -*-===//

#ifndef HOCKET_LIB_PLANNING_PLANTABLES_H
#define HOCKET_LIB_PLANNING_PLANTABLES_H

#include "KernelSources.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Plan/Plan.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace hocket::planning {

plan::DType dtypeOf(mlir::Type element);

/// What all classes share: tables, sources and global tensors of the plan.
class PlanTables {
public:
  PlanTables(plan::Plan &plan, nn::MeshAttr mesh) : plan(plan), mesh(mesh) {}

  std::vector<int> axes(mlir::ArrayAttr names) const;
  std::vector<int> axes(llvm::ArrayRef<mlir::StringAttr> names) const;
  /// A constant, or a scalar that reads a table.
  plan::Scalar scalar(spmd::TableAttr table, int64_t scale = 1);
  plan::Scalar isFirst(mlir::ArrayAttr axes);
  /// The table over exactly `over` (row-major), also for constants.
  int tableOver(spmd::TableAttr table, mlir::ArrayAttr over);
  /// What a halo's members hold, if it is listed, or -1: once for all halos.
  int rowList(mlir::ArrayAttr lists);
  int source(mlir::Location loc);
  /// The number of the parameter in the plan, which classes share.
  int parameter(spmd::ParameterOp op);
  plan::GlobalTensor tensor(llvm::StringRef name, mlir::Type element,
                            spmd::BoxAttr box);

  plan::Plan &plan;
  KernelSources *kernelSources = nullptr; // null: they are not kept

private:
  int intern(std::vector<int> axes, std::vector<int64_t> values);

  nn::MeshAttr mesh;
  /// By the table, if one, and the axes that it is written over, if not its
  /// own: equal ones are looked at once.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, int> known;
  std::map<std::pair<std::vector<int>, std::vector<int64_t>>, int> tables;
  llvm::DenseMap<mlir::Location, int> sources;
  llvm::DenseMap<mlir::Attribute, int> rowLists;
  llvm::DenseMap<mlir::StringAttr, int> parameters; // by path
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_PLANTABLES_H
