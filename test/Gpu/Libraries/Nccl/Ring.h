//===- Ring.h - the order in which a ring adds up --------------*- C++ -*-===//
//
// A sum goes around the ring of ranks and is rounded to the type at each. The
// elements are cut into as many chunks as there are ranks, and each chunk
// begins at another one, so that no order is that of the ranks: whoever expects
// member order finds other bits from three ranks on.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_RING_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_RING_H

#include "test/Gpu/Libraries/Nccl/Launch.h"

namespace hocket::lookalike {

/// The ranks in the order in which a chunk meets them.
std::vector<int> ringOrder(const ncclComm &comm, int chunk);

/// `count` elements from `begin` on, of what each rank has given.
std::vector<char> reducePart(const ncclComm &comm, const Operation &operation,
                             const std::vector<std::vector<char>> &parts,
                             int chunk, size_t begin, size_t count);

/// All elements.
std::vector<char> reduceAll(const ncclComm &comm, const Operation &operation,
                            const std::vector<std::vector<char>> &parts);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_RING_H
