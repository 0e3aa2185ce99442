//===- Memory.cpp - a rank's memory regions -------------------------------===//

#include "runtime/lib/Cpu/Device/Memory.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace hocket::runtime {

Memory::~Memory() {
  if (base)
    munmap(base, bytes);
}

Status Memory::allocate(int64_t wanted, const char *purpose) {
  constexpr int64_t hugePage = int64_t(2) << 20;
  bytes = wanted < hugePage ? (wanted / 4096 + 1) * 4096
                            : (wanted / hugePage + 1) * hugePage;
  void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return Status::runtimeError("no memory for " + std::to_string(wanted) +
                                " bytes of " + purpose + ": " +
                                std::strerror(errno));
  base = static_cast<char *>(mapped);
  madvise(base, bytes, MADV_HUGEPAGE);
  // The first write decides on which memory node a page lies and takes its
  // page fault now rather than in the first step.
  for (int64_t offset = 0; offset < bytes; offset += 4096)
    static_cast<volatile char *>(base)[offset] = 0;
  return Status::success();
}

} // namespace hocket::runtime
