//===- AttentionGrad.cpp - gradients of attention -------------------------===//
//
// For tiles of queries, tiles of the keys that they visit come one after the
// other (Dao 2023, FlashAttention-2, algorithm 2): scores are computed anew and
// become weights P = exp(scores - lse); dP = dO V^T becomes dS = scale P (dP -
// mean), where the mean of dP under P is that of dO * O over a row, or is added
// up where the row has one tile. Then dQ += dS K, dK += dS^T Q, dV += P^T dO.
// Gradients of keys and values are added up as rows; those of a panel that
// nothing visits are only zeros. The gradient of a bias is dS / scale, summed
// over what shares an element. That takes a second pass, in which each thread
// has elements of its own.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cpu/AttentionAhead.h"
#include "runtime/lib/Cpu/AttentionGradSplit.h"
#include "runtime/lib/Cpu/AttentionKeySums.h"
#include "runtime/lib/Cpu/AttentionPlain.h"
#include <algorithm>

namespace hocket::runtime {

namespace {

/// One thread's memory.
class AttentionGradWorker {
public:
  AttentionGradWorker(const AttentionGradArguments &arguments,
                      const BlockPlan &plan);

  int64_t scratchBytes() const { return bytes; }
  void setScratch(char *scratch);
  /// Adds what part `piece` of `pieces` of a kv head's queries gives to `sums`,
  /// which it clears.
  void runPiece(int64_t b, int64_t kvHead, int64_t piece, int64_t pieces,
                KeySums &sums);
  SplitGradients &splitGradients() { return split; }
  /// The gradient of the bias of heads that share one, in part `cut` of `cuts`
  /// of their queries.
  void runBias(KeyRun batch, KeyRun heads, int64_t cut, int64_t cuts);

private:
  void setHead(int64_t b, int64_t kvHead);
  /// Without `sums`: what it gives to the bias.
  void runGroup(int64_t b, int64_t h, int64_t begin, int64_t end,
                KeySums *sums);
  void lookAhead(int64_t b, int64_t h, int64_t number);
  void clearBias(KeyRun batch, KeyRun heads, KeyRun queries);
  void loadGroup(int64_t b, int64_t h, const QueryTile &group);
  /// Rows of a group that a tile has.
  struct Rows {
    int64_t count, first;
    float *query, *dout, *queryGradient;
    const float *lse, *means;
  };
  void weigh(const Rows &rows, float gradientScale);
  void addScores(const Rows &rows);
  void addGradients(const Rows &rows, KeySums &sums);
  void runSplitTile(const Rows &rows, KeySums &sums);

  const AttentionGradArguments &given;
  const AttentionArguments &forward;
  const BlockPlan &plan;
  const VectorFunctions &functions;
  const int64_t depth, width;
  HeadPanels keys, keysT, valuesT;
  KeyWalk walk;
  SplitGradients split;
  bool isSplit = false; // the head is
  AheadRows ahead;
  std::vector<RowTerm> terms;
  std::optional<Operand> biasSums; // by scores
  int64_t bytes = 0;
  float *scores = nullptr, *gradients = nullptr, *query = nullptr,
        *dout = nullptr, *queryGradient = nullptr, *lse = nullptr,
        *means = nullptr;
};

class AttentionGradCall : public Call {
public:
  AttentionGradCall(const AttentionGradArguments &given, int threads);

  int64_t scratchBytes() const override { return bytes; }
  void setScratch(void *scratch) override;
  Status run() override {
    parallelFor(threads, [this](int part) {
      SplitScope scope(workers[part]->splitGradients().functions());
      runPart(part);
    });
    if (pieces > 1)
      parallelFor(threads, [this](int part) { storeItems(part); });
    if (arguments.dbias)
      parallelFor(threads, [this](int part) {
        SplitScope scope(workers[part]->splitGradients().functions());
        runBias(part);
      });
    return Status::success();
  }

private:
  void place(char *scratch);
  void runPart(int part);
  void storeItems(int part);
  void runBias(int part);
  bool isBiasCut() const;
  void storePanel(int part, int64_t item, int64_t panel, KeySums *first,
                  KeySums *last);

