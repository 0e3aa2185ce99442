//===- NnAttrsVerify.cpp - what layouts and meshes have to be -------------===//

#include "dialects/Nn/Nn.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace hocket::nn;

LogicalResult FactorAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr name, int64_t size) {
  if (size < 0)
    return emitError() << "a factor has size " << size
                       << "; sizes are not negative";
  return success();
}

LogicalResult DimAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<FactorAttr> factors) {
  if (factors.empty()) // (C1)
    return emitError() << "a dim has no factor; a dim of size 1 is [1]";
  return success();
}

/// (C4) of what one split says of its bounds.
static LogicalResult verifyBounds(function_ref<InFlightDiagnostic()> emitError,
                                  SplitAttr split) {
  ArrayRef<int64_t> bounds = split.getBounds(), sizes = split.getSizes();
  if (split.getDenominator() < 1)
    return emitError() << "axis " << split.getAxis()
                       << " has bounds in parts of 1 / "
                       << split.getDenominator();
  if (!llvm::is_sorted(bounds))
    return emitError() << "axis " << split.getAxis() << " has bounds that fall";
  if (!bounds.empty() && !sizes.empty() && bounds.size() + 1 != sizes.size())
    return emitError() << "axis " << split.getAxis() << " lists "
                       << bounds.size() << " bounds between " << sizes.size()
                       << " sizes";
  return success();
}

/// (C5) of one split, behind so many others of its factor.
static LogicalResult verifyOrder(function_ref<InFlightDiagnostic()> emitError,
                                 SplitAttr split, size_t before) {
  if (!split.isOrdered())
    return success();
  if (before)
    return emitError() << "axis " << split.getAxis() << " is in "
                       << orderOf(split).text()
                       << " order inside of another axis";
  if (!split.getSizes().empty() || !split.getBounds().empty())
    return emitError() << "axis " << split.getAxis() << " is in "
                       << orderOf(split).text()
                       << " order, which says its sizes";
  if (split.getBlock() < 1)
    return emitError() << "axis " << split.getAxis() << " has blocks of "
                       << split.getBlock();
  return success();
}

/// (C4) and (C5) of the splits of one factor.
static LogicalResult verifySizes(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<SplitAttr> splits, int64_t dim,
                                 int64_t factor, int64_t extent) {
  SmallVector<int64_t> parts = {extent}; // empty where it is not known
  size_t before = 0;
  for (SplitAttr split : splits) {
    if (split.getDim() != dim || split.getFactor() != factor)
      continue;
    ArrayRef<int64_t> sizes = split.getSizes();
    if (failed(verifyBounds(emitError, split)) ||
        failed(verifyOrder(emitError, split, before++)))
      return failure();
    if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
      return emitError() << "axis " << split.getAxis() << " splits factor "
                         << factor << " of dim " << dim
                         << " in parts of negative size";
    bool isKnown = !parts.empty() && !sizes.empty();
    if (isKnown && sizes.size() % parts.size() != 0)
      return emitError() << "axis " << split.getAxis() << " splits "
                         << parts.size() << " parts of factor " << factor
                         << " of dim " << dim << ", and lists " << sizes.size()
                         << " sizes";
    if (!isKnown && !sizes.empty())
      parts = {extent};
    int64_t each = sizes.empty() ? 0 : sizes.size() / parts.size();
    for (size_t i = 0; i < parts.size() && each > 0; ++i)
      if (int64_t sum = llvm::sum_of(sizes.slice(i * each, each));
          sum != parts[i])
        return emitError() << "axis " << split.getAxis() << " splits "
                           << parts[i] << " of factor " << factor << " of dim "
                           << dim << " in parts of " << sum << " together";
    parts.assign(sizes.begin(), sizes.end());
  }
  return success();
}

/// (C2), (C3)
static LogicalResult verifyRows(function_ref<InFlightDiagnostic()> emitError,
                                ArrayAttr rows) {
  bool areIntervals = true;
  for (Attribute each : rows) {
    int64_t last = -1;
    for (int64_t row : cast<DenseI64ArrayAttr>(each).asArrayRef()) {
      if (row <= last)
        return emitError() << "rows that a member holds rise from 0 on, found "
                           << row << (last < 0 ? " first" : " after ")
                           << (last < 0 ? "" : std::to_string(last));
      areIntervals &= last < 0 || row == last + 1;
      last = row;
    }
  }
  if (areIntervals)
    return emitError() << "rows are listed where they are no intervals";
  return success();
}

