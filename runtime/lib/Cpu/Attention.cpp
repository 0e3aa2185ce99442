//===- Attention.cpp - attention that never holds seq x seq ---------------===//
//
// For each head and tile of queries, tiles of keys come one after the other:
// scores = Q K^T (oneDNN), exponentials against the running maximum, output
// shrunk to the new maximum, output += scores V (oneDNN). At the end each row
// is divided by its running sum.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/Attention.h"
#include "hocket/Cpu/Scratch.h"
#include "hocket/Cpu/StridedCopy.h"
#include "hocket/Cpu/VectorFunctions.h"
#include "runtime/lib/Cpu/AttentionBlocks.h"
#include "runtime/lib/Cpu/AttentionPlain.h"
#include "runtime/lib/Cpu/AttentionTiles.h"
#include "runtime/lib/Cpu/WorkersCall.h"
#include <algorithm>
#include <limits>

namespace hocket::runtime {

namespace {

/// One thread's products and memory.
class TileWorker {
public:
  TileWorker(const AttentionArguments &arguments, const TilePlan &plan);

  int64_t scratchBytes() const { return bytes; }
  void setScratch(char *scratch);
  /// Query tiles [begin, end) of one head.
  void runHead(int64_t b, int64_t h, int64_t begin, int64_t end);

private:
  void packHead(int64_t b, int64_t kvHead, int64_t begin, int64_t end);
  /// The first tile with keys that the queries from `row` on may read.
  int64_t firstTile(int64_t row) const {
    return given.keyBegin(row) / plan.keyTile;
  }
  void runTile(int64_t b, int64_t h, int64_t row);
  int64_t columnIndex(int64_t column) const {
    return column + plan.keyTile <= keyCount ? 0 : 1;
  }

  struct Products {
    TileProduct scores, first, more;
  };

  const AttentionArguments &given;
  const TilePlan &plan;
  const VectorFunctions &functions;
  const int64_t keyCount, depth, width, keyTiles;
  dnnl::stream stream;
  Products products[2][2];
  dnnl::reorder packKeys[2], packValues[2];
  dnnl::memory plainKeys[2], plainValues[2], keys[2], values[2];
  StridedCopy copyQueries[2];
  std::vector<ColumnRange> ranges;
  int64_t bytes = 0, keyBytes = 0, valueBytes = 0;
  float *scores = nullptr, *output = nullptr, *maxima = nullptr,
        *sums = nullptr, *rescale = nullptr, *mask = nullptr,
        *queries = nullptr;
  char *packedKeys = nullptr, *packedValues = nullptr, *scratchpad = nullptr;
};

class AttentionCall : public WorkersCall<TileWorker> {
public:
  AttentionCall(const AttentionArguments &given, int threads)
      : WorkersCall(threads), arguments(given) {}

  bool prepare();

private:
  void runPart(int part) override;

