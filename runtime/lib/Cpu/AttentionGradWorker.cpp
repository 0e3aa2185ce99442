//===- AttentionGradWorker.cpp - one thread's part of a gradient ----------===//
//
// For each head and block of queries, whole rows of scores are computed anew
// and become weights P; dP = dO V^T becomes dS = scale P (dP - rowsum(P dP)).
// Then dQ = dS K, dK += dS^T Q, dV += P^T dO. A block is rows x keys large,
// never queries x keys.
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
      functions(vectorFunctions()), stream(cpuEngine()),
      copyKeys(forward.k, plan.keyCount, plan.pitch),
      copyValues(forward.v, plan.keyCount, plan.pitch),
      storeKeys(copyBack(given.dk, plan.keyCount, {1, plan.pitch})),
      storeValues(copyBack(given.dv, plan.keyCount, {1, plan.pitch})) {
  for (int row = 0; row < 2; ++row) {
    if (plan.rows[row] == 0)
      continue;
    int64_t count = plan.rows[row];
    copyQueries[row] = RowCopies(forward.q, count, count);
    copyGradients[row] = RowCopies(forward.out, count, count);
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
  scores = pieces.takeFloats(plan.queryTile * plan.pitch);
  gradients = pieces.takeFloats(plan.queryTile * plan.pitch);
  keys = pieces.takeFloats(plan.keyCount * plan.depth);
  keysT = pieces.takeFloats(plan.depth * plan.pitch);
  valuesT = pieces.takeFloats(plan.width * plan.pitch);
  query = pieces.takeFloats(plan.queryTile * plan.depth);
  queryT = pieces.takeFloats(plan.queryTile * plan.depth);
  out = pieces.takeFloats(plan.queryTile * plan.width);
  outT = pieces.takeFloats(plan.queryTile * plan.width);
  queryGradient = pieces.takeFloats(plan.queryTile * plan.depth);
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

void GradWorker::runBlock(int64_t b, int64_t h, int64_t row, float *sums) {
  int index = row + plan.queryTile <= plan.queryCount ? 0 : 1;
  int64_t rows = plan.rows[index];
  copyQueries[index].dense.run(query, rowOf(forward.q, b, h, row));
  copyQueries[index].transposed.run(queryT, rowOf(forward.q, b, h, row));
  copyGradients[index].dense.run(out, rowOf(forward.out, b, h, row));
  copyGradients[index].transposed.run(outT, rowOf(forward.out, b, h, row));
  std::fill(queryGradient, queryGradient + rows * plan.depth, 0.0f);
  // Tiles that no row sees hold nothing.
  int64_t limit = forward.keyLimit(row + rows - 1);
  int64_t begin = forward.keyBegin(row) / plan.keyTile * plan.keyTile;
  auto eachTile = [&](auto body) {
    for (int64_t column = begin; column < limit; column += plan.keyTile)
      body(products[index][column + plan.keyTile <= plan.keyCount ? 0 : 1],
           column);
  };
  eachTile([&](Products &product, int64_t column) {
    product.scores.run(stream, query, keysT + column, scores + column);
    product.weights.run(stream, out, valuesT + column, gradients + column);
  });
  int64_t end = (limit + plan.keyTile - 1) / plan.keyTile * plan.keyTile;
  SoftmaxGradRows whole{
      scores + begin,
      gradients + begin,
      plan.pitch,
      rows,
      std::max<int64_t>(std::min(end, plan.keyCount) - begin, 0),
      float(forward.scale),
      forward.keep ? mask + begin : nullptr,
      row + forward.firstLimit() - begin,
      forward.isLimited(),
      row + forward.firstBegin() - begin,
      forward.before >= 0};
  // What was dropped had no effect, and its weight gives none to the values.
  dropRows(b, h, row, rows, gradients);
  functions.softmaxGradRows(whole);
  dropRows(b, h, row, rows, scores);
  float *valueSums = sums + plan.depth * plan.pitch;
  eachTile([&](Products &product, int64_t column) {
    float *gradient = gradients + column;
    product.queries.run(stream, gradient, keys + column * plan.depth,
                        queryGradient);
    product.keys.run(stream, queryT, gradient, sums + column);
    product.values.run(stream, outT, scores + column, valueSums + column);
  });
  storeQueries[index].run(rowOf(given.dq, b, h, row), queryGradient);
}

void GradWorker::dropRows(int64_t b, int64_t h, int64_t row, int64_t rows,
                          float *block) {
  for (int64_t r = 0; forward.dropout.isLive() && r < rows; ++r)
    forward.dropout.drop(functions, forward.q.shape, {b, h, row + r},
                         forward.keyOffset + forward.keyBegin(row + r),
                         forward.keyLimit(row + r) - forward.keyBegin(row + r),
                         block + r * plan.pitch + forward.keyBegin(row + r));
}

void GradWorker::store(int64_t b, int64_t kvHead, const float *sums) {
  storeKeys.run(rowOf(given.dk, b, kvHead, 0), sums);
  storeValues.run(rowOf(given.dv, b, kvHead, 0),
                  sums + plan.depth * plan.pitch);
}

} // namespace hocket::runtime
