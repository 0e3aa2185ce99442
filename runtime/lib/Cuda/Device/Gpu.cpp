//===- Gpu.cpp - a GPU of this process, with a program's code -------------===//

#include "runtime/lib/Cuda/Device/Gpu.h"
#include "runtime/lib/Cuda/Kernels/Images.h"
#include <algorithm>

namespace hocket::runtime::cuda {

static constexpr int oldestChip = 80;

Gpu::~Gpu() {
  if (!context || (*opened)->ctxSetCurrent(context) != Success)
    return;
  if (library)
    (*opened)->libraryUnload(library);
  for (auto &[source, loaded] : own)
    (*opened)->libraryUnload(loaded);
  (*opened)->devicePrimaryCtxRelease(device);
}

Status Gpu::open(const uint8_t *code, size_t size, int64_t index) {
  std::vector<ChipCode> unpacked;
  std::vector<uint8_t> ofHooks;
  Status status = unpackChipCode(code, size, unpacked, ofHooks);
  if (status.ok())
    status = Driver::open(opened);
  if (status.ok())
    status = choose(index);
  if (status.ok())
    status = enter();
  size_t available = 0, total = 0;
  if (status.ok())
    status = memory(available, total);
  firstUsed = int64_t(total - available);
  if (status.ok())
    status = loadGenerated(unpacked);
  if (status.ok())
    status = loadHooks(ofHooks);
  return status;
}

Status Gpu::choose(int64_t index) {
  const Driver &api = driver();
  char text[256] = "";
  int major = 0, minor = 0;
  Status status = api.status(api->deviceGetCount(&shown), "cuDeviceGetCount");
  const int number = int(index % std::max(shown, 1));
  const std::string what = "GPU " + std::to_string(number);
  if (status.ok())
    status = api.status(api->deviceGet(&device, number), "cuDeviceGet", what);
  if (status.ok())
    status = api.status(api->deviceGetName(text, sizeof text, device),
                        "cuDeviceGetName", what);
  for (auto [attribute, value] : {std::pair(ComputeCapabilityMajor, &major),
                                  std::pair(ComputeCapabilityMinor, &minor)})
    if (status.ok())
      status = api.status(api->deviceGetAttribute(value, attribute, device),
                          "cuDeviceGetAttribute",
                          "the compute capability of " + what);
  if (!status.ok())
    return status;
  title = text;
  chip = major * 10 + minor;
  if (chip < oldestChip)
    return Status::userError(
        "GPU '" + title + "' has compute capability " + std::to_string(major) +
        "." + std::to_string(minor) + "; programs for GPUs need 8.0 or newer");
  return api.status(api->devicePrimaryCtxRetain(&context, device),
                    "cuDevicePrimaryCtxRetain", "GPU '" + title + "'");
}

Status Gpu::enter() const {
  return driver().status(driver()->ctxSetCurrent(context), "cuCtxSetCurrent");
}

/// A driver that is older than the code says so by some errors.
Status Gpu::load(const void *code, size_t size, const std::string &what,
                 const std::string &wayOut, Library &loaded) const {
  Result result = driver()->libraryLoadData(&loaded, code, nullptr, nullptr, 0,
                                            nullptr, nullptr, 0);
  Status status =
      driver().status(result, "cuLibraryLoadData",
                      what + ", " + std::to_string(size) + " bytes of code");
  if (result == OutOfMemory)
    return withFreeMemory(status);
  if (result != UnsupportedPtxVersion && result != InvalidPtx &&
      result != NoBinaryForGpu)
    return status;
  return Status::userError(
      status.message + "; the driver may be older than the code: update it" +
      wayOut);
}

Status Gpu::loadGenerated(const std::vector<ChipCode> &code) {
  const ChipCode *best = codeFor(chip, code);
  if (!best)
    return Status::success(); // it calls no kernel
  return load(best->bytes.c_str(), best->bytes.size(), "the kernels",
              best->chip == 0 ? ", or compile the program with --arch=sm_" +
                                    std::to_string(chip)
                              : "",
              library);
}

Status Gpu::loadHooks(const std::vector<uint8_t> &object) {
  if (object.empty())
    return Status::success();
  Status status = hooks.load(object.data(), object.size(), "the hooks");
  if (status.ok() || status.message.find("libcudart") == std::string::npos)
    return status;
  return Status::userError(status.message +
                           "; they need this library of the CUDA toolkit, "
                           "which LD_LIBRARY_PATH can show");
}

Status Gpu::findHook(const std::string &name, KernelFunction &entry) const {
  entry = reinterpret_cast<KernelFunction>(hooks.find(name.c_str()));
  return entry ? Status::success()
               : Status::runtimeError("hook '" + name +
                                      "' is not in the executable");
}

Status Gpu::entryIn(Library in, const std::string &symbol,
                    Function &function) const {
  Kernel kernel = nullptr;
  Result result = driver()->libraryGetKernel(&kernel, in, symbol.c_str());
  if (result == NotFound)
    return Status::runtimeError("kernel '" + symbol +
                                "' is not in the executable");
  const std::string what = "kernel '" + symbol + "'";
  Status status = driver().status(result, "cuLibraryGetKernel", what);
  return status.ok()
             ? driver().status(driver()->kernelGetFunction(&function, kernel),
                               "cuKernelGetFunction", what)
             : status;
}

Status Gpu::find(const std::string &symbol, Function &function) const {
  if (!library)
    return Status::runtimeError("kernel '" + symbol +
                                "' is not in the executable");
  return entryIn(library, symbol, function);
}

Status Gpu::loadOwn(const std::string &source, Library &loaded) const {
  Image image = {};
  Status status = chooseImage(source, chip, image);
  if (!status.ok())
    return status;
  return load(image.data, image.size, "the kernels of '" + source + "'",
              ", or build Hocket with a CUDA toolkit that is as old", loaded);
}

Status Gpu::find(const std::string &source, const std::string &entry,
                 Function &function) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = own.find(source);
  if (found == own.end()) {
    Library loaded = nullptr;
    if (Status status = loadOwn(source, loaded); !status.ok())
      return status;
    found = own.emplace(source, loaded).first;
  }
  return entryIn(found->second, entry, function);
}

