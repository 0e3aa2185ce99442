//===- Alignment.cpp - what the address of a view is a multiple of --------===//

#include "hocket/Plan/Alignment.h"

namespace hocket::plan {

int64_t alignmentOf(const View &view, const Plan &plan,
                    const RankClass &rankClass, int64_t most) {
  uint64_t bytes = byteSize(rankClass.buffers[view.buffer].type);
  uint64_t offsets = uint64_t(most) | view.offset * bytes;
  for (const Scalar &term : view.terms) {
    offsets |= term.constant * bytes;
    if (term.table >= 0)
      for (int64_t value : plan.tables[term.table].values)
        offsets |= term.scale * value * bytes;
  }
  return int64_t(offsets & -offsets); // the lowest bit that any of them has
}

} // namespace hocket::plan
