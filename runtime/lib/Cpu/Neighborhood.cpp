//===- Neighborhood.cpp - neighborhood attention, forward -----------------===//

#include "runtime/lib/Cpu/AttentionRows.h"
#include "runtime/lib/Cpu/NeighborhoodProblem.h"
#include <cmath>
#include <limits>

namespace hocket::runtime {

Operand padded(Operand operand, size_t rank) {
  while (operand.shape.size() < rank) {
    operand.shape.insert(operand.shape.begin() + 2, 1);
    operand.strides.insert(operand.strides.begin() + 2, 0);
  }
  return operand;
}

NeighborhoodProblem::NeighborhoodProblem(const NeighborhoodArguments &given)
    : q(padded(given.q)), k(padded(given.k)), v(padded(given.v)),
      out(padded(given.out)), scale(given.scale), depth(q.shape[5]),
      width(v.shape[5]), group(given.group), headOffset(given.headOffset),
      kvHeadOffset(given.kvHeadOffset) {
  if (given.lse)
    lse = padded(*given.lse, 5);
  int missing = 3 - static_cast<int>(given.windows.size());
  for (int dim = 0; dim < missing; ++dim)
    keys[dim].push_back({0, 1});
  for (size_t i = 0; i < given.windows.size(); ++i) {
    const plan::Neighborhood &window = given.windows[i];
    int dim = missing + static_cast<int>(i);
    dilations[dim] = window.dilation;
    most *= window.kernel;
    for (int64_t query = 0; query < q.shape[dim + 2]; ++query) {
      keys[dim].push_back(window.keysOf(given.queryOffsets[i] + query));
      keys[dim].back().first -= given.keyOffsets[i];
    }
  }
}

namespace {

template <typename T> struct Exponentials {
  T sum, lse;
};

/// scores become exp(scale * score), all divided by some number.
Exponentials<float> exponentiate(float *scores, int64_t count, double scale) {
  float shift = -std::numeric_limits<float>::infinity(), sum = 0, shrink;
  vectorFunctions().softmaxTile({scores, count, 1, count, float(scale), nullptr,
                                 nullptr, &shift, &sum, &shrink});
  return {sum, lseOf(shift, sum)};
}

Exponentials<double> exponentiate(double *scores, int64_t count, double scale) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t j = 0; j < count; ++j)
    largest = std::max(largest, scores[j] *= scale);
  for (int64_t j = 0; j < count; ++j)
    sum += scores[j] = std::exp(scores[j] - largest);
  return {sum, largest + std::log(sum)};
}

/// T is the type of computation.
template <typename T> class NeighborhoodCall : public Call {
public:
  NeighborhoodCall(const NeighborhoodArguments &given, int threads)
      : problem(given), threads(threads), keys(problem.k), values(problem.v) {}

  int64_t scratchBytes() const override {
    return keys.scratchBytes() + values.scratchBytes() + threads * workBytes();
  }
  void setScratch(void *memory) override {
    ScratchPieces pieces(static_cast<char *>(memory));
    keys.setScratch(pieces.take(keys.scratchBytes()));
    values.setScratch(pieces.take(values.scratchBytes()));
    work = pieces.take(threads * workBytes());
  }
  Status run() override {
    if (keys.isCopied() || values.isCopied())
      parallelFor(threads, [this](int part) {
        keys.copyPart(part, threads);
        values.copyPart(part, threads);
      });
    parallelFor(threads, [this](int part) { runPart(part); });
    return Status::success();
  }

private:
  int64_t workBytes() const {
    return pieceBytes((problem.depth + problem.width + problem.mostKeys()) *
                      sizeof(T));
  }

  /// Lines of queries: of a head, then of the next.
  void runPart(int part) {
    int64_t heads = problem.q.shape[1], ofHead = problem.linesOfHead();
    int64_t lines = problem.q.shape[0] * heads * ofHead;
    T *memory = reinterpret_cast<T *>(work + part * workBytes());
    for (int64_t line = lines * part / threads;
         line < lines * (part + 1) / threads; ++line) {
      int64_t head = line / ofHead, rest = line % ofHead;
      int64_t inner = problem.q.shape[3];
      Place place = {head / heads, head % heads, rest / inner, rest % inner, 0};
      for (; place[4] < problem.q.shape[4]; ++place[4])
        runQuery(place, memory);
    }
  }

  void runQuery(const Place &place, T *memory) {
    const WindowFunctions<T> &functions = windowFunctions<T>();
    T *query = memory, *sum = query + problem.depth,
      *weights = sum + problem.width;
    int64_t kvHead = problem.kvHead(place[1]);
    auto keyRows = problem.window(keys.head(place[0], kvHead), keys.steps(),
                                  place, problem.depth);
    auto valueRows = problem.window(values.head(place[0], kvHead),
                                    values.steps(), place, problem.width);
    load(problem.q, place, query);
    functions.dots(keyRows, query, weights);
    auto [total, lse] = exponentiate(weights, countOf(keyRows), problem.scale);
    if (problem.lse)
      lseAt<T>(problem, place) = lse;
    std::fill(sum, sum + problem.width, T(0));
    functions.sum(valueRows, weights, sum);
    for (int64_t d = 0; d < problem.width; ++d)
      sum[d] /= total;
    store(problem.out, place, sum);
  }

  const NeighborhoodProblem problem;
  const int threads;
  HeadRows<T> keys, values;
  char *work = nullptr;
};

} // namespace

std::unique_ptr<Call> makeNeighborhood(const NeighborhoodArguments &arguments,
                                       int threads) {
  if (arguments.q.type == plan::DType::F64)
    return std::make_unique<NeighborhoodCall<double>>(arguments, threads);
  return std::make_unique<NeighborhoodCall<float>>(arguments, threads);
}

} // namespace hocket::runtime
