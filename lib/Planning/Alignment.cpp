//===- Alignment.cpp - what the address of a view is a multiple of --------===//

#include "Alignment.h"

using namespace hocket;

int64_t planning::alignmentOf(const plan::View &view, const plan::Plan &plan,
                              const plan::RankClass &rankClass) {
  constexpr uint64_t ofBuffers = 64;
  uint64_t bytes = plan::byteSize(rankClass.buffers[view.buffer].type);
  uint64_t offsets = ofBuffers | view.offset * bytes;
  for (const plan::Scalar &term : view.terms) {
    offsets |= term.constant * bytes;
    if (term.table >= 0)
      for (int64_t value : plan.tables[term.table].values)
        offsets |= term.scale * value * bytes;
  }
  return int64_t(offsets & -offsets); // the lowest bit that any of them has
}
