//===- Emit.cpp - making operations on local tensors ----------------------===//

#include "ClassBuilder.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

Value ClassBuilder::binary(StringRef kind, Value a, Value b) {
  return nn::BinaryOp::create(builder, loc, a, b, kind);
}

Value ClassBuilder::unary(StringRef kind, Value x) {
  return nn::UnaryOp::create(builder, loc, x, kind);
}

Value ClassBuilder::scalar(double value, Type element) {
  auto layout = nn::LayoutAttr::get(builder.getContext(), {}, {}, {});
  return nn::FillOp::create(builder, loc, nn::tensorOf(element, layout),
                            builder.getF64FloatAttr(value));
}

Value ClassBuilder::convert(Value x, Type element) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getElementType() == element)
    return x;
  return nn::CastOp::create(builder, loc, type.clone(element), x);
}

Value ClassBuilder::reduce(StringRef kind, Value x, ArrayRef<int64_t> dims,
                           bool keepdim) {
  return nn::ReduceOp::create(builder, loc, x, kind, dims, keepdim);
}

Value ClassBuilder::allReduce(Value x, ArrayRef<StringAttr> axes,
                              nn::Reduction reduction) {
  return spmd::AllReduceOp::create(builder, loc, x.getType(), x, listOf(axes),
                                   reduction, nextId++);
}
