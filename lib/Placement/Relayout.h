//===- Relayout.h - layouts with some axes moved ---------------*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_RELAYOUT_H
#define HOCKET_LIB_PLACEMENT_RELAYOUT_H

#include "dialects/Nn/Layout.h"
#include "mlir/IR/Builders.h"

namespace hocket::placement {

/// The layout with the tensor whole over `axes`.
nn::LayoutAttr wholeOver(nn::LayoutAttr layout,
                         llvm::ArrayRef<mlir::StringAttr> axes);

/// The layout with a factor cut over `axes` as well, innermost.
nn::LayoutAttr cutOver(nn::LayoutAttr layout,
                       llvm::ArrayRef<mlir::StringAttr> axes, int64_t dim,
                       int64_t factor);

/// The layout with these splits as well, each innermost of its factor.
nn::LayoutAttr cutBy(nn::LayoutAttr layout,
                     llvm::ArrayRef<nn::SplitAttr> splits);

/// The layout with these splits in place of those over the same axes.
nn::LayoutAttr recut(nn::LayoutAttr layout,
                     llvm::ArrayRef<nn::SplitAttr> splits);

/// Whether one of these splits has its axis in another order than the layout:
/// then parts are not handed on to neighbours.
bool haveOtherOrders(nn::LayoutAttr layout,
                     llvm::ArrayRef<nn::SplitAttr> splits);

/// Whether ranks hold the same of both, wherever their borders are exactly.
bool haveSameParts(nn::LayoutAttr a, nn::LayoutAttr b);

/// `axis` and what is nested inside of it, of the factor that it splits; empty
/// if it splits none.
llvm::SmallVector<mlir::StringAttr> nestedFrom(nn::LayoutAttr layout,
                                               llvm::StringRef axis);

/// The value with the factors of `target`, not yet placed: a rearrange that
/// moves nothing.
mlir::Value withFactorsOf(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, nn::LayoutAttr target);

llvm::SmallVector<mlir::StringAttr> namesOf(llvm::ArrayRef<unsigned> axes,
                                            nn::MeshAttr mesh);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_RELAYOUT_H
