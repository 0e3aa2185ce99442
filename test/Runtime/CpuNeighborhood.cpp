//===- CpuNeighborhood.cpp - neighborhood attention against naive loops ---===//

#include "hocket/Cpu/Neighborhood.h"
#include "test/Runtime/TestOperand.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using plan::Neighborhood;

namespace {

/// One dim, and the queries that the rank has of it.
struct Dim {
  Neighborhood window;
  int64_t first, count;
};

/// Operands of one rank: it holds what its queries read, and `spare` keys more
/// before them.
struct Problem {
  Problem(std::vector<Dim> dims, DType type = DType::F32, int64_t heads = 2,
          int64_t kvHeads = 2, std::vector<int> order = {}, int64_t spare = 0);

  std::vector<TestOperand> values; // q, k, v, dout, dq, dk, dv, out, lse
  runtime::NeighborhoodGradArguments given;
  std::vector<Dim> dims;
};

Problem::Problem(std::vector<Dim> dims, DType type, int64_t heads,
                 int64_t kvHeads, std::vector<int> order, int64_t spare)
    : dims(dims) {
  std::vector<int64_t> queries = {2, heads}, keys = {2, kvHeads};
  runtime::NeighborhoodArguments &forward = given.forward;
  for (const Dim &dim : dims) {
    auto [begin, end] = dim.window.reads(dim.first, dim.count);
    begin = std::max<int64_t>(begin - spare, 0);
    queries.push_back(dim.count);
    keys.push_back(end - begin);
    forward.windows.push_back(dim.window);
    forward.queryOffsets.push_back(dim.first);
    forward.keyOffsets.push_back(begin);
  }
  auto make = [&](std::vector<int64_t> shape, int64_t last) {
    shape.push_back(last);
    values.emplace_back(type, shape, order, 3);
    values.back().random(values.size(), 2);
  };
  for (auto [isQuery, last] : {std::pair(true, 5),
                               {false, 5},
                               {false, 7},
                               {true, 7},
                               {true, 5},
                               {false, 5},
                               {false, 7},
                               {true, 7}})
    make(isQuery ? queries : keys, last);
  forward.q = values[0].operand();
  forward.k = values[1].operand();
  forward.v = values[2].operand();
  values.emplace_back(type == DType::F64 ? type : DType::F32, queries);
  forward.out = values[7].operand();
  forward.lse = values[8].operand();
  given.dout = values[3].operand();
  given.dq = values[4].operand();
  given.dk = values[5].operand();
  given.dv = values[6].operand();
  forward.scale = 0.3;
  forward.group = heads / kvHeads;
}

using Rows = std::vector<double>;

Rows dense(const TestOperand &operand) {
  Rows numbers;
  for (int64_t flat = 0; flat < operand.elements(); ++flat)
    numbers.push_back(operand.get(flat));
  return numbers;
}

/// The rows of local keys that a local query sees, both row-major.
std::vector<int64_t> keysOf(const Problem &problem, int64_t query) {
  std::vector<int64_t> rows = {0};
  int64_t below = 1;
  for (const Dim &dim : problem.dims)
    below *= dim.count;
  for (size_t i = 0; i < problem.dims.size(); ++i) {
    const Dim &dim = problem.dims[i];
    below /= dim.count;
    auto [first, count] =
        dim.window.keysOf(dim.first + query / below % dim.count);
    std::vector<int64_t> next;
    for (int64_t row : rows)
      for (int64_t t = 0; t < count; ++t)
        next.push_back(row * problem.values[1].shape[i + 2] + first +
                       t * dim.window.dilation -
                       problem.given.forward.keyOffsets[i]);
    rows = next;
  }
  return rows;
}

/// out and lse, and dq, dk and dv where the gradient of the result is dout.
struct Naive {
  Rows out, lse, dq, dk, dv;
};

Naive naive(const Problem &problem) {
  Rows q = dense(problem.values[0]), k = dense(problem.values[1]),
       v = dense(problem.values[2]), dout = dense(problem.values[3]);
  Naive result{Rows(dout.size(), 0),
               {},
               Rows(q.size(), 0),
               Rows(k.size(), 0),
               Rows(v.size(), 0)};
  const int64_t depth = 5, width = 7;
  int64_t heads = problem.values[0].shape[1],
          kvHeads = problem.values[1].shape[1];
  int64_t queries = q.size() / depth / 2 / heads;
  int64_t keys = k.size() / depth / 2 / kvHeads;
  for (int64_t row = 0; row < 2 * heads * queries; ++row) {
    int64_t head = row / queries % heads, b = row / queries / heads;
    int64_t base = (b * kvHeads + head / problem.given.forward.group) * keys;
    std::vector<int64_t> seen = keysOf(problem, row % queries);
    Rows weights, gradients;
    double total = 0, mean = 0;
    for (int64_t key : seen) {
      double score = 0;
      for (int64_t d = 0; d < depth; ++d)
        score += q[row * depth + d] * k[(base + key) * depth + d];
      weights.push_back(std::exp(0.3 * score));
      total += weights.back();
    }
    result.lse.push_back(std::log(total));
    for (size_t t = 0; t < seen.size(); ++t) {
      weights[t] /= total;
      double gradient = 0;
      for (int64_t d = 0; d < width; ++d) {
        double value = v[(base + seen[t]) * width + d];
        result.out[row * width + d] += weights[t] * value;
        gradient += dout[row * width + d] * value;
        result.dv[(base + seen[t]) * width + d] +=
            weights[t] * dout[row * width + d];
      }
      gradients.push_back(gradient);
      mean += weights[t] * gradient;
    }
    for (size_t t = 0; t < seen.size(); ++t) {
      double score = 0.3 * weights[t] * (gradients[t] - mean);
      for (int64_t d = 0; d < depth; ++d) {
        result.dq[row * depth + d] += score * k[(base + seen[t]) * depth + d];
        result.dk[(base + seen[t]) * depth + d] += score * q[row * depth + d];
      }
    }
  }
  return result;
}

double distance(const Rows &expected, const TestOperand &found) {
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double error = std::abs(expected[i] - found.get(i));
    worst = error <= worst ? worst : error; // NaN counts
  }
  return worst;
}

