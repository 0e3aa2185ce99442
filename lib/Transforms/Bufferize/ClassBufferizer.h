//===- ClassBufferizer.h - bufferizes one class function --------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_CLASSBUFFERIZER_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_CLASSBUFFERIZER_H

#include "Products.h"
#include "dialects/Nn/Values.h"

namespace hocket::bufferization {

/// Walks the operations of the kernels stage once, in order.
class ClassBufferizer {
public:
  ClassBufferizer(spmd::FuncOp func, const Target &target);

  mlir::LogicalResult run();

private:
  void addInputs(mlir::Block &body);
  mlir::LogicalResult write(mlir::Operation &op);
  void writeCompute(mlir::Operation &op);
  void writeKernel(spmd::KernelOp op);
  void writeParameter(spmd::ParameterOp op);
  void writeState(spmd::StateOp op);
  void writeFill(nn::FillOp op);
  void writeConcat(nn::ConcatOp op);
  void writePlace(spmd::PlaceOp op);
  void writeStart(spmd::StartOp op);
  void writeCollective(spmd::CollectiveOp op);
  mlir::Value begin(spmd::CollectiveOp op);
  bool isWhereItIsSent(spmd::StartOp start, spmd::CollectiveOp collective);
  void writeReturn(nn::ReturnOp op);
  void writeAssigns();
  Computation computationOf(mlir::Operation &op);
  In read(mlir::OpOperand &operand);

  spmd::FuncOp func;
  const Target &target;
  llvm::DenseSet<mlir::Value> loadTime;
  Epilogues epilogues;
  Destinations destinations;
  mlir::Region before; // the body of the kernels stage
  std::optional<Writer> writer;
  std::optional<Placer> placer;
  std::optional<Products> products;
  llvm::DenseSet<mlir::Operation *> written; // epilogue operations
  llvm::DenseMap<mlir::Operation *, mlir::Value> started;
  llvm::DenseMap<mlir::Value, Strided> turned;
  llvm::SmallVector<nn::AssignOp> assigns;
  llvm::StringMap<Strided> stored;
  llvm::SmallVector<Strided> results;
};

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_CLASSBUFFERIZER_H