  const AttentionGradArguments arguments;
  const int threads;
  const BlockPlan plan;
  /// As in GradPlan.
  const int64_t items, pieces;
  std::vector<std::unique_ptr<AttentionGradWorker>> workers;
  std::vector<KeySums>
      sums; // of threads or, if there are more pieces, of these
  int64_t bytes = 0;
};

} // namespace

// ---- one thread -----------------------------------------------------------

AttentionGradWorker::AttentionGradWorker(
    const AttentionGradArguments &arguments, const BlockPlan &plan)
    : given(arguments), forward(arguments.forward), plan(plan),
      functions(vectorFunctions()), depth(forward.q.shape[3]),
      width(forward.v.shape[3]), keys(forward.k, plan, HeadPanels::Rows),
      keysT(forward.k, plan, HeadPanels::Transposed),
      valuesT(forward.v, plan, HeadPanels::Transposed), walk(forward, plan),
      split(arguments, plan, walk), ahead(plan), terms(plan.columns) {
  if (given.dbias)
    biasSums = forward.byScores(*given.dbias);
  setScratch(nullptr); // adds up `bytes`
}

void AttentionGradWorker::setScratch(char *scratch) {
  ScratchPieces pieces(scratch);
  int64_t rows = split.rowsOf(plan.rows);
  scores = pieces.takeFloats(rows * plan.pitch);
  gradients = pieces.takeFloats(rows * plan.pitch);
  query = pieces.takeFloats(plan.groupRows * depth);
  dout = pieces.takeFloats(plan.groupRows * width);
  queryGradient = pieces.takeFloats(plan.groupTiles * rows * depth);
  lse = pieces.takeFloats(plan.groupRows);
  means = pieces.takeFloats(plan.groupRows);
  split.setScratch(pieces);
  shareScratch(
      pieces,
      [this](ScratchPieces &own) {
        for (HeadPanels *panels : {&keys, &keysT, &valuesT})
          panels->setScratch(own);
      },
      [this](ScratchPieces &own) { split.setPanels(own); });
  walk.setScratch(pieces);
  bytes = pieces.bytes();
}

void AttentionGradWorker::setHead(int64_t b, int64_t kvHead) {
  ahead.clear();
  walk.setBatch(b);
  isSplit = split.canSplit(b, kvHead);
  if (isSplit)
    split.setHead(b, kvHead);
  else
    for (HeadPanels *panels : {&keys, &keysT, &valuesT})
      panels->setHead(b, kvHead);
}

void AttentionGradWorker::runPiece(int64_t b, int64_t kvHead, int64_t piece,
                                   int64_t pieces, KeySums &sums) {
  setHead(b, kvHead);
  sums.clear(isSplit);
  int64_t heads = forward.q.shape[1], total = 0, before = 0;
  for (int64_t h = 0; h < heads; ++h)
    total += forward.kvHead(h) == kvHead ? plan.work(h) : 0;
  for (int64_t h = 0; h < heads; ++h) {
    if (forward.kvHead(h) != kvHead)
      continue;
    int64_t tile = plan.tileAt(h, total * piece / pieces - before);
    int64_t end = plan.tileAt(h, total * (piece + 1) / pieces - before);
    for (int64_t next; tile < end; tile = next) {
      next = std::min(end, tile + plan.groupTiles);
      if (forward.visited && next < end)
        lookAhead(b, h, next);
      runGroup(b, h, tile, next, &sums);
    }
    before += plan.work(h);
  }
}

/// Asks for what tile `number`, which is the next one, reads and writes.
void AttentionGradWorker::lookAhead(int64_t b, int64_t h, int64_t number) {
  const QueryTile &tile = plan.tile(h, number);
  for (const Operand *rows : {&forward.q, &given.dout, &forward.out, &given.dq})
    ahead.add(*rows, b, h, tile);
  ahead.addPanels(forward.visited->runs(h, tile.blockRow), keysT, valuesT);
}

void AttentionGradWorker::loadGroup(int64_t b, int64_t h,
                                    const QueryTile &group) {
  loadRows(forward.q, b, h, group, query);
  loadRows(given.dout, b, h, group, dout);
  std::fill_n(queryGradient, group.rows * depth, 0.0f);
  if (isSplit)
    split.loadGroup(group.rows, query, dout);
  for (int64_t r = 0; r < group.rows; ++r) {
    lse[r] = *rowOf(*forward.lse, b, h, group.row + r);
    means[r] = rowDot(dout + r * width, rowOf(forward.out, b, h, group.row + r),
                      forward.out.strides[3], width);
  }
}

void AttentionGradWorker::runGroup(int64_t b, int64_t h, int64_t begin,
                                   int64_t end, KeySums *sums) {
  QueryTile group = plan.span(h, begin, end);
  loadGroup(b, h, group);
  for (walk.begin(h, begin, end); walk.next();) {
    int64_t first = walk.tile().row - group.row;
    Rows rows{walk.tile().rows,
              first,
              query + first * depth,
              dout + first * width,
              queryGradient + first * depth,
              lse + first,
              means + first};
    if (sums && isSplit) {
      runSplitTile(rows, *sums);
      continue;
    }
    weigh(rows, sums ? float(forward.scale) : 1.0f);
    if (sums)
      addGradients(rows, *sums);
    else
      walk.addTo(*biasSums, gradients);
  }
  if (sums)
    storeRows(given.dq, b, h, group, queryGradient);
}

/// Scores become weights, and `gradients` those of the scores, times
/// gradientScale.
void AttentionGradWorker::weigh(const Rows &rows, float gradientScale) {
  if (isSplit)
    split.addScores(rows.count, rows.first, scores, gradients);
  else
    addScores(rows);
  // What was dropped had no effect, and its weight gives none to the values.
  walk.drop(gradients);
  KeyWalk::Added added = walk.added();
  functions.softmaxGradTile({scores, gradients, plan.pitch, rows.count,
                             walk.columns, float(forward.scale), gradientScale,
                             rows.lse, rows.means, walk.mask(), walk.visible(),
                             !forward.isTerm && walk.isWhole(), added.first,
                             added.pitch});
}

/// Scores = Q K^T, gradients of the weights = dO V^T.
void AttentionGradWorker::addScores(const Rows &rows) {
  for (const KeyPiece &piece : walk.pieces()) {
    RowTerm key{keysT.at(piece.key), depth},
        value{valuesT.at(piece.key), width};
    const ColumnRange *wanted = walk.visible(piece);
    functions.rowProduct(ahead.with(
        {rows.query, depth, 1, &key, 1, keysT.pitch(), scores + piece.column,
         plan.pitch, rows.count, piece.count, false, wanted}));
    functions.rowProduct(
        ahead.with({rows.dout, width, 1, &value, 1, valuesT.pitch(),
                    gradients + piece.column, plan.pitch, rows.count,
                    piece.count, false, wanted}));
  }
}

/// dQ += dS K, dK += dS^T Q, dV += P^T dO.
void AttentionGradWorker::addGradients(const Rows &rows, KeySums &sums) {
  walk.drop(scores);
  int64_t count = 0;
  RowTerm queries{rows.query, rows.count}, results{rows.dout, rows.count};
  for (const KeyPiece &piece : walk.pieces()) {
    terms[count++] = {keys.at(piece.key), piece.count};
    bool isAdded = sums.isAdded(piece);
    const ColumnRange *seeing = walk.seeing(piece);
    functions.rowProduct({gradients + piece.column, 1, plan.pitch, &queries, 1,
                          depth, sums.key(piece.key), depth, piece.count, depth,
                          isAdded, nullptr, seeing});
    functions.rowProduct({scores + piece.column, 1, plan.pitch, &results, 1,
                          width, sums.value(piece.key), width, piece.count,
                          width, isAdded, nullptr, seeing});
  }
  functions.rowProduct({gradients, plan.pitch, 1, terms.data(), count,
                        keys.pitch(), rows.queryGradient, depth, rows.count,
                        depth, true, nullptr, walk.visible()});
}

/// The same by the matrix unit.
void AttentionGradWorker::runSplitTile(const Rows &rows, KeySums &sums) {
  if (!split.weigh(rows.count, rows.first, rows.lse, rows.means)) {
    weigh(rows, float(forward.scale));
    walk.drop(scores);
    split.splitScores(rows.count, scores, gradients);
  }
  split.addQueries(rows.count, rows.queryGradient);
  for (const KeyPiece &piece : walk.pieces()) {
    bool isAdded = sums.isAdded(piece);
    split.addKeys(rows.count, rows.first, piece, sums.key(piece.key),
                  sums.value(piece.key), isAdded);
  }
}

void AttentionGradWorker::clearBias(KeyRun batch, KeyRun heads,
                                    KeyRun queries) {
  const Operand &to = *given.dbias;
  // What all share is one.
  auto first = [&](int dim, KeyRun run) {
    return to.shape[dim] == 1 ? KeyRun{0, 1} : run;
  };
  auto [b, bEnd] = first(0, batch);
  for (; b < bEnd; ++b)
    for (auto [h, hEnd] = first(1, heads); h < hEnd; ++h)
      for (auto [i, iEnd] = first(2, queries); i < iEnd; ++i)
        for (int64_t j = 0; j < to.shape[3]; ++j)
          rowOf(to, b, h, i)[j * to.strides[3]] = 0.0f;
}

void AttentionGradWorker::runBias(KeyRun batch, KeyRun heads, int64_t cut,
                                  int64_t cuts) {
  auto tilesOf = [&](int64_t h) {
    int64_t work = plan.work(h);
    return KeyRun{plan.tileAt(h, work * cut / cuts),
                  plan.tileAt(h, work * (cut + 1) / cuts)};
  };
  KeyRun own = tilesOf(heads.begin);
  if (own.begin == own.end)
    return;
  QueryTile queries = plan.span(heads.begin, own.begin, own.end);
  clearBias(batch, heads, {queries.row, queries.row + queries.rows});
  for (int64_t b = batch.begin; b < batch.end; ++b)
    for (int64_t h = heads.begin; h < heads.end; ++h) {
      if (h == heads.begin || forward.kvHead(h) != forward.kvHead(h - 1))
        setHead(b, forward.kvHead(h));
      for (auto [tile, end] = tilesOf(h); tile < end; tile += plan.groupTiles)
        runGroup(b, h, tile, std::min(end, tile + plan.groupTiles), nullptr);
    }
}

// ---- all threads ----------------------------------------------------------

static int64_t piecesOf(int64_t items) {
  constexpr int64_t enough = 8;
  return items >= enough ? 1 : (enough + items - 1) / items;
}

/// By the matrix unit, sums of keys are read and written once for more queries.
static BlockPlan planOf(const AttentionArguments &forward) {
  return splitFunctionsOf(forward) ? BlockPlan(forward, 128, 128)
                                   : BlockPlan(forward, 256);
}

AttentionGradCall::AttentionGradCall(const AttentionGradArguments &given,
                                     int threads)
    : arguments(given), threads(threads), plan(planOf(arguments.forward)),
      items(given.forward.k.shape[0] * given.forward.k.shape[1]),
      pieces(piecesOf(items)) {
  for (int part = 0; part < threads; ++part)
    workers.push_back(std::make_unique<AttentionGradWorker>(arguments, plan));
  for (int64_t slots = pieces > 1 ? items * pieces : threads; slots > 0;
       --slots)
    sums.emplace_back(arguments, plan);
  place(nullptr);
}

/// Adds up `bytes` and, if there is memory, gives it out.
void AttentionGradCall::place(char *scratch) {
  ScratchPieces all(scratch);
  for (auto &worker : workers)
    worker->setScratch(all.take(worker->scratchBytes()));
  for (KeySums &one : sums)
    one.setScratch(all);
  bytes = all.bytes();
}

void AttentionGradCall::setScratch(void *scratch) {
  place(static_cast<char *>(scratch));
}

void AttentionGradCall::runPart(int part) {
  int64_t kvHeads = arguments.forward.k.shape[1];
  for (int64_t n = part; n < items * pieces; n += threads) {
    int64_t item = n / pieces, b = item / kvHeads, kvHead = item % kvHeads;
    KeySums &slot = sums[pieces > 1 ? n : part];
    workers[part]->runPiece(b, kvHead, n % pieces, pieces, slot);
    for (int64_t panel = 0; pieces == 1 && panel < plan.panels; ++panel)
      storePanel(part, item, panel, &slot, &slot + 1);
  }
}

void AttentionGradCall::storeItems(int part) {
  for (int64_t item = 0; item < items; ++item)
    for (int64_t panel = part; panel < plan.panels; panel += threads)
      storePanel(part, item, panel, &sums[item * pieces],
                 &sums[item * pieces] + pieces);
}

/// Whether threads may each have some of the queries: not if these share
/// elements, or if heads that do have other tiles.
bool AttentionGradCall::isBiasCut() const {
  const std::optional<VisitedKeys> &visited = arguments.forward.visited;
  return arguments.dbias->shape[2] != 1 &&
         (arguments.dbias->shape[1] != 1 || !visited || !visited->isPerHead);
}

void AttentionGradCall::runBias(int part) {
  const std::vector<int64_t> &own = arguments.dbias->shape,
                             &all = arguments.forward.q.shape;
  int64_t items = own[0] * own[1];
  int64_t cuts = isBiasCut() && items % threads != 0 ? threads : 1;
  auto sharing = [&](int dim, int64_t at) {
    return own[dim] == 1 ? KeyRun{0, all[dim]} : KeyRun{at, at + 1};
  };
  for (int64_t n = part; n < items * cuts; n += threads)
    workers[part]->runBias(sharing(0, n / cuts / own[1]),
                           sharing(1, n / cuts % own[1]), n % cuts, cuts);
}

/// Of a panel's keys, the sums in [first, last), added in this order.
void AttentionGradCall::storePanel(int part, int64_t item, int64_t panel,
                                   KeySums *first, KeySums *last) {
  while (first != last && first->isNothing(panel))
    ++first;
  for (const KeySums *other = first + 1; first != last && other < last; ++other)
    if (!other->isNothing(panel))
      first->add(*other, panel);
  int64_t kvHeads = arguments.forward.k.shape[1];
  auto [begin, end] = plan.keysOf(panel);
  auto store = [&, begin = begin, end = end](const Operand &to,
                                             const float *from) {
    if (from && first->isSplit)
      from =
          workers[part]->splitGradients().turn(from, to.shape[3], end - begin);
    storeRows(to, item / kvHeads, item % kvHeads, {begin, end - begin, 0},
              from);
  };
  store(arguments.dk, first == last ? nullptr : first->key(begin));
  store(arguments.dv, first == last ? nullptr : first->value(begin));
}

Status makeAttentionGrad(const AttentionGradArguments &arguments, int threads,
                         std::unique_ptr<Call> &call) {
  if (Status status = checkMatrixUnit(); !status.ok())
    return status;
  const AttentionArguments &forward = arguments.forward;
  bool empty = forward.out.elements() == 0 || forward.k.elements() == 0;
  if (forward.q.type != plan::DType::F32 || empty)
    call = makePlainAttentionGrad(arguments, threads);
  else
    call = std::make_unique<AttentionGradCall>(arguments, threads);
  return Status::success();
}

} // namespace hocket::runtime
