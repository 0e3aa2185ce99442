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

namespace {

/// Query i sees the keys from i + first - before to i + first + after, of those
/// of its runs.
struct Limits {
  Limits(const Attention &attention, int64_t first)
      : first(first), before(attention.before),
        after(attention.causal ? 0 : attention.after) {}

  /// How many of keys [begin, end) queries [query, query + count) see, in
  /// pairs.
  int64_t pairs(int64_t query, int64_t count, BlockRun keys) const {
    // Key `begin` is the first one for the sums.
    int64_t at = query + first - keys.begin, size = keys.end - keys.begin;
    int64_t seen = after < 0 ? saturatingProduct(count, size)
                             : sumOfCut(at + after + 1, count, size);
    return before < 0 ? seen : seen - sumOfCut(at - before, count, size);
  }
  /// Which of them some of the queries see.
  BlockRun seen(int64_t query, int64_t count, BlockRun keys) const {
    int64_t at = query + first;
    if (after >= 0)
      keys.end = std::min(keys.end, at + count + after);
    if (before >= 0)
      keys.begin = std::max(keys.begin, at - before);
    return {keys.begin, std::max(keys.begin, keys.end)};
  }

private:
  int64_t first, before, after;
};

/// How many blocks of `block` positions keys have that begin at `first`.
int64_t blocksOf(BlockRun keys, int64_t first, int64_t block) {
  return keys.begin >= keys.end ? 0
                                : (first + keys.end + block - 1) / block -
                                      (first + keys.begin) / block;
}

/// Calls `visit(query, count)` with the queries from 0 on, block by block of
/// the whole sequence, in which they begin at `first`.
template <class Visitor>
void visitRows(int64_t first, int64_t queries, int64_t block, Visitor visit) {
  for (int64_t query = 0, count; query < queries; query += count) {
    count = std::min(block - (first + query) % block, queries - query);
    visit(query, count);
  }
}

/// What the rank's queries of some heads see under a layout.
struct SightOfLayout {
  const Attention &attention;
  const Limits &limits;
  int64_t firstQuery, firstKey; // of the whole sequence
  int64_t pairs = 0, blocks = 0;
  /// By key, how many runs that some query sees begin and end there.
  std::vector<int64_t> begins, ends;

  void add(int64_t head);
  void add(int64_t query, int64_t count, BlockRun keys);
  int64_t keys() const {
    int64_t open = 0, count = 0;
    for (size_t key = 0; key < begins.size(); ++key)
      count += (open += begins[key] - ends[key]) > 0;
    return count;
  }
};

} // namespace

void SightOfLayout::add(int64_t head) {
  int64_t block = attention.layout->block;
  auto visit = [&](int64_t query, int64_t count) {
    int64_t row = (firstQuery + query) / block;
    for (BlockRun run :
         visitedBlocks(*attention.layout, attention.layoutBlocks, head, row))
      add(query, count, {run.begin * block, run.end * block});
  };
  visitRows(firstQuery, attention.q.shape[2], block, visit);
}

void SightOfLayout::add(int64_t query, int64_t count, BlockRun keys) {
  int64_t held = attention.k.shape[2];
  keys = {std::max<int64_t>(keys.begin - firstKey, 0),
          std::min(keys.end - firstKey, held)};
  if (keys.begin >= keys.end)
    return;
  pairs = saturatingSum(pairs, limits.pairs(query, count, keys));
  keys = limits.seen(query, count, keys);
  blocks =
      saturatingSum(blocks, blocksOf(keys, firstKey, attention.layout->block));
  ++begins[std::clamp<int64_t>(keys.begin, 0, held)];
  ++ends[std::clamp<int64_t>(keys.end, 0, held)];
}

static Sight sightOfLayout(const Attention &attention, const Limits &limits,
                           const Plan &plan, int64_t rank) {
  std::vector<int64_t> none(attention.k.shape[2] + 1);
  SightOfLayout sight{attention,
                      limits,
                      valueOn(plan, attention.queryOffset, rank),
                      valueOn(plan, attention.keyOffset, rank),
                      0,
                      0,
                      none,
                      none};
  int64_t heads = attention.q.shape[1];
  if (!attention.layout->perHead) {
    sight.add(0);
    return {saturatingProduct(heads, sight.pairs),
            saturatingProduct(heads, sight.blocks),
            {sight.keys()}};
  }
  int64_t first = valueOn(plan, attention.headOffset, rank);
  for (int64_t head = 0; head < heads; ++head)
    sight.add(first + head);
  return {sight.pairs, sight.blocks, {sight.keys()}};
}

Sight sightOf(const Attention &attention, const Plan &plan, int64_t rank) {
  int64_t queries = attention.q.shape[2], keys = attention.k.shape[2];
  int64_t firstQuery = valueOn(plan, attention.queryOffset, rank);
  int64_t firstKey = valueOn(plan, attention.keyOffset, rank);
  Limits limits(attention, firstQuery - firstKey);
  if (attention.layout)
    return sightOfLayout(attention, limits, plan, rank);
  int64_t pairs = limits.pairs(0, queries, {0, keys});
  BlockRun seen = limits.seen(0, queries, {0, keys});
  int64_t count = std::clamp<int64_t>(seen.end, 0, keys) -
                  std::clamp<int64_t>(seen.begin, 0, keys);
  int64_t heads = attention.q.shape[1], blocks = 0;
  visitRows(
      firstQuery, queries, kCountedBlock, [&](int64_t query, int64_t count) {
        BlockRun row = limits.seen(query, count, {0, keys});
        row.begin = std::clamp<int64_t>(row.begin, 0, keys);
        row.end = std::clamp<int64_t>(row.end, 0, keys);
        blocks = saturatingSum(blocks, blocksOf(row, firstKey, kCountedBlock));
      });
  return {saturatingProduct(heads, pairs),
          saturatingProduct(heads, blocks),
          {queries == 0 ? 0 : count}};
}

Sight sightOf(const NeighborhoodAttention &attention, const Plan &plan,
              int64_t rank) {
  Sight sight;
  sight.pairs = attention.q.shape[1];
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
    if (x.layout && x.layout->perHead)
      add(x.headOffset);
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
