//===- Memory.h - the buffers of one rank class -----------------*- C++ -*-===//
//
// Buffers are made without an address. When all instructions are known, weights
// get their places one behind the other. The others share the arena by
// lifetime, see Arena.h.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLANNING_MEMORY_H
#define HOCKET_LIB_PLANNING_MEMORY_H

#include "hocket/Plan/Alignment.h"
#include <climits>

namespace hocket::planning {

/// First and last instruction of a buffer, and what it has to begin at a
/// multiple of.
struct Life {
  int first = INT_MAX, last = -1;
  bool isOfStep = false;                     // else of loading
  int64_t alignment = plan::bufferAlignment; // bytes of the arena
  /// Loading is over when the first step begins.
  bool overlaps(const Life &other) const {
    return isOfStep == other.isOfStep && first <= other.last &&
           other.first <= last;
  }
};

class Memory {
public:
  explicit Memory(plan::RankClass &rankClass) : rankClass(rankClass) {}

  /// A buffer of the arena or the weights, placed later.
  int add(plan::Region region, plan::DType type, int64_t elements);
  /// Bytes of the arena for the instruction that is made now alone.
  int addWorkspace(int64_t bytes);
  /// The buffer of input or output number `index`.
  int addTensor(plan::Region region, int64_t index, plan::DType type,
                int64_t elements);
  /// A buffer that lives from step to step.
  int addState(plan::DType type, int64_t elements);

  /// The instruction that is made now uses the buffer.
  void use(int buffer);
  /// None from here on does.
  void release(int buffer);
  /// That instruction is made.
  void next() { ++now; }
  /// What follows runs in each step.
  void beginStep() {
    isStep = true;
    now = 0;
  }

  /// Gives weights their offsets, and the class its budget for them.
  void assignWeights();
  const std::vector<Life> &getLives() const { return lives; }

  static int64_t aligned(int64_t bytes);

private:
  int add(plan::Region region, int64_t offset, plan::DType type,
          int64_t elements);

  plan::RankClass &rankClass;
  std::vector<Life> lives; // by buffer
  int now = 0;             // the instruction that is made
  bool isStep = false;
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_MEMORY_H
