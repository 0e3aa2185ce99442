//===- Transfers.h - who reads what from whom in memory --------*- C++ -*-===//

#ifndef HOCKET_LIB_COMMUNICATOR_TRANSFERS_H
#define HOCKET_LIB_COMMUNICATOR_TRANSFERS_H

#include "hocket/Cpu/Reduce.h"
#include "hocket/Cpu/StridedCopy.h"
#include "hocket/Runtime/Communicator.h"

namespace hocket::runtime {

/// What one member does in a collective whose members can read each other's
/// memory. `first` needs every src to be ready, `second` (all_reduce only)
/// every member's `first` to be done. Both add to `from`, an entry a member,
/// the bytes that they have read from each other one, and return their sum.
class Transfers {
public:
  Transfers() = default;
  /// `all` are the members' specs in member order, `mine` one of them.
  Transfers(const CollectiveSpec &mine,
            const std::vector<const CollectiveSpec *> &all);

  int64_t first(std::vector<int64_t> &from);
  int64_t second(std::vector<int64_t> &from);
  bool hasSecond() const { return twoPhases; }

private:
  struct Piece {
    StridedCopy copy;
    const void *src;
    void *dst;
    int64_t member; // whose src it is; this one's for zeros
  };
  struct Chunk {
    Reduce reduce;
    int64_t begin, end;
    std::vector<int64_t> members; // whose the terms are
    int64_t elementBytes;
  };

  class Builder;

  int64_t run(std::vector<Chunk> &chunks, std::vector<int64_t> &from);

  std::vector<Piece> pieces;
  std::vector<Chunk> reductions, gathers;
  int64_t me = 0;
  bool twoPhases = false;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_TRANSFERS_H
