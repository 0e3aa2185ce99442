//===- Exchange.h - a collective as messages between members ---*- C++ -*-===//

#ifndef HOCKET_LIB_COMMUNICATOR_EXCHANGE_H
#define HOCKET_LIB_COMMUNICATOR_EXCHANGE_H

#include "hocket/Runtime/Communicator.h"
#include "runtime/lib/Communicator/HaloParts.h"

namespace hocket::runtime {

/// What goes to or comes from a member at once.
struct Message {
  int64_t member;
  char *data;
  int64_t bytes;
};

/// What one member does in a collective whose members cannot read each other's
/// memory. Both ends of a message follow from tables that all members have, so
/// that nothing is sent to agree on it. What a message takes from or brings to
/// several places, or to one that is not dense, goes by way of staging, dense
/// and row-major.
class Exchange {
public:
  /// What is written to dst, and when.
  enum class Delivery {
    Direct,   // messages may come in dst itself
    Combined, // by combine() and unpack() alone
    Late,     // as Combined; of an all_reduce by unpack() alone
  };

  /// `staging` holds at least stagingBytes(), or is null to count them; then it
  /// cannot be run.
  Exchange(const CollectiveSpec &spec, char *staging, Delivery delivery);

  int64_t stagingBytes() const { return taken; }
  /// Whether there are messages after combine(), as of an all_reduce.
  bool hasSecond() const {
    return !secondSends.empty() || !secondReceives.empty();
  }

  /// Has `early` do what is copied and summed up before dst is written, and
  /// `late` what writes it, where these differ; before the first of what
  /// follows.
  Status prepare(Mover &early, Mover &late);
  Status prepare(Mover &mover) { return prepare(mover, mover); }

  /// Before the first messages are sent.
  Status pack() { return run(packMoves); }
  /// Once they are sent and received.
  Status combine() { return run(combineMoves); }
  /// Once the second are, of an all_reduce.
  Status unpack() { return run(unpackMoves); }

  std::vector<Message> sends, receives;
  std::vector<Message> secondSends, secondReceives;

private:
  struct Copy {
    Window from, to;
  };
  using Moves = std::vector<std::unique_ptr<Mover::Move>>;
  /// A window that comes in a message: into its place, or to be a term.
  struct Piece {
    Window window;
    bool isTerm = false;
    char *data = nullptr; // where it is once it came
  };
  /// A term of a sum: a window of this member, or a piece.
  struct Term {
    Window own;
    int64_t member = -1;
    size_t piece = 0;
  };
  struct Sum {
    Window out;
    std::vector<Term> terms;
    plan::Reduction reduction;
  };

  // One overload a kind, each of one tensor.
  void add(const AllReduce &kind, const CollectiveSpec::Pair &pair);
  void add(const ReduceScatter &kind, const CollectiveSpec::Pair &pair);
  void add(const AllGather &kind, const CollectiveSpec::Pair &pair);
  void add(const AllToAll &kind, const CollectiveSpec::Pair &pair);
  void add(const Broadcast &kind, const CollectiveSpec::Pair &pair);
  void add(const HaloExchange &kind, const CollectiveSpec::Pair &pair) {
    addHalo(kind, pair, partsOfExchange);
  }
  void add(const HaloReduce &kind, const CollectiveSpec::Pair &pair) {
    addHalo(kind, pair, partsOfReduce);
  }
  using PartsOf = std::vector<HaloPart>(const plan::Halo &halo, int64_t me);
  void addHalo(const HaloShares &kind, const CollectiveSpec::Pair &pair,
               PartsOf *partsOf);
  void addHaloPart(int dim, const HaloPart &part,
                   const CollectiveSpec::Pair &pair);
  void outgo(int64_t member, const Window &window);
  Term income(int64_t member, const Window &window, bool isTerm);
  void copyOwn(const Window &src, const Window &dst);
  void layOut();
  void layOutSends(int64_t member);
  void layOutReceives(int64_t member);
  Operand termOf(const Term &term, const std::vector<int64_t> &shape) const;
  Status makeCopies(Mover &mover, const std::vector<Copy> &copies,
                    Moves &moves) const;
  Status makeSum(Mover &mover, const Sum &sum, Moves &moves) const;
  static Status run(const Moves &moves);
  char *take(int64_t bytes);
  Operand operandOf(const Window &window) const;

  plan::DType type;
  int64_t size; // of an element
  int64_t me, members;
  size_t tensor = 0; // that is added
  char *staging;
  Delivery delivery;
  int64_t taken = 0;
  std::vector<std::vector<Window>> outgoing; // by member
  std::vector<std::vector<Piece>> incoming;  // by member
  std::vector<Sum> sums;
  std::vector<Copy> packs, owns, arrivals, finals;
  std::vector<Window> zeros;
  Moves packMoves, combineMoves, unpackMoves;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_EXCHANGE_H
