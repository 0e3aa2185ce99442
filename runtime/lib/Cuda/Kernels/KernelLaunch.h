//===- KernelLaunch.h - what an instruction launches -----------*- C++ -*-===//
//
// Decided on the host from shapes, strides and addresses alone, with no CUDA:
// whoever has a stream gives each launch to cuLaunchKernel, in order.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_KERNELS_KERNELLAUNCH_H
#define HOCKET_LIB_CUDA_KERNELS_KERNELLAUNCH_H

#include "hocket/Runtime/Call.h"
#include <cstddef>
#include <cstring>

namespace hocket::runtime::cuda {

/// Every kernel has one parameter, a struct, whose bytes `argument` holds:
/// cuLaunchKernel's `parameters` is the address of one pointer to them.
struct KernelLaunch {
  const char *source = nullptr; // whose image has `entry`: Images.h
  std::string entry;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned sharedBytes = 0; // dynamic
  std::vector<std::byte> argument;
};

/// Operands hold addresses of the device, which nobody on the host reads.
class KernelLaunches {
public:
  /// One after the other on one stream.
  std::vector<KernelLaunch> list;

  template <class Parameters>
  KernelLaunch &add(const char *source, std::string entry, uint64_t blocks,
                    unsigned threads, const Parameters &parameters) {
    static_assert(std::is_trivially_copyable_v<Parameters>);
    KernelLaunch launch;
    launch.source = source;
    launch.entry = std::move(entry);
    launch.grid[0] = static_cast<unsigned>(blocks);
    launch.block[0] = threads;
    launch.argument.resize(sizeof(Parameters));
    std::memcpy(launch.argument.data(), &parameters, sizeof(Parameters));
    list.push_back(std::move(launch));
    return list.back();
  }

  /// Reserves scratch; a multiple of 256 from its beginning. Parameters hold
  /// this number where a kernel is to find the address.
  uint64_t takeScratch(int64_t bytes) {
    uint64_t place = scratch;
    scratch += (bytes + 255) / 256 * 256;
    return place;
  }
  /// The latest launch has a place of scratch at `offset` of its argument.
  void usesScratch(size_t offset) { uses.push_back({list.size() - 1, offset}); }

  int64_t scratchBytes() const { return static_cast<int64_t>(scratch); }
  /// Told once, before anything is launched; a multiple of 256.
  void setScratch(uint64_t address) {
    for (const Use &use : uses) {
      std::byte *at = list[use.launch].argument.data() + use.offset;
      uint64_t place;
      std::memcpy(&place, at, sizeof place);
      place += address;
      std::memcpy(at, &place, sizeof place);
    }
  }

private:
  struct Use {
    size_t launch, offset;
  };
  std::vector<Use> uses;
  uint64_t scratch = 0;
};

/// As kernels take addresses.
inline uint64_t addressOf(const Operand &operand) {
  return reinterpret_cast<uint64_t>(operand.data);
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_KERNELLAUNCH_H
