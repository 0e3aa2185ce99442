//===- LocalShapes.cpp - slices and rearrangements of a part --------------===//

#include "Operations.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// A slice counts elements of the dim; where a minor factor is split there are
/// fewer of them for each step of the major one.
LogicalResult Operations::adaptSlice(nn::SliceOp op, nn::SliceOp local) {
  int64_t dim = op.getDim();
  nn::LayoutAttr layout = nn::layoutOf(op.getX());
  if (dim < 0)
    dim += layout.getDims().size();
  if (shares.axesOf(layout, dim).empty())
    return success();
  if (int64_t(op.getSize()) == layout.getDims()[dim].getSize()) {
    local.setSize(nn::layoutOf(local.getX()).getDims()[dim].getSize());
    return success();
  }
  ArrayRef<nn::FactorAttr> factors = layout.getDims()[dim].getFactors();
  int64_t rest = layout.getDims()[dim].getSize() / factors[0].getSize();
  int64_t localRest = nn::layoutOf(local.getX()).getDims()[dim].getSize() /
                      factors[0].getSize();
  int64_t start = op.getStart(), size = op.getSize();
  if (!shares.axesOf(layout, dim, 0).empty() || start % rest || size % rest)
    return op.emitError() << "cannot take [" << start << ", " << start + size
                          << ") of dim " << dim << " of "
                          << nn::describe(op.getX().getType()) << " placed "
                          << nn::describePlacement(layout)
                          << "; all_gather it first";
  local.setStart(start / rest * localRest);
  local.setSize(size / rest * localRest);
  return success();
}

/// Local sizes of the source factors that make one result dim: those of the
/// result's own factors, of which several may be one source factor, or one
/// several. Fails where a rank's part is no whole number of minor factors.
static LogicalResult localSizes(ArrayRef<int64_t> numbers,
                                ArrayRef<nn::FactorAttr> whole,
                                ArrayRef<nn::FactorAttr> local,
                                MutableArrayRef<int64_t> sizes) {
  size_t first = 0, factor = 0;
  while (first < numbers.size()) {
    // The shortest runs of both that are as large.
    size_t end = first + 1;
    int64_t ours = sizes[numbers[first]], theirs = 1, part = 1;
    auto take = [&] {
      theirs *= whole[factor].getSize();
      part *= local[factor++].getSize();
    };
    // A dim of one element, of which a rank may have none.
    if (ours == 1 && factor < whole.size() && whole[factor].getSize() == 1)
      take();
    while (ours != theirs)
      if (ours < theirs && end < numbers.size())
        ours *= sizes[numbers[end++]];
      else if (theirs < ours && factor < whole.size())
        take();
      else
        return failure();
    int64_t minor = 1;
    for (size_t i = first + 1; i < end; ++i)
      minor *= sizes[numbers[i]];
    if (part % minor != 0)
      return failure();
    sizes[numbers[first]] = part / minor;
    first = end;
  }
  return success();
}

/// The factors of a rearranged tensor are those of its result, each with the
/// size that the rank has of it.
LogicalResult Operations::adaptRearrange(nn::RearrangeOp op,
                                         nn::RearrangeOp local) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> sizes;
  for (nn::DimAttr dim : op.getSource().getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      sizes.push_back(factor.getSize());
  nn::LayoutAttr whole = nn::layoutOf(op.getResult());
  nn::LayoutAttr result = nn::layoutOf(local.getResult());
  for (auto [dim, part, order] :
       llvm::zip_equal(whole.getDims(), result.getDims(), op.getOrder())) {
    SmallVector<int64_t> numbers;
    for (Attribute number : cast<ArrayAttr>(order))
      numbers.push_back(cast<IntegerAttr>(number).getInt());
    if (failed(localSizes(numbers, dim.getFactors(), part.getFactors(), sizes)))
      return op.emitError() << "the result has not the factors of `order`";
  }
  SmallVector<nn::DimAttr> dims;
  size_t next = 0;
  for (nn::DimAttr dim : op.getSource().getDims()) {
    SmallVector<nn::FactorAttr> factors;
    for (nn::FactorAttr factor : dim.getFactors())
      factors.push_back(
          nn::FactorAttr::get(context, factor.getName(), sizes[next++]));
    dims.push_back(nn::DimAttr::get(context, factors));
  }
  auto source = nn::LayoutAttr::get(context, dims, {}, {});
  if (source.getShape() != nn::layoutOf(local.getX()).getShape())
    return op.emitError() << "a rank's part of "
                          << nn::describe(op.getX().getType()) << " placed "
                          << nn::describePlacement(nn::layoutOf(op.getX()))
                          << " is not its part of the result, placed "
                          << nn::describePlacement(
                                 nn::layoutOf(op.getResult()));
  local.setSourceAttr(source);
  return success();
}
