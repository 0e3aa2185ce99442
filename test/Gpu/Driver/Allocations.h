//===- Allocations.h - memory of devices and pinned memory -----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_ALLOCATIONS_H
#define HOCKET_TEST_GPU_DRIVER_ALLOCATIONS_H

#include "test/Gpu/Driver/History.h"
#include "test/Gpu/Ptx/Memory.h"

namespace hocket::lookalike {

/// No device: pinned memory of the host, that all devices reach.
constexpr int hostDevice = -1;

/// One allocation. Its bytes are those of the interpreter's memory; those of
/// pinned memory are what the host's pointer points to.
struct Block {
  ptx::Allocation *allocation = nullptr;
  int device = hostDevice;
  bool isKept = false; ///< for look-alikes themselves
  History history;

  uint64_t base() const { return allocation->base; }
  uint64_t size() const { return allocation->region.size(); }
  std::byte *host() const { return allocation->region.bytes.data(); }
};

/// Bytes within a block; without one, `wrong` says why there is none.
struct Span {
  Block *block = nullptr;
  uint64_t at = 0, bytes = 0;
  std::string wrong;

  std::byte *data() const { return block->host() + at; }
};

class Allocations {
public:
  explicit Allocations(uint64_t bytesOfDevice) : limit(bytesOfDevice) {}

  /// Poisoned bytes without values; null where the device has too few left.
  Block *allocate(int device, uint64_t bytes);
  Block *allocatePinned(uint64_t bytes);
  void release(Block *block);
  /// A byte that is nobody's: it is not counted and never released.
  uint64_t keep(int device, const std::string &name);

  /// The block that begins at the address, or at the host's pointer.
  Block *begin(uint64_t address) const;
  Block *beginPinned(const void *place) const;

  /// Bytes at addresses of a device: "reads 8 bytes at 'allocation 1' + 4,
  /// which has 8 bytes" is `verb` and what is wrong.
  Span span(uint64_t address, uint64_t bytes, const std::string &verb);
  /// Bytes of the host; null and nothing wrong for memory that is not pinned.
  Span pinned(const void *place, uint64_t bytes, const std::string &verb);

  uint64_t used(int device) const;
  uint64_t total() const { return limit; }
  uint64_t peak() const { return most; }
  /// Those not released, in the order in which they were made.
  std::vector<const Block *> left() const;

  ptx::Memory memory;

private:
  Block *add(int device, uint64_t bytes, const std::string &name);

  uint64_t limit, most = 0;
  unsigned made = 0;
  std::map<int, uint64_t> usedBy; ///< bytes by device
  std::map<uint64_t, std::unique_ptr<Block>> blocks;
  std::map<const std::byte *, Block *> pinnedBlocks;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_ALLOCATIONS_H