Status Gpu::uuid(DeviceUuid &uuid) const {
  return driver().status(driver()->deviceGetUuid(&uuid, device),
                         "cuDeviceGetUuid", "GPU '" + title + "'");
}

Status Gpu::place(std::string &place) const {
  char text[32] = "";
  Status status =
      driver().status(driver()->deviceGetPciBusId(text, sizeof text, device),
                      "cuDeviceGetPCIBusId", "GPU '" + title + "'");
  place = text;
  return status;
}

int64_t Gpu::used() const {
  size_t available = 0, total = 0;
  return memory(available, total).ok() ? int64_t(total - available) : 0;
}

Status Gpu::allocate(size_t bytes, const std::string &what,
                     DeviceAddress &address) const {
  Result result = driver()->memAlloc(&address, bytes);
  Status status = driver().status(result, "cuMemAlloc", what);
  return result == OutOfMemory ? withFreeMemory(status) : status;
}

Status Gpu::withFreeMemory(Status status) const {
  size_t available = 0, total = 0;
  if (!status.ok() && memory(available, total).ok())
    status.message += "; " + std::to_string(available) + " of " +
                      std::to_string(total) + " bytes of GPU '" + title +
                      "' are free";
  return status;
}

Status Gpu::memory(size_t &available, size_t &total) const {
  Status status = enter();
  return status.ok() ? driver().status(driver()->memGetInfo(&available, &total),
                                       "cuMemGetInfo")
                     : status;
}

} // namespace hocket::runtime::cuda
