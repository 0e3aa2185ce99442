//===- MemoryLibrary.h - a shared object that is in memory -----*- C++ -*-===//

#ifndef HOCKET_IO_MEMORYLIBRARY_H
#define HOCKET_IO_MEMORYLIBRARY_H

#include "hocket/Runtime/Status.h"
#include <cstddef>
#include <cstdint>

namespace hocket::runtime {

/// Loaded into this process while the object lives, or for good, if the loader
/// cannot unload it.
class MemoryLibrary {
public:
  MemoryLibrary() = default;
  ~MemoryLibrary();
  MemoryLibrary(const MemoryLibrary &) = delete;
  MemoryLibrary &operator=(const MemoryLibrary &) = delete;

  /// `title` begins the error: "the kernels". `isGlobal`: libraries that are
  /// loaded later find the symbols of what this one needs.
  Status load(const uint8_t *bytes, size_t size, const char *title,
              bool isGlobal = false);
  /// Null if there is none of that name.
  void *find(const char *symbol) const;

private:
  void *handle = nullptr;
  int file = -1; // open while it is loaded, which is known by its name
};

} // namespace hocket::runtime

#endif // HOCKET_IO_MEMORYLIBRARY_H
