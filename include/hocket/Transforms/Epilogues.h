//===- Epilogues.h - what products compute on the way -----------*- C++ -*-===//
//
// Behind a product on a CPU: up to 3 activations, or sums and products with
// what is computed before it, each the only reader of the one before. On a GPU:
// such a sum and then relu or, except in f64, gelu_tanh, or one of them. They
// are read off a function of a class, in the spmd stage and in the kernels
// stage alike: there kernels hold all other element-wise operations.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_EPILOGUES_H
#define HOCKET_TRANSFORMS_EPILOGUES_H

#include "dialects/Nn/Program.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket {

class Epilogues {
public:
  /// Of the products in the body of a function, except those of `loadTime`.
  Epilogues(mlir::Block &body, const llvm::DenseSet<mlir::Value> &loadTime);

  /// What a product computes on the way, one from the other; nothing of what
  /// is no product.
  llvm::ArrayRef<mlir::Operation *> of(mlir::Operation *product) const;
  bool contains(mlir::Operation *op) const { return products.contains(op); }
  /// The product that computes `op` on the way, else `op` itself.
  mlir::Operation *whereItRuns(mlir::Operation *op) const {
    mlir::Operation *product = products.lookup(op);
    return product ? product : op;
  }

private:
  void follow(mlir::Operation *product);
  bool addsUp(mlir::Operation *product) const;
  /// Whether `next` may come behind `chain` of the product.
  bool takes(mlir::Operation *product, llvm::ArrayRef<mlir::Operation *> chain,
             mlir::Operation *next) const;

  nn::Target target;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 3>>
      chains;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> products;
};

} // namespace hocket

#endif // HOCKET_TRANSFORMS_EPILOGUES_H
