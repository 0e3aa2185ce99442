//===- AttentionPlansTest.cpp - attentions told to NVIDIA's own library ---===//
//
// As RealTest: proves that our graphs are known as attention, and what memory
// their plans take, not what they compute.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Libraries/Dnn/AttentionSample.h"
#include "test/Gpu/Libraries/Dnn/Described.h"
#include "test/Paths.h"
#include <cmath>
#include <dlfcn.h>

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime;
using namespace hocket::runtime::cuda;

namespace {

/// Extents and masks without memory, as AttentionShape.
struct Shape {
  int64_t batch, heads, kvHeads, queries, keys, depth;
  bool causal = false;
  int64_t queryOffset = 0, before = -1, after = -1;
  bool hasPadding = false;
};

class AttentionPlansTest : public testing::Test {
protected:
  void SetUp() override {
    std::vector<std::string> names;
    for (const std::string &name : DnnLibrary::usualNames())
      if (name[0] == '/')
        names.push_back(name);
    Status status = library.load(names);
    if (!status.ok())
      GTEST_SKIP() << status.message;
    if (library.version < 91900)
      GTEST_SKIP() << "attention by cuDNN needs 9.19.0";
    // The library finds it under the name of the driver.
    std::string driver = builtPath("test/silent/libcuda.so.1");
    ASSERT_NE(dlopen(driver.c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr)
        << dlerror();
  }

  static AttentionGradArguments argumentsOf(const Shape &s, DType type) {
    auto operand = [&](int64_t heads, int64_t rows) {
      return Operand{nullptr,
                     type,
                     {s.batch, heads, rows, s.depth},
                     {rows * heads * s.depth, s.depth, heads * s.depth, 1}};
    };
    AttentionGradArguments made;
    AttentionArguments &forward = made.forward;
    forward.q = forward.out = made.dout = made.dq = operand(s.heads, s.queries);
    forward.k = forward.v = made.dk = made.dv = operand(s.kvHeads, s.keys);
    forward.lse = Operand{nullptr,
                          DType::F32,
                          {s.batch, s.heads, s.queries},
                          {s.heads * s.queries, s.queries, 1}};
    if (s.hasPadding)
      forward.keep =
          Operand{nullptr, DType::Bool, {s.batch, s.keys}, {s.keys, 1}};
    forward.scale = 1 / std::sqrt(double(s.depth));
    forward.causal = s.causal;
    forward.group = s.heads / s.kvHeads;
    forward.queryOffset = s.queryOffset;
    forward.before = s.before;
    forward.after = s.after;
    return made;
  }

  /// Chooses a plan in the workspace that a plan of ours has, and makes it from
  /// its text again, as another rank does.
  template <class Arguments>
  std::string plan(const Dnn &dnn, const Arguments &arguments,
                   bool mayDiffer = false) {
    EXPECT_EQ(whyNotDnn(arguments), "");
    int64_t bytes = attentionWorkspaceBytes(arguments);
    std::unique_ptr<DnnAttention> attention;
    Status status =
        DnnAttention::make(dnn, arguments, {bytes, mayDiffer}, attention);
    std::vector<uint8_t> algorithm;
    if (status.ok())
      status = attention->choose(algorithm);
    if (status.ok())
      status = attention->use(algorithm);
    if (status.ok())
      EXPECT_LE(attention->workspaceBytes(), bytes);
    return status.message;
  }

  void onEachChip(const std::function<void(const Dnn &)> &visit) {
    for (const Chip &chip : chips) {
      Dnn dnn(library);
      Status status = dnn.openFor(propertiesOf(chip));
      ASSERT_TRUE(status.ok()) << status.message;
      visit(dnn);
    }
  }

  DnnLibrary library;
};

/// What docs/examples attend to, at full size, on one rank and on one of a
/// schedule.
const Shape examples[] = {
    // minilm.hkt, one rank and tensor_parallel
    {8, 12, 12, 128, 128, 32, false, 0, -1, -1, true},
    {8, 3, 3, 128, 128, 32, false, 0, -1, -1, true},
    // gpt2.hkt, one rank, tensor_parallel and the last rank of sequences
    {4, 12, 12, 1024, 1024, 64, true},
    {4, 3, 3, 1024, 1024, 64, true},
    {4, 12, 12, 256, 1024, 64, true, 768},
    // llama.hkt, one rank and tensor_parallel
    {1, 32, 8, 2048, 2048, 128, true},
    {1, 8, 2, 2048, 2048, 128, true},
};

} // namespace

TEST_F(AttentionPlansTest, PlansTheAttentionsOfTheExamples) {
  onEachChip([&](const Dnn &dnn) {
    for (const Shape &shape : examples) {
      AttentionGradArguments arguments = argumentsOf(shape, DType::BF16);
      EXPECT_EQ(plan(dnn, arguments.forward), "");
      EXPECT_EQ(plan(dnn, arguments, /*mayDiffer=*/true), "");
    }
  });
}

/// As in a program that computes no gradient.
TEST_F(AttentionPlansTest, PlansAttentionsWithoutLse) {
  onEachChip([&](const Dnn &dnn) {
    for (const Shape &shape : examples) {
      AttentionArguments forward = argumentsOf(shape, DType::BF16).forward;
      forward.lse.reset();
      EXPECT_EQ(plan(dnn, forward), "");
    }
    AttentionArguments longer =
        argumentsOf({2, 16, 16, 4096, 4096, 128}, DType::BF16).forward;
    EXPECT_EQ(plan(dnn, longer), "");
    longer.lse.reset();
    EXPECT_EQ(plan(dnn, longer), "");
  });
}

TEST_F(AttentionPlansTest, PlansOtherAttentions) {
  const Shape shapes[] = {
      {2, 4, 4, 1000, 1003, 64},                      // no power of two
      {2, 4, 1, 17, 19, 8, true},                     // few keys
      {2, 4, 2, 512, 2048, 96, true, 1536, 255},      // a window of later rows
      {2, 4, 4, 512, 512, 64, false, 0, 100, 50},     // on both sides
      {2, 4, 4, 512, 512, 64, true, 0, -1, -1, true}, // padding as well
  };
  onEachChip([&](const Dnn &dnn) {
    for (const Shape &shape : shapes)
      for (DType type : {DType::F16, DType::BF16}) {
        AttentionGradArguments arguments = argumentsOf(shape, type);
        EXPECT_EQ(plan(dnn, arguments.forward), "");
        EXPECT_EQ(plan(dnn, arguments, /*mayDiffer=*/true), "");
      }
  });
}

/// Short sequences fit; longer ones are refused before 9.25.
TEST_F(AttentionPlansTest, GradientsWithEqualBits) {
  onEachChip([&](const Dnn &dnn) {
    EXPECT_EQ(
        plan(dnn, argumentsOf({2, 4, 4, 128, 128, 64, true}, DType::BF16)), "");
    std::string refusal =
        plan(dnn, argumentsOf({2, 8, 8, 2048, 2048, 64, true}, DType::BF16));
    if (library.version < 92500)
      EXPECT_NE(refusal.find("which grows with the square of the sequence"),
                std::string::npos)
          << refusal;
  });
}