  const AttentionArguments arguments;
  TilePlan plan;
};

} // namespace

// ---- one thread -----------------------------------------------------------

TileWorker::TileWorker(const AttentionArguments &arguments,
                       const TilePlan &plan)
    : given(arguments), plan(plan), functions(vectorFunctions()),
      keyCount(given.k.shape[2]), depth(given.q.shape[3]),
      width(given.v.shape[3]),
      keyTiles((keyCount + plan.keyTile - 1) / plan.keyTile),
      stream(cpuEngine()), ranges(plan.queryTile) {
  for (int row = 0; row < 2; ++row) {
    if (plan.rows[row] == 0)
      continue;
    copyQueries[row] = StridedCopy({plan.rows[row], depth},
                                   {given.q.strides[2], given.q.strides[3]},
                                   {depth, 1}, sizeof(float));
    for (int column = 0; column < 2; ++column) {
      if (plan.columns[column] == 0)
        continue;
      const TilePlan::Products &made = plan.products[row][column];
      products[row][column] = {TileProduct(made.scores),
                               TileProduct(made.first), TileProduct(made.more)};
    }
  }
  for (int column = 0; column < 2; ++column) {
    if (plan.columns[column] == 0)
      continue;
    auto prepare = [&](const dnnl::memory::desc &from,
                       const dnnl::memory::desc &to, dnnl::memory &plain,
                       dnnl::memory &packed) {
      plain = dnnl::memory(from, cpuEngine(), nullptr);
      packed = dnnl::memory(to, cpuEngine(), nullptr);
      return dnnl::reorder(plain, packed);
    };
    if (plan.packsKeys)
      packKeys[column] = prepare(plan.plainKeys[column], plan.keys[column],
                                 plainKeys[column], keys[column]);
    if (plan.packsValues)
      packValues[column] =
          prepare(plan.plainValues[column], plan.values[column],
                  plainValues[column], values[column]);
  }
  keyBytes = pieceBytes(plan.keyTileBytes());
  valueBytes = pieceBytes(plan.valueTileBytes());
  setScratch(nullptr); // adds up `bytes`
}

void TileWorker::setScratch(char *scratch) {
  ScratchPieces pieces(scratch);
  scores = pieces.takeFloats(plan.queryTile * plan.keyTile);
  output = pieces.takeFloats(plan.queryTile * width);
  maxima = pieces.takeFloats(plan.queryTile);
  sums = pieces.takeFloats(plan.queryTile);
  rescale = pieces.takeFloats(plan.queryTile);
  mask = pieces.takeFloats(keyCount);
  queries = pieces.takeFloats(plan.copiesQueries ? plan.queryTile * depth : 0);
  packedKeys = pieces.take(plan.packsKeys ? keyBytes * keyTiles : 0);
  packedValues = pieces.take(plan.packsValues ? valueBytes * keyTiles : 0);
  scratchpad = pieces.take(plan.scratchpad);
  bytes = pieces.bytes();
  if (!scratch)
    return;
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column)
      if (plan.rows[row] > 0 && plan.columns[column] > 0)
        for (TileProduct *one :
             {&products[row][column].scores, &products[row][column].first,
              &products[row][column].more})
          one->setScratch(scratchpad);
}

/// Packs tiles from `begin` on that hold keys before `end`, and the padding
/// mask.
void TileWorker::packHead(int64_t b, int64_t kvHead, int64_t begin,
                          int64_t end) {
  for (int64_t tile = begin; tile * plan.keyTile < end; ++tile) {
    int64_t column = tile * plan.keyTile, index = columnIndex(column);
    auto pack = [&](const Operand &operand, dnnl::memory &from,
                    dnnl::memory &to, char *place, dnnl::reorder &reorder) {
      from.set_data_handle(rowOf(operand, b, kvHead, column));
      to.set_data_handle(place);
      reorder.execute(stream, from, to);
    };
    if (plan.packsKeys)
      pack(given.k, plainKeys[index], keys[index], packedKeys + tile * keyBytes,
           packKeys[index]);
    if (plan.packsValues)
      pack(given.v, plainValues[index], values[index],
           packedValues + tile * valueBytes, packValues[index]);
  }
  if (given.keep)
    fillMask(given, b, end, mask);
}

void TileWorker::runHead(int64_t b, int64_t h, int64_t begin, int64_t end) {
  int64_t queryCount = given.q.shape[2];
  int64_t lastRow = std::min(end * plan.queryTile, queryCount) - 1;
  packHead(b, given.kvHead(h), firstTile(begin * plan.queryTile),
           given.keyLimit(lastRow));
  for (int64_t tile = begin; tile < end; ++tile)
    runTile(b, h, tile * plan.queryTile);
}

