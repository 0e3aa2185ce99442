//===- AttentionGrad.cpp - gradients of attention, by blocks of rows ------===//
//
// For each head and block of queries, whole rows of scores are computed anew
// and become weights P; dP = dO V^T becomes dS = scale P (dP - rowsum(P dP)).
// Then dQ = dS K, dK += dS^T Q, dV += P^T dO. A block is rows x keys large,
// never queries x keys.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/Attention.h"
#include "hocket/Cpu/StridedCopy.h"
#include "hocket/Cpu/VectorFunctions.h"
#include "runtime/lib/Cpu/AttentionGradTiles.h"
#include "runtime/lib/Cpu/AttentionPlain.h"
#include <algorithm>
#include <limits>

namespace hocket::runtime {

namespace {

int64_t roundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// The address of head `h` of batch entry `b`, row `row`.
float *at(const Operand &operand, int64_t b, int64_t h, int64_t row) {
  return static_cast<float *>(operand.data) + b * operand.strides[0] +
         h * operand.strides[1] + row * operand.strides[2];
}

/// A copy of rows [count, columns] of a head to dense rows, to their
/// transposition, or back.
struct RowCopies {
  StridedCopy dense, transposed;

  RowCopies() = default;
  RowCopies(const Operand &from, int64_t count, int64_t pitch) {
    std::vector<int64_t> shape = {count, from.shape[3]};
    std::vector<int64_t> given = {from.strides[2], from.strides[3]};
    dense = StridedCopy(shape, given, {from.shape[3], 1}, sizeof(float));
    transposed = StridedCopy(shape, given, {1, pitch}, sizeof(float));
  }
};

StridedCopy copyBack(const Operand &to, int64_t count,
                     const std::vector<int64_t> &strides) {
  return StridedCopy({count, to.shape[3]}, strides,
                     {to.strides[2], to.strides[3]}, sizeof(float));
}

/// One thread's products and memory.
class GradWorker {
public:
  GradWorker(const AttentionGradArguments &arguments, const GradPlan &plan);

  int64_t scratchBytes() const { return bytes; }
  void setScratch(char *scratch);
  /// Adds what blocks of a kv head, piece `piece` of them, give to `sums`,
  /// dK^T and then dV^T.
  void runPiece(int64_t b, int64_t kvHead, int64_t piece, float *sums);
  void store(int64_t b, int64_t kvHead, const float *sums);

private:
  void loadKeys(int64_t b, int64_t kvHead);
  void runBlock(int64_t b, int64_t h, int64_t row, float *sums);
  void dropRows(int64_t b, int64_t h, int64_t row, int64_t rows, float *block);

  struct Products {
    TileProduct scores, weights, queries, keys, values;
  };

  const AttentionGradArguments &given;
  const AttentionArguments &forward;
  const GradPlan &plan;
  const VectorFunctions &functions;
  dnnl::stream stream;
  Products products[2][2];
  RowCopies copyQueries[2], copyGradients[2], copyKeys, copyValues;
  StridedCopy storeQueries[2], storeKeys, storeValues;
  int64_t bytes = 0;
  float *scores = nullptr, *gradients = nullptr, *keys = nullptr,
        *keysT = nullptr, *valuesT = nullptr, *query = nullptr,
        *queryT = nullptr, *out = nullptr, *outT = nullptr,
        *queryGradient = nullptr, *mask = nullptr;
  char *scratchpad = nullptr;
};

class AttentionGradCall : public Call {
public:
  AttentionGradCall(const AttentionGradArguments &given, int threads)
      : arguments(given), threads(threads) {}

  bool prepare();
  int64_t scratchBytes() const override {
    int64_t sums = plan.pieces > 1 ? plan.items * plan.pieces : threads;
    return threads * workers[0]->scratchBytes() + sums * sumBytes();
  }
  void setScratch(void *scratch) override;
  Status run() override {
    each([](void *self, int part) {
      static_cast<AttentionGradCall *>(self)->runPart(part);
    });
    if (plan.pieces > 1)
      each([](void *self, int part) {
        static_cast<AttentionGradCall *>(self)->addPieces(part);
      });
    return Status::success();
  }

private:
  void each(void (*body)(void *self, int part)) {
    parallelFor(threads, body, this);
  }
  void runPart(int part);
  void addPieces(int part);
  int64_t sumBytes() const {
    return roundUp(plan.sumElements() * sizeof(float));
  }
  float *sumsOf(int64_t slot) const {
    return reinterpret_cast<float *>(sums + slot * sumBytes());
  }

