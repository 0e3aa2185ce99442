//===- StridedCopy.cpp - copies of strided windows ------------------------===//

#include "hocket/Cpu/StridedCopy.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hocket::runtime {

StridedCopy::StridedCopy(const std::vector<int64_t> &shape,
                         const std::vector<int64_t> &srcStrides,
                         const std::vector<int64_t> &dstStrides,
                         int64_t elementBytes) {
  totalBytes = elementBytes;
  for (int64_t extent : shape)
    totalBytes *= extent;
  if (totalBytes == 0)
    return;
  std::vector<Dim> dims;
  for (size_t k = 0; k < shape.size(); ++k)
    if (shape[k] != 1)
      dims.push_back({shape[k], srcStrides[k] * elementBytes,
                      dstStrides[k] * elementBytes});
  std::sort(dims.begin(), dims.end(), [](const Dim &a, const Dim &b) {
    return std::llabs(a.dst) > std::llabs(b.dst);
  });
  // A dim whose step is the whole extent of the next one is merged into it.
  std::vector<Dim> merged;
  for (const Dim &dim : dims) {
    if (!merged.empty() && merged.back().src == dim.src * dim.extent &&
        merged.back().dst == dim.dst * dim.extent)
      merged.back() = {merged.back().extent * dim.extent, dim.src, dim.dst};
    else
      merged.push_back(dim);
  }
  unit = elementBytes;
  if (!merged.empty() && merged.back().src == unit &&
      merged.back().dst == unit) {
    unit *= merged.back().extent;
    merged.pop_back();
  } else if (!merged.empty()) {
    auto contiguous =
        std::find_if(merged.begin(), merged.end() - 1,
                     [&](const Dim &dim) { return dim.src == unit; });
    if (contiguous != merged.end() - 1) {
      across = *contiguous;
      merged.erase(contiguous);
    }
  }
  if (!merged.empty()) {
    inner = merged.back();
    merged.pop_back();
  }
  outer = std::move(merged);
}

template <typename T>
static void copyStrided(char *dst, const char *src, int64_t count,
                        int64_t dstStep, int64_t srcStep) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, src + i * srcStep, sizeof value);
    std::memcpy(dst + i * dstStep, &value, sizeof value);
  }
}

static void copyUnits(char *dst, const char *src, int64_t count,
                      int64_t dstStep, int64_t srcStep, int64_t unit) {
  switch (unit) {
  case 1:
    return copyStrided<uint8_t>(dst, src, count, dstStep, srcStep);
  case 2:
    return copyStrided<uint16_t>(dst, src, count, dstStep, srcStep);
  case 4:
    return copyStrided<uint32_t>(dst, src, count, dstStep, srcStep);
  case 8:
    return copyStrided<uint64_t>(dst, src, count, dstStep, srcStep);
  default:
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(dst + i * dstStep, src + i * srcStep, unit);
  }
}

/// A transposition by tiles that fit L1, so that every cache line of src is
/// used whole while it is there.
void StridedCopy::runTile(char *dst, const char *src) const {
  constexpr int64_t tile = 32;
  for (int64_t a = 0; a < across.extent; a += tile) {
    int64_t aEnd = std::min(across.extent, a + tile);
    for (int64_t i = 0; i < inner.extent; i += tile) {
      int64_t size = std::min(inner.extent - i, tile);
      for (int64_t row = a; row < aEnd; ++row)
        copyUnits(dst + row * across.dst + i * inner.dst,
                  src + row * across.src + i * inner.src, size, inner.dst,
                  inner.src, unit);
    }
  }
}

void StridedCopy::runLevel(size_t level, char *dst, const char *src) const {
  if (level == outer.size()) {
    if (across.extent > 1)
      runTile(dst, src);
    else
      copyUnits(dst, src, inner.extent, inner.dst, inner.src, unit);
    return;
  }
  const Dim &dim = outer[level];
  for (int64_t i = 0; i < dim.extent; ++i)
    runLevel(level + 1, dst + i * dim.dst, src + i * dim.src);
}

void StridedCopy::run(void *dst, const void *src) const {
  if (totalBytes > 0)
    runLevel(0, static_cast<char *>(dst), static_cast<const char *>(src));
}

} // namespace hocket::runtime
