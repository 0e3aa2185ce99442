//===- MpiWorld.h - ranks that send each other messages --------*- C++ -*-===//

#ifndef HOCKET_LIB_MPI_MPIWORLD_H
#define HOCKET_LIB_MPI_MPIWORLD_H

#include "runtime/lib/Mpi/LocalMessage.h"
#include "runtime/lib/Mpi/MpiRun.h"
#include <map>
#include <tuple>

namespace hocket::runtime {

/// The ranks of all processes, a block of them in each.
class MpiWorld : public World {
public:
  MpiWorld(MpiRun &run, const RankOptions &options, bool spins);
  ~MpiWorld() override;

  std::unique_ptr<Communicator> communicator(int64_t rank, Mover &) override;
  void abort(int64_t rank, const Status &why) override { run.fail(rank, why); }
  Status failure() const override {
    int64_t rank;
    return run.failure(rank);
  }

  /// Of a set of axes. Groups of one set share no rank, so that sender, number
  /// and tag tell their messages apart.
  struct Context {
    size_t set = 0;
    MpiComm comm = 0;
  };
  /// Null for members that were not announced.
  const Context *contextOf(const std::vector<int64_t> &members) const;
  int processOf(int64_t rank) const { return int(rank / ranksEach); }
  /// Of the `number`-th collective that `from` and `to` have in a set; negative
  /// if there are more than tags.
  int tagOf(int64_t number, int64_t from, int64_t to) const;
  bool isLocal(int64_t rank) const { return processOf(rank) == run.index(); }
  /// Between ranks of this process: of the `number`-th collective of a set, in
  /// its first or second exchange, the `message`-th from one to the other.
  struct LocalName {
    size_t set;
    int64_t number;
    int exchange, message;
    int64_t from, to;
    bool operator<(const LocalName &other) const {
      return std::tie(set, number, exchange, message, from, to) <
             std::tie(other.set, other.number, other.exchange, other.message,
                      other.from, other.to);
    }
  };
  /// Any thread may ask.
  LocalMessage &localMessage(const LocalName &name);

  MpiRun &run;
  const RankOptions options;
  const bool spins;
  Status made; // of the contexts

private:
  const int64_t ranksEach;
  std::map<std::vector<int64_t>, Context> contexts;
  std::vector<MpiComm> comms; // by set
  std::mutex mutex;           // guards what follows
  std::map<LocalName, LocalMessage> locals;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_MPI_MPIWORLD_H