void TileWorker::runTile(int64_t b, int64_t h, int64_t row) {
  int rowIndex = row + plan.queryTile <= given.q.shape[2] ? 0 : 1;
  int64_t rows = plan.rows[rowIndex], kvHead = given.kvHead(h);
  std::fill(maxima, maxima + rows, -std::numeric_limits<float>::infinity());
  std::fill(sums, sums + rows, 0.0f);
  float *query = rowOf(given.q, b, h, row);
  if (plan.copiesQueries) {
    copyQueries[rowIndex].run(queries, query);
    query = queries;
  }
  int64_t begin = firstTile(row) * plan.keyTile;
  int64_t end = given.keyLimit(row + rows - 1);
  for (int64_t column = begin; column < end; column += plan.keyTile) {
    int64_t tile = column / plan.keyTile, index = columnIndex(column);
    int64_t columns = plan.columns[index];
    Products &product = products[rowIndex][index];
    void *key = plan.packsKeys
                    ? packedKeys + tile * keyBytes
                    : static_cast<void *>(rowOf(given.k, b, kvHead, column));
    void *value = plan.packsValues
                      ? packedValues + tile * valueBytes
                      : static_cast<void *>(rowOf(given.v, b, kvHead, column));
    product.scores.run(stream, query, key, scores);
    KeyPiece piece{column, columns, 0};
    functions.softmaxTile(
        {scores, columns, rows, columns, float(given.scale),
         given.keep ? mask + column : nullptr,
         visibleColumns(given, row, rows, {&piece, 1}, ranges.data()), maxima,
         sums, rescale});
    for (int64_t r = 0; given.dropout.isLive() && r < rows; ++r) {
      int64_t count = given.keyLimit(row + r) - column;
      given.dropout.drop(
          functions, given.q.shape, {b, h, row + r}, column + given.keyOffset,
          count < columns ? count : columns, scores + r * columns);
    }
    if (column == begin) {
      product.first.run(stream, scores, value, output);
      continue;
    }
    for (int64_t r = 0; r < rows; ++r)
      if (rescale[r] != 1.0f)
        functions.scaleRow(output + r * width, width, rescale[r]);
    product.more.run(stream, scores, value, output);
  }
  storeSums(given, {b, h, row, rows, output, maxima, sums});
}

// ---- all threads ----------------------------------------------------------

bool AttentionCall::prepare() {
  // The tiles' products run inside a parallel region of ours.
  setLibraryThreads(1);
  bool made = plan.make(arguments);
  try {
    for (int part = 0; made && part < threads; ++part)
      workers.push_back(std::make_unique<TileWorker>(arguments, plan));
  } catch (const dnnl::error &) {
    made = false;
  }
  setLibraryThreads(threads);
  return made;
}

/// Heads go round the threads; where there are fewer heads than threads, each
/// head's query tiles are cut as well.
void AttentionCall::runPart(int part) {
  int64_t heads = arguments.q.shape[1];
  int64_t items = arguments.q.shape[0] * heads;
  int64_t tiles = (arguments.q.shape[2] + plan.queryTile - 1) / plan.queryTile;
  int64_t cuts = items % threads == 0 ? 1 : threads;
  for (int64_t piece = part; piece < items * cuts; piece += threads) {
    int64_t item = piece / cuts, cut = piece % cuts;
    int64_t begin = tiles * cut / cuts, end = tiles * (cut + 1) / cuts;
    if (begin < end)
      workers[part]->runHead(item / heads, item % heads, begin, end);
  }
}

Status makeAttention(const AttentionArguments &arguments, int threads,
                     std::unique_ptr<Call> &call) {
  bool single = arguments.q.type == plan::DType::F32 &&
                arguments.k.type == plan::DType::F32 &&
                arguments.v.type == plan::DType::F32 &&
                arguments.out.type == plan::DType::F32;
  bool empty = arguments.out.elements() == 0 || arguments.k.shape[2] == 0 ||
               arguments.q.shape[3] == 0;
  if (!single || empty) {
    call = makePlainAttention(arguments, threads);
    return Status::success();
  }
  if (arguments.visited) {
    call = makeBlockAttention(arguments, threads);
    return Status::success();
  }
  auto tiled = std::make_unique<AttentionCall>(arguments, threads);
  if (!tiled->prepare())
    return Status::runtimeError(
        "oneDNN has only its reference loop for the tiles of this attention");
  call = std::move(tiled);
  return Status::success();
}

} // namespace hocket::runtime
