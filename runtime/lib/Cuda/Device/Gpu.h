//===- Gpu.h - a GPU of this process, with a program's code ----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_GPU_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_GPU_H

#include "hocket/Cuda/Devices.h"
#include "hocket/Io/MemoryLibrary.h"
#include "hocket/Runtime/Kernels.h"
#include "runtime/lib/Cuda/Driver/Driver.h"
#include <atomic>
#include <map>
#include <mutex>

namespace hocket::runtime::cuda {

/// Bytes of a GPU's memory that this process has allocated, counted by who
/// does.
struct GpuAccount {
  std::atomic<int64_t> ofRanks{0}; // what the plan says, and staging
  std::atomic<int64_t> tables{0};  // that the runtime keeps for itself
  std::atomic<int64_t> nccl{0};    // what its communicators took
};

/// A GPU that the driver shows, its context and the code of a program in it.
/// What its methods give lives as long as it does. The methods are for any
/// thread.
class Gpu {
public:
  Gpu() = default;
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  /// The GPU of number `index`, modulo how many the driver shows.
  Status open(const uint8_t *code, size_t size, int64_t index);

  const Driver &driver() const { return *opened; }
  /// Makes its context that of the calling thread.
  Status enter() const;
  /// The entry of a generated kernel.
  Status find(const std::string &symbol, Function &function) const;
  /// An entry of the runtime's own kernels (Kernels/Images.h), which are loaded
  /// when the first of a source is asked for.
  Status find(const std::string &source, const std::string &entry,
              Function &function) const;
  /// A user's own function, of the host.
  Status findHook(const std::string &name, KernelFunction &entry) const;
  /// Bytes that are free now, and all.
  Status memory(size_t &available, size_t &total) const;
  /// Bytes that are in use now, by whomever, and were when the context was
  /// there and nothing in it.
  int64_t used() const;
  int64_t usedAtFirst() const { return firstUsed; }
  GpuAccount &account() const { return allocated; }
  /// Memory of the GPU; `what` is for the error: "40 bytes for weights".
  Status allocate(size_t bytes, const std::string &what,
                  DeviceAddress &address) const;
  /// An error that memory may be the reason for, with how much is free.
  Status withFreeMemory(Status status) const;
  const std::string &name() const { return title; }
  /// How many GPUs the driver shows.
  int visible() const { return shown; }
  /// Its number among all devices; a slice of a GPU (MIG) has one of its own.
  Status uuid(DeviceUuid &uuid) const;
  /// Where it is in the machine; slices of a GPU are in one place.
  Status place(std::string &place) const;

private:
  Status choose(int64_t index);
  Status load(const void *code, size_t size, const std::string &what,
              const std::string &wayOut, Library &loaded) const;
  Status loadGenerated(const std::vector<ChipCode> &code);
  Status loadHooks(const std::vector<uint8_t> &object);
  Status loadOwn(const std::string &source, Library &loaded) const;
  Status entryIn(Library in, const std::string &symbol,
                 Function &function) const;

  const Driver *opened = nullptr;
  DeviceNumber device = 0;
  int shown = 0;
  Context context = nullptr;
  Library library = nullptr; // of the generated kernels
  MemoryLibrary hooks;
  mutable std::mutex mutex;                   // guards what follows
  mutable std::map<std::string, Library> own; // by source
  mutable GpuAccount allocated;
  int64_t firstUsed = 0;
  int chip = 0; // 90: compute capability 9.0
  std::string title;
};

/// What packChipCode wrote: nothing, or code that has PTX; a runtime error for
/// anything else.
Status unpackChipCode(const uint8_t *bytes, size_t size,
                      std::vector<ChipCode> &code, std::vector<uint8_t> &hooks);

/// That a chip runs best: machine code for the same major and the highest minor
/// number that it has, else PTX; null: there is no code.
const ChipCode *codeFor(int chip, const std::vector<ChipCode> &code);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_GPU_H
