//===- KeyHeads.cpp - the kv heads that ranks read, moved by heads --------===//

#include "KeyHeads.h"
#include "Relayout.h"
#include "dialects/Nn/Held.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static int64_t sizeOf(nn::LayoutAttr layout) {
  return layout.getDims()[1].getFactors().front().getSize();
}

/// How many elements of the first factor of the query heads read one kv head; 0
/// if that is not known of each.
static int64_t groupOf(nn::LayoutAttr queries, nn::LayoutAttr keys) {
  nn::DimAttr heads = keys.getDims()[1];
  bool isKnown = heads.getFactors().size() == 1 && heads.getSize() > 0 &&
                 sizeOf(queries) % heads.getSize() == 0;
  return isKnown ? sizeOf(queries) / heads.getSize() : 0;
}

/// Whether the axes cut query heads as the innermost ones, and those before
/// them cut kv heads in the same groups.
static bool areCutAlike(ArrayRef<nn::SplitAttr> queries, nn::LayoutAttr whole,
                        int64_t group, ArrayRef<StringAttr> axes,
                        nn::MeshAttr mesh, int64_t heads) {
  if (queries.size() < axes.size())
    return false;
  auto isOver = [](nn::SplitAttr split, StringAttr axis) {
    return split.getAxis() == axis;
  };
  SmallVector<nn::SplitAttr> outer = whole.splitsOf(1, 0);
  auto before = queries.drop_back(axes.size());
  bool isAlike =
      llvm::equal(queries.take_back(axes.size()), axes, isOver) &&
      llvm::equal(before, outer, [](nn::SplitAttr a, nn::SplitAttr b) {
        return a.getAxis() == b.getAxis();
      });
  auto parts = nn::partSizes(heads * group, before, mesh);
  return isAlike && llvm::equal(parts, nn::partSizes(heads, outer, mesh),
                                [&](int64_t query, int64_t key) {
                                  return query == key * group;
                                });
}

/// The splits over the axes that make these parts of what is cut already.
static SmallVector<nn::SplitAttr> splitsInto(ArrayRef<int64_t> parts,
                                             ArrayRef<int64_t> outer,
                                             ArrayRef<StringAttr> axes,
                                             nn::MeshAttr mesh) {
  SmallVector<nn::SplitAttr> splits;
  SmallVector<int64_t> before(outer);
  for (StringAttr axis : axes) {
    SmallVector<int64_t> sizes(before.size() * mesh.getSize(axis));
    size_t inside = parts.size() / sizes.size();
    for (auto [number, size] : llvm::enumerate(parts))
      sizes[number / inside] += size;
    splits.push_back(nn::splitOf(axis, /*dim=*/1, /*factor=*/0, before, sizes));
    before = sizes;
  }
  return splits;
}

nn::LayoutAttr placement::keyHeads(nn::LayoutAttr queries, nn::LayoutAttr keys,
                                   ArrayRef<StringAttr> axes,
                                   nn::MeshAttr mesh) {
  nn::LayoutAttr whole = wholeOver(keys, axes);
  int64_t group = groupOf(queries, keys), heads = sizeOf(keys);
  SmallVector<nn::SplitAttr> cuts = queries.splitsOf(1, 0);
  if (group == 0 || !areCutAlike(cuts, whole, group, axes, mesh, heads))
    return {};
  SmallVector<nn::Interval> held;
  SmallVector<int64_t> owned;
  int64_t begin = 0, ownBegin = 0;
  for (int64_t size : nn::partSizes(heads * group, cuts, mesh)) {
    int64_t end = begin + size, ownEnd = llvm::divideCeil(end, group);
    int64_t first = size > 0 ? begin / group : ownBegin;
    held.push_back({first, size > 0 ? ownEnd - first : 0});
    owned.push_back(ownEnd - ownBegin);
    begin = end;
    ownBegin = ownEnd;
  }
  nn::LayoutAttr layout = cutBy(
      whole, splitsInto(owned, nn::partSizes(heads, whole.splitsOf(1, 0), mesh),
                        axes, mesh));
  auto sizes =
      llvm::map_range(held, [](nn::Interval part) { return part.size; });
  if (llvm::equal(sizes, owned))
    return layout;
  return layout.holding(
      nn::heldOf(keys.getContext(), {true, /*dim=*/1, /*factor=*/0}, held));
}
