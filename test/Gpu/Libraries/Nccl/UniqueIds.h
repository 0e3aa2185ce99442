//===- UniqueIds.h - how ranks find each other -----------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_UNIQUEIDS_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_UNIQUEIDS_H

#include "test/Gpu/Libraries/Nccl/State.h"

namespace hocket::lookalike {

/// An id of this process; with the lock.
NcclUniqueId makeId(Nccl &nccl);

/// The process that has made it, and its number there; false if it is no id.
bool readId(const NcclUniqueId &id, std::string &process, uint64_t &number);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_UNIQUEIDS_H
