//===- SpmdPoolings.cpp - what makes a rank's poolings well formed --------===//

#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Spmd/ClassRanks.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

static ArrayRef<nn::DimAttr> dimsOf(Value value) {
  return nn::layoutOf(value).getDims();
}

/// (C1), (C2): one of each list for each spatial dim.
template <class OpTy>
static LogicalResult verifyLists(OpTy op, Value x, Value y) {
  size_t rank = dimsOf(x).size();
  if (rank < 3 || rank > 5 || dimsOf(y).size() != rank ||
      dimsOf(x)[0].getSize() != dimsOf(y)[0].getSize() ||
      dimsOf(x)[1].getSize() != dimsOf(y)[1].getSize() ||
      !isa<FloatType>(nn::elementTypeOf(x)))
    return op.emitOpError()
           << "takes floats of 3 to 5 dims and gives as many, "
              "of the same batch and channels, found "
           << nn::describe(x.getType()) << " and " << nn::describe(y.getType());
  Type made = op.getKind() == nn::PoolKind::MaxIndex
                  ? IntegerType::get(op.getContext(), 64)
                  : nn::elementTypeOf(x);
  if (nn::elementTypeOf(y) != made)
    return op.emitOpError()
           << "gives " << made << ", found " << nn::describe(y.getType());
  auto isEach = [&](ArrayRef<int64_t> numbers, int64_t least) {
    return numbers.size() == rank - 2 &&
           llvm::all_of(numbers, [&](int64_t n) { return n >= least; });
  };
  if (!isEach(op.getTaps(), 1) || !isEach(op.getStrides(), 1) ||
      !isEach(op.getDilations(), 1) || !isEach(op.getLows(), 0) ||
      !isEach(op.getHighs(), 0) || op.getPositions().size() != rank - 2 ||
      op.getWindows().size() != rank - 2)
    return op.emitOpError() << "needs taps, a stride and a dilation of at "
                               "least 1, a low and a high of at least 0, and "
                               "positions of x and y for each of its "
                            << rank - 2 << " spatial dims";
  return success();
}

/// (C4): as many results as windows of [-low, extent + high), where the last
/// may end behind that; it does not begin there.
template <class OpTy>
static LogicalResult verifyCount(OpTy op, size_t i, int64_t extent,
                                 int64_t count) {
  int64_t stride = op.getStrides()[i], low = op.getLows()[i];
  int64_t end = extent + op.getHighs()[i];
  int64_t span = op.getDilations()[i] * (op.getTaps()[i] - 1) + 1;
  int64_t fit = end + low < span ? 0 : (end + low - span) / stride + 1;
  bool isLastIn = count == fit || (count - 1) * stride - low < end;
  if (count >= fit && count <= fit + 1 && isLastIn)
    return success();
  return op.emitOpError() << "gives " << count << " results along spatial dim "
                          << i << ", where " << fit << " windows fit";
}

/// (C3): along one dim.
template <class OpTy>
static LogicalResult verifyRead(OpTy op, size_t i, int64_t held, int64_t made) {
  auto positions = cast<PositionsAttr>(op.getPositions()[i]);
  auto windows = cast<PositionsAttr>(op.getWindows()[i]);
  int64_t extent = positions.getExtent(), stride = op.getStrides()[i];
  int64_t reach = op.getDilations()[i] * (op.getTaps()[i] - 1);
  if (failed(verifyCount(op, i, extent, windows.getExtent())) ||
      failed(verifyInside(op, "windows", windows, made)))
    return failure();
  return forEachRank(op, {positions.getBegin(), windows.getBegin()},
                     [&](ArrayRef<int64_t> begins) -> LogicalResult {
                       int64_t first = begins[1] * stride - op.getLows()[i];
                       int64_t last = first + (made - 1) * stride + reach;
                       first = std::max<int64_t>(first, 0);
                       last = std::min(last, extent - 1);
                       if (made == 0 || first > last ||
                           (first >= begins[0] && last < begins[0] + held))
                         return success();
                       return op.emitOpError()
                              << "reads [" << first << ", " << last + 1
                              << ") along spatial dim " << i << ", and has ["
                              << begins[0] << ", " << begins[0] + held << ")";
                     });
}

template <class OpTy>
static LogicalResult verifyPooling(OpTy op, Value x, Value y) {
  if (failed(verifyLists(op, x, y)))
    return failure();
  for (size_t i = 0; i < op.getTaps().size(); ++i)
    if (failed(verifyRead(op, i, dimsOf(x)[i + 2].getSize(),
                          dimsOf(y)[i + 2].getSize())))
      return failure();
  return success();
}

LogicalResult PoolOp::verify() {
  return verifyPooling(*this, getX(), getResult());
}

LogicalResult PoolGradOp::verify() {
  if (failed(verifyPooling(*this, getResult(), getDy()))) // (C1)
    return failure();
  bool isMax = getKind() == nn::PoolKind::Max; // (C2)
  if (isMax != bool(getX()) ||
      (isMax && !nn::haveSameShapes(getX().getType(), getType())))
    return emitOpError("takes an x of the type of the result for a maximum, "
                       "and none for a mean");
  return success();
}
