//===- AttentionGradWorker.cpp - one thread's part of a gradient ----------===//
//
// For each head and block of queries, tiles of keys come one after the other
// (Dao 2023, FlashAttention-2, algorithm 2): scores are computed anew and
// become weights P = exp(scores - lse); dP = dO V^T becomes dS = scale P (dP -
// mean), where the mean of dP under P is that of dO * O over a row, or is added
// up where the row has one tile. Then dQ += dS K, dK += dS^T Q, dV += P^T dO.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cpu/AttentionGradWorker.h"
#include "hocket/Cpu/Scratch.h"
#include <algorithm>

namespace hocket::runtime {

static StridedCopy copyBack(const Operand &to, int64_t count,
                            const std::vector<int64_t> &strides) {
  return StridedCopy({count, to.shape[3]}, strides,
                     {to.strides[2], to.strides[3]}, sizeof(float));
}

GradWorker::GradWorker(const AttentionGradArguments &arguments,
                       const GradPlan &plan)
    : given(arguments), forward(arguments.forward), plan(plan),
      functions(vectorFunctions()), stream(cpuEngine()), ranges(plan.queryTile),
      copyKeys(forward.k, plan.keyCount, plan.pitch),
      copyValues(forward.v, plan.keyCount, plan.pitch),
      storeKeys(copyBack(given.dk, plan.keyCount, {1, plan.pitch})),
      storeValues(copyBack(given.dv, plan.keyCount, {1, plan.pitch})) {
  for (int row = 0; row < 2; ++row) {
    if (plan.rows[row] == 0)
      continue;
    int64_t count = plan.rows[row];
    copyQueries[row] = RowCopies(forward.q, count, count);
    copyGradients[row] = RowCopies(given.dout, count, count);
    storeQueries[row] = copyBack(given.dq, count, {plan.depth, 1});
    for (int column = 0; column < 2; ++column) {
      if (plan.columns[column] == 0)
        continue;
      const GradPlan::Products &made = plan.products[row][column];
      products[row][column] = {
          TileProduct(made.scores), TileProduct(made.weights),
          TileProduct(made.queries), TileProduct(made.keys),
          TileProduct(made.values)};
    }
  }
  setScratch(nullptr); // adds up `bytes`
}

void GradWorker::setScratch(char *scratch) {
  ScratchPieces pieces(scratch);
  scores = pieces.takeFloats(plan.queryTile * plan.tilePitch);
  gradients = pieces.takeFloats(plan.queryTile * plan.tilePitch);
  keys = pieces.takeFloats(plan.keyCount * plan.depth);
  keysT = pieces.takeFloats(plan.depth * plan.pitch);
  valuesT = pieces.takeFloats(plan.width * plan.pitch);
  query = pieces.takeFloats(plan.queryTile * plan.depth);
  queryT = pieces.takeFloats(plan.queryTile * plan.depth);
  dout = pieces.takeFloats(plan.queryTile * plan.width);
  doutT = pieces.takeFloats(plan.queryTile * plan.width);
  queryGradient = pieces.takeFloats(plan.queryTile * plan.depth);
  lse = pieces.takeFloats(plan.queryTile);
  means = pieces.takeFloats(plan.queryTile);
  mask = pieces.takeFloats(plan.keyCount);
  scratchpad = pieces.take(plan.scratchpad);
  bytes = pieces.bytes();
  if (!scratch)
    return;
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column) {
      if (plan.rows[row] == 0 || plan.columns[column] == 0)
        continue;
      Products &made = products[row][column];
      for (TileProduct *one : {&made.scores, &made.weights, &made.queries,
                               &made.keys, &made.values})
        one->setScratch(scratchpad);
    }
}

void GradWorker::loadKeys(int64_t b, int64_t kvHead) {
  copyKeys.dense.run(keys, rowOf(forward.k, b, kvHead, 0));
  copyKeys.transposed.run(keysT, rowOf(forward.k, b, kvHead, 0));
  copyValues.transposed.run(valuesT, rowOf(forward.v, b, kvHead, 0));
  if (forward.keep)
    fillMask(forward, b, plan.keyCount, mask);
}

