//===- LookupError.h - ids outside of a table, told by kernels -*- C++ -*-===//
//
// A kernel cannot fail. One that meets an id outside [0, vocab) takes it for
// one that this rank has not, and leaves it in a record of device memory, which
// the host reads at the end of a step. Of several the one first in memory
// remains, whatever the order in which threads ran.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_KERNELS_LOOKUPERROR_H
#define HOCKET_LIB_CUDA_KERNELS_LOOKUPERROR_H

#include <stdint.h>

namespace hocket::runtime::cuda {

/// Zeros: no id was bad. Else each word is the complement of the id's place
/// among the ids' memory, in elements, above one half of the id.
struct LookupError {
  uint64_t low, high;

  bool isSet() const { return low != 0; }
  uint64_t place() const { return ~low >> 32; }
  int64_t id() const {
    return static_cast<int64_t>(~high << 32 | (~low & 0xffffffff));
  }
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_LOOKUPERROR_H
