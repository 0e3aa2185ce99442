//===- Buffer.cpp - a norm over running statistics ------------------------===//

#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

Value nn::normalizeByRunning(OpBuilder &builder, Location loc, Value x,
                             Value mean, Value variance, double eps) {
  size_t rank = dimsOf(x).size();
  auto number =
      tensorOf(elementTypeOf(x), LayoutAttr::get(builder.getContext(), {}));
  Value centred = BinaryOp::create(builder, loc, x,
                                   beforeDims(builder, loc, mean, rank - 2),
                                   BinaryKind::Sub);
  Value smallest = FillOp::create(builder, loc, number, APFloat(eps));
  Value spread = beforeDims(builder, loc, variance, rank - 2);
  Value shifted =
      BinaryOp::create(builder, loc, spread, smallest, BinaryKind::Add);
  Value scale = UnaryOp::create(builder, loc, shifted, UnaryKind::Rsqrt);
  return BinaryOp::create(builder, loc, centred, scale, BinaryKind::Mul);
}
