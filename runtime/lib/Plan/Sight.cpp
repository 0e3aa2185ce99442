//===- Sight.cpp - which keys the queries of an attention see -------------===//

#include "Sight.h"
#include "hocket/Plan/Work.h"
#include <algorithm>

namespace hocket::plan {

int64_t valueOn(const Plan &plan, const Scalar &scalar, int64_t rank) {
  if (scalar.table < 0)
    return scalar.constant;
  const Table &table = plan.tables[scalar.table];
  return scalar.constant +
         scalar.scale * table.values[plan.coordinate(rank, table.axes)];
}

/// The sum of i + first, cut to [0, most], over i in [0, count).
static int64_t sumOfCut(int64_t first, int64_t count, int64_t most) {
  // i in [begin, end) are not cut, those from `end` on are `most`.
  int64_t begin = std::clamp<int64_t>(-first, 0, count);
  int64_t end = std::clamp<int64_t>(most - first, begin, count);
  int64_t rising = end - begin;
  int64_t sum = saturatingProduct(rising, rising - 1) / 2;
  sum = saturatingSum(sum, saturatingProduct(rising, begin + first));
  return saturatingSum(sum, saturatingProduct(count - end, most));
}

/// Query i sees the keys from i + at - before to i + at + after, of those that
/// there are.
Sight sightOf(const Attention &attention, const Plan &plan, int64_t rank) {
  int64_t queries = attention.q.shape[2], keys = attention.k.shape[2];
  int64_t at = valueOn(plan, attention.queryOffset, rank) -
               valueOn(plan, attention.keyOffset, rank);
  int64_t after = attention.causal ? 0 : attention.after;
  Sight sight;
  int64_t begin = 0, end = keys;
  if (after >= 0) {
    sight.pairs = sumOfCut(at + after + 1, queries, keys);
    end = std::clamp<int64_t>(queries + at + after, 0, keys);
  } else {
    sight.pairs = saturatingProduct(queries, keys);
  }
  if (attention.before >= 0) {
    sight.pairs -= sumOfCut(at - attention.before, queries, keys);
    begin = std::clamp<int64_t>(at - attention.before, 0, keys);
  }
  sight.keys = {queries == 0 ? 0 : std::max<int64_t>(end - begin, 0)};
  return sight;
}

Sight sightOf(const NeighborhoodAttention &attention, const Plan &plan,
              int64_t rank) {
  Sight sight;
  sight.pairs = 1;
  for (size_t dim = 0; dim < attention.dims.size(); ++dim) {
    const NeighborhoodDim &one = attention.dims[dim];
    int64_t first = valueOn(plan, one.queryOffset, rank);
    int64_t queries = attention.q.shape[dim + 2];
    int64_t pairs = saturatingProduct(queries, one.window.kernel);
    if (one.window.causal) { // fewer near the begin
      pairs = 0;
      for (int64_t query = first; query < first + queries; ++query)
        pairs += one.window.keysOf(query).count;
    }
    sight.pairs = saturatingProduct(sight.pairs, pairs);
    Neighborhood::Range range = one.window.reads(first, queries);
    sight.keys.push_back(
        std::min(range.end - range.begin, attention.k.shape[dim + 2]));
  }
  return sight;
}

namespace {

/// Adds the tables of some scalars.
struct TablesOfSight {
  std::set<int> &tables;

  void add(const Scalar &scalar) const {
    if (scalar.table >= 0)
      tables.insert(scalar.table);
  }
  void operator()(const Attention &x) const {
    add(x.queryOffset);
    add(x.keyOffset);
  }
  void operator()(const NeighborhoodAttention &x) const {
    for (const NeighborhoodDim &dim : x.dims)
      add(dim.queryOffset);
  }
  template <class Forward> void operator()(const GradientOf<Forward> &x) const {
    (*this)(x.forward);
  }
  template <class Other> void operator()(const Other &) const {}
};

} // namespace

void addTablesOfSight(const Instruction &instruction, std::set<int> &tables) {
  std::visit(TablesOfSight{tables}, instruction.body);
}

} // namespace hocket::plan
