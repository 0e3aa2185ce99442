//===- ShapeDerivative.cpp - derivatives of moves and reductions ----------===//

#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

void ValueOp::differentiate(Derivative &d) { d.give(0, d.cotangent()); }

void FillOp::differentiate(Derivative &) {}

void IotaOp::differentiate(Derivative &) {}

/// x with new dims of 1 at `dims` of the result.
static Value insertDims(Derivative &d, Value x, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> counts(dimsOf(x).size() + dims.size(), 1);
  for (int64_t dim : dims)
    counts[dim] = 0;
  return d.join(x, counts);
}

void ReduceOp::differentiate(Derivative &d) {
  auto spread = [&](Value x) {
    return d.spreadTo(getKeepdim() ? x : insertDims(d, x, getDims()), getX());
  };
  Value dy = d.cotangent();
  // Equal ones share it evenly, as PyTorch's amax and amin.
  if (getKind() == ReduceKind::Max || getKind() == ReduceKind::Min) {
    Value x = d.read(getX()), zero = d.scalar(0, dy);
    Value y = d.read(getResult());
    // What is computed again may be rounded otherwise, and have another
    // maximum.
    if (x != getX() && y == getResult())
      y = d.reduce(getKind(), x, getDims(), getKeepdim());
    Value top = d.binary(BinaryKind::Eq, x, spread(y));
    Value one = d.where(top, d.scalar(1, dy), zero);
    Value count = d.reduce(ReduceKind::Sum, one, getDims(), getKeepdim());
    Value share = d.binary(BinaryKind::Div, dy, count);
    return d.give(0, d.binary(BinaryKind::Mul, one, spread(share)));
  }
  if (getKind() == ReduceKind::Mean) {
    int64_t count = 1;
    for (int64_t dim : getDims())
      count *= dimsOf(getX())[dim].getSize();
    dy = d.scaled(dy, 1.0 / double(count));
  }
  d.give(0, spread(dy));
}

/// Where each factor went, it comes back from.
void RearrangeOp::differentiate(Derivative &d) {
  SmallVector<FactorAttr> factors;
  for (DimAttr dim : getSource().getDims())
    llvm::append_range(factors, dim.getFactors());
  SmallVector<int64_t> place(factors.size(), -1);
  SmallVector<DimAttr> dims;
  int64_t next = 0;
  for (Attribute list : getOrder()) {
    SmallVector<FactorAttr> made;
    for (Attribute number : cast<ArrayAttr>(list)) {
      int64_t index = cast<IntegerAttr>(number).getInt();
      place[index] = next++;
      made.push_back(factors[index]);
    }
    if (made.empty()) {
      made.push_back(
          FactorAttr::get(getContext(), StringAttr::get(getContext(), ""), 1));
      ++next;
    }
    dims.push_back(DimAttr::get(getContext(), made));
  }
  Builder builder(getContext());
  SmallVector<Attribute> order;
  int64_t number = 0;
  for (DimAttr dim : getSource().getDims()) {
    SmallVector<int64_t> list;
    for (size_t i = 0; i < dim.getFactors().size(); ++i, ++number)
      if (place[number] >= 0)
        list.push_back(place[number]);
    order.push_back(builder.getI64ArrayAttr(list));
  }
  Type type =
      tensorOf(elementTypeOf(getX()), layoutOf(getX()).withoutPlacement());
  d.give(0, d.makeTyped<RearrangeOp>(type, d.cotangent(),
                                     LayoutAttr::get(getContext(), dims),
                                     builder.getArrayAttr(order)));
}

void SliceOp::differentiate(Derivative &d) {
  int64_t dim = getDim();
  Value dy = d.cotangent();
  std::optional<Window> window = getWindows()[dim];
  if (window && !layoutOf(getX()).splitsOf(dim, 0).empty()) {
    // Who has what was used is not who has its gradient.
    SmallVector<int64_t> lows(dimsOf(getX()).size(), 0), highs = lows;
    lows[dim] = window->low;
    highs[dim] = window->high;
    return d.give(
        0, d.makeTyped<PadTransposeOp>(getX().getType(), dy,
                                       d.builder().getDenseI64ArrayAttr(lows),
                                       d.builder().getDenseI64ArrayAttr(highs),
                                       zeroBorders(getContext(), lows.size()),
                                       /*settles=*/IntegerAttr()));
  }
  d.givePart(0, getDrop() ? insertDims(d, dy, {dim}) : dy, dim, getStart());
}

void ConcatOp::differentiate(Derivative &d) {
  Builder builder(getContext());
  int64_t start = 0, dim = getDim();
  for (auto [index, x] : llvm::enumerate(getXs())) {
    int64_t size = dimsOf(x)[dim].getSize();
    if (d.isWanted(index))
      d.give(index, d.make<SliceOp>(d.cotangent(), dim, start, size, false));
    start += size;
  }
}

void BroadcastOp::differentiate(Derivative &d) {
  d.give(0, d.sumTo(d.cotangent(), getX()));
}
