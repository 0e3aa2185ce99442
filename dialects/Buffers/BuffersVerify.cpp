//===- BuffersVerify.cpp - what makes operations on buffers well formed ---===//

#include "dialects/Buffers/Buffers.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::buffers;

/// Behind the last element of a view that begins at 0; more than an int64_t
/// holds stays the most.
static int64_t extentOf(ViewType view) {
  int64_t end = 1;
  for (auto [size, stride] : llvm::zip(view.getSizes(), view.getStrides())) {
    int64_t far;
    if (size == 0)
      return 0;
    if (llvm::MulOverflow(size - 1, stride, far) ||
        llvm::AddOverflow(end, far, end))
      return INT64_MAX;
  }
  return end;
}

LogicalResult ViewOp::verify() {
  Type element = elementTypeOf(getBuffer());
  int64_t elements = elementsOf(getBuffer());
  ViewType view = getView().getType();
  if (view.getElementType() != element) // (C1)
    return emitOpError("has elements of ")
           << view.getElementType() << ", the buffer of " << element;
  int64_t end;
  bool isOutside =
      int64_t(getOffset()) < 0 ||
      llvm::AddOverflow(int64_t(getOffset()), extentOf(view), end) ||
      end > elements;
  if (!getTerms() && view.getElements() > 0 && isOutside) // (C2)
    return emitOpError("at ") << getOffset() << " does not lie in a buffer of "
                              << elements << " elements";
  return success();
}

LogicalResult CopyOp::verify() {
  ViewType source = getSource().getType(), target = getTarget().getType();
  if (source.getElementType() != target.getElementType() ||
      source.getSizes() != target.getSizes()) // (C1)
    return emitOpError("copies ") << source << " to " << target;
  return success();
}

LogicalResult PackOp::verify() {
  ViewType weight = getWeight().getType();
  PackType pack = getPack().getType();
  if (weight.getElementType() != pack.getElementType() ||
      weight.getSizes() != ArrayRef<int64_t>{pack.getIn(), pack.getOut()})
    return emitOpError("packs ") << weight << " as " << pack; // (C1)
  return success();
}

//===-- Compute -----------------------------------------------------------===//

int64_t ComputeOp::getInPlaceOperand(unsigned output) {
  ArrayRef<int64_t> pairs = getInPlace();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i + 1] == output)
      return pairs[i];
  return -1;
}

/// Whether a view, or a pack, is the place of a tensor.
static bool holds(Type place, Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  if (auto view = dyn_cast<ViewType>(place))
    return view.getElementType() == type.getElementType() &&
           view.getElements() == type.getNumElements();
  auto pack = cast<PackType>(place);
  return pack.getElementType() == type.getElementType() &&
         pack.getIn() * pack.getOut() == type.getNumElements();
}

static bool repeats(ViewType view) {
  for (auto [size, stride] : llvm::zip(view.getSizes(), view.getStrides()))
    if (size > 1 && stride == 0)
      return true;
  return false;
}

static LogicalResult verifyPlaces(ComputeOp op) {
  Block &body = op.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (body.getNumArguments() != op.getIns().size() ||
      yield.getValues().size() != op.getOuts().size())
    return op.emitOpError("has ")
           << op.getIns().size() << " ins and " << op.getOuts().size()
           << " outs for " << body.getNumArguments() << " arguments and "
           << yield.getValues().size() << " results";
  for (auto [in, argument] : llvm::zip(op.getIns(), body.getArguments())) // C1
    if (!isa<RankedTensorType>(argument.getType()) ||
        !holds(in.getType(), argument.getType()))
      return op.emitOpError("reads ")
             << argument.getType() << " from " << in.getType();
  for (auto [out, value] : llvm::zip(op.getOuts(), yield.getValues())) { // C2
    if (!holds(out.getType(), value.getType()))
      return op.emitOpError("writes ")
             << value.getType() << " to " << out.getType();
    if (repeats(cast<ViewType>(out.getType())))
      return op.emitOpError("writes to ")
             << out.getType() << ", which repeats elements";
  }
  return success();
}

