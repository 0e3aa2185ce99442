//===- Statistics.cpp - reductions over dims that may be split ------------===//
//
// A norm over a split dim takes two collectives: the sum gives the mean, and
// only then are the squares of the distances to it summed. One collective of
// sum and sum of squares would be cheaper, but E[x^2] - E[x]^2 loses every
// digit where the mean is large against the spread. Sums of F16 and BF16 are
// F32.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"
#include <limits>

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// The type in which sums over an element type are made.
static Type sumType(Type element) {
  bool isNarrow = element.isF16() || element.isBF16();
  return isNarrow ? Float32Type::get(element.getContext()) : element;
}

FailureOr<bool> Statistics::needsStatistics(Operation &op, Value x,
                                            int64_t dim) {
  AxisList axes = shares.axesOf(nn::layoutOf(x), dim);
  if (axes.empty())
    return false;
  auto licence = op.getAttrOfType<ArrayAttr>("nn.statistics");
  for (StringAttr axis : axes)
    if (!licence || !llvm::is_contained(licence, Attribute(axis)))
      return op.emitError()
             << "reduces over a dim that is split over " << axis
             << ", which needs `statistics` over it in the schedule";
  return true;
}

/// `value` was just made for `placed`. Its inferred type may lack factors that
/// are of size 1 on this rank; what follows counts on them.
void Statistics::mapInto(Value placed, Value value) {
  value.setType(localOf(placed));
  mapping.map(placed, value);
}

LogicalResult Statistics::lowerNorm(Operation &op) {
  bool centres = isa<nn::LayerNormOp>(op);
  Value placedX = op.getOperand(0);
  nn::LayoutAttr layout = nn::layoutOf(placedX);
  int64_t last = layout.getDims().size() - 1;
  FailureOr<bool> splits = needsStatistics(op, placedX, last);
  if (failed(splits))
    return failure();
  if (!*splits)
    return operations.lowerAsIs(op);

  AxisList axes = shares.axesOf(layout, last);
  RankedTensorType type = local(op.getResult(0).getType());
  Type element = sumType(type.getElementType());
  double epsilon = centres
                       ? cast<nn::LayerNormOp>(op).getEps().convertToDouble()
                       : cast<nn::RmsNormOp>(op).getEps().convertToDouble();
  Value share = scalar(1.0 / layout.getDims()[last].getSize(), element);
  auto meanOf = [&](Value x) {
    Value sum = reduce(nn::ReduceKind::Sum, x, {last}, /*keepdim=*/true);
    return binary(nn::BinaryKind::Mul, allReduce(sum, axes, nn::Reduction::Sum),
                  share);
  };
  Value x = convert(local(placedX), element);
  if (centres)
    x = binary(nn::BinaryKind::Sub, x, meanOf(x));
  Value variance = meanOf(binary(nn::BinaryKind::Mul, x, x));
  Value scale =
      unary(nn::UnaryKind::Rsqrt,
            binary(nn::BinaryKind::Add, variance, scalar(epsilon, element)));
  Value y = binary(nn::BinaryKind::Mul, x, scale);
  y = binary(nn::BinaryKind::Mul, y, convert(local(op.getOperand(1)), element));
  if (op.getNumOperands() > 2)
    y = binary(nn::BinaryKind::Add, y,
               convert(local(op.getOperand(2)), element));
  mapInto(op.getResult(0), convert(y, type.getElementType()));
  return success();
}

/// [b, g, 1, 1] as [b, g]: the dims, all of size 1, go away.
Value Statistics::withoutDims(Value x, ArrayRef<int64_t> dims) {
  nn::LayoutAttr source = nn::layoutOf(x);
  SmallVector<nn::DimAttr> kept;
  SmallVector<Attribute> order;
  int64_t next = 0;
  for (auto [index, dim] : llvm::enumerate(source.getDims())) {
    int64_t first = next;
    next += dim.getFactors().size();
    if (llvm::is_contained(dims, int64_t(index)))
      continue;
    kept.push_back(dim);
    order.push_back(builder.getI64ArrayAttr(
        llvm::to_vector(llvm::seq<int64_t>(first, next))));
  }
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  return nn::RearrangeOp::create(
      builder, loc,
      nn::tensorOf(element, nn::LayoutAttr::get(builder.getContext(), kept)), x,
      source, builder.getArrayAttr(order));
}

