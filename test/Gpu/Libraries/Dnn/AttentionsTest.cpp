//===- AttentionsTest.cpp - attention through the look-alike of cuDNN -----===//

#include "test/Gpu/Libraries/Dnn/AttentionSample.h"
#include <algorithm>
#include <cmath>

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime;
using namespace hocket::runtime::cuda;

namespace {

class AttentionsTest : public DnnTest {
protected:
  template <class Arguments>
  Status run(const Arguments &arguments, const AttentionShape &shape,
             const DnnAttentionOptions &options = {}) {
    std::unique_ptr<DnnAttention> attention;
    std::vector<uint8_t> algorithm;
    Status status = DnnAttention::make(*dnn, arguments, options, attention);
    if (status.ok())
      status = attention->choose(algorithm);
    if (status.ok())
      status = attention->use(algorithm);
    if (!status.ok())
      return status;
    workspaceBytes.assign(attention->workspaceBytes() + 512, 0xff);
    auto address = reinterpret_cast<uintptr_t>(workspaceBytes.data());
    void *workspace = workspaceBytes.data() + (256 - address % 256) % 256;
    if (auto lengths = attention->lengths(workspace))
      for (int64_t b = 0; b < shape.batch; ++b) {
        static_cast<int32_t *>(lengths->queries)[b] = int32_t(shape.queries);
        static_cast<int32_t *>(lengths->keys)[b] = int32_t(shape.lengths[b]);
      }
    return attention->run(nullptr, workspace);
  }

  /// Within the roundings of 16-bit types, of the largest value.
  static void compare(const char *name, const Tensor &found,
                      const std::vector<double> &expected) {
    double most = 0, worst = 0;
    for (double value : expected)
      most = std::max(most, std::abs(value));
    size_t next = 0;
    forEachIndex(found.shape, [&](const std::vector<int64_t> &index) {
      worst = std::max(worst, std::abs(found.get(index) - expected[next++]));
    });
    double rounding = found.type == DType::F16 ? 0x1p-11 : 0x1p-8;
    EXPECT_LE(worst, 4 * rounding * most) << name;
    EXPECT_TRUE(found.isCleanOutside()) << name;
  }

  void check(const AttentionShape &shape, bool mayDiffer = false) {
    AttentionSample sample(shape);
    AttentionReference reference(sample);
    ASSERT_EQ(whyNotDnn(sample.forward()), "");
    sample.out.forget();
    Status status = run(sample.forward(), shape);
    EXPECT_TRUE(status.ok()) << status.message;
    compare("out", sample.out, reference.out);
    compare("lse", sample.lse, reference.lse);
    sample.setResults();
    ASSERT_EQ(whyNotDnn(sample.gradient()), "");
    for (Tensor *result : {&sample.dq, &sample.dk, &sample.dv})
      result->forget();
    status = run(sample.gradient(), shape, {std::nullopt, mayDiffer});
    EXPECT_TRUE(status.ok()) << status.message;
    compare("dq", sample.dq, reference.dq);
    compare("dk", sample.dk, reference.dk);
    compare("dv", sample.dv, reference.dv);
  }
};

} // namespace

TEST_F(AttentionsTest, TypesAndExtents) {
  for (DType type : {DType::F16, DType::BF16})
    for (bool mayDiffer : {false, true}) {
      AttentionShape shape;
      shape.type = type;
      check(shape, mayDiffer);
      shape.depth = 24, shape.valueDepth = 8;
      shape.queries = 5, shape.keys = 9;
      check(shape, mayDiffer);
    }
}

TEST_F(AttentionsTest, GroupedHeads) {
  for (int64_t kvHeads : {1, 2, 3, 6}) {
    AttentionShape shape;
    shape.heads = 6, shape.kvHeads = kvHeads;
    shape.queries = shape.keys = 7;
    check(shape);
    check(shape, /*mayDiffer=*/true);
  }
}

