//===- AttentionTest.cpp - attention forward ------------------------------===//

#include "runtime/lib/Cuda/Attention/AttentionParameters.h"
#include "test/Gpu/Kernels/AttentionCase.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using Shape = AttentionShape;

namespace {

class CudaAttention : public CudaKernels {};

constexpr struct {
  DType type;
  double tolerance;
  const char *name;
} types[] = {{DType::F32, 1e-5, "F32"},
             {DType::F64, 1e-12, "F64"},
             {DType::F16, 3e-3, "F16"},
             {DType::BF16, 2e-2, "BF16"}};

/// Runs the shape in all types, each against loops in double.
void inAllTypes(Shape shape) {
  for (auto [type, tolerance, name] : types) {
    shape.type = type;
    SCOPED_TRACE(name);
    AttentionCase attention(shape);
    attention.run();
    attention.expectForward(tolerance);
  }
}

TEST_F(CudaAttention, HeadDims) {
  for (int64_t depth : {32, 64, 128, 256})
    for (auto [type, tolerance, name] : types) {
      Shape shape;
      shape.type = type;
      shape.depth = shape.width = depth;
      AttentionCase attention(shape);
      ptx::Report report = attention.run();
      attention.expectForward(tolerance);
      ASSERT_EQ(attention.launched.size(), 1u);
      EXPECT_EQ(attention.launched[0].entry,
                std::string("attention") + name + "D" + std::to_string(depth));
      bool isHalf = type == DType::F16 || type == DType::BF16;
      EXPECT_LE(report.total.waysPerIdeal(), isHalf ? 1.0 : 1.11)
          << name << " " << depth;
      EXPECT_LE(report.total.sectorsPerIdeal(), 1.02) << name << " " << depth;
    }
}

TEST_F(CudaAttention, OtherHeadDims) {
  Shape shape;
  shape.depth = 80;
  shape.width = 40;
  inAllTypes(shape);
  shape.depth = 1;
  shape.width = 3;
  inAllTypes(shape);
}

TEST_F(CudaAttention, AnyStridesAndAddresses) {
  Shape shape;
  shape.depth = 24;
  shape.width = 32;
  shape.pad = 3;
  shape.offset = 1;
  inAllTypes(shape);
}

TEST_F(CudaAttention, Causal) {
  Shape shape;
  shape.causal = true;
  shape.queries = 150;
  shape.keys = 170;
  shape.queryOffset = 20;
  inAllTypes(shape);
  // Keys that begin later: the first queries see nothing.
  shape.queryOffset = 5;
  shape.keyOffset = 30;
  inAllTypes(shape);
  // All queries see all keys but the last.
  shape.queries = 20;
  shape.queryOffset = 168;
  shape.keyOffset = 0;
  inAllTypes(shape);
}

TEST_F(CudaAttention, Windows) {
  Shape shape;
  shape.queries = shape.keys = 180;
  shape.before = 20;
  shape.causal = true;
  inAllTypes(shape);
  shape.causal = false;
  shape.after = 7;
  shape.keyOffset = 3;
  inAllTypes(shape);
  shape.before = -1;
  inAllTypes(shape);
  shape.before = 0;
  shape.after = -1;
  shape.queries = 33;
  inAllTypes(shape);
}

TEST_F(CudaAttention, Padding) {
  Shape shape;
  shape.batch = 2;
  shape.padding = true;
  shape.queries = 40;
  inAllTypes(shape);
  shape.causal = true;
  inAllTypes(shape);
}

TEST_F(CudaAttention, GroupedHeads) {
  Shape shape;
  shape.heads = 5;
  shape.kvHeads = 2;
  shape.group = 4;
  shape.headOffset = 6;
  shape.kvHeadOffset = 1;
  shape.queries = 30;
  inAllTypes(shape);
}

TEST_F(CudaAttention, Dropout) {
  Shape shape;
  shape.dropout = 0.3;
  shape.batch = 2;
  shape.keyOffset = 3; // words of four weights are cut
  inAllTypes(shape);
  shape.causal = true;
  shape.depth = 40;
  shape.width = 20;
  shape.keyOffset = 1;
  inAllTypes(shape);
}

TEST_F(CudaAttention, NegativeAndLargeScales) {
  Shape shape;
  shape.scale = -0.3;
  shape.depth = 16;
  inAllTypes(shape);
  shape.scale = 3;
  inAllTypes(shape);
}

TEST_F(CudaAttention, NoKeys) {
  Shape shape;
  shape.keys = 0;
  shape.queries = 3;
  inAllTypes(shape);
}

TEST(CudaAttentionLaunches, Refusals) {
  auto messageOf = [](Shape shape, DType keyType) {
    TestOperand q(shape.type, {1, 1, 2, shape.depth});
    TestOperand k(keyType, {1, 1, 2, shape.depth});
    runtime::AttentionArguments given;
    given.q = given.out = q.operand();
    given.k = given.v = k.operand();
    runtime::cuda::KernelLaunches launches;
    return runtime::cuda::addAttention(given, launches).message;
  };
  Shape shape;
  EXPECT_EQ(messageOf(shape, DType::BF16),
            "attention of f32 and bf16 has no CUDA kernel, expected operands "
            "of one type");
  shape.depth = 257;
  EXPECT_EQ(messageOf(shape, DType::F32),
            "attention with heads of 257 elements has no CUDA kernel, expected "
            "256 at most");
  shape.type = DType::I32;
  EXPECT_EQ(messageOf(shape, DType::I32),
            "attention of i32 has no CUDA kernel");
}

TEST(CudaAttentionLaunches, TooMuchIsRefused) {
  int64_t rows = int64_t(1) << 31;
  runtime::Operand q{nullptr, DType::F32, {1, 1, rows, 8}, {0, 0, 8, 1}};
  runtime::AttentionArguments given;
  given.q = given.k = given.v = given.out = q;
  runtime::cuda::KernelLaunches launches;
  EXPECT_EQ(runtime::cuda::addAttention(given, launches).message,
            "attention with 2147483648 rows of queries and 2147483648 keys is "
            "more than CUDA kernels count");
  given.q.shape[2] = given.k.shape[2] = 4;
  runtime::Operand step{nullptr, DType::I32, {}, {}};
  given.dropout = {
      0.5, 1, step, 0, std::vector<int64_t>(9, 2), std::vector<int64_t>(9, 1)};
  EXPECT_EQ(runtime::cuda::addAttention(given, launches).message,
            "attention whose dropped weights are counted by 9 factors has no "
            "CUDA kernel, expected 8 at most");
}

} // namespace
