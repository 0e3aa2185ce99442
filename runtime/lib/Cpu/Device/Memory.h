//===- Memory.h - a rank's memory regions ----------------------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_DEVICE_MEMORY_H
#define HOCKET_LIB_CPU_DEVICE_MEMORY_H

#include "hocket/Runtime/Status.h"
#include <cstdint>

namespace hocket::runtime {

/// Pages of zeros, already touched by the thread that allocates them.
class Memory {
public:
  Memory() = default;
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// `purpose` is for the error: "activations".
  Status allocate(int64_t bytes, const char *purpose);
  char *data() const { return base; }
  int64_t size() const { return bytes; }

private:
  char *base = nullptr;
  int64_t bytes = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_DEVICE_MEMORY_H
