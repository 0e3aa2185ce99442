//===- LibraryTarget.h - memory orders for kernels and libraries *- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_LIBRARYTARGET_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_LIBRARYTARGET_H

#include "Target.h"

namespace hocket::bufferization {

/// Orders for kernels of our own, and libraries that compute products and, with
/// channels innermost, convolutions.
class LibraryTarget : public Target {
public:
  Numbers order(mlir::OpResult result,
                llvm::ArrayRef<Strided> operands) const override;
  Numbers inputOrder(mlir::BlockArgument input) const override;
  bool reads(mlir::OpOperand &operand, const Strided &at) const override;
  std::optional<Numbers> turned(mlir::OpOperand &operand,
                                const Strided &at) const override;
  bool writesParts(mlir::Operation *op) const override;
  bool writesMiddles(mlir::Operation *op) const override;
  bool readsMiddles(mlir::Operation *op) const override;
};

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_LIBRARYTARGET_H
