//===- Machine.h - blocks and warps while a kernel runs --------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_MACHINE_H
#define HOCKET_TEST_GPU_PTX_MACHINE_H

#include "test/Gpu/Ptx/Launch.h"
#include <deque>

namespace hocket::ptx {

/// Thrown where going on makes no sense; the finding has been told.
struct EndOfLaunch {};

class Block;

/// One launch: what all blocks share.
class Machine {
public:
  Machine(Program &program, const Kernel &kernel, const Configuration &how);
  Report run();

  void find(FindingKind kind, const Step &step, const std::string &what);
  const Statement &statement(const Step &step) const {
    return *kernel.statements[step.index];
  }

  const Kernel &kernel;
  Memory &memory;
  const Configuration &how;
  std::vector<std::byte> constants;
  Region parameters;
  std::vector<Counts> sites;             ///< by step
  std::vector<Allocation *> lastTouched; ///< by step
  TouchRecorder touches;
  Report report;
  uint64_t steps = 0;
  uint32_t firstBlock = 0;

private:
  void check() const;
  void fillCommons();
  void gather();
  std::map<std::pair<FindingKind, uint32_t>, size_t> found;
};

/// A copy of cp.async that has not been waited for.
struct PendingCopy {
  uint64_t at;
  unsigned bytes;
  std::byte data[16];
};
struct PendingCopies {
  std::vector<PendingCopy> open; ///< not in a group yet
  std::deque<std::vector<PendingCopy>> groups;
};

/// Some lanes of a warp that stand at the same instruction.
struct Group {
  uint32_t at = 0, mask = 0;
  bool waits = false; ///< for other lanes
};

/// 32 threads. The lanes that stand lowest in the code go on first, so that
/// those who went different ways meet again where the ways do.
class Warp {
public:
  Warp(Block &block, unsigned index, uint32_t threads);

  /// Until all lanes have ended or the warp stands at a barrier.
  void run();

  template <typename T> T *lanes(Slot slot) {
    return reg(slot).template lanes<T>();
  }
  Register &reg(Slot slot) {
    return *reinterpret_cast<Register *>(banks[slot >> 31] +
                                         (slot & ~sharedBank));
  }

  // For handlers.
  void branch(uint32_t taken, uint32_t target);
  /// Lanes that go on at `target`, of those that run now; the last ones stay.
  void leave(uint32_t lanes, uint32_t target);
  void exit(uint32_t lanes);
  /// True if all lanes of `members` that have not ended stand here; else the
  /// step is tried again when they do.
  bool meet(const Step &step, uint32_t members, uint32_t active);
  /// Accesses from here on come after those of all lanes so far.
  void advance();
  unsigned thread(unsigned lane) const { return index * lanesOfWarp + lane; }
  Accessor accessor(const Step &step, unsigned lane) const;
  void find(FindingKind kind, const Step &step, unsigned lane,
            const std::string &what);

  Block &block;
  Machine &machine;
  const unsigned index;
  const uint32_t present; ///< lanes that began
  uint32_t live = 0;      ///< lanes that have not ended
  uint32_t mask = 0;      ///< lanes that run now
  uint32_t at = 0;        ///< the step they stand at
  uint32_t clock = 1;
  std::vector<uint32_t> seen; ///< Shadow.h
  bool atBarrier = false;
  std::vector<PendingCopies> copies; ///< by lane, from the first cp.async on

private:
  void checkDefined(const Step &step, uint32_t active);
  void settle();
  void resume();
  [[noreturn]] void reportStuck();

  std::byte *banks[2];
  std::vector<std::byte> storage;
  std::vector<Group> others;
  bool again = false; ///< the step was not done
};

class Block {
public:
  Block(Machine &machine, Dim3 id, uint32_t number);
  void run();
  std::string nameOf(unsigned thread) const;

  /// A warp comes to a barrier that so many warps are expected at.
  struct Arrival {
    unsigned id, expected;
    bool waits;
    uint32_t votes; ///< lanes whose predicate holds, of bar.red
  };
  void arrive(Warp &warp, const Step &step, const Arrival &arrival);

  Machine &machine;
  const Dim3 id;
  const uint32_t number; ///< among the blocks of all launches
  uint32_t tick = 1;     ///< Shadow.h
  Region shared, local;
  std::deque<Warp> warps;

private:
  struct Barrier {
    uint32_t arrived = 0, waiting = 0; ///< masks of warps
    unsigned expected = 0, votes = 0, voters = 0;
  };
  void open(Barrier &barrier);
  void reduce(Warp &warp, const Barrier &barrier);
  [[noreturn]] void reportWaiting(Warp &warp);

  Barrier barriers[16];
};

template <typename F> void eachLane(uint32_t mask, F body) {
  for (; mask; mask &= mask - 1)
    body(static_cast<unsigned>(__builtin_ctz(mask)));
}

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_MACHINE_H
