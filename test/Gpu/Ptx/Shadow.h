//===- Shadow.h - who wrote and read bytes of memory last ------*- C++ -*-===//
//
// The idea: an access is compared with those before it by the barriers between
// them. A block counts its barriers in ticks. A warp knows, for each warp of
// the block, up to which tick that warp's accesses come before its own:
//
//     warp 0: st [s]     at tick 1          seen[0] = {1, 1}
//     bar.sync: the tick becomes 2, both    seen[0] = seen[1] = {2, 2}
//     warp 1: ld [s]     1 < seen[1][0]: the store came before
//
// Without the barrier seen[1][0] is 1, and the two race. Blocks have no order
// among each other: what one writes no other of the launch may touch, unless
// both do it atomically.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_PTX_SHADOW_H
#define HOCKET_TEST_GPU_PTX_SHADOW_H

#include "test/Gpu/Ptx/ZeroPages.h"
#include <cstdint>
#include <vector>

namespace hocket::ptx {

/// Who makes an access, and what he knows to be over.
struct Accessor {
  uint32_t block = 0;      ///< a number of its own among all launches
  uint32_t firstBlock = 0; ///< of the launch
  uint32_t tick = 0;
  const uint32_t *seen = nullptr; ///< by warp of the block
  uint16_t thread = 0;            ///< within the block
  uint16_t step = 0;              ///< the instruction
};

enum class Conflict {
  None,
  WriteAfterWrite,
  WriteAfterRead,
  ReadAfterWrite,
  Copying, ///< cp.async may still write the bytes
  ReadOnly ///< ld.global.nc and a write in one launch
};

/// An earlier access that the new one races with.
struct Race {
  Conflict conflict = Conflict::None;
  bool otherBlock = false;
  uint16_t thread = 0, step = 0; ///< of the earlier one
};

class Shadow {
public:
  explicit Shadow(uint64_t size = 0) : size(size) {}

  Race write(uint64_t at, uint64_t bytes, const Accessor &who, bool atomic);
  Race read(uint64_t at, uint64_t bytes, const Accessor &who, bool readOnly);

  /// cp.async: a write that may happen until `finish` at any time.
  Race begin(uint64_t at, uint64_t bytes, const Accessor &who);
  void finish(uint64_t at, uint64_t bytes, const Accessor &who);

private:
  /// Of a unit of bytes. Several readers are kept as a mask of their warps. All
  /// zero: nobody has touched it.
  struct Cell {
    uint32_t writeBlock = 0, writeTick = 0;
    uint32_t readBlock = 0, readTick = 0;
    uint32_t readers = 0;
    uint16_t writer = 0, writeStep = 0;
    uint16_t reader = 0, readStep = 0;
    bool atomic : 1, copying : 1, manyLanes : 1, manyBlocks : 1, readOnly : 1;
    Cell()
        : atomic(false), copying(false), manyLanes(false), manyBlocks(false),
          readOnly(false) {}
  };

  static bool comesBefore(uint32_t tick, unsigned warp, const Accessor &who) {
    return who.seen[warp] > tick;
  }
  Race afterWrite(const Cell &cell, const Accessor &who, bool atomic,
                  Conflict conflict) const;
  Race afterReads(const Cell &cell, const Accessor &who) const;
  static void record(Cell &cell, const Accessor &who, bool readOnly);
  Cell *cellsOf(uint64_t at, uint64_t bytes, uint64_t &count);
  void refine(unsigned shift);

  uint64_t size;
  unsigned shift = 4; ///< a unit is 1 << shift bytes; finer on demand
  std::vector<Cell, ZeroPages<Cell>> cells;
};

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_SHADOW_H
