//===- BlockLayouts.h - a block layout as an attribute ---------*- C++ -*-===//
//
// `block_layout` of nn.attention, spmd.attention and their gradients: the
// fields of plan::BlockLayout that its kind has, all of them, by name.
// {kind = "dense", block = 16 : i64, per_head = false}
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_BLOCKLAYOUTS_H
#define HOCKET_NN_BLOCKLAYOUTS_H

#include "hocket/Plan/BlockLayout.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace hocket::nn {

mlir::DictionaryAttr blockLayoutAttr(mlir::MLIRContext *context,
                                     const plan::BlockLayout &layout);

/// What a verified attribute says; nothing if there is none, or it is empty.
std::optional<plan::BlockLayout> blockLayoutOf(mlir::DictionaryAttr attribute);

/// It as a model says it, with all parameters except the seed of what is drawn:
/// "fixed(block = 4, local = 4, global = 2, patterns = 1, attention =
/// bidirectional)".
std::string layoutText(const plan::BlockLayout &layout);

/// What a layout is laid over.
struct BlockLayoutSizes {
  int64_t heads, queries, keys;
};

/// Whether it is a layout of so many heads, and of as many queries as keys. A
/// null or empty attribute is fine.
mlir::LogicalResult verifyBlockLayout(std::optional<mlir::Location> location,
                                      mlir::DictionaryAttr attribute,
                                      const BlockLayoutSizes &sizes);

/// A gradient has the layout of the attention whose lse it reads.
template <class Forward, class Gradient>
mlir::LogicalResult verifySameBlockLayout(Gradient op) {
  auto forward = op.getLse().template getDefiningOp<Forward>();
  if (!forward || forward.getBlockLayoutAttr() == op.getBlockLayoutAttr())
    return mlir::success();
  return op.emitOpError(
      "has another block layout than the attention whose lse it reads");
}

} // namespace hocket::nn

#endif // HOCKET_NN_BLOCKLAYOUTS_H
