//===- Mover.h - how ranks read each other's memory ------------*- C++ -*-===//
//
// What a communicator, whose ranks can read each other's memory, asks of the
// device that the memory is of: copies and sums, and that what one rank issues
// comes after what another one has.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_MOVER_H
#define HOCKET_RUNTIME_MOVER_H

#include "hocket/Runtime/Call.h"

namespace hocket::runtime {

/// Of one rank; of its thread only, except `follow`'s mark, which is another
/// rank's.
class Mover {
public:
  virtual ~Mover() = default;

  /// Something that is moved, prepared once and run any number of times.
  class Move {
  public:
    virtual ~Move() = default;
    virtual Status run() = 0;
  };
  /// A copy between windows of one shape and type; a stride of `from` may be 0.
  virtual Status makeCopy(const Operand &from, const Operand &to,
                          std::unique_ptr<Move> &move) = 0;
  virtual Status makeZeros(const Operand &to, std::unique_ptr<Move> &move) = 0;
  /// Elements [begin, end) of `out` = terms[0] op terms[1] op ..., in this
  /// order, of windows of one shape and type; `out` may be one of the terms.
  /// F16 and BF16 are reduced in F32 and rounded once; a sum of Bool is "or".
  /// Elements are numbered row-major, the dims taken in the order `order`,
  /// outermost first.
  virtual Status makeReduce(plan::Reduction reduction, const Operand &out,
                            const std::vector<Operand> &terms,
                            const std::vector<int> &order, int64_t begin,
                            int64_t end, std::unique_ptr<Move> &move) = 0;

  /// A point in what a rank has issued.
  class Mark {
  public:
    virtual ~Mark() = default;
  };
  /// Null where all that is issued is done at once.
  virtual Status makeMark(std::unique_ptr<Mark> &mark) = 0;
  /// `mark` stands behind all that this rank has issued so far.
  virtual Status set(Mark *mark) = 0;
  /// What this rank issues from here on comes after what stands before `mark`.
  virtual Status follow(const Mark *mark) = 0;
};

/// Of memory of the host; it serves all ranks.
Mover &hostMover();

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_MOVER_H
