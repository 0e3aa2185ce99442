//===- AttentionBlocks.cpp - attention of visited keys --------------------===//
//
// As Attention.cpp, for tiles of queries that visit the same keys: these lie
// side by side in a tile of scores.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cpu/AttentionBlocks.h"
#include "runtime/lib/Cpu/AttentionWalk.h"
#include "runtime/lib/Cpu/WorkersCall.h"
#include <algorithm>
#include <limits>

namespace hocket::runtime {

namespace {

/// One thread's memory.
class BlockWorker {
public:
  BlockWorker(const AttentionArguments &arguments, const BlockPlan &plan)
      : given(arguments), plan(plan), functions(vectorFunctions()),
        depth(given.q.shape[3]), width(given.v.shape[3]),
        keys(given.k, plan, HeadPanels::Transposed),
        values(given.v, plan, HeadPanels::Rows), walk(given, plan),
        terms(plan.columns) {
    setScratch(nullptr); // adds up `bytes`
  }

  int64_t scratchBytes() const { return bytes; }
  void setScratch(char *scratch);
  /// Nothing of the head before holds any more.
  void forget() { batch = -1; }
  /// Query tiles [begin, end) of one head.
  void runHead(int64_t b, int64_t h, int64_t begin, int64_t end);

private:
  void runTile(int64_t b, int64_t h, const QueryTile &tile);
  void addScores(const QueryTile &tile);
  void addValues(const QueryTile &tile, bool isFirst);

  const AttentionArguments &given;
  const BlockPlan &plan;
  const VectorFunctions &functions;
  const int64_t depth, width;
  HeadPanels keys, values;
  KeyWalk walk;
  std::vector<RowTerm> terms;
  int64_t bytes = 0, batch = -1, kvHead = -1;
  float *scores = nullptr, *output = nullptr, *maxima = nullptr,
        *sums = nullptr, *rescale = nullptr, *query = nullptr;
};

class BlockCall : public WorkersCall<BlockWorker> {
public:
  BlockCall(const AttentionArguments &given, int threads)
      : WorkersCall(threads), arguments(given), plan(arguments, 512) {
    for (int part = 0; part < threads; ++part)
      workers.push_back(std::make_unique<BlockWorker>(arguments, plan));
  }

private:
  void runPart(int part) override;

  const AttentionArguments arguments;
  const BlockPlan plan;
};

} // namespace

void BlockWorker::setScratch(char *scratch) {
  ScratchPieces pieces(scratch);
  scores = pieces.takeFloats(plan.rows * plan.pitch);
  output = pieces.takeFloats(plan.rows * width);
  maxima = pieces.takeFloats(plan.rows);
  sums = pieces.takeFloats(plan.rows);
  rescale = pieces.takeFloats(plan.rows);
  query = pieces.takeFloats(plan.rows * depth);
  keys.setScratch(pieces);
  values.setScratch(pieces);
  walk.setScratch(pieces);
  bytes = pieces.bytes();
}

void BlockWorker::runHead(int64_t b, int64_t h, int64_t begin, int64_t end) {
  if (b != batch)
    walk.setBatch(b);
  if (b != batch || given.kvHead(h) != kvHead) {
    keys.setHead(b, given.kvHead(h));
    values.setHead(b, given.kvHead(h));
  }
  batch = b;
  kvHead = given.kvHead(h);
  for (int64_t tile = begin; tile < end; ++tile)
    runTile(b, h, plan.tile(h, tile));
}

void BlockWorker::runTile(int64_t b, int64_t h, const QueryTile &tile) {
  std::fill_n(maxima, tile.rows, -std::numeric_limits<float>::infinity());
  std::fill_n(sums, tile.rows, 0.0f);
  loadRows(given.q, b, h, tile, query);
  bool isFirst = true;
  for (walk.begin(h, tile); walk.next(); isFirst = false) {
    addScores(tile);
    functions.softmaxTile({scores, plan.pitch, tile.rows, walk.columns,
                           float(given.scale), walk.mask(), walk.visible(),
                           maxima, sums, rescale});
    walk.drop(scores);
    for (int64_t r = 0; !isFirst && r < tile.rows; ++r)
      if (rescale[r] != 1.0f)
        functions.scaleRow(output + r * width, width, rescale[r]);
    addValues(tile, isFirst);
  }
  storeSums(given, {b, h, tile.row, tile.rows, output, maxima, sums});
}

void BlockWorker::addScores(const QueryTile &tile) {
  for (const KeyPiece &piece : walk.pieces()) {
    RowTerm term{keys.at(piece.key), depth};
    functions.rowProduct({query, depth, 1, &term, 1, keys.pitch(),
                          scores + piece.column, plan.pitch, tile.rows,
                          piece.count, false});
  }
}

void BlockWorker::addValues(const QueryTile &tile, bool isFirst) {
  int64_t count = 0;
  for (const KeyPiece &piece : walk.pieces())
    terms[count++] = {values.at(piece.key), piece.count};
  functions.rowProduct({scores, plan.pitch, 1, terms.data(), count,
                        values.pitch(), output, width, tile.rows, width,
                        !isFirst});
}

/// Heads go round the threads; where there are fewer heads than threads, each
/// head's query tiles are cut as well, in parts of equal work.
void BlockCall::runPart(int part) {
  int64_t heads = arguments.q.shape[1];
  int64_t items = arguments.q.shape[0] * heads;
  int64_t cuts = items % threads == 0 ? 1 : threads;
  BlockWorker &worker = *workers[part];
  worker.forget();
  for (int64_t piece = part; piece < items * cuts; piece += threads) {
    int64_t item = piece / cuts, cut = piece % cuts, head = item % heads;
    int64_t work = plan.work(head);
    worker.runHead(item / heads, head, plan.tileAt(head, work * cut / cuts),
                   plan.tileAt(head, work * (cut + 1) / cuts));
  }
}

std::unique_ptr<Call> makeBlockAttention(const AttentionArguments &arguments,
                                         int threads) {
  return std::make_unique<BlockCall>(arguments, threads);
}

} // namespace hocket::runtime
