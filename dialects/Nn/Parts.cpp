//===- Parts.cpp - the parts that splits make of a factor -----------------===//

#include "dialects/Nn/Nn.h"
#include "dialects/Nn/Ordered.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

Interval nn::cut(int64_t extent, int64_t parts, int64_t index) {
  assert(parts > 0 && index >= 0 && index < parts && "no such part");
  int64_t size = extent / parts, longer = extent % parts;
  return {index * size + std::min(index, longer), size + (index < longer)};
}

//===-- PartSizes ---------------------------------------------------------===//

PartSizes::PartSizes(ArrayRef<int64_t> sizes) {
  for (int64_t size : sizes)
    add(size, 1);
}

void PartSizes::add(int64_t size, int64_t count) {
  if (count == 0)
    return;
  if (!runs.empty() && runs.back().size == size)
    runs.back().count += count;
  else
    runs.push_back({size, count});
}

int64_t PartSizes::count() const {
  int64_t count = 0;
  for (const Run &run : runs)
    count += run.count;
  return count;
}

int64_t PartSizes::largest() const {
  int64_t largest = 0;
  for (const Run &run : runs)
    largest = std::max(largest, run.size);
  return largest;
}

int64_t PartSizes::smallest() const {
  int64_t smallest = runs.empty() ? 0 : runs.front().size;
  for (const Run &run : runs)
    smallest = std::min(smallest, run.size);
  return smallest;
}

int64_t PartSizes::sum() const {
  int64_t sum = 0;
  for (const Run &run : runs)
    sum += run.size * run.count;
  return sum;
}

int64_t PartSizes::countOf(int64_t size) const {
  int64_t count = 0;
  for (const Run &run : runs)
    count += run.size == size ? run.count : 0;
  return count;
}

SmallVector<int64_t> PartSizes::list() const {
  SmallVector<int64_t> sizes;
  sizes.reserve(count());
  for (const Run &run : runs)
    sizes.append(run.count, run.size);
  return sizes;
}

PartSizes PartSizes::cutEvenly(int64_t parts) const {
  PartSizes made;
  for (const Run &run : runs) {
    int64_t size = run.size / parts, longer = run.size % parts;
    if (longer == 0) {
      made.add(size, run.count * parts);
      continue;
    }
    for (int64_t i = 0; i < run.count; ++i) {
      made.add(size + 1, longer);
      made.add(size, parts - longer);
    }
  }
  return made;
}

PartSizes PartSizes::grouped(int64_t count) const {
  PartSizes made;
  int64_t sum = 0, members = 0; // of a group that is not full
  for (const Run &run : runs) {
    int64_t taken = members ? std::min(run.count, count - members) : 0;
    sum += taken * run.size;
    members += taken;
    if (members == count) {
      made.add(sum, 1);
      sum = members = 0;
    }
    int64_t left = run.count - taken;
    made.add(run.size * count, left / count);
    sum += left % count * run.size;
    members += left % count;
  }
  assert(members == 0 && "a part is in no group");
  return made;
}

PartSizes PartSizes::times(int64_t factor) const {
  PartSizes made;
  for (const Run &run : runs)
    made.add(run.size * factor, run.count);
  return made;
}

PartSizes PartSizes::ofOthers() const {
  PartSizes made;
  int64_t all = sum();
  for (const Run &run : runs)
    made.add(all - run.size, run.count);
  return made;
}

PartSizes PartSizes::times(const PartSizes &other) const {
  assert(count() == other.count() && "parts without a partner");
  PartSizes made;
  const Run *theirs = other.runs.begin();
  int64_t left = theirs == other.runs.end() ? 0 : theirs->count;
  for (const Run &run : runs)
    for (int64_t mine = run.count; mine > 0;) {
      int64_t both = std::min(mine, left);
      made.add(run.size * theirs->size, both);
      mine -= both;
      left -= both;
      if (left == 0 && ++theirs != other.runs.end())
        left = theirs->count;
    }
  return made;
}

std::optional<PartSizes> PartSizes::dividedBy(int64_t unit) const {
  PartSizes made;
  for (const Run &run : runs) {
    if (run.size % unit != 0)
      return std::nullopt;
    made.add(run.size / unit, run.count);
  }
  return made;
}

PartSizes nn::cutBy(SplitAttr split, const PartSizes &parts, MeshAttr mesh) {
  int64_t count = mesh.getSize(split.getAxis());
  ArrayRef<int64_t> sizes = split.getSizes();
  if (!sizes.empty() && int64_t(sizes.size()) == parts.count() * count)
    return PartSizes(sizes);
  if (split.isOrdered() && parts.count() == 1)
    return orderedSizes(parts.sum(), count, orderOf(split));
  return parts.cutEvenly(count);
}

PartSizes nn::partsOf(int64_t extent, ArrayRef<SplitAttr> splits,
                      MeshAttr mesh) {
  PartSizes parts(extent);
  for (SplitAttr split : splits)
    parts = cutBy(split, parts, mesh);
  return parts;
}

/// Whether the sizes, if each part is cut in equally many, are those that need
/// not be said.
static bool areEven(const PartSizes &parts, const PartSizes &sizes,
                    Ordering order) {
  int64_t before = parts.count(), count = sizes.count();
  if (order.isOrdered() && before == 1 && count > 0 && order.block > 0)
    return orderedSizes(parts.sum(), count, order) == sizes;
  return before > 0 && count > 0 && count % before == 0 &&
         parts.cutEvenly(count / before) == sizes;
}

SplitAttr nn::splitOf(StringAttr axis, int64_t dim, int64_t factor,
                      const PartSizes &parts, const PartSizes &sizes,
                      const Bounds &bounds) {
  SmallVector<int64_t> uneven;
  if (!areEven(parts, sizes, bounds.order))
    uneven = sizes.list();
  return SplitAttr::get(axis.getContext(), axis, dim, factor, uneven,
                        bounds.places, bounds.denominator, bounds.order.kind,
                        bounds.order.block);
}

//===-- Lists of sizes ----------------------------------------------------===//

SmallVector<int64_t> nn::evenSizes(ArrayRef<int64_t> parts, int64_t count) {
  return PartSizes(parts).cutEvenly(count).list();
}

SplitAttr nn::splitOf(StringAttr axis, int64_t dim, int64_t factor,
                      ArrayRef<int64_t> parts, ArrayRef<int64_t> sizes,
                      const Bounds &bounds) {
  return splitOf(axis, dim, factor, PartSizes(parts), PartSizes(sizes), bounds);
}

SmallVector<int64_t> nn::partSizes(int64_t extent, ArrayRef<SplitAttr> splits,
                                   MeshAttr mesh) {
  return partsOf(extent, splits, mesh).list();
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
    if (split.isOrdered()) {
      llvm::SmallVector<int64_t> sizes =
          cutBy(split, PartSizes({held.size}), mesh).list();
      held.offset += llvm::sum_of(ArrayRef(sizes).take_front(index));
      held.size = sizes[index];
      continue;
    }
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
    split =
        splitOf(split.getAxis(), dim, factor, parts, sizes, boundsOf(split));
    parts.assign(sizes.begin(), sizes.end());
  }
}
