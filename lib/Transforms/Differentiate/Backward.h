//===- Backward.h - one run of differentiation over a function -*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_DIFFERENTIATE_BACKWARD_H
#define HOCKET_LIB_TRANSFORMS_DIFFERENTIATE_BACKWARD_H

#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/OpPlacer.h"
#include "llvm/ADT/MapVector.h"

namespace hocket::differentiation {

/// One contribution to the gradient of a value: of all of it, or, where `dim`
/// is set, of a range of that dim from `start` on, the rest being zero.
struct Contribution {
  mlir::Value value;
  int64_t dim = -1, start = 0;
  /// Where a sync that it came through was written.
  std::optional<mlir::Location> sync = std::nullopt;
};

class Backward : public nn::Derivative {
public:
  Backward(nn::FuncOp func, nn::MeshAttr mesh);

  /// `ofAll`: for inputs and parameters, as `gradients` all of nn.model says.
  mlir::LogicalResult run(bool ofAll);

  // What a derivative asks for; see nn::Derivative.
  mlir::Value cotangent(unsigned result) override;
  bool isWanted(unsigned operand) override;
  void give(unsigned operand, mlir::Value gradient) override;
  void givePart(unsigned operand, mlir::Value gradient, int64_t dim,
                int64_t start) override;
  mlir::Value read(mlir::Value forward) override;
  void refuse(llvm::StringRef why) override;

private:
  using Contributions = llvm::SmallVector<Contribution, 2>;

  void place(mlir::Operation *op) override;
  void findWanted(bool ofAll);
  void seed(bool ofAll);
  mlir::Value lossCotangent(mlir::Type type);
  void giveBackTerms(nn::RedistributeOp move);
  void visit(mlir::Operation *op);
  void finishParameters(mlir::Operation *op);
  void finish(bool ofAll);

  // Recompute.cpp
  /// The operation once more, on what the backward reads of its operands.
  mlir::Value compute(mlir::Value forward);
  void copyOf(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value nameAgain(mlir::Value again, mlir::Value forward);
  mlir::Value gatherAgain(nn::RedistributeOp gather);
  bool isComputedAgain(mlir::Value forward);
  bool isCheap(mlir::Value forward, int64_t part);
  /// An error for each `recompute` line of which nothing was read.
  bool reportKeptAll();

  // ReducedGradients.cpp
  bool reduceAsStated(nn::ValueOp op, mlir::ArrayAttr lines);
  bool reportUnreached(llvm::ArrayRef<mlir::Operation *> forward);

  // Accumulate.cpp
  /// All contributions added, as they are; nothing without any.
  std::optional<Contribution> takeSum(mlir::Value value);
  /// Their sum as the value's gradient is held.
  mlir::Value moveToItsPlace(mlir::Value value, const Contribution &sum);
  /// Both; null without any contribution.
  mlir::Value gradientOf(mlir::Value value);
  /// Whether a gradient is reduced behind the derivative of what `maker`, which
  /// made the value, is made of.
  bool isReducedBehind(mlir::Operation *maker, mlir::Value sum);
  /// Their sum, a gradient of shape `shape` that is to be held as `target`.
  mlir::Value add(const Contributions &contributions,
                  llvm::ArrayRef<int64_t> shape, nn::LayoutAttr target,
                  mlir::Location loc);
  bool moveOne(llvm::MutableArrayRef<mlir::Value> terms, nn::LayoutAttr target,
               mlir::Location loc);
  /// Ranges of one dim that do not overlap, side by side, zeros between them.
  mlir::Value assemble(llvm::SmallVectorImpl<Contribution> &ranges,
                       int64_t extent);
  mlir::Value zeros(mlir::RankedTensorType like, int64_t dim, int64_t size);

  nn::FuncOp func;
  nn::MeshAttr mesh;
  placement::OpPlacer placer;
  mlir::Operation *terminator;
  unsigned numInputs = 0;             // of the forward
  mlir::Operation *current = nullptr; // that is differentiated
  std::optional<int64_t> reader;      // the part (nn::kRecompute) that reads
  bool hasFailed = false;
  llvm::DenseSet<mlir::Value> wanted, free;
  llvm::DenseSet<mlir::Operation *> stated; // whose lines were carried out
  llvm::DenseMap<mlir::Value, Contributions> contributions;
  llvm::DenseMap<mlir::Value, mlir::Value> gradients; // of `current`'s results
  llvm::DenseMap<mlir::Value, mlir::Value> finished;  // of parameters
  llvm::DenseMap<mlir::Value, mlir::Operation *> firstUser;
  llvm::DenseMap<mlir::Value, mlir::Value> gathered, computed; // again
  llvm::DenseMap<mlir::Value, bool> cheap;
  llvm::DenseSet<int64_t> partsRead; // of which something was computed again
};

/// The location of what belongs to the value that `loc` names: ".grad", its
/// gradient, or ".again", what the backward computes again. What has no name,
/// as a function's result in the model itself, is told by its line.
mlir::Location locationOf(mlir::Location loc, llvm::StringRef suffix);

/// The part of the model that the operation is computed again with, if any.
std::optional<int64_t> partOf(mlir::Operation *op);

/// A gradient is split as its value is, and whole where that is a sum; that of
/// a parameter under fsdp stage 2 is split as the optimizer's state is.
nn::LayoutAttr gradientLayout(mlir::Value value);

/// `layout` with the partial sums of `sum`, the gradient of `value`, that are
/// to be reduced later.
nn::LayoutAttr withDelayed(nn::LayoutAttr layout, mlir::Value value,
                           mlir::Value sum);

} // namespace hocket::differentiation

#endif // HOCKET_LIB_TRANSFORMS_DIFFERENTIATE_BACKWARD_H
