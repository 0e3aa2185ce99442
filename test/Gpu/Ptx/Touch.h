//===- Touch.h - an access of a thread, checked ----------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_TOUCH_H
#define HOCKET_TEST_GPU_PTX_TOUCH_H

#include "test/Gpu/Ptx/Machine.h"

namespace hocket::ptx {

/// Bytes within a region; without one the access was found to be wrong.
struct Place {
  Region *region = nullptr;
  Allocation *allocation = nullptr; ///< of global memory
  Space space = Space::Global;      ///< never Generic
  uint64_t at = 0;
  std::byte *bytes() const { return &region->bytes[at]; }
};

/// Checks one access after the other; findings name the step and the lane.
class Toucher {
public:
  Toucher(Warp &warp, const Step &step) : warp(warp), step(step) {}

  /// Bounds and alignment, which is that of the bytes unless it is given.
  Place place(unsigned lane, Space space, uint64_t address, unsigned bytes,
              bool writes, unsigned align = 0);

  /// Bytes to read, of which all have a value and no other thread wrote one
  /// meanwhile. Null if they are not there.
  const std::byte *read(unsigned lane, Space space, uint64_t address,
                        unsigned bytes, unsigned align = 0);
  void write(unsigned lane, Space space, uint64_t address, unsigned bytes,
             const void *data);

  /// Checks an atomic access of a place that was found.
  void update(unsigned lane, const Place &place, unsigned bytes);

  void tell(unsigned lane, const Race &race, const Place &place, unsigned bytes,
            bool writes);

  bool readOnly = false; ///< reads are those of ld.global.nc

private:
  Place inGlobal(unsigned lane, uint64_t address, unsigned bytes, bool writes);
  Place inBlock(unsigned lane, Space space, uint64_t at, unsigned bytes,
                bool writes);
  std::string text(const Place &place, unsigned bytes, bool writes) const;
  void record(const Place &place, unsigned bytes, bool reads, bool writes);

  Warp &warp;
  const Step &step;
};

/// The addresses of a step, by lane.
struct Addresses {
  uint64_t of[32];
};
Addresses addressesOf(Warp &warp, const Step &step, Slot slot);

/// Counts what a warp asks of memory at once, where the first active lane's
/// address points. `bytes` are those of each lane.
void countAccess(Warp &warp, const Step &step, const Addresses &addresses,
                 uint32_t active, unsigned bytes, bool store);
void countShared(Counts &counts, const Addresses &addresses, uint32_t active,
                 unsigned bytes);

/// The space that a generic address is in; the address becomes that space's.
Space resolve(Space space, uint64_t &address);

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_TOUCH_H