/// The same operations whether or not the dims are split: what is fused of them
/// reads x twice for the statistics and once more for the result.
LogicalResult Statistics::lowerNormalize(nn::NormalizeOp op) {
  nn::LayoutAttr layout = nn::layoutOf(op.getX());
  AxisList axes;
  double count = 1;
  for (int64_t dim : op.getDims()) {
    if (failed(needsStatistics(*op, op.getX(), dim)))
      return failure();
    axes.append(shares.axesOf(layout, dim));
    count *= layout.getDims()[dim].getSize();
  }
  axes = shares.inMeshOrder(axes);
  Type result = local(op.getY().getType()).getElementType();
  Type element = sumType(result);
  Value share = scalar(1 / count, element);
  auto meanOf = [&](Value x) {
    Value sum = reduce(nn::ReduceKind::Sum, x, op.getDims(), /*keepdim=*/true);
    if (!axes.empty())
      sum = allReduce(sum, axes, nn::Reduction::Sum);
    return binary(nn::BinaryKind::Mul, sum, share);
  };
  Value x = convert(local(op.getX()), element);
  Value mean = meanOf(x);
  Value centred = binary(nn::BinaryKind::Sub, x, mean);
  Value variance = meanOf(binary(nn::BinaryKind::Mul, centred, centred));
  Value eps = scalar(op.getEps().convertToDouble(), element);
  Value scale =
      unary(nn::UnaryKind::Rsqrt, binary(nn::BinaryKind::Add, variance, eps));
  mapInto(op.getY(),
          convert(binary(nn::BinaryKind::Mul, centred, scale), result));
  for (auto [placed, value] :
       {std::pair(op.getMean(), mean), std::pair(op.getVariance(), variance)})
    if (!placed.use_empty())
      mapInto(placed, withoutDims(convert(value, result), op.getDims()));
  return success();
}

LogicalResult Statistics::lowerSoftmax(nn::SoftmaxOp op) {
  int64_t dim = op.getDim();
  nn::LayoutAttr layout = nn::layoutOf(op.getX());
  if (dim < 0)
    dim += layout.getDims().size();
  FailureOr<bool> splits = needsStatistics(*op, op.getX(), dim);
  if (failed(splits))
    return failure();
  if (!*splits)
    return operations.lowerAsIs(*op);

  AxisList axes = shares.axesOf(layout, dim);
  Type result = local(op.getResult().getType()).getElementType();
  Value x = convert(local(op.getX()), sumType(result));
  Value highest =
      allReduce(reduce(nn::ReduceKind::Max, x, {dim}, /*keepdim=*/true), axes,
                nn::Reduction::Max);
  Value power =
      unary(nn::UnaryKind::Exp, binary(nn::BinaryKind::Sub, x, highest));
  Value total =
      allReduce(reduce(nn::ReduceKind::Sum, power, {dim}, /*keepdim=*/true),
                axes, nn::Reduction::Sum);
  mapInto(op.getResult(),
          convert(binary(nn::BinaryKind::Div, power, total), result));
  return success();
}

LogicalResult Statistics::lowerLogSumExp(nn::LogSumExpOp op) {
  int64_t dim = op.getDim();
  FailureOr<bool> splits = needsStatistics(*op, op.getX(), dim);
  if (failed(splits))
    return failure();
  if (!*splits)
    return operations.lowerAsIs(*op);

  AxisList axes = shares.axesOf(nn::layoutOf(op.getX()), dim);
  Type result = local(op.getResult().getType()).getElementType();
  Type element = sumType(result);
  Value x = convert(local(op.getX()), element);
  Value highest =
      allReduce(reduce(nn::ReduceKind::Max, x, {dim}, /*keepdim=*/true), axes,
                nn::Reduction::Max);
  // Where all elements are -inf, -inf less -inf would be NaN.
  double lowest = -std::numeric_limits<double>::infinity();
  Value isLowest = binary(nn::BinaryKind::Eq, highest, scalar(lowest, element));
  Value shift =
      nn::WhereOp::create(builder, loc, isLowest, scalar(0, element), highest);
  Value power =
      unary(nn::UnaryKind::Exp, binary(nn::BinaryKind::Sub, x, shift));
  Value total =
      allReduce(reduce(nn::ReduceKind::Sum, power, {dim}, /*keepdim=*/true),
                axes, nn::Reduction::Sum);
  Value sum =
      binary(nn::BinaryKind::Add, unary(nn::UnaryKind::Log, total), shift);
  // The dim has one element left.
  mapInto(op.getResult(),
          convert(reduce(nn::ReduceKind::Sum, sum, {dim}, /*keepdim=*/false),
                  result));
  return success();
}

LogicalResult Statistics::lowerMean(nn::ReduceOp op) {
  if (op.getKind() != nn::ReduceKind::Mean)
    return operations.lowerAsIs(*op);
  nn::LayoutAttr layout = nn::layoutOf(op.getX());
  int64_t count = 1;
  for (int64_t dim : op.getDims())
    count *= layout.getDims()[dim < 0 ? dim + layout.getDims().size() : dim]
                 .getSize();
  Type result = local(op.getResult().getType()).getElementType();
  Type element = sumType(result);
  assert(isa<FloatType>(element) && "a mean is of floats, says its verifier");
  Value sum = reduce(nn::ReduceKind::Sum, convert(local(op.getX()), element),
                     op.getDims(), op.getKeepdim());
  Value mean = binary(nn::BinaryKind::Mul, sum, scalar(1.0 / count, element));
  mapInto(op.getResult(), convert(mean, result));
  return success();
}