LogicalResult HeldAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t, int64_t, ArrayRef<int64_t> begins,
                               ArrayRef<int64_t> ends, bool, ArrayAttr rows) {
  assert((!rows || (begins.empty() && ends.empty())) && "listed as both");
  if (rows)
    return verifyRows(emitError, rows);
  if (begins.size() != ends.size()) // (C1)
    return emitError() << "what " << begins.size() << " members hold begins, "
                       << "and that of " << ends.size() << " ends";
  for (auto [begin, end] : llvm::zip(begins, ends))
    if (end < begin)
      return emitError() << "what a member holds, [" << begin << ":" << end
                         << "], ends before it begins";
  return success();
}

/// What is held is of a factor that is split in intervals, said once. (C6)
static LogicalResult verifyHeld(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<SplitAttr> splits,
                                ArrayRef<HeldAttr> held) {
  std::pair<int64_t, int64_t> last{-1, -1};
  for (HeldAttr part : held) {
    std::pair<int64_t, int64_t> place{part.getDim(), part.getFactor()};
    auto of = [&] {
      return "factor " + std::to_string(place.first) + "." +
             std::to_string(place.second);
    };
    if (place == last)
      return emitError() << "what is held of " << of() << " is said twice";
    last = place;
    bool isSplit = false;
    for (SplitAttr split : splits) {
      if (std::pair(split.getDim(), split.getFactor()) != place)
        continue;
      isSplit = true;
      if (split.isOrdered())
        return emitError() << "ranks hold intervals of " << of()
                           << ", whose parts are in an order";
    }
    if (!isSplit)
      return emitError() << "says what ranks hold of " << of()
                         << ", which no axis splits";
  }
  return success();
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<DimAttr> dims,
                                 ArrayRef<SplitAttr> splits,
                                 ArrayRef<PartialAttr> partials,
                                 ArrayRef<HeldAttr> held) {
  llvm::SmallSet<StringRef, 4> axes;
  auto once = [&](StringAttr axis) -> LogicalResult { // (C2)
    if (!axes.insert(axis.getValue()).second)
      return emitError() << "axis " << axis << " is listed twice";
    return success();
  };
  for (SplitAttr split : splits) {
    if (failed(once(split.getAxis())))
      return failure();
    int64_t dim = split.getDim(), factor = split.getFactor(); // (C3)
    if (dim < 0 || dim >= int64_t(dims.size()))
      return emitError() << "axis " << split.getAxis() << " splits dim " << dim
                         << " of a tensor of " << dims.size() << " dims";
    int64_t count = dims[dim].getFactors().size();
    if (factor < 0 || factor >= count)
      return emitError() << "axis " << split.getAxis() << " splits factor "
                         << factor << " of dim " << dim << ", which has "
                         << count;
  }
  for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim)
    for (auto [f, factor] : llvm::enumerate(dims[dim].getFactors()))
      if (failed(verifySizes(emitError, splits, dim, f, factor.getSize())))
        return failure();
  for (PartialAttr partial : partials)
    if (failed(once(partial.getAxis())))
      return failure();
  return verifyHeld(emitError, splits, held);
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getDims().size()) // (C1)
    return emitError() << "the tensor has " << shape.size()
                       << " dims, its layout " << getDims().size();
  for (auto [index, dim] : llvm::enumerate(getDims()))
    if (dim.getSize() != shape[index])
      return emitError() << "dim " << index << " has size " << shape[index]
                         << ", but its factors make " << dim.getSize();
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes) {
  llvm::SmallSet<StringRef, 4> names;
  for (MeshAxisAttr axis : axes) {
    if (axis.getSize() < 1) // (C1)
      return emitError() << "mesh axis " << axis.getName() << " has size "
                         << axis.getSize() << "; an axis has at least 1 rank";
    if (!names.insert(axis.getName().getValue()).second) // (C2)
      return emitError() << "mesh axis " << axis.getName()
                         << " is declared twice";
  }
  return success();
}
