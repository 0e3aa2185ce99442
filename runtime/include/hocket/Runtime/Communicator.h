//===- Communicator.h - what every way to run ranks implements -*- C++ -*-===//
//
// Every rank holds one Communicator. A collective is prepared once (addresses,
// shapes and members are known before the first step) and then run any number
// of times. One conformance suite (test/Runtime) passes for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_COMMUNICATOR_H
#define HOCKET_RUNTIME_COMMUNICATOR_H

#include "hocket/Plan/Plan.h"
#include "hocket/Runtime/Mover.h"
#include "hocket/Runtime/Status.h"
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hocket::runtime {

/// A strided window of this rank's memory; strides in elements. At most
/// maxDims dims; a dim of extent 0 means no element at all.
struct Window {
  void *data = nullptr;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

constexpr int maxDims = 16;

// The kinds are those of hocket/Plan/Collective.h, with the tables written out
// by member.

/// How members share a dim of a tensor.
struct Share {
  int dim = -1;
  std::vector<int64_t> offset = {}, size = {};
};

using plan::AllReduce;
using plan::Broadcast;
struct ReduceScatter {
  std::vector<Share> shares; // one a tensor
  plan::Reduction reduction = plan::Reduction::Sum;
};
struct AllGather {
  std::vector<Share> shares;
};
struct AllToAll {
  std::vector<Share> from, to;
};
struct HaloShares {
  std::vector<int> dims; // by tensor
  plan::Halo halo;
  plan::HaloStrategy strategy = plan::HaloStrategy::Neighbors;
};
struct HaloExchange : HaloShares {};
struct HaloReduce : HaloShares {};

/// One collective as one member sees it.
struct CollectiveSpec {
  std::variant<AllReduce, ReduceScatter, AllGather, AllToAll, Broadcast,
               HaloExchange, HaloReduce>
      kind;
  plan::DType type = plan::DType::F32;
  int64_t id = 0;               // equal on all members
  std::vector<int64_t> members; // ranks; the same order on all members
  int64_t me = 0;               // index into members
  /// May overlap only if equal and the kind is AllReduce or Broadcast, or if
  /// what a member owns of a halo is that part of what it holds.
  struct Pair {
    Window src, dst;
  };
  std::vector<Pair> pairs; // one or more
  plan::Source source = {};

  /// `all_gather of "h.0.mlp" (gpt2_schedules.hkt:12:3)`; the line is the
  /// model's where no directive made it
  std::string describe() const;
};

/// "all_reduce", "reduce_scatter", ...
const char *toString(plan::CollectiveKind kind);

/// A time at which a rank waited for others.
struct WaitSpan {
  std::chrono::steady_clock::time_point begin, end;
};

/// One rank's end. All methods but `abort` are called by the thread of this
/// rank only. Results are bitwise the same in every run: a reduction starts
/// with member 0's term and adds the others in member order, in the element
/// type (F16 and BF16: in F32, rounded once).
class Communicator {
public:
  virtual ~Communicator() = default;
  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;
  /// Checks and stores a collective; may allocate. All members prepare the
  /// collectives of one group in the same order.
  virtual Status prepare(const CollectiveSpec &spec, int64_t &handle) = 0;
  /// Runs it as a whole. Returns when dst is complete and src may be written
  /// again. Where members disagree, where one fails, or where one has not come
  /// within the deadline, every member gets an error that names rank,
  /// collective, path and schedule line; after an error every further call
  /// fails.
  virtual Status run(int64_t handle) = 0;
  /// Begins it: other members may read src, or of a HaloReduce its margins,
  /// from here on. Waits for nobody. It is open until `wait`, as others of the
  /// same members may be, who all start the same ones in one order, end them in
  /// one order, and run none that others start. What is wrong `wait` says.
  virtual Status start(int64_t handle) = 0;
  /// Ends what `start` began; returns as `run` does.
  virtual Status wait(int64_t handle) = 0;
  /// What run() and wait() have read from other members so far; counted while
  /// moving it, so that it can be held against plan::receivedBytes.
  virtual int64_t receivedBytes() const = 0;
  /// What it holds to put messages together and apart, by now; none where
  /// members read each other's memory.
  virtual int64_t stagingBytes() const { return 0; }
  /// When the last run() or wait() waited for other members: before it read
  /// from them, between its two phases where it has two, and until all had read
  /// from it.
  virtual const std::vector<WaitSpan> &lastWaits() const = 0;
  /// How much of that was for `handle`, by member.
  virtual const std::vector<int64_t> &receivedFrom(int64_t handle) const = 0;
  /// Makes all calls of this and every other rank fail with `why`.
  virtual void abort(const Status &why) = 0;
};

/// What the ranks of a process communicate in; outlives their communicators.
class World {
public:
  virtual ~World() = default;
  /// `mover` moves what the rank reads of others, if it reads their memory; it
  /// outlives the communicator.
  virtual std::unique_ptr<Communicator> communicator(int64_t rank,
                                                     Mover &mover) = 0;
  /// As Communicator::abort, from a thread that is no rank.
  virtual void abort(int64_t rank, const Status &why) = 0;
  /// Why the first rank gave up; success if none has.
  virtual Status failure() const = 0;
  /// Where no rank is in a call: forgets why one gave up, and whoever has met.
  /// False where the ranks cannot go on.
  virtual bool recover() { return false; }
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_COMMUNICATOR_H
