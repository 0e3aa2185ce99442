//===- Windows.h - windowed operations over cut dims -----------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_WINDOWS_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_WINDOWS_H

#include "Margins.h"
#include "Operations.h"

namespace hocket::partitioning {

/// Operations with windows over dims that may be split.
class Windows : public Emitter {
public:
  Windows(LocalProgram &program, MarginMoves &margins, Operations &operations)
      : Emitter(program), margins(margins), operations(operations) {}

  mlir::LogicalResult lower(nn::WindowedOp op);
  void lower(nn::ExchangeOp op);

private:
  llvm::DenseMap<mlir::Value, mlir::Value>
  extend(nn::WindowedOp op, llvm::ArrayRef<WindowedDim> dims);
  void attach(llvm::MutableArrayRef<Margins> list, const WindowedDim &slid);
  using ExtensionWay = std::pair<mlir::Value, mlir::Attribute>;
  ExtensionWay wayOf(mlir::Value x, const WindowedDim &slid, int64_t dim);
  using Paddings =
      std::pair<llvm::SmallVector<int64_t>, llvm::SmallVector<int64_t>>;
  Paddings paddingsOf(llvm::ArrayRef<WindowedDim> dims) const;
  void lowerMove(nn::WindowedOp op, llvm::ArrayRef<WindowedDim> dims);

  WindowedDim movedBy(nn::ExchangeOp op);

  // Overlap.cpp: convolutions that compute while margins travel.
  struct Overlap;
  bool isMovedBeside(nn::ExchangeOp op);
  nn::ExchangeOp movedBeside(nn::WindowedOp op);
  mlir::FailureOr<bool> lowerOverlapped(nn::WindowedOp op);
  mlir::LogicalResult convolveInside(Overlap &overlap);
  mlir::LogicalResult sendMarginsFirst(Overlap &overlap);
  mlir::LogicalResult addPart(Overlap &overlap, mlir::Value from,
                              llvm::ArrayRef<int64_t> offsets, int64_t size,
                              int64_t rows, bool isFirst);
  mlir::LogicalResult addPositions(Overlap &overlap, int64_t begin,
                                   int64_t end);
  mlir::Value joined(const Overlap &overlap);
  mlir::Value moveAll(llvm::ArrayRef<WindowedDim> dims, mlir::Value x,
                      bool attaches);
  mlir::Value withoutBorders(llvm::ArrayRef<WindowedDim> dims, mlir::Value x);
  llvm::SmallVector<int64_t> shiftsHere(const WindowedDim &slid) const;

  MarginMoves &margins;
  Operations &operations;
  /// What windows read of a value, by what extended it.
  llvm::DenseMap<ExtensionWay, mlir::Value> extended;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_WINDOWS_H
