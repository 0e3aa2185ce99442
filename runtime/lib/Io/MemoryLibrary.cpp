//===- MemoryLibrary.cpp - a shared object that is in memory --------------===//

#include "hocket/Io/MemoryLibrary.h"
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace hocket::runtime {

/// A file that lives in memory only and goes with its last descriptor.
static bool writeToMemoryFile(const uint8_t *bytes, size_t size, int &file) {
  file = memfd_create("hocket-library", MFD_CLOEXEC);
  bool written = file >= 0;
  while (written && size > 0) {
    ssize_t done = write(file, bytes, size);
    if (done < 0 && errno == EINTR)
      continue;
    written = done > 0;
    bytes += written ? done : 0;
    size -= written ? size_t(done) : 0;
  }
  return written;
}

static std::string pathOf(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

/// What has unique symbols, as C++ makes them, is never unloaded. Its file
/// stays open: the loader would take another library of its path for it. So a
/// process can load about as many such libraries as it may have open files.
MemoryLibrary::~MemoryLibrary() {
  if (handle)
    dlclose(handle);
  bool isLoaded =
      handle && dlopen(pathOf(file).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (file >= 0 && !isLoaded)
    close(file);
}

Status MemoryLibrary::load(const uint8_t *bytes, size_t size, const char *title,
                           bool isGlobal) {
  if (!writeToMemoryFile(bytes, size, file))
    return Status::runtimeError(
        std::string(title) +
        " cannot be put in memory: " + std::strerror(errno));
  handle = dlopen(pathOf(file).c_str(),
                  RTLD_NOW | (isGlobal ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle)
    return Status::success();
  return Status::runtimeError(std::string(title) +
                              " cannot be loaded: " + dlerror());
}

void *MemoryLibrary::find(const char *symbol) const {
  return handle ? dlsym(handle, symbol) : nullptr;
}

} // namespace hocket::runtime
