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
  std::string source; // whose image has `entry`: Images.h
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
  KernelLaunch &add(std::string source, std::string entry, uint64_t blocks,
                    unsigned threads, const Parameters &parameters) {
    static_assert(std::is_trivially_copyable_v<Parameters>);
    KernelLaunch launch;
    launch.source = std::move(source);
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
  void setScratch(uint64_t address) { move(uses, address); }

  /// Set first: nobody will launch them, and their tables may lack numbers.
  bool areOnlyCounted = false;
  /// Numbers that kernels read, the same at each run; a multiple of 256 from
  /// the beginning of all. Parameters hold this number where a kernel is to
  /// find the address.
  template <class T> uint64_t addTable(const std::vector<T> &numbers) {
    static_assert(std::is_trivially_copyable_v<T>);
    uint64_t place = bytes.size();
    bytes.resize(place + (numbers.size() * sizeof(T) + 255) / 256 * 256);
    if (!numbers.empty())
      std::memcpy(bytes.data() + place, numbers.data(),
                  numbers.size() * sizeof(T));
    return place;
  }
  /// The latest launch has a place of a table at `offset` of its argument.
  void usesTable(size_t offset) {
    tableUses.push_back({list.size() - 1, offset});
  }
  const std::vector<std::byte> &tables() const { return bytes; }
  /// As setScratch: where their bytes are.
  void setTables(uint64_t address) { move(tableUses, address); }

private:
  struct Use {
    size_t launch, offset;
  };
  void move(const std::vector<Use> &places, uint64_t address) {
    for (const Use &use : places) {
      std::byte *at = list[use.launch].argument.data() + use.offset;
      uint64_t place;
      std::memcpy(&place, at, sizeof place);
      place += address;
      std::memcpy(at, &place, sizeof place);
    }
  }
  std::vector<Use> uses, tableUses;
  uint64_t scratch = 0;
  std::vector<std::byte> bytes; // of tables
};

/// As kernels take addresses.
inline uint64_t addressOf(const Operand &operand) {
  return reinterpret_cast<uint64_t>(operand.data);
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_KERNELLAUNCH_H
