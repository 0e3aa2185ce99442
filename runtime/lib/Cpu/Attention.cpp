//===- Attention.cpp - attention that never holds seq x seq ---------------===//
//
// For tiles of queries, tiles of the keys that they visit come one after the
// other: scores = Q K^T, exponentials against the running maximum, output
// shrunk to the new maximum, output += scores V. At the end each row is divided
// by its running sum.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cpu/AttentionAhead.h"
#include "runtime/lib/Cpu/AttentionPlain.h"
#include "runtime/lib/Cpu/AttentionSplit.h"
#include "runtime/lib/Cpu/WorkersCall.h"
#include <algorithm>
#include <limits>

namespace hocket::runtime {

namespace {

/// One thread's memory.
class AttentionWorker {
public:
  AttentionWorker(const AttentionArguments &arguments, const BlockPlan &plan)
      : given(arguments), plan(plan), functions(vectorFunctions()),
        depth(given.q.shape[3]), width(given.v.shape[3]),
        keys(given.k, plan, HeadPanels::Transposed),
        values(given.v, plan, HeadPanels::Rows), walk(given, plan), ahead(plan),
        terms(plan.columns), split(splitFunctionsOf(given)),
        splitKeys(given.k, plan, split, HeadPanels::Transposed),
        splitValues(given.v, plan, split, HeadPanels::Rows),
        splitTerms(plan.columns / plan.panel + 1) {
    setScratch(nullptr); // adds up `bytes`
  }

  int64_t scratchBytes() const { return bytes; }
  void setScratch(char *scratch);
  const SplitFunctions *splitFunctions() const { return split; }
  /// Nothing of the head before holds any more.
  void forget() { batch = -1; }
  /// Query tiles [begin, end) of one head.
  void runHead(int64_t b, int64_t h, int64_t begin, int64_t end);

private:
  void placePanels(ScratchPieces &pieces);
  void setHead(int64_t b, int64_t h);
  void runGroup(int64_t b, int64_t h, int64_t begin, int64_t end);
  void lookAhead(int64_t b, int64_t h, int64_t number);
  void runTile(int64_t rows, const float *query, int64_t first);
  void addScores(int64_t rows, const float *query);
  bool addWeights(int64_t rows, const float *query, int64_t first);
  RowProduct scoresOf(const KeyPiece &piece, const RowTerm &key, int64_t rows,
                      const float *query);
  SoftmaxTile softmaxOf(int64_t rows, int64_t first);
  void addValues(int64_t rows, float *output);
  void weigh(int64_t rows, int64_t first);
  void runSplitTile(int64_t rows, int64_t first);
  bool addSplitWeights(const SplitProduct &product, int64_t first);
  int64_t weightStep() const { return splitUp(plan.columns) / splitDepth; }

  const AttentionArguments &given;
  const BlockPlan &plan;
  const VectorFunctions &functions;
  const int64_t depth, width;
  HeadPanels keys, values;
  KeyWalk walk;
  AheadRows ahead;
  std::vector<RowTerm> terms;
  const SplitFunctions *split; // null: all products are those of vectors
  SplitPanels splitKeys, splitValues;
  std::vector<SplitTerm> splitTerms;
  int64_t bytes = 0, batch = -1, kvHead = -1;
  /// Whether keys and values of the head can be split, and whether its queries
  /// can, too, and all are.
  bool canSplit = false, isSplit = false;
  Pair *splitQueries = nullptr, *weights = nullptr;
  float *scores = nullptr, *output = nullptr, *shifts = nullptr,
        *sums = nullptr, *rescale = nullptr, *queries = nullptr,
        *totals = nullptr;
};

class AttentionCall : public WorkersCall<AttentionWorker> {
public:
  AttentionCall(const AttentionArguments &given, int threads)
      : WorkersCall(threads), arguments(given), plan(arguments, 512) {
    for (int part = 0; part < threads; ++part)
      workers.push_back(std::make_unique<AttentionWorker>(arguments, plan));
  }

private:
  void runPart(int part) override;

