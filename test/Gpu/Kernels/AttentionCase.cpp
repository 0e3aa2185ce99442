//===- AttentionCase.cpp - attention on the device and in double ----------===//

#include "test/Gpu/Kernels/AttentionCase.h"

namespace hocket::test {

using plan::DType;
using runtime::AttentionArguments;
using runtime::Operand;

constexpr uint64_t dropoutKey = 0x9e3779b97f4a7c15, firstWeight = 77;
constexpr int32_t dropoutStep = 9;

AttentionCase::AttentionCase(const AttentionShape &s)
    : shape(s),
      q(s.type, {s.batch, s.heads, s.queries, s.depth}, {0, 2, 1, 3}, s.pad),
      k(s.type, {s.batch, s.kvHeads, s.keys, s.depth}, {0, 2, 1, 3}, s.pad),
      v(s.type, {s.batch, s.kvHeads, s.keys, s.width}, {0, 1, 2, 3}, s.pad),
      out(s.type, {s.batch, s.heads, s.queries, s.width}, {0, 2, 1, 3}, s.pad),
      lse(s.type == DType::F64 ? DType::F64 : DType::F32,
          {s.batch, s.heads, s.queries}, {1, 0, 2}),
      keep(DType::Bool, {s.batch, s.keys}, {1, 0}), dout(out), dq(q), dk(k),
      dv(v), step(DType::I32, {1}),
      queryIds(s.documentType, {s.batch, s.queries}, {1, 0}),
      keyIds(s.documentType, {s.batch, s.keys}) {
  uint32_t seed = s.seed;
  for (TestOperand *one : {&q, &k, &v, &out, &dout, &dq, &dk, &dv})
    one->random(seed++, 2);
  lse.random(seed, 1);
  addCommon(k, s.commonKeys);
  addCommon(v, s.commonValues);
  step.set(0, dropoutStep);
  if (shape.scale == 0)
    shape.scale = 1 / std::sqrt(static_cast<float>(s.depth));
  // A third is padding, and one batch entry has nothing but padding.
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t j = 0; j < s.keys; ++j)
      keep.set(b * s.keys + j, b != 1 && j % 3 != 1);
  setDocuments();
}

void AttentionCase::setDocuments() {
  for (int64_t b = 0; b < shape.batch && shape.queryDocument; ++b) {
    for (int64_t i = 0; i < shape.queries; ++i)
      queryIds.set(b * shape.queries + i, shape.queryDocument(b, i));
    for (int64_t j = 0; j < shape.keys; ++j)
      keyIds.set(b * shape.keys + j, shape.keyDocument(b, j));
  }
}

void AttentionCase::addCommon(TestOperand &rows, double factor) const {
  const int64_t extent = rows.shape.back();
  TestOperand common(DType::F64, {extent});
  common.random(shape.seed + 99, 2);
  for (int64_t flat = 0; factor != 0 && flat < rows.elements(); ++flat)
    rows.set(flat, rows.get(flat) + factor * common.get(flat % extent));
}

AttentionArguments AttentionCase::arguments(bool onDevice) {
  auto place = [&](TestOperand &operand, const char *name, int64_t offset) {
    return !onDevice          ? operand.operand()
           : shape.apart >= 0 ? gpu.uploadApart(operand, name, shape.apart)
                              : gpu.upload(operand, name, offset);
  };
  AttentionArguments given;
  given.q = place(q, "q", shape.offset);
  given.k = place(k, "k", shape.offset);
  given.v = place(v, "v", shape.offset);
  given.out = place(out, "out", shape.offset);
  given.lse = place(lse, "lse", 0);
  if (shape.padding)
    given.keep = place(keep, "keep", 1);
  if (shape.queryDocument)
    given.documents = runtime::Documents{place(queryIds, "ids of queries", 1),
                                         place(keyIds, "ids of keys", 1)};
  given.scale = shape.scale;
  given.causal = shape.causal;
  given.before = shape.before;
  given.after = shape.after;
  given.group = shape.group;
  given.headOffset = shape.headOffset;
  given.kvHeadOffset = shape.kvHeadOffset;
  given.queryOffset = shape.queryOffset;
  given.keyOffset = shape.keyOffset;
  if (shape.layout)
    given.visited = runtime::VisitedKeys(
        given, runtime::ruleOf(*shape.layout, shape.layoutBlocks));
  // Rows of weights are twice as long in the global tensor, heads apart.
  int64_t row = 2 * (shape.keys + shape.keyOffset), head = row * shape.queries;
  if (shape.dropout > 0)
    given.dropout = {shape.dropout,
                     dropoutKey,
                     place(step, "step", 0),
                     firstWeight,
                     {shape.batch, shape.heads, shape.queries},
                     {head * shape.heads, head, row}};
  return given;
}

