//===- Operations.h - operations on a rank's part --------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_OPERATIONS_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_OPERATIONS_H

#include "AttentionParts.h"
#include "Folding.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"

namespace hocket::partitioning {

/// Operations on local tensors, told which part of the whole they see where
/// they depend on it.
class Operations : public Positions {
public:
  explicit Operations(LocalProgram &program)
      : Positions(program), attention(program) {}

  mlir::LogicalResult lowerParameter(nn::ParameterOp op, const Load &load);
  mlir::LogicalResult lowerState(nn::StateOp op);
  mlir::LogicalResult lowerDropout(nn::DropoutOp op);
  /// The same operation on local tensors.
  mlir::LogicalResult lowerAsIs(mlir::Operation &op);
  /// What `source` is on local tensors: `local` itself, or what replaces it.
  mlir::FailureOr<mlir::Operation *> adapt(mlir::Operation &source,
                                           mlir::Operation &local);
  mlir::FailureOr<mlir::Operation *> restateRows(mlir::Operation &local,
                                                 mlir::Value table);
  mlir::FailureOr<mlir::Operation *> restateIota(nn::IotaOp local,
                                                 mlir::Value placed);

private:
  template <class OpTy>
  mlir::FailureOr<mlir::Operation *>
  restate(mlir::Operation &local, mlir::FailureOr<mlir::NamedAttrList> parts);
  mlir::FailureOr<mlir::NamedAttrList>
  partsAt(llvm::StringRef name, mlir::FailureOr<mlir::Attribute> part);
  mlir::LogicalResult adaptSlice(nn::SliceOp op, nn::SliceOp local);
  mlir::LogicalResult adaptRearrange(nn::RearrangeOp op, nn::RearrangeOp local);
  mlir::FailureOr<mlir::NamedAttrList> rotaryParts(nn::RotaryOp op,
                                                   mlir::Operation &local);
  template <class OpTy> mlir::NamedAttrList poolingParts(OpTy op);
  template <class OpTy> void adaptEdges(OpTy op, OpTy local);

  AttentionParts attention;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_OPERATIONS_H
