//===- Lse.cpp - what attention leaves for its gradient -------------------===//

#include "dialects/Nn/Lse.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

RankedTensorType nn::lseType(Type out) {
  auto type = cast<RankedTensorType>(out);
  LayoutAttr layout = layoutOf(type);
  ArrayRef<DimAttr> dims = layout.getDims().drop_back();
  SmallVector<SplitAttr> splits;
  llvm::copy_if(
      layout.getSplits(), std::back_inserter(splits),
      [&](SplitAttr split) { return split.getDim() < int64_t(dims.size()); });
  Type element = type.getElementType();
  return tensorOf(element.isF64() ? element
                                  : Float32Type::get(out.getContext()),
                  LayoutAttr::get(out.getContext(), dims, splits, {}));
}

/// The same operation with results of `types`; those that both have are used
/// instead.
static void replaceWith(Operation *op, TypeRange types) {
  OpBuilder builder(op);
  Operation *made = builder.create(OperationState(
      op->getLoc(), op->getName(), op->getOperands(), types, op->getAttrs()));
  for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
    from.replaceAllUsesWith(to);
  op->erase();
}

static bool mayGiveLse(Operation *op) {
  return isa<AttentionOp, NeighborhoodAttentionOp>(op);
}

void nn::addLse(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body))
    if (mayGiveLse(&op) && op.getNumResults() == 1) {
      Type out = op.getResult(0).getType();
      replaceWith(&op, {out, lseType(out)});
    }
}

void nn::dropUnreadLse(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body))
    if (mayGiveLse(&op) && op.getNumResults() == 2 &&
        op.getResult(1).use_empty())
      replaceWith(&op, op.getResult(0).getType());
}
