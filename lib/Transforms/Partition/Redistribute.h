//===- Redistribute.h - redistributions as collectives ---------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_REDISTRIBUTE_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_REDISTRIBUTE_H

#include "Operations.h"
#include "Orders.h"
#include "dialects/Nn/Products.h"

namespace hocket::partitioning {

/// Redistributions as collectives and slices.
class Redistributions : public Emitter {
public:
  Redistributions(LocalProgram &program, const Folding &folding,
                  Operations &operations)
      : Emitter(program), folding(folding), operations(operations),
        orders(program) {}

  mlir::LogicalResult lower(nn::RedistributeOp op);

private:
  struct FactorCut; // one factor, cut by the axes of a redistribution

  mlir::Operation *cloneBeside(mlir::Operation &op);
  bool lowerConstantSlice(nn::RedistributeOp op);
  bool lowerRowSlice(nn::RedistributeOp op, nn::EmbeddingGradOp gradient);
  mlir::LogicalResult lowerSlice(nn::RedistributeOp op);
  void lowerRepartition(nn::RedistributeOp op);
  mlir::FailureOr<FactorCut> cutOf(mlir::Operation *op, nn::LayoutAttr layout,
                                   mlir::ArrayAttr axes);
  /// The operation that does it to `x`, which the rank has of the operand.
  mlir::Value emitMove(nn::RedistributeOp op, mlir::Value x, const Move &move,
                       const AxisList &axes, const FactorCut &from,
                       const FactorCut &to);

  const Folding &folding;
  Operations &operations;
  Orders orders;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_REDISTRIBUTE_H
