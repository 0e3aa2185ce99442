//===- Derivative.cpp - operations that derivatives are made of -----------===//

#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

Derivative::~Derivative() = default;

Value Derivative::unary(UnaryKind kind, Value x) {
  return make<UnaryOp>(x, kind);
}

Value Derivative::binary(BinaryKind kind, Value a, Value b) {
  return make<BinaryOp>(a, b, kind);
}

Value Derivative::scalar(double value, Value like) {
  auto type = tensorOf(elementTypeOf(like),
                       LayoutAttr::get(ops.getContext(), {}, {}, {}));
  return makeTyped<FillOp>(type, APFloat(value));
}

Value Derivative::scaled(Value x, double factor) {
  return factor == 1 ? x : binary(BinaryKind::Mul, x, scalar(factor, x));
}

Value Derivative::where(Value condition, Value a, Value b) {
  return make<WhereOp>(condition, a, b);
}

Value Derivative::reduce(ReduceKind kind, Value x, ArrayRef<int64_t> dims,
                         bool keepdim) {
  return make<ReduceOp>(x, kind, dims, keepdim);
}

Value Derivative::castTo(Value x, Type element) {
  if (elementTypeOf(x) == element)
    return x;
  return makeTyped<CastOp>(tensorOf(element, layoutOf(x).withoutPlacement()),
                           x);
}

Value Derivative::sumTo(Value gradient, Value like) {
  ArrayRef<DimAttr> from = dimsOf(gradient), to = dimsOf(like);
  int64_t extra = from.size() - to.size();
  assert(extra >= 0 && "broadcasting adds dims");
  SmallVector<int64_t> summed;
  for (int64_t dim = 0; dim < int64_t(from.size()); ++dim)
    if (dim < extra ||
        (to[dim - extra].getSize() == 1 && from[dim].getSize() != 1))
      summed.push_back(dim);
  if (summed.empty())
    return gradient;
  if (int64_t(summed.size()) == extra)
    return reduce(ReduceKind::Sum, gradient, summed, /*keepdim=*/false);
  Value kept = reduce(ReduceKind::Sum, gradient, summed, /*keepdim=*/true);
  if (extra == 0)
    return kept;
  // The dims of 1 that `like` does not have go away.
  SmallVector<Attribute> order;
  SmallVector<DimAttr> dims;
  int64_t number = 0;
  for (auto [index, dim] : llvm::enumerate(dimsOf(kept))) {
    SmallVector<int64_t> factors;
    for (size_t i = 0; i < dim.getFactors().size(); ++i)
      factors.push_back(number++);
    if (int64_t(index) < extra)
      continue;
    order.push_back(ops.getI64ArrayAttr(factors));
    dims.push_back(dim);
  }
  LayoutAttr source = layoutOf(kept).withoutPlacement();
  return makeTyped<RearrangeOp>(
      tensorOf(elementTypeOf(kept), LayoutAttr::get(ops.getContext(), dims)),
      kept, source, ops.getArrayAttr(order));
}

Value Derivative::spreadTo(Value x, Value like) {
  if (tensorType(x).getShape() == tensorType(like).getShape())
    return x;
  // Factor names of x where it has the dim.
  SmallVector<DimAttr> dims(dimsOf(like));
  ArrayRef<DimAttr> own = dimsOf(x);
  for (size_t i = 0; i < own.size(); ++i) {
    DimAttr &dim = dims[dims.size() - own.size() + i];
    if (own[i].getSize() == dim.getSize())
      dim = commonDim(dim, own[i]);
  }
  return makeTyped<BroadcastOp>(
      tensorOf(elementTypeOf(x), LayoutAttr::get(ops.getContext(), dims)), x);
}

Value Derivative::transpose(Value x, ArrayRef<int64_t> order) {
  SmallVector<SmallVector<int64_t>> numbers;
  int64_t next = 0;
  for (DimAttr dim : dimsOf(x)) {
    SmallVector<int64_t> &own = numbers.emplace_back();
    for (size_t i = 0; i < dim.getFactors().size(); ++i)
      own.push_back(next++);
  }
  SmallVector<Attribute> lists;
  SmallVector<DimAttr> dims;
  for (int64_t dim : order) {
    lists.push_back(ops.getI64ArrayAttr(numbers[dim]));
    dims.push_back(dimsOf(x)[dim]);
  }
  return makeTyped<RearrangeOp>(
      tensorOf(elementTypeOf(x), LayoutAttr::get(ops.getContext(), dims)), x,
      layoutOf(x).withoutPlacement(), ops.getArrayAttr(lists));
}

Value Derivative::join(Value x, ArrayRef<int64_t> counts) {
  SmallVector<Attribute> lists;
  SmallVector<DimAttr> dims;
  int64_t dim = 0, next = 0;
  for (int64_t count : counts) {
    SmallVector<int64_t> numbers;
    SmallVector<FactorAttr> factors;
    for (int64_t end = dim + count; dim < end; ++dim)
      for (FactorAttr factor : dimsOf(x)[dim].getFactors()) {
        int64_t number = next++;
        if (count > 1 && factor.getSize() == 1)
          continue; // has no place of its own in a larger dim
        numbers.push_back(number);
        factors.push_back(factor);
      }
    if (factors.empty())
      factors.push_back(
          FactorAttr::get(ops.getContext(), ops.getStringAttr(""), 1));
    lists.push_back(ops.getI64ArrayAttr(numbers));
    dims.push_back(DimAttr::get(ops.getContext(), factors));
  }
  return makeTyped<RearrangeOp>(
      tensorOf(elementTypeOf(x), LayoutAttr::get(ops.getContext(), dims)), x,
      layoutOf(x).withoutPlacement(), ops.getArrayAttr(lists));
}
