//===- Random.cpp - words of global elements, and new parameters ----------===//

#include "hocket/Random/Initialize.h"
#include <gtest/gtest.h>

using namespace hocket::runtime;

namespace {

// The known answers that the authors of Philox publish with Random123.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            PhiloxBlock({0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            PhiloxBlock({0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            PhiloxBlock({0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, HashOfPaths) {
  // FNV-1a's published values.
  EXPECT_EQ(hashPath(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hashPath("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hashPath("foobar"), 0x85944171f73967e8u);
}

TEST(Philox, WordsOfAnElement) {
  // Key and counter where every part shows.
  uint64_t key = 0x299f31d0a4093822, block = 0x85a308d3243f6a88;
  EXPECT_EQ(wordsOfBlock(key, block, 0x13198a2e, Purpose(0x03707344)),
            PhiloxBlock({0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  PhiloxBlock fifth = wordsOfBlock(key, 5, 9, Purpose::Dropout);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(wordOfElement(key, 20 + i, 9, Purpose::Dropout), fifth[i]);
  EXPECT_NE(wordOfElement(key, 20, 10, Purpose::Dropout), fifth[0]);
  EXPECT_NE(wordOfElement(key, 20, 9, Purpose::Initialize), fifth[0]);
}

TEST(Philox, ThresholdsOfDropout) {
  EXPECT_EQ(dropThreshold(0), 0u);
  EXPECT_EQ(dropThreshold(0.5), 0x80000000u);
  EXPECT_EQ(dropThreshold(0.1), 429496729u);
}

TEST(ParameterInitializer, Moments) {
  ParameterInitializer normal(7, "h.0.weight");
  double sum = 0, squares = 0, pairs = 0, uniform = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    double x = normal.normal(i, 1, 2), y = normal.normal(i ^ 1, 1, 2);
    sum += x;
    squares += (x - 1) * (x - 1);
    pairs += (x - 1) * (y - 1);
    double u = normal.uniform(i, -3, 5);
    ASSERT_TRUE(u >= -3 && u <= 5);
    uniform += u;
  }
  // Four standard errors. Neighbours, made of the same two words, are apart.
  double root = std::sqrt(double(count));
  EXPECT_NEAR(sum / count, 1, 4 * 2 / root);
  EXPECT_NEAR(squares / count, 4, 4 * 4 * std::sqrt(2.0) / root);
  EXPECT_NEAR(pairs / count, 0, 4 * 4 * std::sqrt(2.0) / root);
  EXPECT_NEAR(uniform / count, 1, 4 * 8 / std::sqrt(12.0) / root);
}

TEST(ParameterInitializer, ABoxHoldsTheBitsOfTheWhole) {
  ParameterInitializer weight(3, "fc.weight"), other(3, "fc.bias"),
      seeded(4, "fc.weight");
  Box all{{6, 10}, {0, 0}, {6, 10}}, part{{6, 10}, {1, 3}, {4, 5}};
  std::vector<float> whole(60), some(20), rest(60);
  weight.fillNormal(all, 0, 0.02, whole.data());
  weight.fillNormal(part, 0, 0.02, some.data());
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j)
      EXPECT_EQ(some[i * 5 + j], whole[(i + 1) * 10 + j + 3]);
  other.fillNormal(all, 0, 0.02, rest.data());
  EXPECT_NE(whole, rest);
  seeded.fillNormal(all, 0, 0.02, rest.data());
  EXPECT_NE(whole, rest);
  weight.fillUniform(all, -1, 1, whole.data());
  weight.fillUniform(part, -1, 1, some.data());
  EXPECT_EQ(some[7], whole[2 * 10 + 5]);
}

} // namespace
