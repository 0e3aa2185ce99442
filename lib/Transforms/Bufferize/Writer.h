//===- Writer.h - writes a function of the buffers stage --------*- C++ -*-===//
//
// Appends operations of the buffers dialect to a function that has two ends:
// what runs when loading, and what runs in each step. What an operation of the
// kernels stage computes goes to the end that its results belong to.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_WRITER_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_WRITER_H

#include "dialects/Spmd/Func.h"
#include "hocket/Views/Strided.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace hocket::bufferization {

using views::Numbers;
using views::Strided;

enum class Phase { Load, Step };

/// Pairs of operand and result numbers.
using InPlace = llvm::SmallVector<int64_t, 2>;

/// An operand of what a compute takes in, and where it is read: a view, or a
/// pack.
struct In {
  mlir::OpOperand *operand;
  Strided at;
  mlir::Value pack = {};
};

/// What a compute takes in: an operation, or a product and its epilogue, each
/// reading the one before; what it reads from outside and writes, and where.
struct Computation {
  llvm::SmallVector<mlir::Operation *, 1> chain;
  llvm::SmallVector<In> ins;
  llvm::SmallVector<Strided> outs;
  InPlace inPlace;
};

class Writer {
public:
  explicit Writer(mlir::Block &body);

  /// Memory of a value, or of a copy of one, that is written in that phase.
  mlir::Value buffer(mlir::Value of, Phase phase);
  mlir::Value state(mlir::Operation *op, llvm::StringRef name,
                    spmd::BoxAttr cuts);
  void copy(mlir::Location loc, const Strided &from, const Strided &to,
            Phase phase);
  void fill(mlir::Location loc, const Strided &at, double value, Phase phase);
  mlir::Value pack(mlir::Location loc, const Strided &weight, int64_t rows);
  /// What it has started, or null.
  mlir::Value compute(const Computation &computation, Phase phase);
  void wait(mlir::Location loc, mlir::Value started);
  mlir::Value view(mlir::Location loc, const Strided &at, Phase phase);
  void finish(mlir::Location loc, llvm::ArrayRef<Strided> results);

private:
  mlir::OpBuilder &in(Phase phase) {
    return phase == Phase::Load ? load : step;
  }

  mlir::OpBuilder load, step;
  using Key =
      std::tuple<void *, std::vector<const void *>, std::vector<int64_t>>;
  std::map<Key, mlir::Value> views[2]; // made when loading, in the step
};

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_WRITER_H
