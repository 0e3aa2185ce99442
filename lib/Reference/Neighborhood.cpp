//===- Neighborhood.cpp - neighborhood attention, a query at a time -------===//
//
// Keys are counted in the whole tensor. With weights p = exp(scale q k^T - lse)
// over what a query sees and g = dout v^T: dv += p dout, and the gradient of a
// score is scale p (g - sum of p g), where that sum is dout . out.
//
//===----------------------------------------------------------------------===//

#include "hocket/Plan/Neighborhood.h"
#include "Operations.h"
#include "Rows.h"
#include "dialects/Nn/Neighborhood.h"

using namespace mlir;

namespace hocket::reference {

namespace {
/// Sizes of [b, h, n..., d], and the keys of each query of one head.
struct Queries {
  int64_t batch, heads, groups, positions = 1, depth, width;
  std::vector<std::vector<int64_t>> keys; // by position, row-major
};
} // namespace

/// The places of the keys that a position sees: products of those by dim.
template <class OpTy>
static std::vector<int64_t> keysOf(OpTy op, llvm::ArrayRef<int64_t> extents,
                                   int64_t position) {
  std::vector<int64_t> places = {0};
  int64_t below = 1;
  for (int64_t extent : extents)
    below *= extent;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    below /= extent;
    plan::Neighborhood window{extent, op.getKernels()[dim],
                              op.getStrides()[dim], op.getDilations()[dim],
                              op.getCausal()[dim]};
    auto [first, count] = window.keysOf(position / below % extent);
    std::vector<int64_t> next;
    for (int64_t place : places)
      for (int64_t t = 0; t < count; ++t)
        next.push_back(place * extent + first + t * window.dilation);
    places = std::move(next);
  }
  return places;
}

template <class OpTy>
static Queries queriesOf(OpTy op, const Tensor &q, const Tensor &k,
                         const Tensor &v) {
  Queries queries;
  queries.batch = q.shape[0];
  queries.heads = q.shape[1];
  queries.groups = k.shape[1];
  queries.depth = q.shape.back();
  queries.width = v.shape.back();
  llvm::ArrayRef<int64_t> extents(q.shape);
  extents = extents.drop_front(2).drop_back();
  for (int64_t extent : extents)
    queries.positions *= extent;
  for (int64_t i = 0; i < queries.positions; ++i)
    queries.keys.push_back(keysOf(op, extents, i));
  return queries;
}

/// The scores of the keys that a query sees, of which there is at least one.
static std::vector<double> scoresOf(const double *query, const double *keys,
                                    llvm::ArrayRef<int64_t> places,
                                    double scale, int64_t depth) {
  std::vector<double> scores;
  for (int64_t place : places)
    scores.push_back(scale * dot(query, keys + place * depth, depth));
  return scores;
}

/// visit(row of q, position, the first of the keys' rows).
template <class Visit>
static void forEachQuery(const Queries &queries, Visit visit) {
  for (int64_t b = 0; b < queries.batch; ++b)
    for (int64_t head = 0; head < queries.heads; ++head) {
      int64_t group = head / (queries.heads / queries.groups);
      for (int64_t i = 0; i < queries.positions; ++i)
        visit((b * queries.heads + head) * queries.positions + i, i,
              (b * queries.groups + group) * queries.positions);
    }
}

void evaluateNeighborhoodAttention(nn::NeighborhoodAttentionOp op, Call &call) {
  const Tensor &q = call.operand(0), &k = call.operand(1), &v = call.operand(2);
  Queries queries = queriesOf(op, q, k, v);
  int64_t depth = queries.depth, width = queries.width;
  forEachQuery(queries, [&](int64_t row, int64_t i, int64_t kv) {
    std::vector<double> weights =
        scoresOf(&q.values[row * depth], &k.values[kv * depth], queries.keys[i],
                 op.getScale().convertToDouble(), depth);
    double lse = softmaxOf(weights);
    if (op.getLse())
      call.more[0].values[row] = lse;
    for (auto [weight, place] : llvm::zip_equal(weights, queries.keys[i]))
      addScaled(&call.result.values[row * width],
                &v.values[(kv + place) * width], weight, width);
  });
}

void evaluateNeighborhoodAttentionGrad(nn::NeighborhoodAttentionGradOp op,
                                       Call &call) {
  const Tensor &q = call.operand(0), &k = call.operand(1), &v = call.operand(2);
  const Tensor &dout = call.operand(3), &result = call.operand(4);
  const Tensor &lse = call.operand(5);
  Queries queries = queriesOf(op, q, k, v);
  int64_t depth = queries.depth, width = queries.width;
  double scale = op.getScale().convertToDouble();
  forEachQuery(queries, [&](int64_t row, int64_t i, int64_t kv) {
    const double *query = &q.values[row * depth];
    const double *out = &dout.values[row * width];
    std::vector<double> weights =
        scoresOf(query, &k.values[kv * depth], queries.keys[i], scale, depth);
    std::vector<double> gradients;
    double mean = dot(out, &result.values[row * width], width);
    for (double &weight : weights)
      weight = std::exp(weight - lse.values[row]);
    for (auto [weight, place] : llvm::zip_equal(weights, queries.keys[i])) {
      gradients.push_back(dot(out, &v.values[(kv + place) * width], width));
      addScaled(&call.more[1].values[(kv + place) * width], out, weight, width);
    }
    for (auto [t, place] : llvm::enumerate(queries.keys[i])) {
      double score = scale * weights[t] * (gradients[t] - mean);
      addScaled(&call.result.values[row * depth],
                &k.values[(kv + place) * depth], score, depth);
      addScaled(&call.more[0].values[(kv + place) * depth], query, score,
                depth);
    }
  });
}

} // namespace hocket::reference
