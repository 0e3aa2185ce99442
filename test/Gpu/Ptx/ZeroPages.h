//===- ZeroPages.h - memory that costs nothing until touched ---*- C++ -*-===//
//
// An allocator for vectors whose elements begin as zero bytes. Large ones are
// pages that the system hands out when they are touched first, so that a launch
// can be given all of a tensor though only some of its blocks run.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_PTX_ZEROPAGES_H
#define HOCKET_TEST_GPU_PTX_ZEROPAGES_H

#include <cstddef>
#include <new>
#include <utility>

namespace hocket::ptx {

/// Bytes of 0 at a multiple of 4096.
void *allocateZeros(size_t bytes);
void releaseZeros(void *place, size_t bytes);

template <typename T> struct ZeroPages {
  using value_type = T;
  ZeroPages() = default;
  template <typename Other> ZeroPages(const ZeroPages<Other> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(allocateZeros(count * sizeof(T)));
  }
  void deallocate(T *place, size_t count) {
    releaseZeros(place, count * sizeof(T));
  }
  /// Zero bytes are an element already.
  template <typename U> void construct(U *) {}
  template <typename U, typename... Arguments>
  void construct(U *place, Arguments &&...arguments) {
    ::new (place) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const ZeroPages &) const { return true; }
  bool operator!=(const ZeroPages &) const { return false; }
};

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_ZEROPAGES_H
