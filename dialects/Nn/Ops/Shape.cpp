//===- Shape.cpp - shape and placement of slice, concat and broadcast -----===//

#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

static int64_t minorSize(ArrayRef<FactorAttr> factors) {
  int64_t size = 1;
  for (FactorAttr factor : factors.drop_front())
    size *= factor.getSize();
  return size;
}

static bool cutsMajorFactor(DimAttr dim, int64_t start, int64_t size) {
  int64_t minor = minorSize(dim.getFactors());
  return minor > 0 && start % minor == 0 && size % minor == 0;
}

/// Elements [start, start + size) of a dim: fewer of its major factor, or,
/// where they end inside of one, a factor without a name.
static DimAttr sliceDim(DimAttr dim, int64_t start, int64_t size) {
  ArrayRef<FactorAttr> factors = dim.getFactors();
  if (start == 0 && size == dim.getSize())
    return dim;
  MLIRContext *context = dim.getContext();
  if (!cutsMajorFactor(dim, start, size))
    return dimOf(context, "", size);
  int64_t major = size / minorSize(factors);
  SmallVector<FactorAttr> sliced(factors.drop_front());
  if (major != 1 || sliced.empty())
    sliced.insert(sliced.begin(),
                  FactorAttr::get(context, factors.front().getName(), major));
  return DimAttr::get(context, sliced);
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  int64_t rank = dimsOf(x).size(), dim = adaptor.getDim();
  int64_t start = adaptor.getStart(), size = adaptor.getSize();
  if (dim < 0 || dim >= rank) // (C1)
    return emitOptionalError(location, "slice of dim ", dim, " of x ",
                             describe(x.getType()), ", which has ", rank,
                             " dims");
  int64_t extent = dimsOf(x)[dim].getSize();
  if (start < 0 || size < 0 || start > extent || size > extent - start)
    return emitOptionalError(location, "slice [", start, ":", start + size,
                             "] of dim ", dim, " of x ", describe(x.getType()),
                             ", whose size is ", extent);
  if (adaptor.getDrop() && size != 1) // (C2)
    return emitOptionalError(location,
                             "a slice that drops its dim takes 1 element, "
                             "but takes ",
                             size);
  SmallVector<DimAttr> dims(dimsOf(x));
  if (adaptor.getDrop())
    dims.erase(dims.begin() + dim);
  else
    dims[dim] = sliceDim(dims[dim], start, size);
  types.push_back(tensorOf(elementTypeOf(x), LayoutAttr::get(context, dims)));
  return success();
}

//===-- Windows of a slice ------------------------------------------------===//

/// A slice of a dim of one factor may be cut, and each rank gets what its part
/// of the result reads.
SmallVector<std::optional<Window>> SliceOp::getWindows() {
  SmallVector<std::optional<Window>> windows(dimsOf(getX()).size());
  DimAttr dim = dimsOf(getX())[getDim()];
  int64_t start = getStart(), size = getSize(), extent = dim.getSize();
  if (getDrop() || size == extent || dim.getFactors().size() != 1)
    return windows;
  Window window;
  window.extent = extent;
  window.low = -start;
  window.high = start + size - extent;
  windows[getDim()] = window;
  return windows;
}
SmallVector<Value> SliceOp::getPositions() { return {getX()}; }
Value SliceOp::getWindowed() { return getResult(); }
bool SliceOp::addsZeros() { return false; }
void SliceOp::setPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {}

/// The dim that is sliced: the factors below the major one pass if the slice
/// does not cut through them and the result has them as well.
static void addSliced(RuleBuilder &rule, SliceOp op, int64_t dim) {
  DimAttr whole = dimsOf(op.getX())[dim];
  ArrayRef<FactorAttr> from = whole.getFactors();
  const char *reason = "the slice takes a part of this dim, which a split "
                       "would spread unevenly over the ranks";
  DimAttr left = op.getDrop() ? DimAttr() : dimsOf(op.getResult())[dim];
  if (op.getDrop() || from.size() == 1 ||
      sliceDim(whole, op.getStart(), op.getSize()) != left ||
      !cutsMajorFactor(whole, op.getStart(), op.getSize())) {
    rule.add({operand(0, dim)}, FactorUse::Whole, reason);
    if (!op.getDrop())
      rule.add({result(dim)}, FactorUse::Whole, reason);
    return;
  }
  ArrayRef<FactorAttr> to = left.getFactors();
  rule.factorsOf(operand(0, dim))
      .push_back(rule.addFactor(from[0], FactorUse::Whole, reason));
  if (to.size() == from.size())
    rule.factorsOf(result(dim))
        .push_back(rule.addFactor(to[0], FactorUse::Whole, reason));
  for (FactorAttr factor : from.drop_front()) {
    if (factor.getSize() == 1)
      continue;
    int number = rule.addFactor(factor, FactorUse::Pointwise);
    rule.factorsOf(operand(0, dim)).push_back(number);
    rule.factorsOf(result(dim)).push_back(number);
  }
}

PlacementRule SliceOp::getPlacementRule() {
  RuleBuilder rule(*this);
  int64_t next = 0;
  auto windows = getWindows();
  for (int64_t d = 0, rank = dimsOf(getX()).size(); d < rank; ++d) {
    bool isSliced = d == int64_t(getDim());
    bool isDropped = isSliced && getDrop();
    if (windows[d])
      rule.addWindows({operand(0, d)}, {result(next)}, *windows[d]);
    else if (isSliced &&
             (isDropped || dimsOf(getX())[d].getSize() != int64_t(getSize())))
      addSliced(rule, *this, d);
    else
      rule.add({operand(0, d), result(next)});
    next += !isDropped;
  }
  rule.partial(0, PartialUse::Any);
  return rule.take();
}

