//===- IoRandom.cpp - tensors drawn from a seed ---------------------------===//

#include "SamplePlan.h"
#include "hocket/Io/RandomTensors.h"
#include "hocket/Random/RandomStream.h"
#include <gtest/gtest.h>

using namespace hocket::runtime;
using hocket::plan::DType;

namespace {

TEST(RandomStream, Moments) {
  RandomStream stream(7, "w");
  double sum = 0, squares = 0, uniform = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    double x = stream.normal(i);
    sum += x;
    squares += x * x;
    uniform += stream.uniform(i);
    int64_t integer = stream.integer(i, -3, 5);
    ASSERT_TRUE(integer >= -3 && integer < 5);
  }
  // Three standard errors.
  EXPECT_NEAR(sum / count, 0, 3 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 3 * std::sqrt(2.0 / count));
  EXPECT_NEAR(uniform / count, 0.5, 3 * std::sqrt(1 / 12.0 / count));
}

TEST(Philox, SeedsPathsAndElementsDiffer) {
  RandomStream a(1, "w");
  EXPECT_NE(a.bits(0), a.bits(1));
  EXPECT_NE(a.bits(0), a.bits(2));
  EXPECT_NE(a.bits(0), RandomStream(2, "w").bits(0));
  EXPECT_NE(a.bits(0), RandomStream(1, "v").bits(0));
  EXPECT_NE(a.bits(0), a.bits(uint64_t(1) << 33));
}

TEST(RandomTensors, DoNotDependOnTheCut) {
  auto weights = randomWeights(hocket::plan::samplePlan(), 5);
  std::vector<float> whole(24), column(4);
  Box all{{4, 6}, {0, 0}, {4, 6}}, one{{4, 2, 3}, {0, 1, 2}, {4, 1, 1}};
  ASSERT_TRUE(weights.read("proj.weight", all, DType::F32, whole.data()).ok());
  ASSERT_TRUE(weights.read("proj.weight", one, DType::F32, column.data()).ok());
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(column[i], whole[i * 6 + 5]);
  EXPECT_NE(whole[0], whole[1]);
  std::vector<double> wide(24);
  ASSERT_TRUE(weights.read("proj.weight", all, DType::F64, wide.data()).ok());
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(wide[i], whole[i]);
}

TEST(RandomTensors, IntegersStayBelowTheVocabulary) {
  using namespace hocket::plan;
  Plan plan;
  plan.inputs = {{"ids", DType::I64, {64}, {64}, {}, {}},
                 {"types", DType::I32, {64}, {64}, {}, {}}};
  RankClass c;
  c.buffers = {{Region::Input, 0, 512, DType::I64},
               {Region::Arena, 0, 256, DType::I32}};
  Embedding words, types;
  words.ids.buffer = 0, words.vocab = 1000;
  types.ids.buffer = 1, types.vocab = 3;
  c.step = {{-1, words}, {-1, types}};
  plan.classes = {c};
  auto inputs = randomInputs(plan, 1);
  std::vector<int64_t> ids(64);
  std::vector<int32_t> kinds(64);
  hocket::runtime::Box all{{64}, {0}, {64}};
  ASSERT_TRUE(inputs.read("ids", all, DType::I64, ids.data()).ok());
  ASSERT_TRUE(inputs.read("types", all, DType::I32, kinds.data()).ok());
  EXPECT_LT(*std::max_element(ids.begin(), ids.end()), 1000);
  EXPECT_GT(*std::max_element(ids.begin(), ids.end()), 500);
  EXPECT_EQ(*std::max_element(kinds.begin(), kinds.end()), 2);
}

// Numbers of documents are few, also where they are copied first: else every
// query would see itself alone.
TEST(RandomTensors, DocumentsAreFew) {
  using namespace hocket::plan;
  Plan plan;
  plan.inputs = {{"ids", DType::I32, {64}, {64}, {}, {}},
                 {"numbers", DType::I32, {64}, {64}, {}, {}}};
  RankClass c;
  c.buffers = {{Region::Input, 0, 256, DType::I32},
               {Region::Input, 1, 256, DType::I32},
               {Region::Arena, 0, 256, DType::I32}};
  Embedding words;
  words.ids.buffer = 0, words.vocab = 1000;
  Copy copy;
  copy.src.buffer = 1, copy.dst.buffer = 2;
  Attention attention;
  attention.queryDocuments.buffer = attention.keyDocuments.buffer = 2;
  c.step = {{-1, words}, {-1, copy}, {-1, attention}};
  plan.classes = {c};
  auto inputs = randomInputs(plan, 1);
  std::vector<int32_t> numbers(64);
  hocket::runtime::Box all{{64}, {0}, {64}};
  ASSERT_TRUE(inputs.read("numbers", all, DType::I32, numbers.data()).ok());
  EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), 2);
}

} // namespace
