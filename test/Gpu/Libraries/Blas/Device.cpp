//===- Device.cpp - the device that the look-alike computes on ------------===//

#include "test/Gpu/Libraries/Blas/Device.h"
#include "test/Gpu/Libraries/Blas/Objects.h"
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace hocket::lookalike {

namespace {

class HostMemory : public DeviceMemory {
public:
  bool read(uint64_t address, uint64_t bytes, void *to) override {
    std::memcpy(to, reinterpret_cast<const void *>(address), bytes);
    return true;
  }
  bool write(uint64_t address, uint64_t bytes, const void *from) override {
    std::memcpy(reinterpret_cast<void *>(address), from, bytes);
    return true;
  }
};

} // namespace

std::string submit(runtime::cuda::Stream stream, const std::string &name,
                   Work work) {
  HostMemory memory;
  work(memory);
  return "";
}

int currentDevice(std::string &why) { return blas().device; }

void report(const std::string &line) {
  const char *path = std::getenv("HOCKET_LOOKALIKE_REPORT");
  int file =
      path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
  std::string text = line + "\n";
  // A report that cannot be written must not pass for an empty one.
  if (write(file < 0 ? STDERR_FILENO : file, text.data(), text.size()) < 0)
    _exit(70);
  if (file >= 0)
    close(file);
}

} // namespace hocket::lookalike
