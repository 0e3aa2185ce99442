//===- AttentionGradTest.cpp - gradients of attention ---------------------===//

#include "test/Gpu/Kernels/AttentionCase.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using Shape = AttentionShape;

namespace {

/// Of one type, against loops in double.
class CudaAttentionGrad : public OfAttentionTypes {
protected:
  void expectRight(Shape shape) {
    shape.type = GetParam().type;
    AttentionCase attention(shape);
    attention.run();
    attention.runGradient();
    attention.expectGradient(GetParam().tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(Types, CudaAttentionGrad, attentionTypes,
                         OfAttentionTypes::nameOf);

TEST_P(CudaAttentionGrad, HeadDims) {
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

TEST_P(CudaAttentionGrad, OtherHeadDims) {
  Shape shape;
  shape.depth = 80;
  shape.width = 40;
  expectRight(shape);
  shape.depth = 1;
  shape.width = 3;
  expectRight(shape);
}

TEST_P(CudaAttentionGrad, AnyStridesAndAddresses) {
  Shape shape;
  shape.depth = 24;
  shape.width = 32;
  shape.pad = 3;
  shape.offset = 1;
  expectRight(shape);
}

TEST_P(CudaAttentionGrad, Causal) {
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
}

TEST_P(CudaAttentionGrad, Windows) {
  Shape shape;
  shape.queries = shape.keys = 180;
  shape.before = 20;
  shape.causal = true;
  expectRight(shape);
  shape.causal = false;
  shape.after = 7;
  shape.keyOffset = 3;
  expectRight(shape);
  shape.before = 0;
  shape.after = -1;
  shape.queries = 33;
  expectRight(shape);
}

TEST_P(CudaAttentionGrad, Padding) {
  Shape shape;
  shape.batch = 2;
  shape.padding = true;
  shape.queries = 40;
  expectRight(shape);
  shape.causal = true;
  expectRight(shape);
}

TEST_P(CudaAttentionGrad, GroupedHeads) {
  Shape shape;
  shape.heads = 5;
  shape.kvHeads = 2;
  shape.group = 4;
  shape.headOffset = 6;
  shape.kvHeadOffset = 1;
  shape.queries = 30;
  expectRight(shape);
}

TEST_P(CudaAttentionGrad, Dropout) {
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
TEST_P(CudaAttentionGrad, AllKernels) {
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

TEST_P(CudaAttentionGrad, OffsetsHave64Bits) {
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

TEST_P(CudaAttentionGrad, DropoutOfAllHeadDims) {
  Shape shape;
  shape.dropout = 0.2;
  shape.queries = 20;
  for (int64_t depth : {32, 128, 256}) {
    shape.depth = shape.width = depth;
    expectRight(shape);
  }
}

TEST_P(CudaAttentionGrad, NoKeysAndNoQueries) {
  Shape shape;
  shape.keys = 0;
  shape.queries = 3;
  expectRight(shape);
  shape.keys = 3;
  shape.queries = 0;
  expectRight(shape);
}

TEST(CudaAttentionGradLaunches, Refusals) {
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

} // namespace
