//===- Order.h - do two ranks issue their calls in one order ---*- C++ -*-===//
//
// The idea: each call that is put into a stream is told to the ranks that it is
// for. A rank pairs the calls of another with its own, over all communicators
// that the two share, and asks that the pairs have one order on both:
//
//     rank 0: all_reduce on A, all_gather on B     pairs (1, 2), (2, 1)
//     rank 1: all_gather on B, all_reduce on A     1 < 2, but 2 > 1: told
//
// Calls of one group have one place in the order.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_ORDER_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_ORDER_H

#include "test/Gpu/Libraries/Nccl/Message.h"
#include <map>
#include <tuple>

struct ncclComm;

namespace hocket::lookalike {

struct Operation;

/// Which call of a communicator: with whom, and the how manyeth.
struct IssueKey {
  enum Kind : uint32_t { Collective, Send, Receive };
  Kind kind;
  uint32_t rank; ///< of the other
  uint64_t index;
  bool operator<(const IssueKey &other) const {
    return std::tie(kind, rank, index) <
           std::tie(other.kind, other.rank, other.index);
  }
};

/// A call that a rank has put into a stream.
struct Issue {
  uint64_t place = 0; ///< in the order of all calls of its process
  std::string text;
};

/// Of one communicator: calls of which the other side is not known yet.
struct Issues {
  std::map<IssueKey, Issue> ours, theirs; ///< keys are ours
  std::map<std::pair<IssueKey::Kind, uint32_t>, uint64_t> counts;
};

/// The pairs of calls of this process with a device of another, in our order.
using Pairs = std::map<std::pair<uint64_t, uint64_t>, std::string>;

/// A call of ours is put into a stream: tells whom it is for.
void noteIssue(ncclComm &comm, const Operation &operation, uint64_t place);

/// Another rank tells of a call of its own.
void takeIssue(ncclComm &comm, const Message &message);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_ORDER_H
