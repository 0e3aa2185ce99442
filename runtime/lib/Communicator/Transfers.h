//===- Transfers.h - who reads what from whom in memory --------*- C++ -*-===//

#ifndef HOCKET_LIB_COMMUNICATOR_TRANSFERS_H
#define HOCKET_LIB_COMMUNICATOR_TRANSFERS_H

#include "hocket/Cpu/Reduce.h"
#include "hocket/Cpu/StridedCopy.h"
#include "hocket/Runtime/Communicator.h"

namespace hocket::runtime {

/// What one member does in a collective whose members can read each other's
/// memory. `first` needs every src to be ready, `second` (all_reduce only)
/// every member's `first` to be done.
class Transfers {
public:
  Transfers() = default;
  /// `all` are the members' specs in member order, `mine` one of them.
  Transfers(const CollectiveSpec &mine,
            const std::vector<const CollectiveSpec *> &all);

  void first();
  void second();
  bool hasSecond() const { return twoPhases; }
  /// Bytes that first and second read from other members.
  int64_t receivedBytes() const { return received; }

private:
  struct Piece {
    StridedCopy copy;
    const void *src;
    void *dst;
  };
  struct Chunk {
    Reduce reduce;
    int64_t begin, end;
  };

  void add(const CollectiveSpec &mine,
           const std::vector<const CollectiveSpec *> &all);
  void copyFrom(int64_t peer, const CollectiveSpec &mine,
                const CollectiveSpec &theirs);
  void reduceBox(const CollectiveSpec &mine,
                 const std::vector<const CollectiveSpec *> &all);
  void reduceChunks(const CollectiveSpec &mine,
                    const std::vector<const CollectiveSpec *> &all);

  void moveHalo(const CollectiveSpec &mine,
                const std::vector<const CollectiveSpec *> &all);

  std::vector<Piece> pieces;
  std::vector<Chunk> reductions, gathers;
  int64_t received = 0;
  bool twoPhases = false;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_TRANSFERS_H
