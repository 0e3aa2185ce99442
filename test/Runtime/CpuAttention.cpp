//===- CpuAttention.cpp - attention against a naive loop in double --------===//

#include "hocket/Cpu/Attention.h"
#include "test/Runtime/TestOperand.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using runtime::AttentionArguments;

namespace {

struct Extents {
  int64_t batch, heads, kvHeads, queries, keys, depth, width;
};

/// q, k, v, out and keep with memory of their own, heads inside rows as a
/// projection leaves them ([batch, seq, heads, dim]).
struct Problem {
  explicit Problem(Extents e, DType type = DType::F32,
                   std::vector<int> order = {0, 2, 1, 3})
      : q(type, {e.batch, e.heads, e.queries, e.depth}, order),
        k(type, {e.batch, e.kvHeads, e.keys, e.depth}, order),
        v(type, {e.batch, e.kvHeads, e.keys, e.width}, order, 3),
        out(type, {e.batch, e.heads, e.queries, e.width}, order),
        keep(DType::Bool, {e.batch, e.keys}) {
    given.q = q.random(1, 2).operand();
    given.k = k.random(2, 2).operand();
    given.v = v.random(3).operand();
    given.out = out.random(4).operand();
    given.scale = 1 / std::sqrt(static_cast<float>(e.depth));
    given.group = e.heads / e.kvHeads;
  }

  void keepOnly(const std::function<bool(int64_t, int64_t)> &rule) {
    for (int64_t b = 0; b < keep.shape[0]; ++b)
      for (int64_t j = 0; j < keep.shape[1]; ++j)
        keep.set(b * keep.shape[1] + j, rule(b, j));
    given.keep = keep.operand();
  }

  TestOperand q, k, v, out, keep;
  AttentionArguments given;
};

/// Rows [seq, dim] of a head, dense.
std::vector<double> rowsOf(const TestOperand &operand, int64_t b, int64_t h) {
  std::vector<double> rows;
  for (int64_t i = 0; i < operand.shape[2]; ++i)
    for (int64_t d = 0; d < operand.shape[3]; ++d)
      rows.push_back(operand.at({b, h, i, d}));
  return rows;
}

/// Row i of the result of a head, from that head's queries, keys and values.
std::vector<double> naiveRow(const Problem &problem, int64_t b, int64_t i,
                             const std::vector<double> &q,
                             const std::vector<double> &k,
                             const std::vector<double> &v) {
  const AttentionArguments &given = problem.given;
  int64_t depth = problem.q.shape[3];
  int64_t keys = problem.k.shape[2], width = problem.v.shape[3];
  std::vector<double> weights(keys, 0), row(width, 0);
  double largest = -INFINITY, total = 0;
  for (int64_t j = 0; j < keys; ++j) {
    bool allowed =
        !given.causal || j + given.keyOffset <= i + given.queryOffset;
    if (given.keep)
      allowed &= problem.keep.at({b, j}) != 0;
    double score = 0;
    for (int64_t d = 0; d < depth; ++d)
      score += q[i * depth + d] * k[j * depth + d];
    weights[j] = allowed ? score * static_cast<double>(given.scale) : -INFINITY;
    largest = std::max(largest, weights[j]);
  }
  if (largest == -INFINITY)
    return row;
  for (double &weight : weights)
    total += weight = std::exp(weight - largest);
  for (int64_t j = 0; j < keys; ++j)
    for (int64_t d = 0; d < width; ++d)
      row[d] += weights[j] / total * v[j * width + d];
  return row;
}

void check(Problem &problem, int threads = 1) {
  std::unique_ptr<runtime::Call> call;
  runtime::setLibraryThreads(threads);
  runtime::Status status = runtime::makeAttention(problem.given, threads, call);
  runtime::setLibraryThreads(1);
  ASSERT_TRUE(status.ok()) << status.message;
  double tolerance = problem.out.type == DType::F64   ? 1e-12
                     : problem.out.type == DType::F32 ? 2e-6
                                                      : 1e-2;
  for (int repeat = 0; repeat < 2; ++repeat) {
    problem.out.random(4);
    ASSERT_TRUE(runCall(*call).ok());
    double worst = 0;
    const std::vector<int64_t> &shape = problem.out.shape;
    for (int64_t b = 0; b < shape[0]; ++b)
      for (int64_t h = 0; h < shape[1]; ++h) {
        const AttentionArguments &given = problem.given;
        int64_t kvHead =
            (given.headOffset + h) / given.group - given.kvHeadOffset;
        std::vector<double> q = rowsOf(problem.q, b, h),
                            k = rowsOf(problem.k, b, kvHead),
                            v = rowsOf(problem.v, b, kvHead);
        for (int64_t i = 0; i < shape[2]; ++i) {
          std::vector<double> row = naiveRow(problem, b, i, q, k, v);
          for (int64_t d = 0; d < shape[3]; ++d) {
            double error = std::abs(problem.out.at({b, h, i, d}) - row[d]);
            worst = error <= worst ? worst : error; // NaN counts
          }
        }
      }
    EXPECT_LE(worst, tolerance);
  }
}

} // namespace

