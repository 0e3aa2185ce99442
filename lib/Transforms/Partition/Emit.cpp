//===- Emit.cpp - making operations on local tensors ----------------------===//

#include "Emit.h"
#include "WindowedDims.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

Emitter::Emitter(LocalProgram &program)
    : rankClass(program.rankClass), shares(program.shares),
      builder(program.builder), loc(program.loc), mapping(program.mapping),
      nextId(program.nextId), localTypes(program.localTypes) {}

//===-- Types and values --------------------------------------------------===//

RankedTensorType Emitter::local(Type type) {
  RankedTensorType &result = localTypes[type];
  if (!result)
    result =
        nn::withLayout(cast<RankedTensorType>(type),
                       nn::localLayout(nn::layoutOf(type), shares.getMesh(),
                                       rankClass.coordinates));
  return result;
}

ArrayAttr Emitter::listOf(ArrayRef<StringAttr> axes) {
  return builder.getArrayAttr(SmallVector<Attribute>(axes.begin(), axes.end()));
}

int64_t Emitter::here(spmd::TableAttr table) const {
  return table.at(shares.getMesh(), rankClass.coordinates);
}

//===-- Operations --------------------------------------------------------===//

Value Emitter::binary(nn::BinaryKind kind, Value a, Value b) {
  return nn::BinaryOp::create(builder, loc, a, b, kind);
}

Value Emitter::unary(nn::UnaryKind kind, Value x) {
  return nn::UnaryOp::create(builder, loc, x, kind);
}

Value Emitter::scalar(double value, Type element) {
  auto layout = nn::LayoutAttr::get(builder.getContext(), {}, {}, {});
  return nn::FillOp::create(builder, loc, nn::tensorOf(element, layout),
                            builder.getF64FloatAttr(value));
}

Value Emitter::convert(Value x, Type element) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getElementType() == element)
    return x;
  return nn::CastOp::create(builder, loc, type.clone(element), x);
}

Value Emitter::reduce(nn::ReduceKind kind, Value x, ArrayRef<int64_t> dims,
                      bool keepdim) {
  return nn::ReduceOp::create(builder, loc, x, kind, dims, keepdim);
}

Value Emitter::allReduce(Value x, ArrayRef<StringAttr> axes,
                         nn::Reduction reduction, DictionaryAttr hook) {
  return spmd::AllReduceOp::create(builder, loc, x.getType(), x, listOf(axes),
                                   reduction, nextId++, hook);
}
