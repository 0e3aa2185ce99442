//===- ViewAlignment.cpp - alignments that hold for all ranks -------------===//

#include "runtime/lib/Cuda/Device/ViewAlignment.h"

namespace hocket::runtime::cuda {

int64_t viewAlignment(const plan::View &view, const AddressBook &book) {
  constexpr uint64_t wanted = 16;
  uint64_t bytes = plan::byteSize(book.rankClass.buffers[view.buffer].type);
  uint64_t offsets = wanted | view.offset * bytes;
  for (const plan::Scalar &term : view.terms) {
    offsets |= term.constant * bytes;
    if (term.table >= 0)
      for (int64_t value : book.plan.tables[term.table].values)
        offsets |= term.scale * value * bytes;
  }
  return int64_t(offsets & -offsets);
}

} // namespace hocket::runtime::cuda