/// Tensors one after another: more of the major factor where the minor ones
/// are alike, else a factor without a name.
static DimAttr concatDims(ArrayRef<DimAttr> parts) {
  MLIRContext *context = parts.front().getContext();
  ArrayRef<FactorAttr> first = parts.front().getFactors();
  int64_t size = 0, major = 0;
  bool isAlike = true;
  StringAttr name = first.front().getName();
  for (DimAttr part : parts) {
    size += part.getSize();
    major += part.getFactors().front().getSize();
    isAlike &= part.getFactors().drop_front() == first.drop_front();
    if (part.getFactors().front().getName() != name)
      name = StringAttr::get(context, "");
  }
  if (!isAlike)
    return dimOf(context, "", size);
  SmallVector<FactorAttr> factors = {FactorAttr::get(context, name, major)};
  llvm::append_range(factors, first.drop_front());
  return DimAttr::get(context, factors);
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  ValueRange xs = adaptor.getXs();
  if (xs.empty()) // (C1)
    return emitOptionalError(location, "concat takes at least one tensor");
  SmallVector<DimAttr> dims(dimsOf(xs.front()));
  int64_t rank = dims.size(), dim = adaptor.getDim();
  if (dim < 0 || dim >= rank) // (C2)
    return emitOptionalError(location, "concat along dim ", dim, " of ",
                             describe(xs.front().getType()), ", which has ",
                             rank, " dims");
  SmallVector<DimAttr> parts;
  for (Value x : xs) {
    bool fits = int64_t(dimsOf(x).size()) == rank &&
                elementTypeOf(x) == elementTypeOf(xs.front());
    for (int64_t d = 0; fits && d < rank; ++d)
      fits = d == dim || dimsOf(x)[d].getSize() == dims[d].getSize();
    if (!fits) // (C3)
      return emitOptionalError(
          location, "concat along dim ", dim,
          " takes tensors that differ in this dim only, but got ",
          describe(xs.front().getType()), " and ", describe(x.getType()));
    parts.push_back(dimsOf(x)[dim]);
    for (int64_t d = 0; d < rank; ++d)
      if (d != dim)
        dims[d] = commonDim(dims[d], dimsOf(x)[d]);
  }
  dims[dim] = concatDims(parts);
  types.push_back(
      tensorOf(elementTypeOf(xs.front()), LayoutAttr::get(context, dims)));
  return success();
}

/// The dim along which tensors follow one another: the minor factors pass if
/// all tensors have them alike.
static void addConcatenated(RuleBuilder &rule, ArrayRef<DimOf> dims) {
  const char *reason = "a rank would hold parts of some tensors only; gather "
                       "the dim before concat";
  ArrayRef<FactorAttr> minor = rule.layoutOf(dims[0]).drop_front();
  bool isAlike = llvm::all_of(dims, [&](DimOf dim) {
    ArrayRef<FactorAttr> own = rule.layoutOf(dim).drop_front();
    return llvm::equal(own, minor, [](FactorAttr a, FactorAttr b) {
      return a.getSize() == b.getSize();
    });
  });
  if (!isAlike) {
    for (DimOf dim : dims)
      rule.add({dim}, FactorUse::Whole, reason);
    return;
  }
  for (DimOf dim : dims)
    rule.factorsOf(dim).push_back(
        rule.addFactor(rule.layoutOf(dim)[0], FactorUse::Whole, reason));
  for (auto [index, factor] : llvm::enumerate(minor)) {
    if (factor.getSize() == 1)
      continue;
    int number = rule.addFactor(factor, FactorUse::Pointwise);
    for (DimOf dim : dims) {
      rule.factorsOf(dim).push_back(number);
      std::string &name = rule.factor(number).name;
      if (name.empty())
        name = rule.layoutOf(dim)[index + 1].getName().str();
    }
  }
}

PlacementRule ConcatOp::getPlacementRule() {
  RuleBuilder rule(*this, "concat joins sums only with sums");
  for (int64_t d = 0, rank = dimsOf(getResult()).size(); d < rank; ++d) {
    SmallVector<DimOf> dims = {result(d)};
    for (unsigned index = 0; index < getNumOperands(); ++index)
      dims.push_back(operand(index, d));
    if (d == int64_t(getDim()) && getNumOperands() > 1)
      addConcatenated(rule, dims);
    else
      rule.add(dims);
  }
  for (unsigned index = 0; index < getNumOperands(); ++index)
    rule.partial(index, PartialUse::Addend);
  return rule.take();
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<DimAttr> from = dimsOf(getX()), to = dimsOf(getResult());
  bool fits = from.size() <= to.size() &&
              elementTypeOf(getX()) == getType().getElementType();
  for (size_t d = 0; fits && d < from.size(); ++d) {
    int64_t size = from[from.size() - 1 - d].getSize();
    fits = size == 1 || size == to[to.size() - 1 - d].getSize();
  }
  if (!fits) // (C1)
    return emitError() << "x " << describe(getX().getType())
                       << " does not broadcast to " << describe(getType());
  return success();
}

PlacementRule BroadcastOp::getPlacementRule() {
  RuleBuilder rule(*this);
  rule.addBroadcasting({0});
  rule.partial(0, PartialUse::Any);
  return rule.take();
}
