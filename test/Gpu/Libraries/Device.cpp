//===- Device.cpp - the device that look-alikes compute on ----------------===//

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Driver/Findings.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <thread>

namespace hocket::lookalike {

namespace {

class HostMemory : public DeviceMemory {
public:
  explicit HostMemory(const std::string &name) : name(name) {}
  bool read(uint64_t address, uint64_t bytes, void *to) override {
    std::memcpy(to, reinterpret_cast<const void *>(address), bytes);
    return true;
  }
  bool write(uint64_t address, uint64_t bytes, const void *from) override {
    std::memcpy(reinterpret_cast<void *>(address), from, bytes);
    return true;
  }
  void forget(uint64_t, uint64_t) override {}
  void find(const std::string &what) override { tell(name + " " + what); }

private:
  const std::string &name;
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
  void forget(uint64_t address, uint64_t bytes) override {
    memory.forget(memory.execution, address, bytes);
  }
  void find(const std::string &what) override {
    memory.find(memory.execution, what.c_str());
  }

private:
  const HocketLookalikeMemory &memory;
};

/// What the driver offers; all null where no such driver is loaded.
struct DriverCalls {
  explicit DriverCalls(void *library) {
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
    find(isCapturing, "hocketLookalikeIsCapturing");
    find(wake, "hocketLookalikeWake");
    find(step, "hocketLookalikeStep");
    find(hasFailed, "hocketLookalikeHasFailed");
    find(isAllocated, "hocketLookalikeIsAllocated");
    find(keep, "hocketLookalikeKeep");
    find(memAlloc, "cuMemAlloc_v2");
    find(memFree, "cuMemFree_v2");
  }

  decltype(&hocketLookalikeEnqueue) enqueue = nullptr;
  decltype(&hocketLookalikeCall) call = nullptr;
  decltype(&hocketLookalikeFind) finding = nullptr;
  decltype(&hocketLookalikeDevice) device = nullptr;
  decltype(&hocketLookalikeIsCapturing) isCapturing = nullptr;
  decltype(&hocketLookalikeWake) wake = nullptr;
  decltype(&hocketLookalikeStep) step = nullptr;
  decltype(&hocketLookalikeHasFailed) hasFailed = nullptr;
  decltype(&hocketLookalikeIsAllocated) isAllocated = nullptr;
  decltype(&hocketLookalikeKeep) keep = nullptr;
  decltype(runtime::cuda::DriverFunctions::memAlloc) memAlloc = nullptr;
  decltype(runtime::cuda::DriverFunctions::memFree) memFree = nullptr;
};

/// Looked up until there is one: programs may load it last.
const DriverCalls &driver() {
  static const DriverCalls none{nullptr};
  static std::atomic<const DriverCalls *> found = nullptr;
  if (const DriverCalls *calls = found)
    return *calls;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!library)
    return none;
  found = new DriverCalls(library); // never destroyed: used at the end
  return *found;
}

} // namespace

/// Where nothing is a stream, the thread waits for what others bring.
static void runOnHost(const Work &work) {
  if (work.issued)
    work.issued();
  while (work.isReady && !work.isReady())
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  HostMemory memory(work.name);
  work.run(memory);
}

int submit(const char *function, runtime::cuda::Stream stream, Work work) {
  if (!driver().enqueue) {
    runOnHost(work);
    return 0;
  }
  auto *kept = new Work(std::move(work));
  HocketLookalikeOperation operation = {
      kept->name.c_str(),
      kept->reads.data(),
      kept->reads.size(),
      kept->writes.data(),
      kept->writes.size(),
      [](void *data) -> int {
        auto &isReady = static_cast<Work *>(data)->isReady;
        return !isReady || isReady();
      },
      [](void *data) {
        if (auto &issued = static_cast<Work *>(data)->issued)
          issued();
      },
      [](void *data, const HocketLookalikeMemory *given) {
        DriverMemory memory(*given);
        static_cast<Work *>(data)->run(memory);
      },
      [](void *data) { delete static_cast<Work *>(data); },
      kept,
      kept->isOfAnyContext};
  return driver().enqueue(function, stream, &operation);
}

int countCall(const char *function) {
  return driver().call ? driver().call(function) : 0;
}

int currentDevice(int device) {
  return driver().device ? driver().device() : device;
}

int tasteOf(int device) {
  return std::getenv("HOCKET_LOOKALIKE_ALIKE") ? 0 : device;
}

size_t versionOf(const char *library, size_t usual) {
  std::string name = std::string("HOCKET_LOOKALIKE_") + library + "_VERSION";
  const char *text = std::getenv(name.c_str());
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

bool isCapturing(runtime::cuda::Stream stream) {
  return driver().isCapturing && driver().isCapturing(stream);
}

void wakeDriver() {
  if (driver().wake)
    driver().wake();
}

Step stepDriver() {
  int ran = driver().step ? driver().step() : 0;
  return ran < 0 ? Step::Failed : ran ? Step::Ran : Step::None;
}

bool hasDriverFailed() { return driver().hasFailed && driver().hasFailed(); }

bool isAllocated(uint64_t address, uint64_t bytes) {
  return !driver().isAllocated || driver().isAllocated(address, bytes);
}

uint64_t keepByte(int device, const std::string &name) {
  return driver().keep ? driver().keep(device, name.c_str()) : 0;
}

void *allocateMemory(size_t bytes) {
  if (!driver().memAlloc)
    return std::malloc(bytes);
  runtime::cuda::DeviceAddress address = 0;
  driver().memAlloc(&address, bytes);
  return reinterpret_cast<void *>(address);
}

bool freeMemory(void *place) {
  if (driver().memFree)
    return driver().memFree(
               reinterpret_cast<runtime::cuda::DeviceAddress>(place)) == 0;
  std::free(place);
  return true;
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
