//===- Product.h - a contraction as products of matrices -------*- C++ -*-===//
//
// The rows of a product are the leading factors of its left operand, in the
// order in which they lie in memory; the result is written in that order. For
// x [batch, seq, in] read from a dense buffer that is one matrix; for a view
// whose rows are not one run, the outer factors become batch dims that the
// right operand does not have (stride 0).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_VIEWS_PRODUCT_H
#define HOCKET_VIEWS_PRODUCT_H

#include "hocket/Views/Strided.h"

namespace hocket::views {

/// c[lead..., n] = sum_k a[lead..., k] b[lead..., k, n]. `a` and `b` are views
/// whose last factors are one k (a) and k, n (b). Without `isBatch` b has no
/// leading factors and all of a's are rows; else the last of `a`'s leading
/// factors are rows and the others are b's as well.
struct Product {
  Strided a;          // [lead..., k]
  Strided b;          // [k, n], or [lead without rows..., k, n]
  Numbers outFactors; // sizes of the factors that make n
  bool isBatch = false;

  size_t lead() const { return a.sizes.size() - 1; }
  int64_t columns() const;
  /// The sizes of the result as the product has it: [lead..., n].
  Numbers resultSizes() const;
};

/// Operand `number` of an nn.linear or nn.matmul (0: a, 1: b, 2: the bias) as
/// its product reads it; nothing if that needs a copy.
std::optional<Strided> productOperand(mlir::Operation *op, unsigned number,
                                      const Strided &at);
/// Of operands that are as productOperand gives them.
Product productOf(mlir::Operation *op, Strided a, Strided b);

/// The strides of a result, by the factors of its layout, in the order of a's
/// rows.
Numbers resultStrides(const Product &product, llvm::ArrayRef<int64_t> sizes);

using Run = std::pair<int64_t, int64_t>; // size and stride

/// The operands and the result as matrices, outer runs first.
class Matrices {
public:
  /// `c` has product.resultSizes().
  Matrices(const Product &product, const Strided &c);

  llvm::SmallVector<Run> a, b, c;
  int64_t rows; // of the outermost run
  /// A view of product.resultSizes() by the runs of the result; nothing where
  /// its factors do not join likewise.
  std::optional<llvm::SmallVector<Run>> runsOf(const Strided &other) const;

private:
  size_t batchDims;
  llvm::SmallVector<llvm::SmallVector<size_t>> members; // factors of each run
};

} // namespace hocket::views

#endif // HOCKET_VIEWS_PRODUCT_H
