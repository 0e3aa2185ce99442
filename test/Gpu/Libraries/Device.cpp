//===- Device.cpp - the device that look-alikes compute on ----------------===//

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Driver/Findings.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

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

class DriverMemory : public DeviceMemory {
public:
  explicit DriverMemory(const HocketLookalikeMemory &memory) : memory(memory) {}
  bool read(uint64_t address, uint64_t bytes, void *to) override {
    const void *from = memory.read(memory.execution, address, bytes);
    if (from)
      std::memcpy(to, from, bytes);
    return from;
  }
  bool write(uint64_t address, uint64_t bytes, const void *from) override {
    void *to = memory.write(memory.execution, address, bytes);
    if (to)
      std::memcpy(to, from, bytes);
    return to;
  }

private:
  const HocketLookalikeMemory &memory;
};

/// What the driver offers; all null where no such driver is loaded.
struct DriverCalls {
  DriverCalls() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
      return;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, name));
    };
    find(enqueue, "hocketLookalikeEnqueue");
    find(call, "hocketLookalikeCall");
    find(finding, "hocketLookalikeFind");
    find(device, "hocketLookalikeDevice");
  }

  decltype(&hocketLookalikeEnqueue) enqueue = nullptr;
  decltype(&hocketLookalikeCall) call = nullptr;
  decltype(&hocketLookalikeFind) finding = nullptr;
  decltype(&hocketLookalikeDevice) device = nullptr;
};

/// Looked up when the first handle is made, after which programs load none.
const DriverCalls &driver() {
  static const DriverCalls calls;
  return calls;
}

} // namespace

int submit(const char *function, runtime::cuda::Stream stream, Work work) {
  if (!driver().enqueue) {
    HostMemory memory;
    work.run(memory);
    return 0;
  }
  auto *kept = new Work(std::move(work));
  HocketLookalikeOperation operation = {
      kept->name.c_str(),
      kept->reads.data(),
      kept->reads.size(),
      kept->writes.data(),
      kept->writes.size(),
      nullptr,
      [](void *data, const HocketLookalikeMemory *given) {
        DriverMemory memory(*given);
        static_cast<Work *>(data)->run(memory);
      },
      [](void *data) { delete static_cast<Work *>(data); },
      kept};
  return driver().enqueue(function, stream, &operation);
}

int countCall(const char *function) {
  return driver().call ? driver().call(function) : 0;
}

int currentDevice(int device) {
  return driver().device ? driver().device() : device;
}

void tellAtEnd(const std::string &sentence) {
  const char *path = std::getenv("HOCKET_LOOKALIKE_REPORT");
  Findings(path ? path : "").add(sentence);
}

void tell(const std::string &sentence) {
  if (driver().finding)
    driver().finding(sentence.c_str());
  else
    tellAtEnd(sentence);
}

} // namespace hocket::lookalike
