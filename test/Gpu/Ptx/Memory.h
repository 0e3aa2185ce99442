//===- Memory.h - the device's memory, each byte of it checked -*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_MEMORY_H
#define HOCKET_TEST_GPU_PTX_MEMORY_H

#include "test/Gpu/Ptx/Shadow.h"
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace hocket::ptx {

/// Bytes, which of them hold a value, and who touched them. In whole pages, so
/// that a region can also be pinned memory of the host (test/Gpu/Driver).
struct Region {
  explicit Region(uint64_t size = 0)
      : bytes(size), defined(size), shadow(size) {}

  uint64_t size() const { return bytes.size(); }
  bool isDefined(uint64_t at, uint64_t count) const {
    for (uint64_t i = 0; i < count && !holdsZeros; ++i)
      if (!defined[at + i])
        return false;
    return true;
  }
  void define(uint64_t at, uint64_t count, bool isDefined = true) {
    std::memset(defined.data() + at, isDefined, count);
  }

  std::vector<std::byte, ZeroPages<std::byte>> bytes;
  std::vector<uint8_t, ZeroPages<uint8_t>> defined; ///< a byte for a byte
  bool holdsZeros = false; ///< what nobody has written is 0
  Shadow shadow;
};

struct Allocation {
  uint64_t base = 0;
  std::string name;
  bool isConstant = false;
  bool isReleased = false;
  Region region;
};

/// Allocations lie far apart, so that an access past the end of one is never
/// inside another. An address is a number; no pointer of the host is one.
class Memory {
public:
  /// Bytes without values, at a multiple of 256. Findings call them `name`.
  uint64_t allocate(uint64_t size, const std::string &name);
  /// As allocate(); all bytes hold 0.
  uint64_t allocateZeros(uint64_t size, const std::string &name);

  /// The addresses remain known, so that an access is found to come too late.
  void release(uint64_t address);

  /// Copies of the host. They must lie within one allocation.
  void write(uint64_t address, const void *data, uint64_t size);
  void read(uint64_t address, void *data, uint64_t size) const;

  /// An allocation of the elements of a vector, with its values.
  template <typename T>
  uint64_t upload(const std::vector<T> &values, const std::string &name) {
    uint64_t address = allocate(values.size() * sizeof(T), name);
    write(address, values.data(), values.size() * sizeof(T));
    return address;
  }
  template <typename T>
  std::vector<T> download(uint64_t address, uint64_t count) const {
    std::vector<T> values(count);
    read(address, values.data(), count * sizeof(T));
    return values;
  }

  /// The allocation that the address is in or nearest to; null if none is
  /// within 2^32 bytes.
  Allocation *near(uint64_t address);

  /// Calls visit(allocation) for each one, in the order of their making.
  template <typename Visit> void each(Visit visit) const {
    for (const auto &[base, allocation] : allocations)
      visit(*allocation);
  }

  /// Numbers of blocks, none used twice.
  uint32_t takeBlocks(uint32_t count);

private:
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  uint64_t next = uint64_t(0x7f) << 40;
  uint32_t nextBlock = 1;
};

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_MEMORY_H
