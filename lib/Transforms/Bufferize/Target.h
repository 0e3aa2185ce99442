//===- Target.h - what a device wants of memory -----------------*- C++ -*-===//
//
// Which memory order each result gets, what an operation can read where it
// lies, and what it can write to: everything about memory that depends on the
// code that will run is asked here and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_TARGET_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_TARGET_H

#include "dialects/Nn/Program.h"
#include "hocket/Views/Product.h"

namespace hocket::bufferization {

using views::Numbers;
using views::Strided;

class Target {
public:
  virtual ~Target() = default;

  /// The memory order of a result, as strides by the factors of its layout: it
  /// lies in their order, dense, in memory of its own, and as far as it can in
  /// that order elsewhere. `operands`: where the operation reads its own. A
  /// factor of size 1 may have a stride as well: it says where what grows by
  /// margins belongs.
  virtual Numbers order(mlir::OpResult result,
                        llvm::ArrayRef<Strided> operands) const = 0;

  /// The order in which an input is filled, dense, as strides by the factors of
  /// its layout.
  virtual Numbers inputOrder(mlir::BlockArgument input) const = 0;

  /// Whether the operation can read this operand where it lies; else it reads a
  /// dense copy in row-major order.
  virtual bool reads(mlir::OpOperand &operand, const Strided &at) const = 0;

  /// Whether a product can add a matrix of these rows and columns, each a size
  /// and a stride, to its result; else it adds a copy in the result's order.
  virtual bool addsMatrix(views::Run rows, views::Run columns) const = 0;

  /// The strides by dims of a copy that serves all who read the operand's value
  /// better than the value itself; nothing: they read it where it lies.
  virtual std::optional<Numbers> turned(mlir::OpOperand &operand,
                                        const Strided &at) const = 0;

  /// Whether its results can be computed side by side in a concatenation.
  virtual bool writesParts(mlir::Operation *op) const = 0;
  /// Whether its results can be computed between margins, or among zeros.
  virtual bool writesMiddles(mlir::Operation *op) const = 0;
  /// Whether this can read what lies between margins.
  virtual bool readsMiddles(mlir::Operation *op) const = 0;

  /// Whether a kernel can write its result `output` to where its input `input`
  /// lies, if its operands and results lie so.
  virtual bool worksInPlace(spmd::KernelOp op, llvm::ArrayRef<Strided> ins,
                            llvm::ArrayRef<Strided> outs, unsigned input,
                            unsigned output) const = 0;

  /// Whether constant right operands of products are packed.
  virtual bool packs(mlir::Type element) const = 0;
};

const Target &targetFor(nn::Target target);

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_TARGET_H
