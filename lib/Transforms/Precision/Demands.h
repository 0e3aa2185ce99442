//===- Demands.h - the types that values are needed in ---------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PRECISION_DEMANDS_H
#define HOCKET_LIB_TRANSFORMS_PRECISION_DEMANDS_H

#include "Rows.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"

namespace hocket::precision {

/// The two types of `precision` of nn.model, and its target.
struct Types {
  mlir::FloatType compute, reduce;
  nn::Target target;
};

/// What can be said of a value that is float32 in the model.
enum class Kind {
  Firm, // computed as a narrow value
  Soft, // made in f32 inside, narrow unless f32 alone is asked for
  Free, // a parameter, input or constant: f32, and narrow where that serves
  Hard, // f32, and what is computed of it as well
};

/// What an attention or its gradient adds to scores, and the gradient of that:
/// f32 beside narrow queries, for scores are.
bool isBias(mlir::OpOperand &operand);
bool isBiasGradient(mlir::Value value);

/// A walk down says of what kind values are, a walk up in which types they are
/// needed.
class Demands {
public:
  Demands(nn::FuncOp func, Types types);

  Row rowOf(mlir::Operation *op) const {
    return precision::rowOf(op, types.target);
  }
  /// Whether the value is float32 in the model and may be narrow; an
  /// attention's lse may not.
  bool isTracked(mlir::Value value) const { return kinds.contains(value); }
  Kind kindOf(mlir::Value value) const { return kinds.lookup(value); }
  bool isNeededNarrow(mlir::Value value) const {
    return narrow.contains(value);
  }
  bool isNeededWide(mlir::Value value) const { return wide.contains(value); }
  /// Whether the operation computes in f32; not asked for views.
  bool isWide(mlir::Operation *op) const { return wideOps.contains(op); }
  /// A sum of rounded terms would lose what the terms have in f32.
  bool isWidePartial(mlir::Value value) const;
  /// A sum whose terms are rounded before they are added up across ranks: the
  /// gradient of a parameter, or of products.
  bool isMovedNarrow(nn::RedistributeOp op) const;
  /// Whether a view of a value that may be either is of the narrow one.
  bool isViewNarrow(mlir::OpResult result) const;

private:
  void classify(mlir::Operation *op);
  Kind kindOfView(mlir::OpResult result) const;
  Kind kindOfSource(mlir::Operation *op) const;
  bool computesWide(mlir::Operation *op) const;
  void ask(mlir::Operation *op);

  Types types;
  llvm::DenseMap<mlir::Value, Kind> kinds;
  llvm::DenseSet<mlir::Operation *> wideOps;
  llvm::DenseSet<mlir::Value> narrow, wide;
  llvm::DenseSet<mlir::Value> exact; // partial sums with one term each
  llvm::DenseSet<mlir::Value> outputs;
};

bool isPartialSum(mlir::Value value);
/// What a result of a view is: the operand of its number.
mlir::Value viewed(mlir::OpResult result);

} // namespace hocket::precision

#endif // HOCKET_LIB_TRANSFORMS_PRECISION_DEMANDS_H