  const AttentionGradArguments arguments;
  const int threads;
  GradPlan plan;
  std::vector<std::unique_ptr<GradWorker>> workers;
  char *sums = nullptr;
};

} // namespace

// ---- one thread -----------------------------------------------------------

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
  bytes = 0;
  auto take = [&](int64_t size) {
    char *place = scratch ? scratch + bytes : nullptr;
    bytes += roundUp(size);
    return place;
  };
  auto floats = [&](int64_t count) {
    return reinterpret_cast<float *>(take(count * sizeof(float)));
  };
  scores = floats(plan.queryTile * plan.pitch);
  gradients = floats(plan.queryTile * plan.pitch);
  keys = floats(plan.keyCount * plan.depth);
  keysT = floats(plan.depth * plan.pitch);
  valuesT = floats(plan.width * plan.pitch);
  query = floats(plan.queryTile * plan.depth);
  queryT = floats(plan.queryTile * plan.depth);
  out = floats(plan.queryTile * plan.width);
  outT = floats(plan.queryTile * plan.width);
  queryGradient = floats(plan.queryTile * plan.depth);
  mask = floats(plan.keyCount);
  scratchpad = take(plan.scratchpad);
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
  copyKeys.dense.run(keys, at(forward.k, b, kvHead, 0));
  copyKeys.transposed.run(keysT, at(forward.k, b, kvHead, 0));
  copyValues.transposed.run(valuesT, at(forward.v, b, kvHead, 0));
  if (!forward.keep)
    return;
  const Operand &keep = *forward.keep;
  const uint8_t *kept =
      static_cast<const uint8_t *>(keep.data) + b * keep.strides[0];
  for (int64_t j = 0; j < plan.keyCount; ++j)
    mask[j] = kept[j * keep.strides[1]]
                  ? 0.0f
                  : -std::numeric_limits<float>::infinity();
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
  copyQueries[index].dense.run(query, at(forward.q, b, h, row));
  copyQueries[index].transposed.run(queryT, at(forward.q, b, h, row));
  copyGradients[index].dense.run(out, at(forward.out, b, h, row));
  copyGradients[index].transposed.run(outT, at(forward.out, b, h, row));
  std::fill(queryGradient, queryGradient + rows * plan.depth, 0.0f);
  // Tiles that causality hides from the last row hold nothing.
  int64_t limit = forward.keyLimit(row + rows - 1);
  auto eachTile = [&](auto body) {
    for (int64_t column = 0; column < limit; column += plan.keyTile)
      body(products[index][column + plan.keyTile <= plan.keyCount ? 0 : 1],
           column);
  };
  eachTile([&](Products &product, int64_t column) {
    product.scores.run(stream, query, keysT + column, scores + column);
    product.weights.run(stream, out, valuesT + column, gradients + column);
  });
  int64_t end = (limit + plan.keyTile - 1) / plan.keyTile * plan.keyTile;
  SoftmaxGradRows whole{scores,
                        gradients,
                        plan.pitch,
                        rows,
                        std::min(end, plan.keyCount),
                        forward.scale,
                        forward.keep ? mask : nullptr,
                        row + forward.queryOffset - forward.keyOffset + 1,
                        forward.causal};
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
  storeQueries[index].run(at(given.dq, b, h, row), queryGradient);
}

void GradWorker::dropRows(int64_t b, int64_t h, int64_t row, int64_t rows,
                          float *block) {
  for (int64_t r = 0; forward.dropout.isLive() && r < rows; ++r)
    forward.dropout.drop(functions, forward.q.shape, {b, h, row + r}, 0,
                         forward.keyLimit(row + r), block + r * plan.pitch);
}

void GradWorker::store(int64_t b, int64_t kvHead, const float *sums) {
  storeKeys.run(at(given.dk, b, kvHead, 0), sums);
  storeValues.run(at(given.dv, b, kvHead, 0), sums + plan.depth * plan.pitch);
}

// ---- all threads ----------------------------------------------------------

bool AttentionGradCall::prepare() {
  // The products run inside a parallel region of ours.
  setLibraryThreads(1);
  bool made = plan.make(arguments);
  try {
    for (int part = 0; made && part < threads; ++part)
      workers.push_back(std::make_unique<GradWorker>(arguments, plan));
  } catch (const dnnl::error &) {
    made = false;
  }
  setLibraryThreads(threads);
  return made;
}

void AttentionGradCall::setScratch(void *scratch) {
  char *place = static_cast<char *>(scratch);
  for (auto &worker : workers) {
    worker->setScratch(place);
    place += worker->scratchBytes();
  }
  sums = place;
}

void AttentionGradCall::runPart(int part) {
  int64_t kvHeads = arguments.forward.k.shape[1];
  GradWorker &worker = *workers[part];
  for (int64_t n = part; n < plan.items * plan.pieces; n += threads) {
    int64_t item = n / plan.pieces;
    int64_t b = item / kvHeads, kvHead = item % kvHeads;
    float *sums = sumsOf(plan.pieces > 1 ? n : part);
    worker.runPiece(b, kvHead, n % plan.pieces, sums);
    if (plan.pieces == 1)
      worker.store(b, kvHead, sums);
  }
}

void AttentionGradCall::addPieces(int part) {
  int64_t kvHeads = arguments.forward.k.shape[1];
  for (int64_t item = part; item < plan.items; item += threads) {
    float *total = sumsOf(item * plan.pieces);
    for (int64_t piece = 1; piece < plan.pieces; ++piece) {
      const float *more = sumsOf(item * plan.pieces + piece);
      for (int64_t i = 0; i < plan.sumElements(); ++i)
        total[i] += more[i];
    }
    workers[part]->store(item / kvHeads, item % kvHeads, total);
  }
}

Status makeAttentionGrad(const AttentionGradArguments &arguments, int threads,
                         std::unique_ptr<Call> &call) {
  const AttentionArguments &forward = arguments.forward;
  bool empty = forward.out.elements() == 0 || forward.k.elements() == 0;
  if (forward.q.type != plan::DType::F32 || empty) {
    call = makePlainAttentionGrad(arguments, threads);
    return Status::success();
  }
  auto tiled = std::make_unique<AttentionGradCall>(arguments, threads);
  if (!tiled->prepare())
    return Status::runtimeError("oneDNN has only its reference loop for the "
                                "blocks of this gradient of attention");
  call = std::move(tiled);
  return Status::success();
}

} // namespace hocket::runtime
