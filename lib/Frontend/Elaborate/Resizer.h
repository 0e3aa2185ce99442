//===- Resizer.h - other sizes of the dims of images -----------*- C++ -*-===//
//
// By whole multiples along one dim a resize is a convolution: up, each position
// makes several results, each of them a weighted sum of itself and its
// neighbours, with one result channel for each, which then become the minor
// part of the dim; down, a convolution of that stride reads what lies in the
// middle. So halos, uneven parts and derivatives are those of convolutions. By
// other ratios it is a product with a constant matrix.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_FRONTEND_ELABORATE_RESIZER_H
#define HOCKET_LIB_FRONTEND_ELABORATE_RESIZER_H

#include "dialects/Nn/Elementwise.h"

namespace hocket::frontend {

/// Resizes [images, 1, positions...], image for image.
class Resizer {
public:
  Resizer(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// Images and channels alike: their factors are one dim.
  mlir::Value flatten(mlir::Value x);
  /// Back to the images and channels of `like`.
  mlir::Value unflatten(mlir::Value y, mlir::Value like);
  /// Each position along `dim` becomes `times` of its value.
  mlir::Value repeat(mlir::Value x, int64_t dim, int64_t times);
  /// Each position along `dim` becomes `times`, the r-th of position i at
  /// i + (r + 1/2) / times - 1/2, on the line between its neighbours.
  mlir::Value grow(mlir::Value x, int64_t dim, int64_t times);
  /// One of `times` positions along `dim` is left: the value at `middle`.
  mlir::Value shrink(mlir::Value x, int64_t dim, int64_t times, double middle);
  /// Each result along `dim` is a weighted sum of all positions.
  mlir::Value mix(mlir::Value x, int64_t dim, mlir::Value weights);

  // Weights [to, from] of mix: the position floor(o from / to); between the two
  // positions around (o + 1/2) from / to - 1/2, or around o (from - 1) /
  // (to - 1).
  mlir::Value nearestWeights(int64_t from, int64_t to);
  mlir::Value linearWeights(int64_t from, int64_t to, bool alignsCorners);

private:
  nn::DimAttr dimOf(llvm::StringRef name, int64_t size) {
    return nn::dimOf(builder.getContext(), name, size);
  }
  mlir::Value binary(nn::BinaryKind kind, mlir::Value a, mlir::Value b) {
    return nn::BinaryOp::create(builder, loc, a, b, kind);
  }
  mlir::Value number(double value);
  mlir::Value whole(int64_t value);
  /// 0, 1, ... along `dim` of [to, from], each times `times`, as integers.
  mlir::Value index(int64_t to, int64_t from, int64_t dim, int64_t times);
  mlir::Value rearrange(mlir::Value x,
                        llvm::ArrayRef<llvm::SmallVector<int64_t>> order,
                        llvm::ArrayRef<nn::DimAttr> result);
  /// 0, 1, ... along `dim` of a weight [results, 1, 1.., kernel, 1..], whose
  /// kernel is at `at`.
  mlir::Value count(int64_t results, int64_t rank, int64_t at, int64_t kernel,
                    int64_t dim);
  /// max(0, 1 - |distance|)
  mlir::Value hatOf(mlir::Value distance);
  /// A convolution with the kernel and stride along `dim` and one tap
  /// elsewhere.
  mlir::Value slide(mlir::Value x, mlir::Value weight, int64_t dim,
                    int64_t stride, int64_t border);
  /// y [n, r, p...] as [n, 1, p...], with r the minor part of `dim`.
  mlir::Value joinResults(mlir::Value y, int64_t dim);
  /// y, with parts of `dim` that begin at their exact borders.
  mlir::Value settle(mlir::Value y, int64_t dim);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace hocket::frontend

#endif // HOCKET_LIB_FRONTEND_ELABORATE_RESIZER_H
