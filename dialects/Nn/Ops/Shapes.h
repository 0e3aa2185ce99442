//===- Shapes.h - what the shape rules of the operations share -*- C++ -*-===//

#ifndef HOCKET_NN_OPS_SHAPES_H
#define HOCKET_NN_OPS_SHAPES_H

#include "dialects/Nn/Nn.h"

namespace hocket::nn {

/// Equal element types and dim sizes; factors and placements don't matter.
bool haveSameShapes(mlir::TypeRange a, mlir::TypeRange b);

/// The same, but b may be F32 where a is a narrower float.
bool haveProductShapes(mlir::TypeRange a, mlir::TypeRange b);

/// Equal element types and sizes of factors; names and placements don't matter.
bool haveSameFactors(mlir::Value a, mlir::Value b);

/// An op's constraints are those of inferring its type: one implementation.
/// Of results that are not inferred nothing is said.
template <class OpTy> mlir::LogicalResult verifyShapes(OpTy op) {
  llvm::SmallVector<mlir::Type> types;
  if (failed(OpTy::inferReturnTypes(
          op.getContext(), op.getLoc(), op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), types)))
    return mlir::failure();
  for (auto [type, result] : llvm::zip(types, op->getResults()))
    if (!OpTy::isCompatibleReturnTypes(type, result.getType()))
      return op.emitOpError()
             << "gives " << describe(type) << ", but the result is "
             << describe(result.getType());
  return mlir::success();
}

/// `lse`, where there is one, fits the result of an attention, of type `out`.
mlir::LogicalResult verifyLse(mlir::Operation *op, mlir::Type out,
                              mlir::Value lse);

/// What infers its first result and may give `lse` as well.
template <class OpTy> mlir::LogicalResult verifyWithLse(OpTy op) {
  if (failed(verifyShapes(op)))
    return mlir::failure();
  return verifyLse(op, op.getResult().getType(), op.getLse());
}

/// The gradients of an attention over q, k and v: dout and out are like its
/// result, of `types`, lse goes with it, and there is one of each of the three,
/// which come first.
template <typename OpTy>
mlir::LogicalResult verifyGradients(OpTy op, mlir::TypeRange types) {
  std::pair<const char *, mlir::Value> alike[] = {{"dout", op.getDout()},
                                                  {"out", op.getOut()}};
  for (auto [name, value] : alike)
    if (!haveSameShapes(types, value.getType()))
      return op.emitOpError() << "takes " << (name[0] == 'd' ? "a " : "an ")
                              << name << " of " << describe(types.front())
                              << ", but it is " << describe(value.getType());
  if (failed(verifyLse(op, types.front(), op.getLse())))
    return mlir::failure();
  mlir::Value taken[] = {op.getQ(), op.getK(), op.getV()};
  if (!haveSameShapes(mlir::ValueRange(taken).getTypes(),
                      op->getResults().take_front(3).getTypes()))
    return op.emitOpError("gives what has the types of q, k and v");
  return mlir::success();
}

/// The constraints of the gradient of an embedding's table.
mlir::LogicalResult verifyEmbeddingGrad(mlir::Operation *op, mlir::Value ids,
                                        mlir::Value dy);

/// The factors of a dim that two tensors share: a common refinement, named by
/// `a` where both have names; one anonymous factor if there is none.
DimAttr commonDim(DimAttr a, DimAttr b);

/// NumPy broadcasting of dims, aligned at the last one; fails if sizes differ
/// and neither is 1.
mlir::FailureOr<llvm::SmallVector<DimAttr>>
broadcastDims(llvm::ArrayRef<DimAttr> a, llvm::ArrayRef<DimAttr> b);

/// What draws random numbers (`what`, in an error) has both a step, one i32,
/// and a stream, or neither. Either may be null.
mlir::LogicalResult checkDraws(std::optional<mlir::Location> location,
                               llvm::StringRef what, mlir::Value step,
                               mlir::IntegerAttr stream);

/// [n] as [n, 1...]: the same for each of `count` dims after its own.
mlir::Value beforeDims(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value x, size_t count);

/// A window of `what` fits over `dim`, which is number `number`, and its border
/// is not longer than what it repeats.
mlir::LogicalResult checkWindow(std::optional<mlir::Location> location,
                                llvm::StringRef what, const Window &window,
                                DimAttr dim, int64_t number);
/// The latter alone; `does`: "conv pads ".
mlir::LogicalResult checkBorder(std::optional<mlir::Location> location,
                                llvm::StringRef does, const Window &window,
                                DimAttr dim, int64_t number);

mlir::RankedTensorType tensorType(mlir::Value value);
llvm::ArrayRef<DimAttr> dimsOf(mlir::Value value);
mlir::Type elementTypeOf(mlir::Value value);

} // namespace hocket::nn

#endif // HOCKET_NN_OPS_SHAPES_H
