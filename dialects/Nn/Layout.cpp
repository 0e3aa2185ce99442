//===- Layout.cpp - local shapes and wording of layouts -------------------===//

#include "dialects/Nn/Nn.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

int64_t DimAttr::getSize() const {
  int64_t size = 1;
  for (FactorAttr factor : getFactors())
    size *= factor.getSize();
  return size;
}

std::string DimAttr::getDisplayName() const {
  std::string name;
  for (FactorAttr factor : getFactors()) {
    if (factor.getName().empty())
      continue;
    if (!name.empty())
      name += " ";
    name += factor.getName().getValue();
  }
  return getFactors().size() > 1 && !name.empty() ? "(" + name + ")" : name;
}

SmallVector<int64_t> LayoutAttr::getShape() const {
  return llvm::map_to_vector(getDims(),
                             [](DimAttr dim) { return dim.getSize(); });
}

LayoutAttr LayoutAttr::withoutPlacement() const {
  return get(getContext(), getDims());
}

LayoutAttr LayoutAttr::withPlacement(ArrayRef<SplitAttr> splits,
                                     ArrayRef<PartialAttr> partials) const {
  return get(getContext(), getDims(), splits, partials);
}

HeldAttr LayoutAttr::heldOf(int64_t dim, int64_t factor) const {
  for (HeldAttr held : getHeld())
    if (held.getDim() == dim && held.getFactor() == factor)
      return held;
  return {};
}

LayoutAttr LayoutAttr::owning(int64_t dim, int64_t factor) const {
  SmallVector<HeldAttr> others;
  for (HeldAttr held : getHeld())
    if (held.getDim() != dim || held.getFactor() != factor)
      others.push_back(held);
  return get(getContext(), getDims(), getSplits(), getPartials(), others);
}

LayoutAttr LayoutAttr::holding(HeldAttr held) const {
  LayoutAttr layout = owning(held.getDim(), held.getFactor());
  SmallVector<HeldAttr> all(layout.getHeld());
  all.push_back(held);
  return get(getContext(), getDims(), getSplits(), getPartials(), all);
}

LayoutAttr LayoutAttr::withoutHeld() const {
  return withPlacement(getSplits(), getPartials());
}

SmallVector<SplitAttr> LayoutAttr::splitsOf(int64_t dim, int64_t factor) const {
  SmallVector<SplitAttr> result;
  for (SplitAttr split : getSplits())
    if (split.getDim() == dim && split.getFactor() == factor)
      result.push_back(split);
  return result;
}

SplitAttr LayoutAttr::splitOver(StringRef axis) const {
  for (SplitAttr split : getSplits())
    if (split.getAxis().getValue() == axis)
      return split;
  return {};
}

PartialAttr LayoutAttr::partialOver(StringRef axis) const {
  for (PartialAttr partial : getPartials())
    if (partial.getAxis().getValue() == axis)
      return partial;
  return {};
}

int64_t MeshAttr::getRankCount() const {
  int64_t count = 1;
  for (MeshAxisAttr axis : getAxes())
    count *= axis.getSize();
  return count;
}

int64_t MeshAttr::getSize(StringRef axis) const {
  int64_t index = getIndex(axis);
  return index < 0 ? 0 : getAxes()[index].getSize();
}

int64_t MeshAttr::getIndex(StringRef axis) const {
  for (auto [index, candidate] : llvm::enumerate(getAxes()))
    if (candidate.getName().getValue() == axis)
      return index;
  return -1;
}

LayoutAttr nn::layoutOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

LayoutAttr nn::layoutOf(Value value) { return layoutOf(value.getType()); }

RankedTensorType nn::withLayout(RankedTensorType type, LayoutAttr layout) {
  return tensorOf(type.getElementType(), layout);
}

RankedTensorType nn::tensorOf(Type element, LayoutAttr layout) {
  return RankedTensorType::get(layout.getShape(), element, layout);
}

DimAttr nn::dimOf(MLIRContext *context, StringRef name, int64_t size) {
  return DimAttr::get(
      context, FactorAttr::get(context, StringAttr::get(context, name), size));
}

LayoutAttr nn::plainLayout(MLIRContext *context, ArrayRef<int64_t> shape) {
  SmallVector<DimAttr> dims;
  for (int64_t size : shape)
    dims.push_back(dimOf(context, "", size));
  return LayoutAttr::get(context, dims);
}

