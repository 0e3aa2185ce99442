//===- Kernels.cpp - loading generated kernels from memory ----------------===//

#include "hocket/Launcher/Pack.h"
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace hocket::runtime {

namespace {

/// A file that lives in memory only and goes with its last descriptor.
Status writeToMemoryFile(const uint8_t *bytes, size_t size, int &file) {
  file = memfd_create("hocket-kernels", MFD_CLOEXEC);
  bool written = file >= 0;
  while (written && size > 0) {
    ssize_t done = write(file, bytes, size);
    if (done < 0 && errno == EINTR)
      continue;
    written = done > 0;
    bytes += written ? done : 0;
    size -= written ? size_t(done) : 0;
  }
  if (written)
    return Status::success();
  return Status::runtimeError(
      std::string("the kernels cannot be put in memory: ") +
      std::strerror(errno));
}

/// Of the function that an instruction calls; empty if it calls none.
std::string symbolOf(const plan::Instruction &instruction) {
  if (auto *kernel = std::get_if<plan::Kernel>(&instruction.body))
    return kernel->symbol;
  if (auto *hook = std::get_if<plan::Hook>(&instruction.body))
    return hook->name;
  if (auto *collective = std::get_if<plan::Collective>(&instruction.body))
    return collective->hook;
  return "";
}

} // namespace

KernelLibrary::~KernelLibrary() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}

Status KernelLibrary::load(const uint8_t *bytes, size_t size,
                           const plan::Plan &plan) {
  if (size > 0) {
    Status status = writeToMemoryFile(bytes, size, file);
    if (status.ok()) {
      std::string path = "/proc/self/fd/" + std::to_string(file);
      handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle)
        status = Status::runtimeError(
            std::string("the kernels cannot be loaded: ") + dlerror());
    }
    if (!status.ok())
      return status;
  }
  auto lookUp = [&](const std::string &symbol) {
    void *found = handle ? dlsym(handle, symbol.c_str()) : nullptr;
    kernels[symbol] = reinterpret_cast<KernelFunction>(found);
    return found != nullptr;
  };
  auto lookUpAll = [&](const plan::Plan &calling) {
    for (const plan::RankClass &rankClass : calling.classes)
      for (const auto *list : {&rankClass.load, &rankClass.step})
        for (const plan::Instruction &instruction : *list) {
          const std::string symbol = symbolOf(instruction);
          if (!symbol.empty() && !kernels.count(symbol) && !lookUp(symbol))
            return Status::runtimeError("kernel '" + symbol +
                                        "' is not in the executable");
        }
    return Status::success();
  };
  Status status = lookUpAll(plan);
  for (const plan::Plan &validation : plan.validation)
    if (status.ok())
      status = lookUpAll(validation);
  return status;
}

} // namespace hocket::runtime
