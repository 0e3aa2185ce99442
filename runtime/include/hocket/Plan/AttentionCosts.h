//===- AttentionCosts.h - what attentions of a plan cost -------*- C++ -*-===//
//
// An attention of the model is one instruction of a rank's step, or in a ring,
// or where queries or keys are several runs of the sequence, many: terms. Here
// they are one again, with its gradient, by the path that they come from.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_ATTENTIONCOSTS_H
#define HOCKET_PLAN_ATTENTIONCOSTS_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// Blocks of queries and of keys are of so many positions, unless a layout has
/// its own.
inline constexpr int64_t kCountedBlock = 64;

/// Of the forward, or of the backward of a step, with what is computed again.
struct AttentionDirection {
  /// By rank: pairs of a query and a key that it sees under its mask and
  /// layout, in all heads and batch entries. What padding hides, only a run
  /// knows.
  std::vector<int64_t> scores;
  /// By rank: pairs of a block of queries and a block of keys of which there is
  /// a score, in all heads and batch entries. Neighborhoods have none.
  std::vector<int64_t> blocks;
  /// By rank: bytes received in collectives that fill what the attention reads,
  /// send what its gradient gives, or stand at its path; not those of hooks.
  std::vector<int64_t> received;
  /// How many times parts of a ring travel, and how many times they would if
  /// no mask hid anything. 0 without a ring.
  int64_t hops = 0, allHops = 0;

  bool operator==(const AttentionDirection &other) const {
    return scores == other.scores && blocks == other.blocks &&
           received == other.received && hops == other.hops &&
           allHops == other.allHops;
  }
};

/// Bytes of what its instructions read and write, as many as are there at the
/// same time at most, of the rank with the most. A buffer is there from the
/// first instruction that has it to the last one.
struct AttentionMemory {
  int64_t queries = 0, keysAndValues = 0, results = 0, lse = 0, gradients = 0,
          bias = 0;

  bool operator==(const AttentionMemory &other) const {
    return queries == other.queries && keysAndValues == other.keysAndValues &&
           results == other.results && lse == other.lse &&
           gradients == other.gradients && bias == other.bias;
  }
};

struct AttentionCosts {
  /// Of those that are alike; where there is none, the place in the model.
  std::vector<std::string> paths;
  /// Positions of a block; 0 of a neighborhood.
  int64_t block = 0;
  bool hasLayout = false; ///< whose blocks these are
  AttentionDirection forward;
  AttentionDirection backward; ///< all zeros where there is none
  bool hasBackward = false;
  AttentionMemory memory;

  bool isLike(const AttentionCosts &other) const {
    return block == other.block && hasLayout == other.hasLayout &&
           forward == other.forward && backward == other.backward &&
           hasBackward == other.hasBackward && memory == other.memory;
  }
};

/// In the order of the plan. Of one step.
std::vector<AttentionCosts> attentionCosts(const Plan &plan);

} // namespace hocket::plan

#endif // HOCKET_PLAN_ATTENTIONCOSTS_H
