//===- Operation.h - a send, a receive or a collective ---------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_OPERATION_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_OPERATION_H

#include "test/Gpu/Driver/Lookalike.h"
#include "test/Gpu/Libraries/Nccl/Communicator.h"

namespace hocket::lookalike {

enum class Kind {
  Send,
  Receive,
  Broadcast,
  AllGather,
  AllReduce,
  ReduceScatter
};

/// How much of a call's memory is registered with its communicator.
enum class Registered : uint32_t { Any, None, Some, All };

struct Operation {
  Kind kind = Kind::Send;
  const char *function = ""; ///< "ncclSend"
  uint64_t from = 0, to = 0; ///< addresses; 0 for what it has not
  size_t count = 0;          ///< as the call is given it
  NcclType type = NcclInt8;
  int peer = 0; ///< or the root
  NcclOperator reduction = NcclSum;
  Registered registered = Registered::Any; ///< that is: no memory

  bool isCollective() const { return kind > Kind::Receive; }
  uint64_t bytes() const { return count * sizeOf(type); }
  /// "16 float32".
  std::string elements() const;
  /// "ncclAllReduce of 16 float32, sum": equal on all ranks of a collective.
  std::string text() const;
  /// What the rank reads and writes; a range without bytes is none.
  HocketLookalikeRange reads(const ncclComm &comm) const;
  HocketLookalikeRange writes(const ncclComm &comm) const;
};

bool overlap(const HocketLookalikeRange &a, const HocketLookalikeRange &b);

/// What is wrong with a call, as a sentence, or nothing.
std::string problemOf(const Operation &operation, const ncclComm &comm);

/// What is wrong with calls of one group on a communicator, or nothing.
std::string problemOf(const std::vector<Operation> &operations,
                      const ncclComm &comm);

Registered registrationOf(const Operation &operation, const ncclComm &comm);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_OPERATION_H