SmallVector<Interval> nn::heldParts(LayoutAttr layout, int64_t dim,
                                    int64_t factor, MeshAttr mesh) {
  SmallVector<Interval> parts;
  HeldAttr held = layout.heldOf(dim, factor);
  if (held && !held.getRows()) {
    for (auto [begin, end] : llvm::zip(held.getBegins(), held.getEnds()))
      parts.push_back({begin, end - begin});
    return parts;
  }
  if (held) {
    LayoutAttr owned = layout.owning(dim, factor);
    for (auto [own, list] :
         llvm::zip(heldParts(owned, dim, factor, mesh), held.getRows())) {
      ArrayRef<int64_t> rows = cast<DenseI64ArrayAttr>(list);
      int64_t before = llvm::lower_bound(rows, own.offset) - rows.begin();
      parts.push_back({own.offset - before, int64_t(rows.size())});
    }
    return parts;
  }
  int64_t extent = layout.getDims()[dim].getFactors()[factor].getSize();
  int64_t end = 0;
  for (int64_t size : partSizes(extent, layout.splitsOf(dim, factor), mesh)) {
    parts.push_back({end, size});
    end += size;
  }
  return parts;
}

/// What the rank holds of a factor.
static int64_t localSize(LayoutAttr layout, int64_t dim, int64_t factor,
                         MeshAttr mesh, ArrayRef<int64_t> coordinates) {
  HeldAttr held = layout.heldOf(dim, factor);
  if (!held)
    return shardOf(layout, dim, factor, mesh, coordinates).size;
  int64_t member = 0;
  for (SplitAttr split : layout.splitsOf(dim, factor)) {
    int64_t axis = mesh.getIndex(split.getAxis().getValue());
    member = member * mesh.getAxes()[axis].getSize() + coordinates[axis];
  }
  return held.sizeOf(member);
}

LayoutAttr nn::localLayout(LayoutAttr layout, MeshAttr mesh,
                           ArrayRef<int64_t> coordinates) {
  MLIRContext *context = layout.getContext();
  SmallVector<DimAttr> dims;
  for (auto [d, dim] : llvm::enumerate(layout.getDims())) {
    SmallVector<FactorAttr> factors;
    for (auto [f, factor] : llvm::enumerate(dim.getFactors()))
      factors.push_back(
          FactorAttr::get(context, factor.getName(),
                          localSize(layout, d, f, mesh, coordinates)));
    dims.push_back(DimAttr::get(context, factors));
  }
  return LayoutAttr::get(context, dims);
}

static std::string elementName(Type element) {
  if (element.isInteger(1))
    return "bool";
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

/// The elements with commas, the first of them where there are many.
template <class T, class Print>
static void writeList(llvm::raw_ostream &os, ArrayRef<T> list, Print print) {
  constexpr size_t most = 32;
  llvm::interleaveComma(list.take_front(most), os, print);
  if (list.size() > most)
    os << ", and " << list.size() - most << " more";
}

std::string nn::describe(Type type) {
  LayoutAttr layout = layoutOf(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!layout) {
    os << type;
    return text;
  }
  os << elementName(cast<RankedTensorType>(type).getElementType()) << "[";
  writeList(os, layout.getDims(), [&](DimAttr dim) {
    if (dim.getFactors().size() == 1) {
      os << dim.getSize();
      return;
    }
    os << "(";
    writeList(os, dim.getFactors(), [&](FactorAttr factor) {
      if (!factor.getName().empty())
        os << factor.getName().getValue() << " ";
      os << factor.getSize();
    });
    os << ")";
  });
  os << "]";
  return text;
}

/// "heads", "dim 2" where the dim has no name, "factor 1 of dim 2".
static std::string factorName(LayoutAttr layout, SplitAttr split) {
  ArrayRef<FactorAttr> factors = layout.getDims()[split.getDim()].getFactors();
  StringRef name = factors[split.getFactor()].getName().getValue();
  if (!name.empty())
    return name.str();
  std::string dim = "dim " + std::to_string(split.getDim());
  if (factors.size() == 1)
    return dim;
  return "factor " + std::to_string(split.getFactor()) + " of " + dim;
}

std::string nn::sizesText(SplitAttr split) {
  if (split && split.isOrdered())
    return ", " + orderOf(split).text();
  if (!split || split.getSizes().empty())
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << ", sizes";
  for (int64_t size : split.getSizes())
    os << " " << size;
  return text;
}

std::string nn::describePlacement(LayoutAttr layout) {
  if (!layout || !layout.isPlaced())
    return "R";
  std::string text;
  llvm::raw_string_ostream os(text);
  auto comma = [&]() -> raw_ostream & {
    return os << (text.empty() ? "" : ", ");
  };
  for (SplitAttr split : layout.getSplits())
    comma() << "S(" << factorName(layout, split) << ") over "
            << split.getAxis().getValue() << sizesText(split);
  for (PartialAttr partial : layout.getPartials())
    comma() << "P(" << stringifyReduction(partial.getReduction()) << ") over "
            << partial.getAxis().getValue();
  return text;
}