ptx::Report AttentionCase::run() {
  device = arguments(true);
  runtime::cuda::KernelLaunches launches;
  expectOk(runtime::cuda::addAttention(device, launches));
  ptx::Report report = gpu.run(launches);
  gpu.download(device.out, out);
  gpu.download(*device.lse, lse);
  launched = launches.list;
  return report;
}

std::set<std::pair<int64_t, int64_t>>
AttentionCase::rowsOfBlocks(int64_t blocks) {
  constexpr double untouched = 64;
  for (int64_t flat = 0; flat < out.elements(); ++flat)
    out.set(flat, untouched);
  for (int64_t block = 0; block < blocks; ++block)
    gpu.onlyBlocks.push_back(block);
  run();
  gpu.onlyBlocks.clear();
  std::set<std::pair<int64_t, int64_t>> rows;
  for (int64_t flat = 0; flat < out.elements(); ++flat)
    if (out.get(flat) != untouched)
      rows.insert({flat / shape.width / shape.queries,
                   flat / shape.width % shape.queries});
  return rows;
}

bool AttentionCase::isVisited(int64_t h, int64_t i, int64_t j) const {
  const plan::BlockLayout &layout = *shape.layout;
  int64_t head = layout.perHead ? shape.headOffset + h : 0;
  int64_t block = (j + shape.keyOffset) / layout.block;
  for (plan::BlockRun run :
       plan::visitedBlocks(layout, shape.layoutBlocks, head,
                           (i + shape.queryOffset) / layout.block))
    if (block >= run.begin && block < run.end)
      return true;
  return false;
}

bool AttentionCase::isSeen(int64_t b, int64_t h, int64_t i, int64_t j) const {
  int64_t after = shape.keyOffset + j - (i + shape.queryOffset);
  if ((shape.causal && after > 0) ||
      (shape.after >= 0 && !shape.causal && after > shape.after))
    return false;
  if (shape.before >= 0 && -after > shape.before)
    return false;
  if (shape.layout && !isVisited(h, i, j))
    return false;
  if (shape.queryDocument &&
      shape.queryDocument(b, i) != shape.keyDocument(b, j))
    return false;
  return !shape.padding || keep.at({b, j}) != 0;
}

/// What the tensors must be, row-major, and the largest magnitude of a score.
struct AttentionCase::Reference {
  Rows out, lse, dq, dk, dv;
  double score = 0;
};

void AttentionCase::addRow(Reference &all, int64_t b, int64_t h,
                           int64_t i) const {
  const int64_t keys = shape.keys, depth = shape.depth, width = shape.width;
  int64_t query = (b * shape.heads + h) * shape.queries + i;
  int64_t kvHead = (shape.headOffset + h) / shape.group - shape.kvHeadOffset;
  int64_t key = (b * shape.kvHeads + kvHead) * keys;
  Rows weights(keys), gradients(keys), factors(keys, 1);
  double total = 0, mean = 0, largest = -INFINITY;
  for (int64_t j = 0; j < keys; ++j) {
    for (int64_t d = 0; d < depth; ++d)
      weights[j] += q.get(query * depth + d) * k.get((key + j) * depth + d);
    if (!isSeen(b, h, i, j))
      continue;
    largest = std::max(largest, weights[j] *= shape.scale);
    all.score = std::max(all.score, std::fabs(weights[j]));
  }
  for (int64_t j = 0; j < keys; ++j) {
    bool seen = isSeen(b, h, i, j);
    total += weights[j] = seen ? std::exp(weights[j] - largest) : 0;
    if (!seen)
      continue;
    for (int64_t d = 0; d < width; ++d)
      gradients[j] +=
          dout.get(query * width + d) * v.get((key + j) * width + d);
    int64_t row = query * 2 * (keys + shape.keyOffset);
    uint32_t word = runtime::wordOfElement(
        dropoutKey, firstWeight + row + shape.keyOffset + j, dropoutStep,
        runtime::Purpose::Dropout);
    if (shape.dropout > 0)
      factors[j] = word < runtime::dropThreshold(shape.dropout)
                       ? 0
                       : 1 / (1 - shape.dropout);
  }
  all.lse[query] = total > 0 ? largest + std::log(total) : -INFINITY;
  for (int64_t j = 0; j < keys && total > 0; ++j) {
    weights[j] /= total;
    mean += weights[j] * (gradients[j] *= factors[j]);
  }
  for (int64_t j = 0; j < keys; ++j) {
    double score = shape.scale * weights[j] * (gradients[j] - mean);
    for (int64_t d = 0; d < depth; ++d) {
      all.dq[query * depth + d] += score * k.get((key + j) * depth + d);
      all.dk[(key + j) * depth + d] += score * q.get(query * depth + d);
    }
    for (int64_t d = 0; d < width; ++d) {
      double weight = weights[j] * factors[j];
      all.out[query * width + d] += weight * v.get((key + j) * width + d);
      all.dv[(key + j) * width + d] += weight * dout.get(query * width + d);
    }
  }
}

