//===- AttentionRefusalsTest.cpp - attentions that cuDNN does not compute -===//

#include "runtime/lib/Cuda/OpenLibrary.h"
#include "test/Gpu/Libraries/Dnn/AttentionSample.h"

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime;
using namespace hocket::runtime::cuda;

namespace {

class AttentionRefusalsTest : public DnnTest {
protected:
  static std::string why(const AttentionShape &shape) {
    return whyNotDnn(AttentionSample(shape).forward());
  }
  /// What choosing a plan says.
  template <class Arguments>
  std::string refusal(const Arguments &arguments,
                      const DnnAttentionOptions &options = {}) {
    std::unique_ptr<DnnAttention> attention;
    std::vector<uint8_t> algorithm;
    Status status = DnnAttention::make(*dnn, arguments, options, attention);
    if (status.ok())
      status = attention->choose(algorithm);
    return status.message;
  }
  void setVersion(size_t version) {
    reinterpret_cast<void (*)(size_t)>(find("hocketDnnSetVersion"))(version);
  }

  AttentionShape shape;
};

} // namespace

TEST_F(AttentionRefusalsTest, Types) {
  shape.type = DType::F32;
  EXPECT_EQ(why(shape), "cuDNN's attention takes f16 and bf16, not f32");
  shape.type = DType::BF16;
  AttentionArguments arguments = AttentionSample(shape).forward();
  arguments.out.type = DType::F32;
  EXPECT_EQ(whyNotDnn(arguments), "cuDNN's attention wants one type for all "
                                  "operands, not bf16 and f32");
}

TEST_F(AttentionRefusalsTest, Heads) {
  shape.depth = 20;
  EXPECT_EQ(why(shape), "cuDNN's attention takes heads of a multiple of 8 "
                        "elements, 128 at most, not 20");
  shape.depth = 16, shape.valueDepth = 136;
  EXPECT_EQ(why(shape), "cuDNN's attention takes heads of a multiple of 8 "
                        "elements, 128 at most, not 136");
  shape.valueDepth = 16, shape.kvHeads = 2;
  AttentionArguments arguments = AttentionSample(shape).forward();
  arguments.headOffset = 1;
  EXPECT_EQ(whyNotDnn(arguments),
            "cuDNN's attention takes heads in groups of one size, in order, "
            "which 4 heads over 2 here are not");
}

TEST_F(AttentionRefusalsTest, Dropout) {
  AttentionArguments arguments = AttentionSample(shape).forward();
  int32_t step = 0;
  arguments.dropout =
      AttentionDropout(0.1, 7, Operand{&step, DType::I32, {}, {}}, 0, {}, {});
  EXPECT_EQ(whyNotDnn(arguments),
            "cuDNN's attention drops weights by numbers of its own");
}

TEST_F(AttentionRefusalsTest, Strides) {
  AttentionArguments arguments = AttentionSample(shape).forward();
  arguments.k.strides = {12 * 4 * 16, 12 * 16, 1, 12};
  EXPECT_EQ(whyNotDnn(arguments),
            "cuDNN's attention wants rows of elements side by side that begin "
            "at multiples of 16 bytes; k has strides [768, 192, 1, 12]");
  arguments = AttentionSample(shape).forward();
  arguments.out.strides[2] = 68;
  EXPECT_EQ(whyNotDnn(arguments),
            "cuDNN's attention wants rows of elements side by side that begin "
            "at multiples of 16 bytes; out has strides [768, 16, 68, 1]");
  arguments = AttentionSample(shape).forward();
  arguments.lse->strides = {48, 1, 4};
  EXPECT_EQ(whyNotDnn(arguments),
            "cuDNN's attention wants lse without gaps, in "
            "the order of its dims");
}

TEST_F(AttentionRefusalsTest, Sight) {
  shape.causal = true, shape.queryOffset = -1;
  EXPECT_EQ(why(shape), "cuDNN's attention wants each query to see a key");
  shape.queryOffset = 4, shape.before = 3;
  EXPECT_EQ(why(shape), "cuDNN's attention wants each query to see a key");
  shape.queryOffset = 0;
  EXPECT_EQ(why(shape), "");
  shape.lengths = {3, 12};
  EXPECT_EQ(why(shape),
            "cuDNN's attention takes no window together with padding");
}

TEST_F(AttentionRefusalsTest, Extents) {
  shape.keys = 0;
  EXPECT_EQ(why(shape),
            "cuDNN's attention wants keys, and heads that have elements");
  shape.keys = shape.queries = 1;
  EXPECT_EQ(why(shape), "");
  EXPECT_EQ(whyNotDnn(AttentionSample(shape).gradient()),
            "cuDNN's gradient of attention wants more than one query or key");
  shape.keys = 0;
  EXPECT_EQ(whyNotDnn(AttentionSample(shape).gradient()),
            "cuDNN's gradient of attention wants queries, keys and heads that "
            "have elements");
  shape.keys = 2;
  AttentionArguments arguments = AttentionSample(shape).forward();
  arguments.q.shape[0] = arguments.k.shape[0] = int64_t(1) << 31;
  EXPECT_EQ(whyNotDnn(arguments), "cuDNN's attention takes at most 2147483647 "
                                  "elements in a dim, not 2147483648");
}

TEST_F(AttentionRefusalsTest, WhatIsRefusedIsNotPrepared) {
  shape.type = DType::F32;
  EXPECT_EQ(refusal(AttentionSample(shape).forward()),
            "the attention of [2, 4, 12, 16] over [2, 4, 12, 16] f32 cannot be "
            "computed: cuDNN's attention takes f16 and bf16, not f32");
  shape.type = DType::F16;
  AttentionArguments arguments = AttentionSample(shape).forward();
  arguments.k.data = static_cast<char *>(arguments.k.data) + 8;
  EXPECT_EQ(refusal(arguments),
            "operand 2 of the attention of [2, 4, 12, 16] over [2, 4, 12, 16] "
            "f16 is not aligned to 16 bytes");
  EXPECT_EQ(refusal(AttentionSample(shape).gradient(), {1000, false}),
            "the gradient of the attention of [2, 4, 12, 16] over [2, 4, 12, "
            "16] f16 needs a workspace of 6656 bytes and the library's, the "
            "plan has 1000");
}

/// A gradient with equal bits is quadratic in memory before cuDNN 9.25.
TEST_F(AttentionRefusalsTest, QuadraticMemory) {
  shape.batch = shape.heads = shape.kvHeads = 1;
  shape.queries = shape.keys = 1024;
  AttentionSample sample(shape);
  EXPECT_EQ(refusal(sample.gradient()),
            "cuDNN 9.19.0 computes the gradient of the attention of [1, 1, "
            "1024, 16] over [1, 1, 1024, 16] bf16 with equal bits in each run "
            "only in a workspace of 2097408 bytes, which grows with the square "
            "of the sequence (before cuDNN 9.25), the plan has 1114112; "
            "compile the program with --nondeterministic, so that its bits may "
            "be others in each run, or with --attention own");
  EXPECT_EQ(refusal(sample.gradient(), {std::nullopt, true}), "");
  setVersion(92500);
  library.version = 92500;
  EXPECT_EQ(refusal(sample.gradient()), "");
  setVersion(91900);
  offer(0, 0);
  library.version = 91900;
  EXPECT_EQ(refusal(sample.forward()),
            "cuDNN 9.19.0 has no algorithm for the attention of [1, 1, 1024, "
            "16] over [1, 1, 1024, 16] bf16 with a workspace of at most "
            "1048576 bytes; compile the program with --attention own");
}
