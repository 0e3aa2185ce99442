//===- ZeroPages.cpp - memory that costs nothing until it is touched ------===//

#include "test/Gpu/Ptx/ZeroPages.h"
#include <cstring>
#include <sys/mman.h>

/// Where asking the system for pages costs less than writing zeros.
static constexpr size_t large = size_t(1) << 20;
static constexpr std::align_val_t page{4096};

void *hocket::ptx::allocateZeros(size_t bytes) {
  if (bytes < large)
    return std::memset(::operator new(bytes, page), 0, bytes);
  void *place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED)
    throw std::bad_alloc();
  return place;
}

void hocket::ptx::releaseZeros(void *place, size_t bytes) {
  if (bytes < large)
    ::operator delete(place, page);
  else
    munmap(place, bytes);
}
