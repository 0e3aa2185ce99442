//===- NeighborhoodGrad.cpp - gradients of neighborhood attention ---------===//
//
// A query adds to the gradients of the keys and values of its window. Queries
// that read one kv head are cut in pieces, which add up in memory of their own;
// how many there are does not depend on the threads.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cpu/AttentionRows.h"
#include "runtime/lib/Cpu/NeighborhoodProblem.h"
#include <cmath>

namespace hocket::runtime {

namespace {

/// T is the type of computation.
template <typename T> class NeighborhoodGradCall : public Call {
public:
  NeighborhoodGradCall(const NeighborhoodGradArguments &given, int threads);

  int64_t scratchBytes() const override {
    return keys.scratchBytes() + values.scratchBytes() + threads * workBytes() +
           slots() * sumBytes();
  }
  void setScratch(void *memory) override;
  Status run() override {
    if (keys.isCopied() || values.isCopied())
      parallelFor(threads, [this](int part) {
        keys.copyPart(part, threads);
        values.copyPart(part, threads);
      });
    parallelFor(threads, [this](int part) { runPart(part); });
    if (pieces > 1)
      parallelFor(threads, [this](int part) { addPieces(part); });
    return Status::success();
  }

private:
  /// Of one thread: rows of q, dq and dout, weights and their gradients.
  int64_t workBytes() const {
    return pieceBytes(
        (2 * problem.depth + problem.width + 2 * problem.mostKeys()) *
        sizeof(T));
  }
  int64_t sumElements() const {
    return positions * (problem.depth + problem.width);
  }
  int64_t sumBytes() const { return pieceBytes(sumElements() * sizeof(T)); }
  int64_t slots() const { return pieces > 1 ? items * pieces : threads; }
  T *slot(int64_t number) const {
    return reinterpret_cast<T *>(sums + number * sumBytes());
  }

  void runPart(int part);
  void runPiece(int64_t b, int64_t kvHead, int64_t piece, T *sum, T *work);
  void runQuery(const Place &place, T *sum, T *work);
  void addPieces(int part);
  void storeHead(int64_t b, int64_t kvHead, const T *sum) const;

  const NeighborhoodProblem problem;
  const Operand dout, dq, dk, dv;
  const int threads;
  HeadRows<T> keys, values;
  int64_t items, positions, pieces; // of a kv head
  int64_t keySteps[3], valueSteps[3];
  char *work = nullptr, *sums = nullptr;
};

} // namespace

template <typename T>
NeighborhoodGradCall<T>::NeighborhoodGradCall(
    const NeighborhoodGradArguments &given, int threads)
    : problem(given.forward), dout(padded(given.dout)), dq(padded(given.dq)),
      dk(padded(given.dk)), dv(padded(given.dv)), threads(threads),
      keys(problem.k), values(problem.v) {
  const std::vector<int64_t> &n = problem.k.shape;
  items = n[0] * n[1];
  positions = n[2] * n[3] * n[4];
  constexpr int64_t enough = 8;
  pieces = 1;
  if (items > 0 && items < enough) {
    int64_t lines = problem.q.shape[1] / n[1] * problem.linesOfHead();
    pieces = std::min((enough + items - 1) / items, lines);
    pieces = std::max<int64_t>(pieces, 1);
  }
  int64_t step = 1;
  for (int dim = 2; dim >= 0; --dim) {
    keySteps[dim] = step * problem.depth;
    valueSteps[dim] = step * problem.width;
    step *= n[dim + 2];
  }
}

template <typename T> void NeighborhoodGradCall<T>::setScratch(void *memory) {
  ScratchPieces pieces(static_cast<char *>(memory));
  keys.setScratch(pieces.take(keys.scratchBytes()));
  values.setScratch(pieces.take(values.scratchBytes()));
  work = pieces.take(threads * workBytes());
  sums = pieces.take(slots() * sumBytes());
}

template <typename T> void NeighborhoodGradCall<T>::runPart(int part) {
  int64_t kvHeads = problem.k.shape[1];
  T *memory = reinterpret_cast<T *>(work + part * workBytes());
  for (int64_t n = part; n < items * pieces; n += threads) {
    int64_t item = n / pieces;
    T *sum = slot(pieces > 1 ? n : part);
    runPiece(item / kvHeads, item % kvHeads, n % pieces, sum, memory);
    if (pieces == 1)
      storeHead(item / kvHeads, item % kvHeads, sum);
  }
}

template <typename T>
void NeighborhoodGradCall<T>::runPiece(int64_t b, int64_t kvHead, int64_t piece,
                                       T *sum, T *work) {
  std::fill(sum, sum + sumElements(), T(0));
  // The query heads that read it are consecutive.
  int64_t heads = problem.q.shape[1], begin = 0;
  while (begin < heads && problem.kvHead(begin) < kvHead)
    ++begin;
  int64_t end = begin;
  while (end < heads && problem.kvHead(end) == kvHead)
    ++end;
  int64_t ofHead = problem.linesOfHead(), inner = problem.q.shape[3];
  int64_t lines = (end - begin) * ofHead;
  for (int64_t line = lines * piece / pieces;
       line < lines * (piece + 1) / pieces; ++line) {
    int64_t rest = line % ofHead;
    Place place = {b, begin + line / ofHead, rest / inner, rest % inner, 0};
    for (; place[4] < problem.q.shape[4]; ++place[4])
      runQuery(place, sum, work);
  }
}

/// Scores become weights p, and the gradients g of these scale p (g - mean).
static void weigh(float *scores, float *gradients, int64_t count, float scale,
                  float lse) {
  vectorFunctions().softmaxGradTile({scores, gradients, count, 1, count, scale,
                                     scale, &lse, nullptr, nullptr, nullptr,
                                     true});
}

static void weigh(double *scores, double *gradients, int64_t count,
                  double scale, double lse) {
  for (int64_t j = 0; j < count; ++j)
    scores[j] = std::exp(scale * scores[j] - lse);
  softmaxGradRow(scores, gradients, count, scale);
}

template <typename T>
void NeighborhoodGradCall<T>::runQuery(const Place &place, T *sum, T *work) {
  const WindowFunctions<T> &functions = windowFunctions<T>();
  T *query = work, *row = query + problem.depth,
    *cotangent = row + problem.depth, *weights = cotangent + problem.width,
    *gradients = weights + problem.mostKeys();
  int64_t kvHead = problem.kvHead(place[1]);
  auto keyRows = problem.window(keys.head(place[0], kvHead), keys.steps(),
                                place, problem.depth);
  auto valueRows = problem.window(values.head(place[0], kvHead), values.steps(),
                                  place, problem.width);
  int64_t count = countOf(keyRows);
  load(problem.q, place, query);
  load(dout, place, cotangent);
  functions.dots(keyRows, query, weights);
  functions.dots(valueRows, cotangent, gradients);
  weigh(weights, gradients, count, T(problem.scale), lseAt<T>(problem, place));
  T *valueSums = sum + positions * problem.depth;
  functions.add(problem.window(valueSums, valueSteps, place, problem.width),
                weights, cotangent);
  std::fill(row, row + problem.depth, T(0));
  functions.sum(keyRows, gradients, row);
  functions.add(problem.window(sum, keySteps, place, problem.depth), gradients,
                query);
  store(dq, place, row);
}

template <typename T> void NeighborhoodGradCall<T>::addPieces(int part) {
  int64_t kvHeads = problem.k.shape[1];
  for (int64_t item = part; item < items; item += threads) {
    T *total = slot(item * pieces);
    for (int64_t piece = 1; piece < pieces; ++piece) {
      const T *more = slot(item * pieces + piece);
      for (int64_t i = 0; i < sumElements(); ++i)
        total[i] += more[i];
    }
    storeHead(item / kvHeads, item % kvHeads, total);
  }
}

template <typename T>
void NeighborhoodGradCall<T>::storeHead(int64_t b, int64_t kvHead,
                                        const T *sum) const {
  const std::vector<int64_t> &n = problem.k.shape;
  const T *valueSums = sum + positions * problem.depth;
  for (int64_t i = 0; i < positions; ++i) {
    Place place = {b, kvHead, i / (n[4] * n[3]), i / n[4] % n[3], i % n[4]};
    store(dk, place, sum + i * problem.depth);
    store(dv, place, valueSums + i * problem.width);
  }
}

std::unique_ptr<Call>
makeNeighborhoodGrad(const NeighborhoodGradArguments &arguments, int threads) {
  if (arguments.forward.q.type == plan::DType::F64)
    return std::make_unique<NeighborhoodGradCall<double>>(arguments, threads);
  return std::make_unique<NeighborhoodGradCall<float>>(arguments, threads);
}

} // namespace hocket::runtime
