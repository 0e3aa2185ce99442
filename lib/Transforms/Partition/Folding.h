//===- Folding.h - redistributions that cost nothing -----------*- C++ -*-===//
//
// Two things are decided on the placed function, once for all classes:
// - a parameter that is only ever used as one and the same part of it (a slice,
//   one rank's bias) and that no step changes is read as that part;
// - an all_reduce whose only use is a slice over the same axes is a
//   reduce_scatter. Terms are added in member order in both, so the numbers are
//   the same.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_FOLDING_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_FOLDING_H

#include "Shares.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket::partitioning {

/// What a parameter is read as.
struct Load {
  mlir::RankedTensorType type; // placed
  AxisList onlyFirstOf;
};

/// One redistribution as it is carried out.
struct Move {
  nn::RedistributeKind kind;
  nn::LayoutAttr from, to;
  mlir::ArrayAttr axes;
};

class Folding {
public:
  Folding(nn::FuncOp func, const Shares &shares);

  /// Reads of parameters that are not as their type says.
  Load loadOf(nn::ParameterOp parameter) const;
  /// The redistribution has become part of another operation: its result is
  /// its operand.
  bool isFolded(nn::RedistributeOp op) const { return folded.contains(op); }
  /// What `op`, which is not folded, has to do.
  Move moveOf(nn::RedistributeOp op) const;

private:
  void foldIntoLoad(nn::ParameterOp parameter, const Shares &shares);
  void foldIntoScatter(nn::RedistributeOp allReduce);

  llvm::DenseMap<mlir::Operation *, Load> loads;
  llvm::DenseMap<mlir::Operation *, nn::RedistributeOp> scatters;
  llvm::DenseSet<mlir::Operation *> folded;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_FOLDING_H
