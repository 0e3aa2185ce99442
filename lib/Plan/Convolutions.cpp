//===- Convolutions.cpp - convolutions and their gradients ----------------===//
//
// The library computes with channels innermost in memory. A result is written
// so, and as results take the memory order of what they are made from, so is
// everything between two convolutions: no activation is transposed. What comes
// in otherwise is turned where it gets margins, and once for both gradients;
// else the library turns it for itself.
//
//===----------------------------------------------------------------------===//

#include "ClassPlanner.h"
#include "Flops.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

static bool isConvolution(Operation *op) {
  return isa<nn::ConvOp, nn::ConvTransposeOp, nn::ConvGradWeightOp>(op);
}

/// Channels are innermost of what the library computes; our own loops go along
/// rows.
static bool hasChannelsInnermost(plan::DType type) {
  return type == plan::DType::F32 || type == plan::DType::BF16;
}

/// Batch, spatial dims, channels; row-major for a type that the library lacks.
static SmallVector<size_t> activationOrder(size_t rank, plan::DType type) {
  SmallVector<size_t> order = {0};
  bool isInnermost = hasChannelsInnermost(type);
  for (size_t dim = isInnermost ? 2 : 1; dim < rank; ++dim)
    order.push_back(dim);
  if (isInnermost)
    order.push_back(1);
  return order;
}

/// The memory order of what a halo attaches margins to: as convolutions read
/// it, where nothing else does; else as it was.
Numbers ClassPlanner::orderWithMargins(Value held, ArrayRef<int64_t> like) {
  auto readsIt = [](Operation *user) {
    return isConvolution(user) || isRowsOfConvolution(user);
  };
  auto layout = nn::layoutOf(held);
  bool isPlain = llvm::all_of(layout.getDims(), [](nn::DimAttr dim) {
    return dim.getFactors().size() == 1;
  });
  if (!isPlain || layout.getDims().size() < 3 ||
      !llvm::all_of(held.getUsers(), readsIt))
    return Numbers(like);
  SmallVector<int64_t> sizes = layout.getShape();
  return stridesBy(activationOrder(sizes.size(), typeOf(held)), sizes);
}

/// An activation or a gradient of one. The gradients of a convolution both read
/// that of its result: it is turned once for them.
Strided ClassPlanner::readActivation(Operation &op, Value value) {
  if (auto known = turned.find(value); known != turned.end())
    return known->second;
  Strided given = byDims(op, value);
  auto isGradient = [](Operation *user) {
    return isConvolution(user) && user->hasAttr(nn::kBackward);
  };
  Numbers strides = stridesBy(
      activationOrder(given.sizes.size(), typeOf(value)), given.sizes);
  bool lies = true;
  for (auto [size, has, wanted] :
       llvm::zip(given.sizes, given.strides, strides))
    lies &= size == 1 || has == wanted;
  if (lies || !isGradient(&op) || !hasChannelsInnermost(typeOf(value)) ||
      llvm::count_if(value.getUsers(), isGradient) < 2)
    return given;
  Strided copy = allocate(typeOf(value), given.sizes, strides);
  emit(op, plan::Copy{given.view(), copy.view()});
  turned[value] = copy;
  return copy;
}

Strided ClassPlanner::allocateActivation(Value value) {
  if (placeInConcat(value)) // rows of a result that is computed in parts
    return *reshaped(get(value), nn::layoutOf(value).getShape());
  size_t rank = nn::layoutOf(value).getDims().size();
  Strided window = allocateByDims(value, activationOrder(rank, typeOf(value)));
  Numbers like = get(value).strides;
  return placeInHalo(value, like)
             ? *reshaped(get(value), nn::layoutOf(value).getShape())
             : window;
}

LogicalResult ClassPlanner::planConvolution(Operation &op,
                                            plan::ConvolutionPass pass) {
  using Pass = plan::ConvolutionPass;
  plan::Convolution convolution;
  convolution.pass = pass;
  auto operand = [&](unsigned number) {
    return byDims(op, op.getOperand(number)).view();
  };
  auto activation = [&](unsigned number) {
    return readActivation(op, op.getOperand(number)).view();
  };
  Value result = op.getResult(0);
  if (pass == Pass::WeightGradient) {
    convolution.x = activation(0);
    convolution.y = activation(1);
    values[result] = allocate(result.getType(), {});
    convolution.weight =
        reshaped(get(result), nn::layoutOf(result).getShape())->view();
  } else {
    bool isForward = pass == Pass::Forward;
    (isForward ? convolution.x : convolution.y) = activation(0);
    convolution.weight = operand(1);
    if (isForward && op.getNumOperands() == 3)
      convolution.bias = operand(2);
    (isForward ? convolution.y : convolution.x) =
        allocateActivation(result).view();
  }
  auto numbers = [&](StringRef name) {
    return op.getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef().vec();
  };
  convolution.strides = numbers("strides");
  convolution.dilations = numbers("dilations");
  convolution.lows = numbers("lows");
  convolution.highs = numbers("highs");
  if (auto groups = op.getAttrOfType<IntegerAttr>("groups"))
    convolution.groups = groups.getInt();
  SmallVector<int64_t> multiplied = {2}; // of a window that lies inside
  llvm::append_range(multiplied, convolution.y.shape);
  llvm::append_range(multiplied,
                     ArrayRef(convolution.weight.shape).drop_front());
  if (!atLoad(op))
    addFlops(*rankClass, multiplied);
  emit(op, convolution);
  return success();
}
