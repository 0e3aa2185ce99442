//===- Rewriter.h - inserts the casts of a precision -----------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PRECISION_REWRITER_H
#define HOCKET_LIB_TRANSFORMS_PRECISION_REWRITER_H

#include "Demands.h"

namespace hocket::precision {

/// Goes down a function once and changes operations in place: types of results,
/// and casts where a value is used in another type than it is held in.
class Rewriter {
public:
  Rewriter(nn::FuncOp func, Types types);
  void run();

private:
  void rewrite(mlir::Operation *op);
  void rewriteView(mlir::OpResult result);
  void rewriteSource(mlir::Operation *op);
  void setOperands(mlir::Operation *op, bool isNarrow);
  void setElement(mlir::Value value, mlir::Type element);
  mlir::FloatType resultElement(mlir::Operation *op, mlir::Value result) const;
  /// Rounds what an operation has just computed in f32.
  void roundAtOnce(mlir::Value value);

  bool isHeldNarrow(mlir::Value value) const;
  /// The value as `op` is to read it.
  mlir::Value narrowed(mlir::Value value, mlir::Operation *op);
  mlir::Value widened(mlir::Value value, mlir::Operation *op);
  mlir::Value cast(mlir::Value value, mlir::Type element);

  nn::FuncOp func;
  Types types;
  Demands demands;
  mlir::OpBuilder builder;
  mlir::FloatType f32;
  llvm::DenseMap<mlir::Value, mlir::Value> rounded; // casts to the narrow type
  llvm::DenseSet<mlir::Value> roundedAtOnce;
};

} // namespace hocket::precision

#endif // HOCKET_LIB_TRANSFORMS_PRECISION_REWRITER_H
