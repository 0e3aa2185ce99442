//===- Emit.h - making operations on local tensors -------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_EMIT_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_EMIT_H

#include "RankClasses.h"
#include "Shares.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace hocket::partitioning {

/// The program of one class while it is written.
struct LocalProgram {
  LocalProgram(mlir::Location loc, const RankClass &rankClass, Shares &shares)
      : rankClass(rankClass), shares(shares), builder(loc.getContext()),
        loc(loc) {}

  const RankClass &rankClass;
  Shares &shares;
  mlir::OpBuilder builder;
  mlir::Location loc;      // of the operation that is being lowered
  mlir::IRMapping mapping; // of placed values to local ones
  llvm::DenseMap<mlir::Type, mlir::RankedTensorType> localTypes;
  int64_t nextId = 0; // of collectives
};

/// Writes into a program. What lowers operations of one kind derives from it.
class Emitter {
public:
  explicit Emitter(LocalProgram &program);

protected:
  mlir::Value binary(nn::BinaryKind kind, mlir::Value a, mlir::Value b);
  mlir::Value unary(nn::UnaryKind kind, mlir::Value x);
  mlir::Value scalar(double value, mlir::Type element);
  mlir::Value convert(mlir::Value x, mlir::Type element);
  mlir::Value reduce(nn::ReduceKind kind, mlir::Value x,
                     llvm::ArrayRef<int64_t> dims, bool keepdim);
  mlir::Value allReduce(mlir::Value x, llvm::ArrayRef<mlir::StringAttr> axes,
                        nn::Reduction reduction,
                        mlir::DictionaryAttr hook = {});

  /// Of what the rank holds.
  mlir::RankedTensorType local(mlir::Type type);
  mlir::RankedTensorType localOf(mlir::Value placed) {
    return local(placed.getType());
  }
  mlir::Value local(mlir::Value placed) { return mapping.lookup(placed); }
  mlir::ArrayAttr listOf(llvm::ArrayRef<mlir::StringAttr> axes);
  /// What a table says for the ranks of this class, if it says the same.
  int64_t here(spmd::TableAttr table) const;

  const RankClass &rankClass;
  Shares &shares;
  mlir::OpBuilder &builder;
  mlir::Location &loc;
  mlir::IRMapping &mapping;
  int64_t &nextId;

private:
  llvm::DenseMap<mlir::Type, mlir::RankedTensorType> &localTypes;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_EMIT_H