void GradWorker::runPiece(int64_t b, int64_t kvHead, int64_t piece,
                          float *sums) {
  std::fill(sums, sums + plan.sumElements(), 0.0f);
  // The query heads of a kv head follow one another.
  int64_t heads = forward.q.shape[1], first = 0, last = heads;
  while (first < last && forward.kvHead(first) != kvHead)
    ++first;
  while (first < last && forward.kvHead(last - 1) != kvHead)
    --last;
  int64_t blocks = (last - first) * plan.blocks();
  int64_t begin = blocks * piece / plan.pieces;
  int64_t end = blocks * (piece + 1) / plan.pieces;
  if (begin < end)
    loadKeys(b, kvHead);
  for (int64_t block = begin; block < end; ++block)
    runBlock(b, first + block / plan.blocks(),
             block % plan.blocks() * plan.queryTile, sums);
}

void GradWorker::loadRows(const Block &block, int index) {
  int64_t b = block.b, h = block.h, row = block.row, rows = block.rows;
  copyQueries[index].dense.run(query, rowOf(forward.q, b, h, row));
  copyQueries[index].transposed.run(queryT, rowOf(forward.q, b, h, row));
  copyGradients[index].dense.run(dout, rowOf(given.dout, b, h, row));
  copyGradients[index].transposed.run(doutT, rowOf(given.dout, b, h, row));
  for (int64_t r = 0; r < rows; ++r) {
    lse[r] = *rowOf(*forward.lse, b, h, row + r);
    if (!block.isOneTile)
      means[r] =
          rowDot(dout + r * plan.width, rowOf(forward.out, b, h, row + r),
                 forward.out.strides[3], plan.width);
  }
}

void GradWorker::runBlock(int64_t b, int64_t h, int64_t row, float *sums) {
  int index = row + plan.queryTile <= plan.queryCount ? 0 : 1;
  int64_t rows = plan.rows[index];
  // Tiles that no row sees hold nothing.
  int64_t begin = forward.keyBegin(row) / plan.keyTile * plan.keyTile;
  int64_t limit = forward.keyLimit(row + rows - 1);
  Block block = {b,
                 h,
                 row,
                 rows,
                 begin,
                 limit,
                 !forward.isTerm && begin + plan.keyTile >= limit};
  loadRows(block, index);
  std::fill(queryGradient, queryGradient + block.rows * plan.depth, 0.0f);
  float *valueSums = sums + plan.depth * plan.pitch;
  for (int64_t column = begin; column < limit; column += plan.keyTile) {
    int last = column + plan.keyTile <= plan.keyCount ? 0 : 1;
    Products &product = products[index][last];
    product.scores.run(stream, query, keysT + column, scores);
    product.weights.run(stream, dout, valuesT + column, gradients);
    runTile(block, column, plan.columns[last]);
    product.queries.run(stream, gradients, keys + column * plan.depth,
                        queryGradient);
    product.keys.run(stream, queryT, gradients, sums + column);
    product.values.run(stream, doutT, scores, valueSums + column);
  }
  storeQueries[index].run(rowOf(given.dq, b, h, row), queryGradient);
}

/// Scores become weights, and the gradients of weights those of scores.
void GradWorker::runTile(const Block &block, int64_t column, int64_t columns) {
  KeyPiece piece{column, columns, 0};
  SoftmaxGradTile tile{scores,
                       gradients,
                       plan.tilePitch,
                       block.rows,
                       columns,
                       float(forward.scale),
                       lse,
                       means,
                       forward.keep ? mask + column : nullptr,
                       visibleColumns(forward, block.row, block.rows,
                                      {&piece, 1}, ranges.data()),
                       block.isOneTile};
  // What was dropped had no effect, and its weight gives none to the values.
  dropTile(block, column, columns, gradients);
  functions.softmaxGradTile(tile);
  dropTile(block, column, columns, scores);
}

void GradWorker::dropTile(const Block &block, int64_t column, int64_t columns,
                          float *tile) {
  for (int64_t r = 0; forward.dropout.isLive() && r < block.rows; ++r) {
    int64_t query = block.row + r;
    int64_t begin = std::max(forward.keyBegin(query), column);
    int64_t end = std::min(forward.keyLimit(query), column + columns);
    forward.dropout.drop(functions, forward.q.shape, {block.b, block.h, query},
                         forward.keyOffset + begin, end - begin,
                         tile + r * plan.tilePitch + begin - column);
  }
}

void GradWorker::store(int64_t b, int64_t kvHead, const float *sums) {
  storeKeys.run(rowOf(given.dk, b, kvHead, 0), sums);
  storeValues.run(rowOf(given.dv, b, kvHead, 0),
                  sums + plan.depth * plan.pitch);
}

} // namespace hocket::runtime
