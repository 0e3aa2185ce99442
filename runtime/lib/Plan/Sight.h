//===- Sight.h - which keys the queries of an attention see ----*- C++ -*-===//

#ifndef HOCKET_LIB_PLAN_SIGHT_H
#define HOCKET_LIB_PLAN_SIGHT_H

#include "hocket/Plan/AttentionCosts.h"
#include <set>

namespace hocket::plan {

/// What a scalar is on a rank.
int64_t valueOn(const Plan &plan, const Scalar &scalar, int64_t rank);

/// What one batch entry sees on a rank.
struct Sight {
  int64_t pairs = 0; // of a query and a key that it sees, in all heads
  /// Pairs of a block of queries and a block of keys of which there is such a
  /// pair, in all heads: of the layout's blocks, else of `kCountedBlock`
  /// positions each. Of a neighborhood none are counted.
  int64_t blocks = 0;
  /// How many keys of each dim of positions some query of some head sees.
  std::vector<int64_t> keys;
};
Sight sightOf(const Attention &attention, const Plan &plan, int64_t rank);
Sight sightOf(const NeighborhoodAttention &attention, const Plan &plan,
              int64_t rank);

/// The tables that sightOf looks at.
void addTablesOfSight(const Instruction &instruction, std::set<int> &tables);

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_SIGHT_H
