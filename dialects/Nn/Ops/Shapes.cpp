//===- Shapes.cpp - what the shape rules of the operations share ----------===//

#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Lse.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

bool nn::haveSameShapes(TypeRange a, TypeRange b) {
  return llvm::equal(a, b, [](Type left, Type right) {
    auto x = dyn_cast<RankedTensorType>(left);
    auto y = dyn_cast<RankedTensorType>(right);
    return x && y && x.getElementType() == y.getElementType() &&
           x.getShape() == y.getShape();
  });
}

bool nn::haveProductShapes(TypeRange a, TypeRange b) {
  return llvm::equal(a, b, [](Type left, Type right) {
    auto x = dyn_cast<RankedTensorType>(left);
    auto y = dyn_cast<RankedTensorType>(right);
    bool isNarrow =
        x && (x.getElementType().isF16() || x.getElementType().isBF16());
    return haveSameShapes(left, right) ||
           (isNarrow && y && y.getElementType().isF32() &&
            x.getShape() == y.getShape());
  });
}

bool nn::haveSameFactors(Value a, Value b) {
  auto sizes = [](DimAttr dim) {
    return llvm::map_to_vector(
        dim.getFactors(), [](FactorAttr factor) { return factor.getSize(); });
  };
  return elementTypeOf(a) == elementTypeOf(b) &&
         llvm::equal(dimsOf(a), dimsOf(b), [&](DimAttr x, DimAttr y) {
           return sizes(x) == sizes(y);
         });
}

DimAttr nn::commonDim(DimAttr a, DimAttr b) {
  MLIRContext *context = a.getContext();
  auto sizeOf = [](FactorAttr factor) { return factor.getSize(); };
  if (llvm::equal(llvm::map_range(a.getFactors(), sizeOf),
                  llvm::map_range(b.getFactors(), sizeOf))) {
    SmallVector<FactorAttr> factors;
    for (auto [x, y] : llvm::zip(a.getFactors(), b.getFactors()))
      factors.push_back(x.getName().empty() ? y : x);
    return DimAttr::get(context, factors);
  }
  auto factors = refineFactors(a.getFactors(), b.getFactors());
  if (failed(factors))
    return dimOf(context, "", a.getSize());
  return DimAttr::get(context, *factors);
}

FailureOr<SmallVector<DimAttr>> nn::broadcastDims(ArrayRef<DimAttr> a,
                                                  ArrayRef<DimAttr> b) {
  if (a.size() < b.size()) {
    // Names still come from `a` where both have the dim.
    SmallVector<DimAttr> padded(b.drop_back(a.size()));
    llvm::append_range(padded, a);
    return broadcastDims(padded, b);
  }
  SmallVector<DimAttr> result(a);
  size_t missing = a.size() - b.size();
  for (auto [index, dim] : llvm::enumerate(b)) {
    DimAttr &joined = result[missing + index];
    if (joined.getSize() == dim.getSize())
      joined = commonDim(joined, dim);
    else if (joined.getSize() == 1)
      joined = dim;
    else if (dim.getSize() != 1)
      return failure();
  }
  return result;
}

LogicalResult nn::verifyLse(Operation *op, Type out, Value lse) {
  if (!lse)
    return success();
  RankedTensorType expected = lseType(out);
  if (haveSameShapes(TypeRange(expected), TypeRange(lse.getType())))
    return success();
  return op->emitOpError() << "goes with an lse of " << describe(expected)
                           << ", but it is " << describe(lse.getType());
}

LogicalResult nn::checkDraws(std::optional<Location> location, StringRef what,
                             Value step, IntegerAttr stream) {
  if (bool(step) != bool(stream))
    return emitOptionalError(location, what,
                             " draws from a step and a stream, but it has "
                             "only a ",
                             step ? "step" : "stream",
                             "; give both or neither");
  if (step &&
      (!dimsOf(step).empty() || !elementTypeOf(step).isSignlessInteger(32)))
    return emitOptionalError(location, what,
                             " takes a step of no dims of i32, but it is ",
                             describe(step.getType()));
  return success();
}

RankedTensorType nn::tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

ArrayRef<DimAttr> nn::dimsOf(Value value) { return layoutOf(value).getDims(); }

Type nn::elementTypeOf(Value value) {
  return tensorType(value).getElementType();
}

Value nn::beforeDims(OpBuilder &builder, Location loc, Value x, size_t count) {
  if (count == 0)
    return x;
  LayoutAttr source = layoutOf(x).withoutPlacement();
  SmallVector<DimAttr> dims(source.getDims());
  SmallVector<Attribute> order;
  int64_t next = 0;
  for (DimAttr dim : dims) {
    int64_t first = next;
    next += dim.getFactors().size();
    order.push_back(builder.getI64ArrayAttr(
        llvm::to_vector(llvm::seq<int64_t>(first, next))));
  }
  order.resize(dims.size() + count, builder.getI64ArrayAttr({}));
  dims.resize(dims.size() + count, dimOf(builder.getContext(), "", 1));
  return RearrangeOp::create(
      builder, loc,
      tensorOf(elementTypeOf(x), LayoutAttr::get(builder.getContext(), dims)),
      x, source, builder.getArrayAttr(order));
}

/// 'height', or dim 2 where it has no name.
static std::string nameOf(DimAttr dim, int64_t number) {
  std::string name = dim.getDisplayName();
  return name.empty() ? "dim " + std::to_string(number) : "'" + name + "'";
}

LogicalResult nn::checkWindow(std::optional<Location> location, StringRef what,
                              const Window &window, DimAttr dim,
                              int64_t number) {
  if (window.results() < 1 && window.extent > 0)
    return emitOptionalError(
        location, what, " slides a window of ", window.span(), " over ",
        nameOf(dim, number), " of ", window.extent, " with a padding of ",
        window.low, " and ", window.high, ", in which it does not fit");
  return checkBorder(location, (what + " pads ").str(), window, dim, number);
}

LogicalResult nn::checkBorder(std::optional<Location> location, StringRef does,
                              const Window &window, DimAttr dim,
                              int64_t number) {
  if (window.isBorderValid())
    return success();
  return emitOptionalError(
      location, does, nameOf(dim, number), " of ", window.extent, " by ",
      std::max(window.low, window.high), " with a ",
      stringifyBorder(window.border), " border, which has at most ",
      window.border == Border::Circular ? window.extent : window.extent - 1);
}