AttentionCase::Reference AttentionCase::reference() const {
  auto zeros = [](const TestOperand &operand) {
    return Rows(operand.elements(), 0);
  };
  Reference all = {zeros(out), zeros(lse), zeros(q), zeros(k), zeros(v), 0};
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t h = 0; h < shape.heads; ++h)
      for (int64_t i = 0; i < shape.queries; ++i)
        addRow(all, b, h, i);
  return all;
}

void AttentionCase::expectNear(const TestOperand &found, const Rows &expected,
                               double tolerance, const char *name) const {
  double largest = 1;
  for (double value : expected)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = found.get(static_cast<int64_t>(i));
    if (std::isinf(expected[i]) && value == expected[i])
      continue;
    ASSERT_NEAR(value, expected[i], tolerance * largest) << name << " " << i;
  }
}

void AttentionCase::expectForward(double tolerance) {
  Reference all = reference();
  expectNear(out, all.out, tolerance, "out");
  expectNear(lse, all.lse, std::min(tolerance, 1e-5), "lse");
  TestOperand found = out, foundLse = lse;
  std::unique_ptr<runtime::Call> call;
  expectOk(runtime::makeAttention(arguments(false), 1, call));
  expectOk(runCall(*call));
  expectNear(out, all.out, tolerance, "out of the CPU");
  expectNear(lse, all.lse, 1e-5, "lse of the CPU");
  out = found;
  lse = foundLse;
}

ptx::Report AttentionCase::runGradient() {
  auto upload = [&](TestOperand &operand, const char *name) {
    return shape.apart >= 0 ? gpu.uploadApart(operand, name, shape.apart)
                            : gpu.upload(operand, name, shape.offset);
  };
  runtime::AttentionGradArguments given = {device, upload(dout, "dout"),
                                           upload(dq, "dq"), upload(dk, "dk"),
                                           upload(dv, "dv")};
  runtime::cuda::KernelLaunches launches;
  expectOk(runtime::cuda::addAttentionGrad(given, launches));
  ptx::Report report = gpu.run(launches);
  gpu.download(given.dq, dq);
  gpu.download(given.dk, dk);
  gpu.download(given.dv, dv);
  launched = launches.list;
  return report;
}

void AttentionCase::expectGradient(double tolerance) {
  Reference all = reference();
  expectNear(dq, all.dq, tolerance, "dq");
  expectNear(dk, all.dk, tolerance, "dk");
  expectNear(dv, all.dv, tolerance, "dv");
  runGradientOnCpu();
  expectNear(dq, all.dq, tolerance, "dq of the CPU");
  expectNear(dk, all.dk, tolerance, "dk of the CPU");
  expectNear(dv, all.dv, tolerance, "dv of the CPU");
}

void AttentionCase::runGradientOnCpu() {
  std::unique_ptr<runtime::Call> call;
  expectOk(
      runtime::makeAttentionGrad({arguments(false), dout.operand(),
                                  dq.operand(), dk.operand(), dv.operand()},
                                 1, call));
  expectOk(runCall(*call));
}

GradientErrors AttentionCase::gradientErrors() const {
  Reference all = reference();
  auto largestOf = [](const Rows &rows) {
    double largest = 0;
    for (double value : rows)
      largest = std::max(largest, std::fabs(value));
    return largest;
  };
  double most =
      std::max({largestOf(all.dq), largestOf(all.dk), largestOf(all.dv)});
  auto errorOf = [&](const TestOperand &found, const Rows &expected) {
    double largest = largestOf(expected), error = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      double value = found.get(static_cast<int64_t>(i));
      if (!std::isfinite(value))
        return double(INFINITY);
      error = std::max(error, std::fabs(value - expected[i]));
    }
    return error / (largest < 1e-12 * most ? most : largest);
  };
  return {errorOf(dq, all.dq), errorOf(dk, all.dk), errorOf(dv, all.dv),
          all.score};
}

void OfAttentionTypes::expectBothRight(AttentionShape shape) {
  shape.type = GetParam().type;
  AttentionCase attention(shape);
  attention.run();
  attention.expectForward(GetParam().tolerance);
  attention.runGradient();
  attention.expectGradient(GetParam().tolerance);
}

} // namespace hocket::test
