//===- Wholes.h - what NCCL does for all members at once -------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_NCCL_WHOLES_H
#define HOCKET_RUNTIME_LIB_CUDA_NCCL_WHOLES_H

#include "hocket/Runtime/Communicator.h"
#include "runtime/lib/Cuda/Nccl/Api.h"

namespace hocket::runtime::cuda {

/// A call that all members of a communicator make alike. `bytes` are those that
/// a member gives, of a reduce_scatter those that it gets.
struct WholeCall {
  enum Kind { AllGather, Broadcast, AllReduce, ReduceScatter } kind;
  const char *from;
  char *to;
  int64_t bytes;
  int64_t root = 0; // of a Broadcast
};

/// A collective by calls of NCCL in place of messages: all_gather, uneven ones
/// as a broadcast a member, and broadcast; sums only where their order may be
/// the library's. It takes and gives dense memory: the rest goes by way of
/// staging.
class Wholes {
public:
  /// Whether `spec` is such a one.
  static bool serves(const CollectiveSpec &spec, bool sumsAsLibrary);

  /// `staging` holds at least stagingBytes(), or is null to count them; then it
  /// cannot be run. `isLate`: dst is written by unpack() alone.
  Wholes(const CollectiveSpec &spec, char *staging, bool isLate);

  int64_t stagingBytes() const { return taken; }
  /// Has `early` do what comes before the calls, and `late` what comes behind.
  Status prepare(Mover &early, Mover &late);
  Status pack() { return run(packMoves); }
  Status unpack() { return run(unpackMoves); }

  std::vector<WholeCall> calls;
  NcclType type = NcclInt8; // of sums their own
  int64_t elementBytes = 1; // of that type
  NcclOperator reduction = NcclSum;

private:
  struct Copy {
    Window from, to;
  };
  using Moves = std::vector<std::unique_ptr<Mover::Move>>;

  void add(const AllGather &kind, const CollectiveSpec::Pair &pair);
  void add(const Broadcast &kind, const CollectiveSpec::Pair &pair);
  void add(const AllReduce &kind, const CollectiveSpec::Pair &pair);
  void add(const ReduceScatter &kind, const CollectiveSpec::Pair &pair);
  template <typename Other>
  void add(const Other &, const CollectiveSpec::Pair &) {}

  void gatherEven(const std::vector<Window> &parts, const char *from,
                  int64_t bytes);
  void gatherUneven(const std::vector<Window> &parts, const char *from);
  void reducesAs(plan::Reduction what);
  char *packed(const Window &window);
  char *placeOf(const Window &window);
  char *take(int64_t bytes);
  bool isDirect(const Window &window) const;
  Status makeCopies(Mover &mover, const std::vector<Copy> &copies,
                    Moves &moves) const;
  static Status run(const Moves &moves);

  const plan::DType dtype;
  const int64_t size, me, members;
  size_t tensor = 0; // that is added
  char *const staging;
  const bool isLate;
  int64_t taken = 0;
  std::vector<Copy> packs, unpacks;
  Moves packMoves, unpackMoves;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_NCCL_WHOLES_H
