//===- AttentionSample.cpp - operands of attention and a reference --------===//

#include "test/Gpu/Libraries/Dnn/AttentionSample.h"
#include <algorithm>
#include <cmath>

namespace hocket::test {

static Tensor headsOf(const AttentionShape &shape, int64_t heads, int64_t rows,
                      int64_t depth) {
  return Tensor(shape.type, {shape.batch, heads, rows, depth},
                {rows * heads * depth, depth, heads * depth, 1});
}

AttentionSample::AttentionSample(const AttentionShape &shape) : shape(shape) {
  auto ofQueries = [&](int64_t depth) {
    return headsOf(shape, shape.heads, shape.queries, depth);
  };
  auto ofKeys = [&](int64_t depth) {
    return headsOf(shape, shape.kvHeads, shape.keys, depth);
  };
  q = ofQueries(shape.depth), dq = ofQueries(shape.depth);
  k = ofKeys(shape.depth), dk = ofKeys(shape.depth);
  v = ofKeys(shape.valueDepth), dv = ofKeys(shape.valueDepth);
  out = ofQueries(shape.valueDepth), dout = ofQueries(shape.valueDepth);
  lse = Tensor(DType::F32, {shape.batch, shape.heads, shape.queries});
  if (shape.lengths.empty())
    return;
  keep = std::make_shared<std::vector<uint8_t>>();
  for (int64_t length : shape.lengths)
    for (int64_t key = 0; key < shape.keys; ++key)
      keep->push_back(key < length);
}

runtime::AttentionArguments AttentionSample::forward() const {
  runtime::AttentionArguments arguments;
  arguments.q = q.operand();
  arguments.k = k.operand();
  arguments.v = v.operand();
  arguments.out = out.operand();
  arguments.lse = lse.operand();
  arguments.scale = 1 / std::sqrt(double(shape.depth));
  arguments.causal = shape.causal;
  arguments.group = shape.heads / shape.kvHeads;
  arguments.queryOffset = shape.queryOffset;
  arguments.before = shape.before;
  arguments.after = shape.after;
  if (keep)
    arguments.keep = Operand{
        keep->data(), DType::Bool, {shape.batch, shape.keys}, {shape.keys, 1}};
  return arguments;
}

runtime::AttentionGradArguments AttentionSample::gradient() const {
  return {forward(), dout.operand(), dq.operand(), dk.operand(), dv.operand()};
}

bool AttentionSample::sees(int64_t b, int64_t query, int64_t key) const {
  int64_t distance = key - query - shape.queryOffset;
  if (!shape.lengths.empty() && key >= shape.lengths[b])
    return false;
  if (shape.causal && distance > 0)
    return false;
  return (shape.before < 0 || -distance <= shape.before) &&
         (shape.after < 0 || distance <= shape.after);
}

namespace {

/// The weights of a query and what follows from them.
struct Row {
  Row(const AttentionSample &sample, int64_t b, int64_t h, int64_t i) {
    const AttentionShape &shape = sample.shape;
    int64_t kv = h / (shape.heads / shape.kvHeads);
    scale = sample.forward().scale;
    double sum = 0;
    for (int64_t j = 0; j < shape.keys; ++j) {
      double score = 0;
      for (int64_t d = 0; d < shape.depth; ++d)
        score += sample.q.get({b, h, i, d}) * sample.k.get({b, kv, j, d});
      weights.push_back(sample.sees(b, i, j) ? std::exp(scale * score) : 0);
      sum += weights.back();
    }
    for (double &weight : weights)
      weight /= sum;
    lse = std::log(sum);
    for (int64_t e = 0; e < shape.valueDepth; ++e) {
      double value = 0;
      for (int64_t j = 0; j < shape.keys; ++j)
        value += weights[j] * sample.v.get({b, kv, j, e});
      out.push_back(value);
    }
  }

  double scale = 1, lse = 0;
  std::vector<double> weights, out;
};

} // namespace

AttentionReference::AttentionReference(const AttentionSample &sample) {
  const AttentionShape &s = sample.shape;
  auto at = [](std::vector<double> &list, const Tensor &tensor,
               const std::vector<int64_t> &index) -> double & {
    int64_t place = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      place = place * tensor.shape[dim] + index[dim];
    return list[place];
  };
  out.resize(s.batch * s.heads * s.queries * s.valueDepth);
  lse.resize(s.batch * s.heads * s.queries);
  dq.resize(s.batch * s.heads * s.queries * s.depth);
  dk.resize(s.batch * s.kvHeads * s.keys * s.depth);
  dv.resize(s.batch * s.kvHeads * s.keys * s.valueDepth);
  forEachIndex(sample.lse.shape, [&](const std::vector<int64_t> &row) {
    int64_t b = row[0], h = row[1], i = row[2];
    int64_t kv = h / (s.heads / s.kvHeads);
    Row of(sample, b, h, i);
    at(lse, sample.lse, row) = of.lse;
    double mean = 0;
    for (int64_t e = 0; e < s.valueDepth; ++e) {
      at(out, sample.out, {b, h, i, e}) = of.out[e];
      mean += of.out[e] * sample.dout.get({b, h, i, e});
    }
    for (int64_t j = 0; j < s.keys; ++j) {
      double dweight = 0;
      for (int64_t e = 0; e < s.valueDepth; ++e) {
        double dout = sample.dout.get({b, h, i, e});
        dweight += dout * sample.v.get({b, kv, j, e});
        at(dv, sample.dv, {b, kv, j, e}) += of.weights[j] * dout;
      }
      double dscore = of.scale * of.weights[j] * (dweight - mean);
      for (int64_t d = 0; d < s.depth; ++d) {
        at(dq, sample.dq, {b, h, i, d}) += dscore * sample.k.get({b, kv, j, d});
        at(dk, sample.dk, {b, kv, j, d}) += dscore * sample.q.get({b, h, i, d});
      }
    }
  });
}

void AttentionSample::setResults() {
  AttentionReference reference(*this);
  size_t next = 0;
  forEachIndex(out.shape, [&](const std::vector<int64_t> &index) {
    out.set(index, reference.out[next++]);
  });
  next = 0;
  forEachIndex(lse.shape, [&](const std::vector<int64_t> &index) {
    lse.set(index, reference.lse[next++]);
  });
}

} // namespace hocket::test
