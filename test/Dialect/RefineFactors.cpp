//===- RefineFactors.cpp - common refinements of factor lists -------------===//

#include "NnProgram.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

namespace {

/// The refinement of two dims in the text of a layout, or "cross".
std::string refine(const std::string &a, const std::string &b) {
  MLIRContext context;
  auto factors = [&](const std::string &text) {
    return test::parseLayout(context, "[" + text + "]").getDims()[0];
  };
  auto refined =
      refineFactors(factors(a).getFactors(), factors(b).getFactors());
  if (failed(refined))
    return "cross";
  std::string text;
  for (FactorAttr factor : *refined) {
    text += text.empty() ? "" : " ";
    if (!factor.getName().empty())
      text += factor.getName().str() + "=";
    text += std::to_string(factor.getSize());
  }
  return text;
}

TEST(RefineFactors, TakesTheFinerList) {
  EXPECT_EQ(refine("384", "12 32"), "12 32");
  EXPECT_EQ(refine("12 32", "384"), "12 32");
  EXPECT_EQ(refine("3 4 5", "3 20"), "3 4 5");
  EXPECT_EQ(refine("7", "7"), "7");
}

TEST(RefineFactors, CutsWhereEitherCuts) {
  EXPECT_EQ(refine("2 12", "6 4"), "2 3 4");
  EXPECT_EQ(refine("2 30", "6 10"), "2 3 10");
}

TEST(RefineFactors, FailsWhereCutsCross) {
  EXPECT_EQ(refine("4 6", "3 8"), "cross");
  EXPECT_EQ(refine("2 3", "3 2"), "cross");
}

TEST(RefineFactors, FailsForOtherSizes) {
  EXPECT_EQ(refine("4", "5"), "cross");
  EXPECT_EQ(refine("1", "5"), "cross");
  EXPECT_EQ(refine("2 2", "8"), "cross");
}

TEST(RefineFactors, NamesFollowTheFactorTheyBelongTo) {
  EXPECT_EQ(refine("hidden=384", "heads=12 32"), "heads=12 32");
  EXPECT_EQ(refine("h=12 32", "heads=12 d=32"), "h=12 d=32");
  EXPECT_EQ(refine("12 d=32", "hidden=384"), "12 d=32");
  // The 3 is neither side's: it has no name.
  EXPECT_EQ(refine("a=2 b=12", "c=6 d=4"), "a=2 3 d=4");
}

TEST(RefineFactors, DropsFactorsOfSizeOne) {
  EXPECT_EQ(refine("one=1 x=6", "6 1"), "x=6");
  EXPECT_EQ(refine("2 1 3", "6"), "2 3");
  EXPECT_EQ(refine("1 1", "batch=1"), "batch=1");
  EXPECT_EQ(refine("1", "1"), "1");
}

TEST(RefineFactors, EmptyDimsHaveNoBorders) {
  EXPECT_EQ(refine("0", "0 4"), "0 4");
  EXPECT_EQ(refine("0 4", "0 4"), "0 4");
  EXPECT_EQ(refine("0 4", "0 2"), "cross");
}

} // namespace
