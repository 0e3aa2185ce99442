//===- Transfers.h - who reads what from whom in memory --------*- C++ -*-===//

#ifndef HOCKET_LIB_COMMUNICATOR_TRANSFERS_H
#define HOCKET_LIB_COMMUNICATOR_TRANSFERS_H

#include "hocket/Runtime/Communicator.h"
#include "hocket/Runtime/Mover.h"

namespace hocket::runtime {

/// What one member does in a collective whose members can read each other's
/// memory. `first` needs every src to be ready, `second` (all_reduce only)
/// every member's `first` to be done. Both add to `from`, an entry a member,
/// the bytes that they have read from each other one, and their sum to
/// `received`.
class Transfers {
public:
  /// `all` are the members' specs in member order, `mine` one of them.
  Status prepare(const CollectiveSpec &mine,
                 const std::vector<const CollectiveSpec *> &all, Mover &mover);

  Status first(std::vector<int64_t> &from, int64_t &received);
  Status second(std::vector<int64_t> &from, int64_t &received);
  bool hasSecond() const { return twoPhases; }

private:
  /// One move, and the members that it reads from, so many bytes each.
  struct Part {
    std::unique_ptr<Mover::Move> move;
    std::vector<int64_t> members;
    int64_t bytes;
  };

  class Builder;

  Status run(const std::vector<Part> &parts, std::vector<int64_t> &from,
             int64_t &received) const;

  std::vector<Part> firsts, seconds;
  int64_t me = 0;
  bool twoPhases = false;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_TRANSFERS_H
