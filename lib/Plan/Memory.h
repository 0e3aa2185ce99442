//===- Memory.h - the buffers of one rank class -----------------*- C++ -*-===//
//
// Buffers are made without an address. When all instructions are known, those
// that live from load to step get a place in the weights, the others share the
// arena by lifetime.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLAN_MEMORY_H
#define HOCKET_LIB_PLAN_MEMORY_H

#include "hocket/Plan/Plan.h"

namespace hocket::planning {

class Memory {
public:
  explicit Memory(plan::RankClass &rankClass) : rankClass(rankClass) {}

  /// A buffer of `elements` of `type`, placed later.
  int add(plan::DType type, int64_t elements);
  /// The buffer of input or output number `index`.
  int addTensor(plan::Region region, int64_t index, plan::DType type,
                int64_t elements);

  /// A buffer that lives from step to step.
  int addState(plan::DType type, int64_t elements);

  /// Gives every buffer its region and offset, and the class its budget. The
  /// plain form of a packed weight is needed only while loading.
  void assign();

private:
  plan::RankClass &rankClass;
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLAN_MEMORY_H
