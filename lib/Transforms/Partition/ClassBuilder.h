//===- ClassBuilder.h - the program of one rank class ----------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_CLASSBUILDER_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_CLASSBUILDER_H

#include "Redistribute.h"
#include "Ring.h"
#include "Statistics.h"
#include "Windows.h"
#include "dialects/Spmd/Func.h"

namespace hocket::partitioning {

/// Writes the function of one class, in the order of the placed one, each
/// operation by what lowers its kind.
class ClassBuilder : Emitter {
public:
  ClassBuilder(nn::FuncOp placed, const Folding &folding, LocalProgram &program)
      : Emitter(program), placed(placed), folding(folding), operations(program),
        margins(program), windows(program, margins, operations),
        ring(program, margins, operations),
        redistributions(program, folding, operations),
        statistics(program, operations) {}

  /// The function, not yet in a module; null after an error.
  spmd::FuncOp build(llvm::StringRef name);

private:
  spmd::FuncOp makeFunction(llvm::StringRef name);
  mlir::LogicalResult lower(mlir::Operation &op);
  mlir::LogicalResult lowerOne(mlir::Operation &op);
  template <class OpTy> mlir::LogicalResult lowerAttention(OpTy op);
  mlir::LogicalResult lowerReturn(nn::ReturnOp op);
  void lowerName(nn::ValueOp op);
  mlir::DictionaryAttr describeTensor(mlir::DictionaryAttr attributes,
                                      nn::LayoutAttr layout);

  nn::FuncOp placed;
  const Folding &folding;
  Operations operations;
  MarginMoves margins;
  Windows windows;
  Ring ring;
  Redistributions redistributions;
  Statistics statistics;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_CLASSBUILDER_H
