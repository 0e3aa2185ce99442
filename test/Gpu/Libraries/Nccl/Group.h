//===- Group.h - calls between ncclGroupStart and ncclGroupEnd -*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_GROUP_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_GROUP_H

#include "test/Gpu/Libraries/Nccl/Call.h"
#include "test/Gpu/Libraries/Nccl/Launch.h"

namespace hocket::lookalike {

/// What a group has on one communicator, which all goes together.
struct GroupPart {
  Communicator comm;
  Stream stream;
  std::vector<Operation> operations;
};

/// Of one thread.
struct Group {
  int depth = 0;
  std::vector<GroupPart> parts; ///< in the order of their first calls
  /// Communicators that are made or split.
  std::vector<std::pair<Communicator, std::shared_ptr<Pending>>> waits;
  NcclResult error = NcclSuccess; ///< of the first call that failed
};
Group &group();

/// Adds an operation to the group, or makes one of its own.
NcclResult add(Call &call, const Communicator &comm, Stream stream,
               const Operation &operation);

/// What goes on when other ranks come: at the end of a group, else now.
NcclResult completeOrAdd(Call &call, const Communicator &comm,
                         std::shared_ptr<Pending> pending);

/// A call that failed fails its group.
NcclResult failGroup(NcclResult code);

/// Finds a call that the look-alike does not support in a group.
bool isOutsideGroup(Call &call);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_GROUP_H