TEST_F(AttentionsTest, Masks) {
  AttentionShape causal;
  causal.causal = true;
  check(causal);
  AttentionShape later = causal; // the second half of a sequence
  later.queries = 6, later.queryOffset = 6;
  check(later);
  AttentionShape window;
  window.before = 3, window.after = 2;
  check(window);
  window.causal = true, window.after = -1;
  check(window, /*mayDiffer=*/true);
  AttentionShape far = window;
  far.queries = 4, far.queryOffset = 8;
  check(far);
}

TEST_F(AttentionsTest, Padding) {
  AttentionShape shape;
  shape.lengths = {12, 5};
  check(shape);
  shape.causal = true;
  shape.lengths = {1, 7};
  check(shape);
  check(shape, /*mayDiffer=*/true);
}

/// The library needs no window where it hides nothing.
TEST_F(AttentionsTest, WhatHidesNothingIsLeftOut) {
  AttentionShape shape;
  shape.causal = true;
  shape.queries = 1, shape.queryOffset = 11;
  AttentionForm form = formOf(AttentionSample(shape).forward());
  EXPECT_FALSE(form.last);
  shape = {};
  shape.before = 11;
  EXPECT_FALSE(formOf(AttentionSample(shape).forward()).first);
  shape.before = 10;
  EXPECT_EQ(formOf(AttentionSample(shape).forward()).first, -10);
}

/// The library has no engine without it, so it lies in the workspace.
TEST_F(AttentionsTest, LseIsOneOfTheResultsForTheLibraryAlone) {
  AttentionShape shape;
  AttentionSample sample(shape);
  EXPECT_TRUE(run(sample.forward(), shape).ok());
  const auto bits = sample.out.bits();
  AttentionArguments arguments = sample.forward();
  arguments.lse.reset();
  sample.out.forget();
  sample.lse.forget();
  const auto before = sample.lse.bits();
  Status status = run(arguments, shape);
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(sample.out.bits(), bits);
  EXPECT_EQ(sample.lse.bits(), before);
}

TEST_F(AttentionsTest, BitsAreTheSameWhereTheyHaveToBe) {
  AttentionShape shape;
  shape.queries = 40, shape.keys = 41;
  AttentionSample sample(shape);
  sample.setResults();
  auto bits = [&](bool mayDiffer) {
    Status status = run(sample.gradient(), shape, {std::nullopt, mayDiffer});
    EXPECT_TRUE(status.ok()) << status.message;
    // Of dq, and before it is rounded.
    return std::pair(sample.dq.bits(), workspaceBytes);
  };
  EXPECT_EQ(bits(false).first, bits(false).first);
  EXPECT_NE(bits(true).second, bits(true).second);
}

TEST_F(AttentionsTest, RanksShareAPlan) {
  AttentionShape shape;
  AttentionSample sample(shape);
  std::unique_ptr<DnnAttention> first, second;
  std::vector<uint8_t> algorithm;
  ASSERT_TRUE(DnnAttention::make(*dnn, sample.forward(), {}, first).ok());
  ASSERT_TRUE(first->choose(algorithm).ok());
  std::unique_ptr<Dnn> other = openOn(1);
  ASSERT_TRUE(DnnAttention::make(*other, sample.forward(), {}, second).ok());
  std::vector<uint8_t> own;
  ASSERT_TRUE(second->choose(own).ok());
  EXPECT_NE(own, algorithm) << "devices choose alike";
  EXPECT_TRUE(second->use(algorithm).ok());
  second.reset();
}

TEST_F(AttentionsTest, EmptyAttentionsComputeNothing) {
  AttentionShape shape;
  shape.queries = 0;
  AttentionSample sample(shape);
  EXPECT_EQ(whyNotDnn(sample.forward()), "");
  EXPECT_EQ(attentionWorkspaceBytes(sample.forward()), 0);
  EXPECT_TRUE(run(sample.forward(), shape).ok());
}
