//===- AttentionTest.cpp - attention and its gradients --------------------===//

#include "runtime/lib/Cuda/Attention/AttentionParameters.h"
#include "test/Gpu/Kernels/AttentionCase.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using Shape = AttentionShape;

namespace {

/// Of one type, against loops in double.
class CudaAttention : public OfAttentionTypes {
protected:
  void expectRight(Shape shape) {
    shape.type = GetParam().type;
    AttentionCase attention(shape);
    attention.run();
    attention.expectForward(GetParam().tolerance);
    attention.runGradient();
    attention.expectGradient(GetParam().tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(Types, CudaAttention, attentionTypes,
                         OfAttentionTypes::nameOf);

TEST_P(CudaAttention, HeadDims) {
  auto [type, tolerance, name] = GetParam();
  for (int64_t depth : {32, 64, 128, 256}) {
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

TEST_P(CudaAttention, GradientsOfHeadDims) {
  auto [type, tolerance, name] = GetParam();
  for (int64_t depth : {32, 64, 128, 256}) {
    Shape shape;
    shape.type = type;
    shape.depth = shape.width = depth;
    AttentionCase attention(shape);
    attention.run();
    ptx::Report report = attention.runGradient();
    attention.expectGradient(tolerance);
    std::string suffix = std::string(name) + "D" + std::to_string(depth);
    bool isHalf = type == DType::F16 || type == DType::BF16;
    ASSERT_EQ(attention.launched.size(), 3u);
    EXPECT_EQ(attention.launched[0].entry, std::string("means") + name);
    EXPECT_EQ(attention.launched[1].entry, "gradientOfQueries" + suffix);
    EXPECT_EQ(attention.launched[2].entry, "gradientOfKeysAndValues" + suffix);
    EXPECT_LE(report.total.waysPerIdeal(), isHalf ? 1.05 : 1.2)
        << name << " " << depth;
    EXPECT_LE(report.total.sectorsPerIdeal(), 1.05) << name << " " << depth;
  }
}

TEST_P(CudaAttention, OtherHeadDims) {
  Shape shape;
  shape.depth = 80;
  shape.width = 40;
  expectRight(shape);
  shape.depth = 1;
  shape.width = 3;
  expectRight(shape);
}

TEST_P(CudaAttention, AnyStridesAndAddresses) {
  Shape shape;
  shape.depth = 24;
  shape.width = 32;
  shape.pad = 3;
  shape.offset = 1;
  expectRight(shape);
}

TEST_P(CudaAttention, Causal) {
  Shape shape;
  shape.causal = true;
  shape.queries = 150;
  shape.keys = 170;
  shape.queryOffset = 20;
  expectRight(shape);
  // The first queries see nothing, the last keys are seen by none.
  shape.queryOffset = 5;
  shape.keyOffset = 30;
  expectRight(shape);
  // All queries see all keys but the last.
  shape.queries = 20;
  shape.queryOffset = 168;
  shape.keyOffset = 0;
  expectRight(shape);
}

TEST_P(CudaAttention, Windows) {
  Shape shape;
  shape.queries = shape.keys = 180;
  shape.before = 20;
  shape.causal = true;
  expectRight(shape);
  shape.causal = false;
  shape.after = 7;
  shape.keyOffset = 3;
  expectRight(shape);
  shape.before = -1;
  expectRight(shape);
  shape.before = 0;
  shape.after = -1;
  shape.queries = 33;
  expectRight(shape);
}

TEST_P(CudaAttention, Padding) {
  Shape shape;
  shape.batch = 2;
  shape.padding = true;
  shape.queries = 40;
  expectRight(shape);
  shape.causal = true;
  expectRight(shape);
}

TEST_P(CudaAttention, GroupedHeads) {
  Shape shape;
  shape.heads = 5;
  shape.kvHeads = 2;
  shape.group = 4;
  shape.headOffset = 6;
  shape.kvHeadOffset = 1;
  shape.queries = 30;
  expectRight(shape);
}

TEST_P(CudaAttention, Dropout) {
  Shape shape;
  shape.dropout = 0.3;
  shape.batch = 2;
  shape.keyOffset = 3; // words of four weights are cut
  expectRight(shape);
  shape.causal = true;
  shape.depth = 40;
  shape.width = 20;
  shape.keyOffset = 1;
  expectRight(shape);
}

/// Every kernel: heads that are no whole groups, masks of all kinds at once.
TEST_P(CudaAttention, AllKernels) {
  Shape shape;
  shape.batch = 2;
  shape.padding = shape.causal = true;
  shape.before = 30;
  shape.queries = 20;
  shape.queryOffset = 55;
  shape.keys = 75;
  shape.pad = 3;
  shape.offset = 1;
  for (auto [depth, width] :
       {std::pair(24, 30), {50, 64}, {100, 90}, {200, 150}})
    for (double dropout : {0.0, 0.2}) {
      shape.depth = depth;
      shape.width = width;
      shape.dropout = dropout;
      expectRight(shape);
    }
}

TEST_P(CudaAttention, OffsetsHave64Bits) {
  Shape shape;
  shape.batch = shape.queries = shape.keys = 2;
  shape.padding = true;
  shape.depth = 33;
  shape.width = 40;
  for (int dim : {0, 1, 2}) {
    shape.apart = dim;
    expectRight(shape);
  }
}

TEST_P(CudaAttention, DropoutOfAllHeadDims) {
  Shape shape;
  shape.dropout = 0.2;
  shape.queries = 20;
  for (int64_t depth : {32, 128, 256}) {
    shape.depth = shape.width = depth;
    expectRight(shape);
  }
}

TEST_P(CudaAttention, NegativeAndLargeScales) {
  Shape shape;
  shape.scale = -0.3;
  shape.depth = 16;
  expectRight(shape);
  shape.scale = 3;
  expectRight(shape);
}

TEST_P(CudaAttention, NoKeysAndNoQueries) {
  Shape shape;
  shape.keys = 0;
  shape.queries = 3;
  expectRight(shape);
  shape.keys = 3;
  shape.queries = 0;
  expectRight(shape);
}

/// Blocks that meet most begin first, those of all heads; where all meet as
/// many, a head after the other, for what stays in a cache.
TEST_F(CudaKernels, LongBlocksBeginFirst) {
  using Rows = std::set<std::pair<int64_t, int64_t>>;
  auto rows = [](int64_t begin, int64_t end, int64_t heads) {
    Rows all;
    for (int64_t query = begin; query < end; ++query)
      for (int64_t head = 0; head < heads; ++head)
        all.insert({head, query});
    return all;
  };
  Shape shape;
  shape.depth = shape.width = 32;
  shape.queries = shape.keys = 130; // tiles of 64
  EXPECT_EQ(AttentionCase(shape).rowsOfBlocks(2), rows(64, 130, 1));
  shape.causal = true;
  EXPECT_EQ(AttentionCase(shape).rowsOfBlocks(2), rows(128, 130, 2));
  // Under a layout whose first row sees all.
  shape.causal = false;
  shape.queries = shape.keys = 192;
  shape.layoutBlocks = 12;
  shape.layout = plan::BlockLayout();
  shape.layout->kind = plan::LayoutKind::BSLongformer;
  shape.layout->window = 1;
  EXPECT_EQ(AttentionCase(shape).rowsOfBlocks(2), rows(0, 64, 2));
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

TEST(CudaAttentionLaunches, RefusalsOfGradients) {
  TestOperand one(DType::BF16, {1, 1, 2, 8}), other(DType::F32, {1, 1, 2, 8});
  runtime::AttentionGradArguments given;
  given.forward.q = given.forward.k = given.forward.v = given.forward.out =
      one.operand();
  given.dout = given.dq = given.dk = one.operand();
  given.dv = other.operand();
  runtime::cuda::KernelLaunches launches;
  EXPECT_EQ(runtime::cuda::addAttentionGrad(given, launches).message,
            "the gradient of attention of bf16 in f32 has no CUDA kernel, "
            "expected operands of one type");
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