TEST(CpuAttention, Shapes) {
  for (Extents e :
       {Extents{1, 1, 1, 1, 1, 1, 1}, Extents{2, 3, 3, 17, 23, 16, 16},
        Extents{1, 2, 2, 130, 70, 8, 24}, Extents{2, 1, 1, 5, 300, 64, 64},
        Extents{1, 2, 2, 1, 40, 32, 1}, Extents{1, 1, 1, 600, 1100, 16, 8}})
    for (bool causal : {false, true}) {
      SCOPED_TRACE(std::to_string(e.queries) + " x " + std::to_string(e.keys) +
                   (causal ? " causal" : ""));
      Problem problem(e);
      problem.given.causal = causal;
      problem.given.queryOffset = causal ? e.keys - e.queries : 0;
      check(problem);
      check(problem, 2);
    }
}

TEST(CpuAttention, EveryLayout) {
  for (std::vector<int> order : {std::vector<int>{0, 1, 2, 3},
                                 {0, 1, 3, 2},
                                 {3, 2, 1, 0},
                                 {2, 0, 1, 3},
                                 {1, 3, 0, 2}}) {
    Problem problem({2, 4, 2, 33, 41, 16, 8}, DType::F32, order);
    check(problem);
  }
}

// What a rank holds of a longer sequence: rows above its first key see none.
TEST(CpuAttention, CausalWithOffsets) {
  for (int64_t queryOffset : {0, 100, 513})
    for (int64_t keyOffset : {0, 37, 200, 700}) {
      Problem problem({1, 2, 2, 150, 520, 16, 16});
      problem.given.causal = true;
      problem.given.queryOffset = queryOffset;
      problem.given.keyOffset = keyOffset;
      check(problem);
    }
}

TEST(CpuAttention, PaddingAndRowsWithNothing) {
  for (bool causal : {false, true})
    for (int64_t keys : {60, 1500}) {
      Problem problem({3, 2, 2, 40, keys, 16, 16});
      problem.given.causal = causal;
      problem.given.queryOffset = keys - 40;
      problem.keepOnly([&](int64_t b, int64_t j) {
        return b == 0 || (b == 1 && j % 3 == 0 && j > keys / 2);
      });
      check(problem); // batch entry 2 has nothing to attend to: zeros
    }
}

// Heads 4 to 7 of 12, three to a kv head: local kv heads 1, 1, 2, 2 - 1.
TEST(CpuAttention, GroupedHeadsOfAShard) {
  Problem problem({2, 4, 2, 20, 30, 16, 16});
  problem.given.group = 3;
  problem.given.headOffset = 4;
  problem.given.kvHeadOffset = 1;
  check(problem);
}

TEST(CpuAttention, OtherTypes) {
  for (DType type : {DType::F64, DType::BF16, DType::F16}) {
    Problem problem({2, 2, 1, 20, 700, 16, 16}, type);
    problem.given.causal = true;
    problem.given.queryOffset = 400;
    problem.keepOnly([](int64_t b, int64_t j) { return b == 0 || j > 600; });
    check(problem);
    check(problem, 2);
  }
}

TEST(CpuAttention, LargeScoresStayFinite) {
  Problem problem({1, 1, 1, 64, 600, 16, 16});
  problem.q.random(1, 300);
  problem.k.random(2, 300);
  std::unique_ptr<runtime::Call> call;
  ASSERT_TRUE(runtime::makeAttention(problem.given, 1, call).ok());
  ASSERT_TRUE(runCall(*call).ok());
  for (int64_t flat = 0; flat < problem.out.elements(); ++flat)
    ASSERT_LE(std::abs(problem.out.get(flat)), 1.0001);
}

TEST(CpuAttention, NoKeysGiveZeros) {
  Problem problem({1, 2, 2, 5, 0, 8, 8});
  check(problem);
}