  const AttentionArguments arguments;
  const BlockPlan plan;
};

} // namespace

void AttentionWorker::setScratch(char *scratch) {
  ScratchPieces pieces(scratch);
  int64_t rows = split ? splitUp(plan.rows) : plan.rows;
  scores = pieces.takeFloats(rows * plan.pitch);
  output = pieces.takeFloats(plan.groupTiles * rows * width);
  shifts = pieces.takeFloats(plan.groupRows);
  sums = pieces.takeFloats(plan.groupRows);
  rescale = pieces.takeFloats(plan.rows);
  queries = pieces.takeFloats(plan.groupRows * depth);
  totals = pieces.takeFloats(plan.rows * 16);
  if (split) {
    splitQueries = takeSplit(pieces, plan.groupRows, depth);
    weights = takeSplit(pieces, plan.rows, plan.columns);
  }
  placePanels(pieces);
  walk.setScratch(pieces);
  bytes = pieces.bytes();
}

void AttentionWorker::placePanels(ScratchPieces &pieces) {
  shareScratch(
      pieces,
      [this](ScratchPieces &own) {
        keys.setScratch(own);
        values.setScratch(own);
      },
      [this](ScratchPieces &own) {
        splitKeys.setScratch(own);
        splitValues.setScratch(own);
      });
}

void AttentionWorker::setHead(int64_t b, int64_t h) {
  bool isNew = b != batch || given.kvHead(h) != kvHead, wasSplit = isSplit;
  if (b != batch)
    walk.setBatch(b);
  batch = b;
  kvHead = given.kvHead(h);
  if (isNew)
    canSplit = split && isSplittable(*split, given.k, b, kvHead) &&
               isSplittable(*split, given.v, b, kvHead);
  isSplit = canSplit && isSplittable(*split, given.q, b, h);
  if (!isNew && isSplit == wasSplit)
    return;
  if (isSplit) {
    splitKeys.setHead(b, kvHead);
    splitValues.setHead(b, kvHead);
  } else {
    keys.setHead(b, kvHead);
    values.setHead(b, kvHead);
  }
}

void AttentionWorker::runHead(int64_t b, int64_t h, int64_t begin,
                              int64_t end) {
  setHead(b, h);
  ahead.clear();
  while (begin < end) {
    int64_t next = std::min(end, begin + plan.groupTiles);
    if (given.visited && next < end)
      lookAhead(b, h, next);
    runGroup(b, h, begin, next);
    begin = next;
  }
}

/// Asks for what tile `number`, which is the next one, reads and writes.
void AttentionWorker::lookAhead(int64_t b, int64_t h, int64_t number) {
  const QueryTile &tile = plan.tile(h, number);
  ahead.add(given.q, b, h, tile);
  ahead.addPanels(given.visited->runs(h, tile.blockRow), keys, values);
  ahead.add(given.out, b, h, tile);
}

void AttentionWorker::runGroup(int64_t b, int64_t h, int64_t begin,
                               int64_t end) {
  QueryTile group = plan.span(h, begin, end);
  std::fill_n(shifts, group.rows, -std::numeric_limits<float>::infinity());
  std::fill_n(sums, group.rows, 0.0f);
  loadRows(given.q, b, h, group, queries);
  if (isSplit)
    split->left(
        {splitQueries, depth / splitDepth, queries, depth, group.rows, depth});
  for (walk.begin(h, begin, end); walk.next();) {
    int64_t first = walk.tile().row - group.row;
    if (isSplit)
      runSplitTile(walk.tile().rows, first);
    else
      runTile(walk.tile().rows, queries + first * depth, first);
  }
  storeSums(given, {b, h, group.row, group.rows, output, shifts, sums});
}

/// Adds what the keys at which the walk is give to rows from `first` on of the
/// group.
void AttentionWorker::runTile(int64_t rows, const float *query, int64_t first) {
  float *to = output + first * width;
  if (walk.isChanged() || !addWeights(rows, query, first)) {
    addScores(rows, query);
    weigh(rows, first);
  }
  walk.drop(scores);
  addValues(rows, to);
}

/// Scores become weights, and sums of values shrink as they have to.
void AttentionWorker::weigh(int64_t rows, int64_t first) {
  functions.softmaxTile(softmaxOf(rows, first));
  for (int64_t r = 0; !walk.isFirst() && r < rows; ++r)
    if (rescale[r] != 1.0f)
      functions.scaleRow(output + (first + r) * width, width, rescale[r]);
}

RowProduct AttentionWorker::scoresOf(const KeyPiece &piece, const RowTerm &key,
                                     int64_t rows, const float *query) {
  return {query,
          depth,
          1,
          &key,
          1,
          keys.pitch(),
          scores + piece.column,
          plan.pitch,
          rows,
          piece.count,
          false,
          walk.visible(piece)};
}

SoftmaxTile AttentionWorker::softmaxOf(int64_t rows, int64_t first) {
  SoftmaxTile tile{scores,         plan.pitch,         rows,
                   walk.columns,   float(given.scale), walk.mask(),
                   walk.visible(), shifts + first,     sums + first,
                   rescale};
  KeyWalk::Added added = walk.added();
  tile.added = added.first, tile.addedPitch = added.pitch;
  return tile;
}

void AttentionWorker::addScores(int64_t rows, const float *query) {
  for (const KeyPiece &piece : walk.pieces())
    functions.rowProduct(
        scoresOf(piece, {keys.at(piece.key), depth}, rows, query));
}

/// Weights by the shifts that rows have, or get from the first piece of which
/// they see something. False: weights are too large.
bool AttentionWorker::addWeights(int64_t rows, const float *query,
                                 int64_t first) {
  if (given.scale <= 0)
    return false;
  std::fill_n(totals, rows * 16, 0.0f);
  for (const KeyPiece &piece : walk.pieces()) {
    RowTerm key{keys.at(piece.key), depth};
    functions.weightProduct({ahead.with(scoresOf(piece, key, rows, query)),
                             float(given.scale), shifts + first, totals});
  }
  return functions.addTotals({rows, shifts + first, totals, sums + first});
}

/// The same by the matrix unit.
void AttentionWorker::runSplitTile(int64_t rows, int64_t first) {
  SplitProduct product =
      splitKeys.productOf(splitQueries, first, rows, walk, splitTerms);
  if (walk.isChanged() || given.dropout.isLive() ||
      !addSplitWeights(product, first)) {
    multiplyPanels(*split, product, walk, scores);
    weigh(rows, first);
    walk.drop(scores);
    split->left(
        {weights, weightStep(), scores, plan.pitch, rows, walk.columns});
  }
  int64_t count = 0;
  for (const KeyPiece &piece : walk.pieces())
    splitTerms[count++] = {splitValues.at(piece.key),
                           splitUp(piece.count) / splitDepth};
  split->product({weights, weightStep(), splitTerms.data(), count,
                  splitValues.step(), output + first * width, width, rows,
                  width, !walk.isFirst(), nullptr, walk.visible()});
}

bool AttentionWorker::addSplitWeights(const SplitProduct &product,
                                      int64_t first) {
  if (given.scale <= 0)
    return false;
  std::fill_n(totals, product.rows * 16, 0.0f);
  split->weights({product, float(given.scale), shifts + first, totals, weights,
                  weightStep()});
  return functions.addTotals(
      {product.rows, shifts + first, totals, sums + first});
}

void AttentionWorker::addValues(int64_t rows, float *to) {
  int64_t count = 0;
  for (const KeyPiece &piece : walk.pieces())
    terms[count++] = {values.at(piece.key), piece.count};
  functions.rowProduct(ahead.with({scores, plan.pitch, 1, terms.data(), count,
                                   values.pitch(), to, width, rows, width,
                                   !walk.isFirst(), nullptr, walk.visible()}));
}

/// Heads go round the threads; where there are fewer heads than threads, each
/// head's query tiles are cut as well, in parts of equal work.
void AttentionCall::runPart(int part) {
  int64_t heads = arguments.q.shape[1];
  int64_t items = arguments.q.shape[0] * heads;
  int64_t cuts = items % threads == 0 ? 1 : threads;
  AttentionWorker &worker = *workers[part];
  worker.forget();
  SplitScope scope(worker.splitFunctions());
  for (int64_t piece = part; piece < items * cuts; piece += threads) {
    int64_t item = piece / cuts, cut = piece % cuts, head = item % heads;
    int64_t work = plan.work(head);
    worker.runHead(item / heads, head, plan.tileAt(head, work * cut / cuts),
                   plan.tileAt(head, work * (cut + 1) / cuts));
  }
}

Status makeAttention(const AttentionArguments &arguments, int threads,
                     std::unique_ptr<Call> &call) {
  if (Status status = checkMatrixUnit(); !status.ok())
    return status;
  bool single = arguments.q.type == plan::DType::F32 &&
                arguments.k.type == plan::DType::F32 &&
                arguments.v.type == plan::DType::F32 &&
                arguments.out.type == plan::DType::F32;
  bool empty = arguments.out.elements() == 0 || arguments.k.shape[2] == 0 ||
               arguments.q.shape[3] == 0;
  if (single && !empty)
    call = std::make_unique<AttentionCall>(arguments, threads);
  else
    call = makePlainAttention(arguments, threads);
  return Status::success();
}

} // namespace hocket::runtime
