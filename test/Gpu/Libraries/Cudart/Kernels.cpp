//===- Kernels.cpp - the code that a program registers --------------------===//

#include "test/Gpu/Libraries/Cudart/Cudart.h"
#include "test/Gpu/Libraries/Device.h"
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace hocket::lookalike {

using runtime::cuda::Kernel;
using runtime::cuda::Library;

namespace {

/// What nvcc embeds: a header, then images, each behind a header of its own.
struct FatHeader {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes; // of all that follows
};
struct ImageHeader {
  uint16_t kind, version; // kind 1: PTX
  uint32_t headerBytes;
  uint64_t bytes;
};
/// __fatBinC_Wrapper_t.
struct Wrapper {
  int magic, version;
  const char *data;
  void *unused;
};

/// One file of a program.
struct Registered {
  std::string ptx;
  Library library = nullptr;
};

struct Stub {
  Registered *file;
  std::string name;
};

struct Registry {
  std::mutex mutex;
  std::map<void **, std::unique_ptr<Registered>> files;
  std::map<const void *, Stub> stubs;
};

/// Never destroyed: programs unregister when the process ends.
Registry &registry() {
  static auto *made = new Registry;
  return *made;
}

/// The PTX of an embedded file; empty with a finding.
std::string ptxOf(const Wrapper &wrapper) {
  constexpr uint32_t magic = 0xba55ed50;
  constexpr uint16_t isPtx = 1;
  FatHeader whole;
  std::memcpy(&whole, wrapper.data, sizeof whole);
  const char *at = wrapper.data + whole.headerBytes;
  const char *end = at + (whole.magic == magic ? whole.bytes : 0);
  while (at + sizeof(ImageHeader) <= end) {
    ImageHeader image;
    std::memcpy(&image, at, sizeof image);
    std::string text(at + image.headerBytes, image.bytes);
    if (image.kind == isPtx && text.find(".version") != std::string::npos)
      return text.c_str(); // up to the padding
    at += image.headerBytes + image.bytes;
  }
  tell("__cudaRegisterFatBinary is given no PTX that is not compressed");
  return "";
}

} // namespace

Error functionOf(const void *stub, Function &function) {
  constexpr Error invalidFunction = 98;
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto found = registry().stubs.find(stub);
  if (found == registry().stubs.end())
    return invalidFunction;
  Registered &file = *found->second.file;
  Error error = 0;
  if (!file.library)
    error = driver()->libraryLoadData(&file.library, file.ptx.c_str(), nullptr,
                                      nullptr, 0, nullptr, nullptr, 0);
  Kernel kernel = nullptr;
  if (!error)
    error = driver()->libraryGetKernel(&kernel, file.library,
                                       found->second.name.c_str());
  return error ? error : driver()->kernelGetFunction(&function, kernel);
}

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  auto file = std::make_unique<Registered>();
  file->ptx = ptxOf(*static_cast<Wrapper *>(wrapper));
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto **handle = reinterpret_cast<void **>(file.get());
  registry().files[handle] = std::move(file);
  return handle;
}

void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **handle) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto found = registry().files.find(handle);
  if (found == registry().files.end())
    return;
  if (found->second->library)
    driver()->libraryUnload(found->second->library);
  registry().files.erase(found);
}

void __cudaRegisterFunction(void **handle, const char *stub, char *,
                            const char *name, int, void *, void *, void *,
                            void *, int *) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().stubs[stub] = {registry().files.at(handle).get(), name};
}

/// Of a variable of the device, which kernels alone use.
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
                       int) {}

char __cudaInitModule(void **) { return 1; }

} // extern "C"

} // namespace hocket::lookalike
