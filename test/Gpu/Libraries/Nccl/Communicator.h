//===- Communicator.h - a communicator of the look-alike -------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_COMMUNICATOR_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_COMMUNICATOR_H

#include "test/Gpu/Libraries/Nccl/Message.h"
#include "test/Gpu/Libraries/Nccl/Order.h"
#include "test/Gpu/Libraries/Nccl/Types.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace hocket::lookalike {

/// A rank of a communicator as the others know it.
struct Member {
  std::string process;   ///< whom to send to
  uint64_t endpoint = 0; ///< its communicator there
  uint64_t world = 0;    ///< its rank where the id was made
  int device = 0;        ///< among those of its process
};

/// What a rank gives to a split of its communicator.
struct SplitOffer {
  int color = 0, key = 0;
  Member member;
};

/// Which message: of what kind, from whom, the how manyeth.
struct PacketKey {
  Topic topic;
  uint32_t from;
  uint64_t index;
  bool operator<(const PacketKey &other) const {
    return std::tie(topic, from, index) <
           std::tie(other.topic, other.from, other.index);
  }
};

struct Packet {
  std::string text; ///< the call
  uint32_t flags = 0;
  std::vector<char> bytes;
};

/// A call on a communicator that does not block, and is not over yet.
struct Pending {
  int polls = 0; ///< how often it is still said to be in progress
  std::function<bool()> isDone;
  /// Called without the lock by whoever polls last; the call's result.
  std::function<NcclResult()> finish;
  bool isOver = false;
};

enum class Phase { Made, Ready, Finalizing, Finalized, Destroyed, Aborted };

/// Communicators of a rank that share resources, by splitShare.
struct Family {
  bool isAborted = false;
};

/// Memory that is registered with a communicator.
struct Registration {
  uint64_t address = 0, bytes = 0;
};

} // namespace hocket::lookalike

/// All of it is used with the lock of Nccl held.
struct ncclComm {
  using Result = hocket::runtime::cuda::NcclResult;
  using Time = std::chrono::steady_clock::time_point;

  /// "communicator 1 (rank 0 of 2)".
  std::string title() const;
  bool isAborted() const {
    return phase == hocket::lookalike::Phase::Aborted || family->isAborted;
  }
  bool isBusy() const { return pending && !pending->isOver; }
  void fail(Result code, const std::string &why) {
    error = code;
    errorText = why;
  }

  uint64_t endpoint = 0; ///< no two of a process have the same
  unsigned number = 0;   ///< in findings
  int ranks = 0, rank = 0, device = 0;
  bool isBlocking = true;
  bool sharesWithSplits = false;
  std::string idProcess; ///< that has made the id
  std::vector<hocket::lookalike::Member> members;
  std::shared_ptr<hocket::lookalike::Family> family =
      std::make_shared<hocket::lookalike::Family>();
  unsigned long long state = 0; ///< address of a byte that all operations write

  hocket::lookalike::Phase phase = hocket::lookalike::Phase::Made;
  Result error = hocket::runtime::cuda::NcclSuccess;
  std::string errorText;
  std::shared_ptr<hocket::lookalike::Pending> pending;
  uint64_t callsInProgress = 0; ///< so far, which say how long the next is

  std::map<hocket::lookalike::PacketKey, hocket::lookalike::Packet> packets;
  std::map<uint64_t, std::map<uint32_t, hocket::lookalike::SplitOffer>> offers;
  std::set<uint32_t> finalized;  ///< members that have
  std::map<uint32_t, Time> gone; ///< members that have ended or aborted
  uint64_t splits = 0;
  uint64_t collectives = 0;                ///< that have run
  std::map<int, uint64_t> sends, receives; ///< that have run, by peer
  uint64_t outstanding = 0;                ///< in streams, and not over
  std::atomic<uint64_t> captured{0};       ///< in graphs that are there
  hocket::lookalike::Issues issues;
  std::map<void *, hocket::lookalike::Registration> registrations;
};

namespace hocket::lookalike {

using Communicator = std::shared_ptr<ncclComm>;

/// Sends to a member.
void sendTo(const ncclComm &comm, int rank, Message message);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_COMMUNICATOR_H
