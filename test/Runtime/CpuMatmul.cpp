//===- CpuMatmul.cpp - products against a naive loop in double ------------===//

#include "hocket/Cpu/Matmul.h"
#include "test/Runtime/TestOperand.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using plan::PostOp;
using runtime::MatmulArguments;

namespace {

double applyPost(PostOp op, double x, double operand) {
  switch (op) {
  case PostOp::Add:
    return x + operand;
  case PostOp::Mul:
    return x * operand;
  case PostOp::Relu:
    return std::max(x, 0.0);
  case PostOp::GeluErf:
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  case PostOp::GeluTanh:
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  case PostOp::Silu:
    return x / (1 + std::exp(-x));
  case PostOp::Tanh:
    return std::tanh(x);
  }
  return x;
}

double load(const runtime::Operand &operand, int64_t offset) {
  double value;
  runtime::convert(static_cast<const char *>(operand.data) +
                       offset * plan::byteSize(operand.type),
                   operand.type, &value, DType::F64, 1);
  return value;
}

/// What c must hold, row-major, from any strides.
std::vector<double> naive(const MatmulArguments &given) {
  const runtime::Operand &c = given.c;
  size_t rank = c.shape.size();
  int64_t k = given.a.shape.back();
  std::vector<double> result;
  for (int64_t flat = 0; flat < c.elements(); ++flat) {
    std::vector<int64_t> index(rank);
    int64_t rest = flat;
    for (size_t dim = rank; dim-- > 0; rest /= c.shape[dim])
      index[dim] = rest % c.shape[dim];
    auto offset = [&](const runtime::Operand &operand, int64_t i, int64_t j) {
      int64_t sum =
          i * operand.strides[rank - 2] + j * operand.strides[rank - 1];
      for (size_t dim = 0; dim + 2 < rank; ++dim)
        sum += index[dim] * operand.strides[dim];
      return sum;
    };
    int64_t i = index[rank - 2], j = index[rank - 1];
    double value = 0;
    for (int64_t p = 0; p < k; ++p)
      value += load(given.a, offset(given.a, i, p)) *
               load(given.b, offset(given.b, p, j));
    if (given.bias)
      value += load(*given.bias, j * given.bias->strides[0]);
    for (const runtime::PostOperation &post : given.post)
      value = applyPost(post.op, value,
                        post.operand.shape.empty()
                            ? 0
                            : load(post.operand, offset(post.operand, i, j)));
    result.push_back(value);
  }
  return result;
}

void checkMatmul(const MatmulArguments &given, TestOperand &c, double tolerance,
                 int threads = 1) {
  std::vector<double> expected = naive(given);
  std::unique_ptr<runtime::Call> call;
  runtime::setLibraryThreads(threads);
  runtime::Status status = runtime::makeMatmul(given, threads, call);
  runtime::setLibraryThreads(1);
  ASSERT_TRUE(status.ok()) << status.message;
  for (int repeat = 0; repeat < 2; ++repeat) {
    status = runCall(*call);
    ASSERT_TRUE(status.ok()) << status.message;
    double worst = 0;
    for (int64_t flat = 0; flat < c.elements(); ++flat)
      worst = std::max(worst, std::abs(c.get(flat) - expected[flat]));
    EXPECT_LE(worst, tolerance);
  }
}

double toleranceFor(DType type, int64_t k) {
  switch (type) {
  case DType::F64:
    return 1e-13 * static_cast<double>(k + 1);
  case DType::F32:
    return 2e-7 * static_cast<double>(k + 4);
  case DType::I32:
  case DType::I64:
    return 0;
  default:
    return 2e-2 * std::sqrt(static_cast<double>(k + 1)); // halves round c
  }
}

} // namespace

TEST(CpuMatmul, ShapesAndTypes) {
  struct Extents {
    int64_t m, n, k;
  };
  for (DType type : {DType::F32, DType::F64, DType::BF16, DType::F16,
                     DType::I32, DType::I64})
    for (Extents e :
         {Extents{1, 1, 1}, Extents{5, 3, 7}, Extents{1, 64, 33},
          Extents{65, 1, 17}, Extents{97, 270, 300}, Extents{128, 64, 1},
          Extents{7, 5, 0}, Extents{0, 5, 3}, Extents{4, 0, 3}}) {
      SCOPED_TRACE(std::string(plan::toString(type)) + " " +
                   std::to_string(e.m) + " " + std::to_string(e.n) + " " +
                   std::to_string(e.k));
      double scale = type == DType::I32 || type == DType::I64 ? 50 : 1;
      TestOperand a(type, {e.m, e.k}), b(type, {e.k, e.n}), c(type, {e.m, e.n});
      a.random(1, scale);
      b.random(2, scale);
      c.random(3, scale);
      MatmulArguments given;
      given.a = a.operand();
      given.b = b.operand();
      given.c = c.operand();
      checkMatmul(given, c, toleranceFor(type, e.k));
    }
}