void check(Problem problem) {
  DType type = problem.values[0].type;
  double tolerance = type == DType::F64   ? 1e-12
                     : type == DType::F32 ? 1e-5
                                          : 6e-2;
  Naive expected = naive(problem);
  std::vector<std::vector<uint8_t>> first;
  for (int threads : {1, 2, 3}) {
    SCOPED_TRACE(threads);
    auto call = runtime::makeNeighborhood(problem.given.forward, threads);
    ASSERT_TRUE(runCall(*call).ok());
    EXPECT_LE(distance(expected.out, problem.values[7]), tolerance);
    EXPECT_LE(distance(expected.lse, problem.values[8]), tolerance);
    auto backward = runtime::makeNeighborhoodGrad(problem.given, threads);
    ASSERT_TRUE(runCall(*backward).ok());
    EXPECT_LE(distance(expected.dq, problem.values[4]), tolerance);
    EXPECT_LE(distance(expected.dk, problem.values[5]), tolerance);
    EXPECT_LE(distance(expected.dv, problem.values[6]), tolerance);
    std::vector<std::vector<uint8_t>> bytes;
    for (size_t i : {4, 5, 6, 7, 8})
      bytes.push_back(problem.values[i].bytes);
    if (first.empty())
      first = bytes;
    EXPECT_TRUE(bytes == first) << "depends on the number of threads";
  }
}

} // namespace

TEST(CpuNeighborhood, OneDim) {
  for (bool causal : {false, true})
    for (auto [first, count] : {std::pair(0, 21), {0, 2}, {5, 9}, {20, 1}}) {
      SCOPED_TRACE(first);
      check(Problem({{{21, 4, 3, 2, causal}, first, count}}));
      check(Problem({{{21, 7, 1, 1, causal}, first, count}}, DType::F64));
    }
}

TEST(CpuNeighborhood, MoreDims) {
  Dim rows{{9, 3, 2, 2, false}, 4, 3}, columns{{8, 4, 1, 1, true}, 3, 5};
  Dim planes{{5, 2, 1, 1, false}, 0, 5};
  check(Problem({rows, columns}));
  check(Problem({planes, rows, columns}));
  check(Problem({planes, rows, columns}, DType::F64));
}

TEST(CpuNeighborhood, GroupedHeads) {
  Dim rows{{9, 3, 1, 1, false}, 0, 9};
  check(Problem({rows}, DType::F32, 6, 2));
  check(Problem({rows}, DType::F32, 6, 1));
}

/// Keys that no query sees get a gradient of zero.
TEST(CpuNeighborhood, MoreKeysThanAreSeen) {
  check(Problem({{{30, 5, 1, 1, false}, 12, 4}}, DType::F32, 2, 2, {}, 3));
}

TEST(CpuNeighborhood, EveryLayoutAndType) {
  Dim rows{{7, 3, 1, 2, false}, 1, 5}, columns{{6, 3, 3, 1, false}, 0, 6};
  for (std::vector<int> order :
       {std::vector<int>{0, 2, 3, 1, 4}, {4, 3, 2, 1, 0}, {0, 1, 4, 2, 3}})
    for (DType type : {DType::F32, DType::F64, DType::BF16, DType::F16})
      check(Problem({rows, columns}, type, 2, 2, order));
}

TEST(CpuNeighborhood, NoQueries) {
  Dim rows{{7, 3, 1, 1, false}, 2, 0}, columns{{6, 3, 1, 1, false}, 0, 6};
  check(Problem({rows, columns}));
}
