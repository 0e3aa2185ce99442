//===- Bytes.cpp - what a redistribution sends ----------------------------===//

#include "hocket/Placement/Meet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// One axis cuts one factor: some rank holds the largest part of each.
int64_t placement::localElements(nn::LayoutAttr layout, nn::MeshAttr mesh) {
  int64_t count = 1;
  for (auto [dim, attr] : llvm::enumerate(layout.getDims()))
    for (unsigned f = 0; f < attr.getFactors().size(); ++f)
      count *= nn::partsOf(attr.getFactors()[f].getSize(),
                           layout.splitsOf(dim, f), mesh)
                   .largest();
  return count;
}

/// The most positions that a part gets which were in others.
static int64_t mostMoved(ArrayRef<int64_t> before, ArrayRef<int64_t> after) {
  int64_t most = 0, begin = 0, next = 0;
  for (auto [had, has] : llvm::zip_equal(before, after)) {
    int64_t kept = std::min(begin + had, next + has) - std::max(begin, next);
    most = std::max(most, has - std::max<int64_t>(kept, 0));
    begin += had;
    next += has;
  }
  return most;
}

/// Elements that the rank gets which gets most, where a factor that is split
/// over one of the axes is cut otherwise.
static int64_t movedElements(nn::LayoutAttr from, nn::LayoutAttr to,
                             nn::MeshAttr mesh, ArrayRef<StringRef> axes) {
  int64_t count = localElements(to, mesh);
  nn::SplitAttr split = to.splitOver(axes.front());
  if (!split)
    return 0;
  int64_t dim = split.getDim(), factor = split.getFactor();
  int64_t extent = to.getDims()[dim].getFactors()[factor].getSize();
  auto sizesOf = [&](nn::LayoutAttr layout) {
    return nn::partSizes(extent, layout.splitsOf(dim, factor), mesh);
  };
  SmallVector<int64_t> before = sizesOf(from), after = sizesOf(to);
  int64_t largest = *llvm::max_element(after);
  if (before.size() != after.size() || largest == 0)
    return count;
  return count / largest * mostMoved(before, after);
}

int64_t placement::sentBytes(StringRef kind, RankedTensorType from,
                             RankedTensorType to, nn::MeshAttr mesh,
                             ArrayRef<StringRef> axes) {
  int64_t group = 1;
  for (StringRef axis : axes)
    group *= mesh.getSize(axis);
  int64_t width = (from.getElementTypeBitWidth() + 7) / 8;
  int64_t before = localElements(nn::layoutOf(from), mesh) * width;
  int64_t after = localElements(nn::layoutOf(to), mesh) * width;
  if (kind == "all_reduce")
    return 2 * before * (group - 1) / group;
  if (kind == "reduce_scatter")
    return before * (group - 1) / group;
  if (kind == "all_gather")
    return after * (group - 1) / group;
  if (kind == "all_to_all")
    return before * (group - 1) / group;
  if (kind == "broadcast")
    return before;
  if (kind == "repartition")
    return width *
           movedElements(nn::layoutOf(from), nn::layoutOf(to), mesh, axes);
  return 0;
}

std::string placement::bytesText(int64_t bytes) {
  if (bytes < 1000)
    return std::to_string(bytes) + " bytes";
  static const char *const units[] = {"kB", "MB", "GB", "TB"};
  double value = bytes / 1000.0;
  int unit = 0;
  for (; value >= 999.95 && unit < 3; ++unit)
    value /= 1000.0;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f %s", value, units[unit]);
  return text;
}