// Products of 16-bit floats with a result of F32 are not rounded on the way,
// from any memory order, with a bias and an addend of other types.
TEST(CpuMatmul, SumsOfNarrowProducts) {
  std::vector<std::vector<int>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}};
  for (DType type : {DType::BF16, DType::F16})
    for (const auto &orderA : orders)
      for (const auto &orderB : orders) {
        TestOperand a(type, {3, 17, 200}, orderA, 5);
        TestOperand b(type, {3, 200, 33}, orderB, 3);
        TestOperand c(DType::F32, {3, 17, 33}), bias(type, {33});
        TestOperand addend(DType::F32, {3, 17, 33});
        MatmulArguments given;
        given.a = a.random(1).operand();
        given.b = b.random(2).operand();
        given.c = c.operand();
        checkMatmul(given, c, toleranceFor(DType::F32, 200));
        given.bias = bias.random(3).operand();
        given.post = {{PostOp::Add, addend.random(4).operand()}};
        checkMatmul(given, c, toleranceFor(DType::F32, 200));
      }
}

// Every memory order of both matrices of a batched product, and of the result.
TEST(CpuMatmul, EveryLayout) {
  std::vector<std::vector<int>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (DType type : {DType::F32, DType::F64})
    for (const auto &orderA : orders)
      for (const auto &orderB : orders)
        for (const auto &orderC : orders) {
          TestOperand a(type, {3, 17, 20}, orderA, 5);
          TestOperand b(type, {3, 20, 33}, orderB, 3);
          TestOperand c(type, {3, 17, 33}, orderC, 7);
          MatmulArguments given;
          given.a = a.random(1).operand();
          given.b = b.random(2).operand();
          given.c = c.operand();
          checkMatmul(given, c, toleranceFor(type, 20));
        }
}

// [batch, seq, heads * dim] as heads: a strided 4-D view, and a shared weight.
TEST(CpuMatmul, BatchesAndBroadcasts) {
  TestOperand q(DType::F32, {2, 3, 10, 8}, {0, 2, 1, 3});
  TestOperand k(DType::F32, {2, 3, 8, 12}, {0, 3, 1, 2});
  TestOperand scores(DType::F32, {2, 3, 10, 12});
  MatmulArguments given;
  given.a = q.random(1).operand();
  given.b = k.random(2).operand();
  given.c = scores.operand();
  checkMatmul(given, scores, toleranceFor(DType::F32, 8));

  TestOperand x(DType::F32, {4, 10, 16}), w(DType::F32, {4, 16, 24});
  TestOperand y(DType::F32, {4, 10, 24});
  w.random(3);
  given.a = x.random(4).operand();
  given.b = w.operand();
  given.b.strides[0] = 0;
  given.c = y.operand();
  checkMatmul(given, y, toleranceFor(DType::F32, 16));
  // The batch is not one run of rows: it stays a batch.
  TestOperand slow(DType::F32, {4, 10, 16}, {1, 0, 2});
  given.a = slow.random(5).operand();
  checkMatmul(given, y, toleranceFor(DType::F32, 16));
  // The left side repeats.
  given.a = x.operand();
  given.a.strides[0] = 0;
  given.b = w.operand();
  checkMatmul(given, y, toleranceFor(DType::F32, 16));
  // A row that repeats within the matrix.
  given.a = x.operand();
  given.a.strides[1] = 0;
  checkMatmul(given, y, toleranceFor(DType::F32, 16));
}

TEST(CpuMatmul, Epilogues) {
  for (DType type : {DType::F32, DType::F64})
    for (PostOp op : {PostOp::Relu, PostOp::GeluErf, PostOp::GeluTanh,
                      PostOp::Silu, PostOp::Tanh}) {
      TestOperand a(type, {2, 9, 30}), b(type, {2, 30, 40}),
          c(type, {2, 9, 40});
      TestOperand bias(type, {40}), residual(type, {2, 9, 40}, {}, 3);
      TestOperand factor(type, {2, 9, 40}, {2, 0, 1});
      MatmulArguments given;
      given.a = a.random(1, 0.5).operand();
      given.b = b.random(2, 0.5).operand();
      given.c = c.operand();
      given.bias = bias.random(3).operand();
      given.post = {{op, {}},
                    {PostOp::Add, residual.random(4).operand()},
                    {PostOp::Mul, factor.random(5).operand()}};
      double tolerance = type == DType::F32 ? 2e-5 : 1e-12;
      checkMatmul(given, c, tolerance);
      // Broadcast along rows, columns and the batch.
      for (int dim : {0, 1, 2}) {
        runtime::Operand repeated = residual.operand();
        repeated.strides[dim] = 0;
        given.post[1].operand = repeated;
        checkMatmul(given, c, tolerance);
      }
      // A residual that is overwritten by the result.
      given.post = {{PostOp::Add, c.random(6).operand()}};
      TestOperand before = c;
      MatmulArguments reference = given;
      reference.post[0].operand.data = before.bytes.data();
      std::vector<double> expected = naive(reference);
      std::unique_ptr<runtime::Call> call;
      ASSERT_TRUE(runtime::makeMatmul(given, 1, call).ok());
      ASSERT_TRUE(runCall(*call).ok());
      for (int64_t flat = 0; flat < c.elements(); ++flat)
        ASSERT_NEAR(c.get(flat), expected[flat], tolerance);
    }
}

