//===- Layers.cpp - in which margins layers of one exchange compute -------===//
//
// The last layer makes what the rank owns. Each one before it makes what the
// windows of the next read, as far as that is data: so the first one reads all
// that is exchanged. What is element-wise between them goes along. Back, the
// gradient of a value has its margins, as terms of what others own; the first
// layer sends them there.
//
//===----------------------------------------------------------------------===//

#include "Hold.h"
#include "WindowedDims.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/HaloLayers.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

llvm::DenseMap<int64_t, int64_t> partitioning::layersOf(Operation *op) {
  llvm::DenseMap<int64_t, int64_t> numbers;
  if (auto layers = op->getAttrOfType<DenseI64ArrayAttr>(nn::kHaloLayers))
    for (ArrayRef<int64_t> pairs = layers.asArrayRef(); !pairs.empty();
         pairs = pairs.drop_front(2))
      numbers[pairs[0]] = pairs[1];
  return numbers;
}

/// Gives dims other names: the gradient of a module's argument has those of the
/// value that was passed.
static bool isRenaming(Operation *op) {
  auto rearrange = dyn_cast<nn::RearrangeOp>(op);
  if (!rearrange || nn::layoutOf(rearrange.getX()).getShape() !=
                        nn::layoutOf(rearrange.getResult()).getShape())
    return false;
  int64_t next = 0;
  for (Attribute dim : rearrange.getOrder())
    for (Attribute factor : cast<ArrayAttr>(dim))
      if (cast<IntegerAttr>(factor).getInt() != next++)
        return false;
  return true;
}

/// A gradient that is a sum over ranks with the same margins, as of channels.
static bool isSum(Operation *op) {
  auto moved = dyn_cast<nn::RedistributeOp>(op);
  return moved && moved.getKind() == nn::RedistributeKind::AllReduce;
}

static bool isElementWise(Operation *op) {
  return isa<nn::UnaryOp, nn::BinaryOp, nn::WhereOp, nn::CastOp, nn::ValueOp>(
             op) ||
         isRenaming(op) || isSum(op);
}

static bool isFilled(Value value) {
  return isa_and_present<nn::FillOp, nn::BroadcastOp>(value.getDefiningOp());
}

/// What of the data each member must have whose windows read `held`.
static Share dataOf(const WindowedDim &slid) {
  SmallVector<int64_t> offsets, sizes;
  for (auto [offset, size] :
       llvm::zip(slid.held.offset.valuesFor(slid.members),
                 slid.held.size.valuesFor(slid.members))) {
    nn::Interval data = nn::dataOf(slid.window, {offset, size});
    offsets.push_back(data.offset);
    sizes.push_back(data.size);
  }
  MLIRContext *context = slid.own.offset.getContext();
  return {spmd::TableAttr::simplified(context, slid.axes, offsets),
          spmd::TableAttr::simplified(context, slid.axes, sizes)};
}

/// Whether a rank holds more or less of the dim than it owns.
static bool hasMargins(Value value, int64_t dim) {
  return bool(nn::layoutOf(value).heldOf(dim, /*factor=*/0));
}

/// Of a dim of one factor, as windows slide over.
static LogicalResult setLayer(Value value, int64_t dim, const Share &share,
                              bool areTerms, Shares &shares) {
  if (nn::layoutOf(value).getDims()[dim].getFactors().size() == 1)
    return setHeld(value, dim, /*factor=*/0, share, areTerms, shares);
  return emitError(value.getLoc())
         << "not supported yet: margins of dim " << dim << " of "
         << nn::describe(value.getType()) << ", which has several factors; "
         << "leave out `layers`";
}

/// What is element-wise behind a layer makes it in its margins too.
static LogicalResult setBack(Value value, int64_t dim, const Share &share,
                             Shares &shares) {
  Operation *producer = value.getDefiningOp();
  bool isKnown = hasMargins(value, dim);
  if (failed(setLayer(value, dim, share, /*areTerms=*/false, shares)))
    return failure();
  if (isKnown || !producer || !isElementWise(producer))
    return success();
  for (Value operand : producer->getOperands()) {
    nn::LayoutAttr layout = nn::layoutOf(operand);
    if (int64_t(layout.getDims().size()) > dim &&
        !shares.axesOf(layout, dim, 0).empty() &&
        failed(setBack(operand, dim, share, shares)))
      return failure();
  }
  return success();
}

/// What is element-wise and reads such a value: of terms it makes terms.
static LogicalResult setForward(Operation *op, Shares &shares) {
  Value result = op->getResult(0);
  for (Value operand : op->getOperands())
    for (nn::HeldAttr held : nn::layoutOf(operand).getHeld()) {
      int64_t dim = held.getDim();
      if (hasMargins(result, dim))
        continue;
      Share share = shares.held(nn::layoutOf(operand), dim);
      bool areTerms = llvm::any_of(op->getOperands(), [&](Value other) {
        nn::HeldAttr known = nn::layoutOf(other).heldOf(dim, 0);
        return known && known.getTerms();
      });
      if (failed(setLayer(result, dim, share, areTerms, shares)))
        return failure();
      for (Value other : op->getOperands())
        if (isFilled(other) &&
            !shares.axesOf(nn::layoutOf(other), dim, 0).empty() &&
            failed(setLayer(other, dim, share, /*areTerms=*/false, shares)))
          return failure();
    }
  return success();
}

/// The dims in which the operation is a layer behind the first.
static WindowedDims innerDims(nn::WindowedOp op, Shares &shares) {
  if (!op->hasAttr(nn::kHaloLayers))
    return {};
  WindowedDims dims = windowedDims(op, shares);
  llvm::erase_if(dims, [](const WindowedDim &slid) { return !slid.isInner; });
  return dims;
}

LogicalResult partitioning::holdLayers(nn::FuncOp func, Shares &shares) {
  for (Operation &op : llvm::reverse(func.getBody().front()))
    if (isa<nn::ConvOp, nn::PoolOp>(op))
      for (const WindowedDim &slid :
           innerDims(cast<nn::WindowedOp>(op), shares))
        if (failed(setBack(op.getOperand(0), slid.dim, dataOf(slid), shares)))
          return failure();
  for (Operation &op : func.getBody().front()) {
    if (isElementWise(&op) && failed(setForward(&op, shares)))
      return failure();
    if (isa<nn::ConvTransposeOp, nn::PoolGradOp>(op))
      for (const WindowedDim &slid :
           innerDims(cast<nn::WindowedOp>(op), shares))
        if (failed(setLayer(op.getResult(0), slid.dim, dataOf(slid),
                            /*areTerms=*/true, shares)))
          return failure();
  }
  return success();
}
