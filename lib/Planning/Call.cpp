//===- Call.cpp - what an instruction is made of --------------------------===//

#include "Call.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;
using namespace hocket::views;

plan::View Addresses::unread(const Strided &at) const {
  plan::View view;
  view.buffer = numberOf(at.buffer);
  view.shape.assign(at.sizes.begin(), at.sizes.end());
  view.strides.assign(at.strides.begin(), at.strides.end());
  // A part of what has no elements may begin behind it.
  if (llvm::is_contained(at.sizes, 0))
    return view;
  view.offset = at.offset;
  for (buffers::TermAttr term : at.terms) {
    plan::Scalar scalar = tables.scalar(term.getTable(), term.getScale());
    if (scalar.table < 0)
      view.offset += scalar.constant;
    else
      view.terms.push_back(scalar);
  }
  return view;
}

plan::View Addresses::view(const Strided &at) const {
  plan::View view = unread(at);
  memory.use(view.buffer);
  return view;
}

Value Call::placeOf(Value operand) const {
  return compute.getIns()[cast<BlockArgument>(operand).getArgNumber()];
}

Strided Call::lies(Value operand) const {
  return Strided::of(placeOf(operand).getDefiningOp<buffers::ViewOp>());
}

Strided Call::result(unsigned index) const {
  return Strided::of(compute.getOuts()[index].getDefiningOp<buffers::ViewOp>());
}

plan::View Call::as(const Strided &at, ArrayRef<int64_t> sizes) {
  std::optional<Strided> fitted = reshaped(at, sizes);
  if (!fitted)
    setProblem(at);
  return view(fitted.value_or(at));
}

plan::View Call::byDims(Value operand) {
  return as(lies(operand), nn::layoutOf(operand).getShape());
}

plan::View Call::resultByDims(unsigned index) {
  Value yielded = compute.getBody().front().getTerminator()->getOperand(index);
  return as(result(index), nn::layoutOf(yielded).getShape());
}

buffers::PackOp Call::packOf(Value operand) const {
  return placeOf(operand).getDefiningOp<buffers::PackOp>();
}