static bool isComputed(Operation &op) {
  return isa<nn::NnDialect, spmd::SpmdDialect>(op.getDialect()) &&
         !isa<spmd::SliceOp, spmd::PlaceOp, spmd::StartOp, nn::AssignOp>(op) &&
         (!isa<nn::StoredOp>(op) || isa<spmd::ParameterOp>(op));
}

/// One operation, or a product and what each operation makes of the one before.
static LogicalResult verifyBody(ComputeOp op) {
  Block &body = op.getBody().front();
  if (&body.front() == body.getTerminator())
    return op.emitOpError("computes nothing");
  Operation *before = nullptr;
  for (Operation &computed : body.without_terminator()) { // (C3)
    bool follows = !before || (isa<nn::LinearOp, nn::MatMulOp>(body.front()) &&
                               llvm::is_contained(computed.getOperands(),
                                                  before->getResult(0)));
    if (!isComputed(computed) || !follows)
      return op.emitOpError("cannot hold '") << computed.getName() << "'";
    before = &computed;
  }
  auto yield = cast<YieldOp>(body.getTerminator());
  if (!llvm::equal(yield.getValues(), before->getResults()))
    return op.emitOpError("does not yield what it computes");
  return success();
}

/// A buffer is read and written only in place.
static LogicalResult verifyInPlace(ComputeOp op) {
  ArrayRef<int64_t> pairs = op.getInPlace();
  int64_t ins = op.getIns().size(), outs = op.getOuts().size();
  if (pairs.size() % 2)
    return op.emitOpError("has half a pair in `in_place`");
  auto overlaps = [&](int64_t in, int64_t out) {
    Value buffer = bufferOf(op.getIns()[in]);
    return buffer && buffer == bufferOf(op.getOuts()[out]);
  };
  for (size_t i = 0; i < pairs.size(); i += 2) {
    bool exists = pairs[i] >= 0 && pairs[i] < ins && pairs[i + 1] >= 0 &&
                  pairs[i + 1] < outs;
    if (!exists || !overlaps(pairs[i], pairs[i + 1])) // (C4)
      return op.emitOpError("computes result ")
             << pairs[i + 1] << " in place of operand " << pairs[i]
             << ", which lies in another buffer";
  }
  for (int64_t in = 0; in < ins; ++in)
    for (int64_t out = 0; out < outs; ++out)
      if (overlaps(in, out) && op.getInPlaceOperand(out) != in)
        return op.emitOpError("writes result ")
               << out << " to the buffer of operand " << in
               << " and is not in place";
  return success();
}

/// A pack is what a product multiplies with, as large as it needs it.
static LogicalResult verifyPacks(ComputeOp op) {
  for (auto [in, argument] :
       llvm::zip(op.getIns(), op.getBody().getArguments())) {
    auto pack = dyn_cast<PackType>(in.getType());
    for (OpOperand &use : argument.getUses()) {
      Operation *user = use.getOwner();
      if (!pack)
        break;
      if (!isa<nn::LinearOp, nn::MatMulOp>(user) || use.getOperandNumber() != 1)
        return op.emitOpError("reads a pack that is not the weight of a "
                              "product");
      int64_t k = nn::layoutOf(user->getOperand(0)).getShape().back();
      int64_t n = nn::layoutOf(user->getResult(0)).getShape().back();
      if (pack.getIn() != k || pack.getOut() != n)
        return op.emitOpError("multiplies ")
               << k << " by " << n << " with " << pack;
    }
  }
  return success();
}

LogicalResult ComputeOp::verify() {
  if (failed(verifyPlaces(*this)) || failed(verifyBody(*this)) ||
      failed(verifyPacks(*this)) || failed(verifyInPlace(*this)))
    return failure();
  bool begins = getComputed().hasAttr("isStarted");
  if (begins != bool(getStarted())) // (C5)
    return emitOpError(begins ? "begins a collective that nothing can wait for"
                              : "starts what no collective is");
  return success();
}
