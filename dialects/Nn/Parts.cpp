//===- Parts.cpp - the parts that splits make of a factor -----------------===//

#include "dialects/Nn/Nn.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

Interval nn::cut(int64_t extent, int64_t parts, int64_t index) {
  assert(parts > 0 && index >= 0 && index < parts && "no such part");
  int64_t size = extent / parts, longer = extent % parts;
  return {index * size + std::min(index, longer), size + (index < longer)};
}

SmallVector<int64_t> nn::evenSizes(ArrayRef<int64_t> parts, int64_t count) {
  SmallVector<int64_t> sizes;
  sizes.reserve(parts.size() * count);
  for (int64_t part : parts)
    for (int64_t i = 0; i < count; ++i)
      sizes.push_back(cut(part, count, i).size);
  return sizes;
}

/// Whether the sizes, if each part is cut in equally many, are those that need
/// not be said.
static bool areEven(ArrayRef<int64_t> parts, ArrayRef<int64_t> sizes) {
  return !parts.empty() && sizes.size() % parts.size() == 0 &&
         ArrayRef(evenSizes(parts, sizes.size() / parts.size())) == sizes;
}

SplitAttr nn::splitOf(StringAttr axis, int64_t dim, int64_t factor,
                      ArrayRef<int64_t> parts, ArrayRef<int64_t> sizes) {
  return SplitAttr::get(axis.getContext(), axis, dim, factor,
                        areEven(parts, sizes) ? ArrayRef<int64_t>() : sizes);
}

SmallVector<int64_t> nn::partSizes(int64_t extent, ArrayRef<SplitAttr> splits,
                                   MeshAttr mesh) {
  SmallVector<int64_t> parts = {extent};
  for (SplitAttr split : splits) {
    int64_t count = mesh.getSize(split.getAxis());
    if (split.getSizes().size() == parts.size() * count)
      parts.assign(split.getSizes().begin(), split.getSizes().end());
    else
      parts = evenSizes(parts, count);
  }
  return parts;
}

Interval nn::shardOf(LayoutAttr layout, int64_t dim, int64_t factor,
                     MeshAttr mesh, ArrayRef<int64_t> coordinates) {
  Interval held{0, layout.getDims()[dim].getFactors()[factor].getSize()};
  int64_t part = 0; // of those that the axes so far make
  for (SplitAttr split : layout.splitsOf(dim, factor)) {
    int64_t axis = mesh.getIndex(split.getAxis().getValue());
    assert(axis >= 0 && "the layout names an axis that the mesh lacks");
    int64_t count = mesh.getAxes()[axis].getSize(), index = coordinates[axis];
    part = part * count + index;
    if (part >= int64_t(split.getSizes().size())) {
      Interval inner = cut(held.size, count, index);
      held = {held.offset + inner.offset, inner.size};
      continue;
    }
    for (int64_t size : split.getSizes().slice(part - index, index))
      held.offset += size;
    held.size = split.getSizes()[part];
  }
  return held;
}

/// What can be told without a mesh: how many parts an axis makes is known from
/// its sizes, and of those that have none only the first cut is.
void LayoutAttr::dropEvenSizes(ArrayRef<DimAttr> dims,
                               MutableArrayRef<SplitAttr> splits) {
  SmallVector<int64_t> parts; // empty: not known
  SplitAttr last;
  for (SplitAttr &split : splits) {
    int64_t dim = split.getDim(), factor = split.getFactor();
    bool exists = dim >= 0 && dim < int64_t(dims.size()) && factor >= 0 &&
                  factor < int64_t(dims[dim].getFactors().size());
    if (!exists)
      return; // to be refused
    if (!last || last.getDim() != dim || last.getFactor() != factor)
      parts = {dims[dim].getFactors()[factor].getSize()};
    last = split;
    ArrayRef<int64_t> sizes = split.getSizes();
    split = splitOf(split.getAxis(), dim, factor, parts, sizes);
    parts.assign(sizes.begin(), sizes.end());
  }
}
