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