TEST(CpuMatmul, PackedWeights) {
  for (DType type : {DType::F32, DType::BF16, DType::F64})
    for (bool transposed : {false, true})
      for (int64_t m : {1, 8, 130}) {
        TestOperand a(type, {m, 96}), c(type, {m, 200}), bias(type, {200});
        TestOperand b(type, {96, 200},
                      transposed ? std::vector<int>{1, 0}
                                 : std::vector<int>{0, 1});
        auto pack = runtime::PackedWeight::make(b.operand(), 64);
        if (type != DType::BF16) // depends on the processor
          EXPECT_EQ(pack->bytes() > 0, type == DType::F32);
        b.random(2);
        ASSERT_TRUE(pack->pack().ok());
        MatmulArguments given;
        given.a = a.random(1).operand();
        given.b = b.operand();
        given.c = c.operand();
        given.bias = bias.random(3).operand();
        given.post = {{PostOp::Relu, {}}};
        given.pack = pack.get();
        checkMatmul(given, c, toleranceFor(type, 96));
      }
}

// So many rows and columns are packed for another primitive of oneDNN.
TEST(CpuMatmul, PackedWeightsOfManyColumns) {
  constexpr int64_t m = 512, n = 8200, k = 4;
  TestOperand a(DType::F32, {m, k}), b(DType::F32, {k, n}, {1, 0});
  TestOperand c(DType::F32, {m, n}), bias(DType::F32, {n});
  auto pack = runtime::PackedWeight::make(b.random(2).operand(), m);
  ASSERT_TRUE(pack->pack().ok());
  MatmulArguments given;
  given.a = a.random(1).operand();
  given.b = b.operand();
  given.c = c.operand();
  given.bias = bias.random(3).operand();
  given.post = {{PostOp::GeluTanh, {}}};
  given.pack = pack.get();
  checkMatmul(given, c, toleranceFor(DType::F32, k), 2);
}

/// A call with a pack, made before it is packed as the executor does, reads
/// nothing of where the weight was.
void checkPackIsRead(TestOperand &a, TestOperand &b, TestOperand &c,
                     const runtime::Operand &rows, int64_t m) {
  auto pack = runtime::PackedWeight::make(b.random(2).operand(), m);
  MatmulArguments given;
  a.random(1);
  given.a = rows;
  given.b = b.operand();
  given.c = c.operand();
  given.pack = pack.get();
  std::vector<double> expected = naive(given);
  std::unique_ptr<runtime::Call> call;
  ASSERT_TRUE(runtime::makeMatmul(given, 1, call).ok());
  ASSERT_TRUE(pack->pack().ok());
  b.random(9); // the pack, not this, is multiplied
  ASSERT_TRUE(runCall(*call).ok());
  for (int64_t flat = 0; flat < c.elements(); ++flat)
    ASSERT_NEAR(c.get(flat), expected[flat], 2e-5);
}

TEST(CpuMatmul, PackIsWhatIsRead) {
  for (DType type : {DType::F32, DType::F64}) {
    TestOperand a(type, {32, 64}), b(type, {64, 64}), c(type, {32, 64});
    checkPackIsRead(a, b, c, a.operand(), 32);
  }
}

// oneDNN may have no kernel for the pack and columns cut out of wider rows.
TEST(CpuMatmul, PackIsReadWithSlicedRows) {
  for (DType type : {DType::F32, DType::F64})
    for (int64_t k : {2, 4, 8, 64}) {
      TestOperand a(type, {2, 2 * k}), b(type, {k, 8}), c(type, {2, 8});
      runtime::Operand rows = a.operand();
      rows.shape[1] = k;
      checkPackIsRead(a, b, c, rows, 32);
    }
  TestOperand a(DType::F32, {512, 8}), b(DType::F32, {4, 8192});
  TestOperand c(DType::F32, {512, 8192});
  runtime::Operand rows = a.operand();
  rows.shape[1] = 4;
  checkPackIsRead(a, b, c, rows, 512);
}

TEST(CpuMatmul, TwoThreads) {
  for (DType type : {DType::F32, DType::F64}) {
    TestOperand a(type, {200, 64}), b(type, {64, 300}), c(type, {200, 300});
    MatmulArguments given;
    given.a = a.random(1).operand();
    given.b = b.random(2).operand();
    given.c = c.operand();
    checkMatmul(given, c, toleranceFor(type, 64), 2);
  }
}
