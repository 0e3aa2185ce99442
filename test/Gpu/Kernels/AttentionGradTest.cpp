//===- AttentionGradTest.cpp - gradients of attention ---------------------===//

#include "test/Gpu/Kernels/AttentionCase.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using Shape = AttentionShape;

namespace {

class CudaAttentionGrad : public CudaKernels {};

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
    attention.runGradient();
    attention.expectGradient(tolerance);
  }
}

TEST_F(CudaAttentionGrad, HeadDims) {
  for (int64_t depth : {32, 64, 128, 256})
    for (auto [type, tolerance, name] : types) {
      Shape shape;
      shape.type = type;
      shape.depth = shape.width = depth;
      AttentionCase attention(shape);
      attention.run();
      ptx::Report report = attention.runGradient();
      attention.expectGradient(tolerance);
      std::string suffix = std::string(name) + "D" + std::to_string(depth);
      bool isHalf = type == DType::F16 || type == DType::BF16;
      ASSERT_EQ(attention.launched.size(), isHalf && depth == 256 ? 4u : 3u);
      EXPECT_EQ(attention.launched[0].entry, std::string("means") + name);
      EXPECT_EQ(attention.launched[1].entry, "gradientOfQueries" + suffix);
      EXPECT_EQ(attention.launched[2].entry,
                (isHalf && depth == 256 ? "gradientOfKeys"
                                        : "gradientOfKeysAndValues") +
                    suffix);
      EXPECT_LE(report.total.waysPerIdeal(), isHalf ? 1.05 : 1.2)
          << name << " " << depth;
      EXPECT_LE(report.total.sectorsPerIdeal(), 1.05) << name << " " << depth;
    }
}

TEST_F(CudaAttentionGrad, OtherHeadDims) {
  Shape shape;
  shape.depth = 80;
  shape.width = 40;
  inAllTypes(shape);
  shape.depth = 1;
  shape.width = 3;
  inAllTypes(shape);
}

TEST_F(CudaAttentionGrad, AnyStridesAndAddresses) {
  Shape shape;
  shape.depth = 24;
  shape.width = 32;
  shape.pad = 3;
  shape.offset = 1;
  inAllTypes(shape);
}

TEST_F(CudaAttentionGrad, Causal) {
  Shape shape;
  shape.causal = true;
  shape.queries = 150;
  shape.keys = 170;
  shape.queryOffset = 20;
  inAllTypes(shape);
  // The first queries see nothing, the last keys are seen by none.
  shape.queryOffset = 5;
  shape.keyOffset = 30;
  inAllTypes(shape);
}

TEST_F(CudaAttentionGrad, Windows) {
  Shape shape;
  shape.queries = shape.keys = 180;
  shape.before = 20;
  shape.causal = true;
  inAllTypes(shape);
  shape.causal = false;
  shape.after = 7;
  shape.keyOffset = 3;
  inAllTypes(shape);
  shape.before = 0;
  shape.after = -1;
  shape.queries = 33;
  inAllTypes(shape);
}

TEST_F(CudaAttentionGrad, Padding) {
  Shape shape;
  shape.batch = 2;
  shape.padding = true;
  shape.queries = 40;
  inAllTypes(shape);
  shape.causal = true;
  inAllTypes(shape);
}

TEST_F(CudaAttentionGrad, GroupedHeads) {
  Shape shape;
  shape.heads = 5;
  shape.kvHeads = 2;
  shape.group = 4;
  shape.headOffset = 6;
  shape.kvHeadOffset = 1;
  shape.queries = 30;
  inAllTypes(shape);
}

TEST_F(CudaAttentionGrad, Dropout) {
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

TEST_F(CudaAttentionGrad, NoKeysAndNoQueries) {
  Shape shape;
  shape.keys = 0;
  shape.queries = 3;
  inAllTypes(shape);
  shape.keys = 3;
  shape.queries = 0;
  inAllTypes(shape);
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
