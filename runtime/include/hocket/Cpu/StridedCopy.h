//===- StridedCopy.h - copies of strided windows ---------------*- C++ -*-===//

#ifndef HOCKET_CPU_STRIDEDCOPY_H
#define HOCKET_CPU_STRIDEDCOPY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket::runtime {

/// A copy between two windows of one shape, with its loops chosen once: dims
/// are ordered by the destination's strides and merged where both sides allow
/// it, runs that are contiguous on both sides are moved whole, transpositions
/// go by tiles. Strides in elements; a source stride may be 0.
class StridedCopy {
public:
  StridedCopy() = default;
  StridedCopy(const std::vector<int64_t> &shape,
              const std::vector<int64_t> &srcStrides,
              const std::vector<int64_t> &dstStrides, int64_t elementBytes);

  void run(void *dst, const void *src) const;
  /// Bytes written.
  int64_t bytes() const { return totalBytes; }

private:
  struct Dim {
    int64_t extent, src, dst; // strides in bytes
  };
  void runLevel(size_t level, char *dst, const char *src) const;
  void runTile(char *dst, const char *src) const;

  std::vector<Dim> outer; // all except the innermost loop(s), outermost first
  Dim inner = {1, 0, 0};  // of `unit` bytes each
  Dim across = {1, 0, 0}; // transposition: the dim where src is contiguous
  int64_t unit = 0;       // bytes moved at once
  int64_t totalBytes = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_CPU_STRIDEDCOPY_H
