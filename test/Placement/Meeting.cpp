//===- Meeting.cpp - the algebra of placements, axis by axis --------------===//

#include "hocket/Placement/Meet.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::placement;
using nn::FactorUse;
using nn::PartialUse;
using nn::PlacementRule;
using Kind = Mismatch::Kind;

namespace {

class MeetingTest : public testing::Test {
protected:
  MeetingTest() {
    context.loadDialect<nn::NnDialect>();
    mesh = meshOf({{"dp", 2}, {"tp", 2}});
  }
  mlir::StringAttr name(llvm::StringRef text) {
    return mlir::StringAttr::get(&context, text);
  }
  nn::MeshAttr meshOf(std::vector<std::pair<std::string, int64_t>> axes) {
    llvm::SmallVector<nn::MeshAxisAttr> attrs;
    for (auto &[axis, size] : axes)
      attrs.push_back(nn::MeshAxisAttr::get(&context, name(axis), size));
    return nn::MeshAttr::get(&context, attrs);
  }
  struct Cut {
    std::string axis;
    int dim, factor;
    std::vector<int64_t> sizes = {};
  };
  /// `dims`: sizes of the factors of each dim.
  nn::LayoutAttr layout(std::vector<std::vector<int64_t>> dims,
                        std::vector<Cut> splits = {},
                        std::vector<std::string> partials = {}) {
    llvm::SmallVector<nn::DimAttr> attrs;
    for (auto &sizes : dims) {
      llvm::SmallVector<nn::FactorAttr> factors;
      for (int64_t size : sizes)
        factors.push_back(nn::FactorAttr::get(&context, name(""), size));
      attrs.push_back(nn::DimAttr::get(&context, factors));
    }
    llvm::SmallVector<nn::SplitAttr> splitAttrs;
    for (auto &[axis, dim, factor, sizes] : splits)
      splitAttrs.push_back(nn::SplitAttr::get(
          &context, name(axis), dim, factor, sizes,
          nn::Bounds::of(sizes).places, 1, nn::Order::Contiguous, 1));
    llvm::SmallVector<nn::PartialAttr> partialAttrs;
    for (auto &axis : partials)
      partialAttrs.push_back(
          nn::PartialAttr::get(&context, name(axis), nn::Reduction::Sum));
    return nn::LayoutAttr::get(&context, attrs, splitAttrs, partialAttrs);
  }
  MeetResult run(const PlacementRule &rule,
                 std::vector<nn::LayoutAttr> operands,
                 std::vector<nn::LayoutAttr> results,
                 std::vector<unsigned> free = {}) {
    llvm::BitVector isFree(operands.size());
    for (unsigned operand : free)
      isFree.set(operand);
    return meet({rule, mesh, operands, results, isFree,
                 [](unsigned) { return false; },
                 [](unsigned, int) { return false; }});
  }
  static PlacementRule::Factor factor(int64_t size,
                                      FactorUse use = FactorUse::Pointwise) {
    PlacementRule::Factor made;
    made.size = size;
    made.use = use;
    return made;
  }
  static PlacementRule::Value value(std::vector<std::vector<int>> dims,
                                    PartialUse partial = PartialUse::Refused) {
    PlacementRule::Value made;
    for (auto &dim : dims)
      made.dims.push_back(llvm::SmallVector<int, 2>(dim.begin(), dim.end()));
    made.partial = partial;
    return made;
  }
  /// x[i] + y[i], of 8.
  static PlacementRule sum() {
    PlacementRule rule;
    rule.factors = {factor(8)};
    rule.operands = {value({{0}}, PartialUse::Addend),
                     value({{0}}, PartialUse::Addend)};
    rule.results = {value({{0}})};
    return rule;
  }
  /// y[b, o] = sum_i x[b, i] w[o, i] + bias[o]; b 8, o 12, i 6.
  static PlacementRule linear() {
    PlacementRule rule;
    rule.factors = {factor(8), factor(12), factor(6, FactorUse::Contracted)};
    rule.operands = {value({{0}, {2}}, PartialUse::Linear),
                     value({{1}, {2}}, PartialUse::Linear),
                     value({{1}}, PartialUse::Addend)};
    rule.results = {value({{0}, {1}})};
    return rule;
  }

  mlir::MLIRContext context;
  nn::MeshAttr mesh;
};

TEST_F(MeetingTest, ContractedSplitMakesAPartialSumAndMasksTheBias) {
  MeetResult met = run(linear(),
                       {layout({{8}, {6}}, {{"tp", 1, 0}}),
                        layout({{12}, {6}}, {{"tp", 1, 0}}), layout({{12}})},
                       {layout({{8}, {12}})}, {1, 2});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], layout({{8}, {12}}, {}, {"tp"}));
  EXPECT_EQ(met.masked[2], layout({{12}}, {}, {"tp"}));
}

TEST_F(MeetingTest, AFreeOperandIsCutUnasked) {
  MeetResult met = run(
      linear(),
      {layout({{8}, {6}}, {{"tp", 1, 0}}), layout({{12}, {6}}), layout({{12}})},
      {layout({{8}, {12}})}, {1, 2});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.sliced[1], layout({{12}, {6}}, {{"tp", 1, 0}}));
}

TEST_F(MeetingTest, WhatIsComputedWholeIsNotCutUnasked) {
  MeetResult met = run(
      linear(),
      {layout({{8}, {6}}), layout({{12}, {6}}, {{"tp", 1, 0}}), layout({{12}})},
      {layout({{8}, {12}})}, {1, 2});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::WholeAndSplit);
}

TEST_F(MeetingTest, AxesAreIndependent) {
  MeetResult met =
      run(linear(),
          {layout({{8}, {6}}, {{"dp", 0, 0}}),
           layout({{12}, {6}}, {{"tp", 0, 0}}), layout({{12}}, {{"tp", 0, 0}})},
          {layout({{8}, {12}})}, {1, 2});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], layout({{8}, {12}}, {{"dp", 0, 0}, {"tp", 1, 0}}));
}

TEST_F(MeetingTest, OneAxisSplitsOneFactor) {
  MeetResult met = run(linear(),
                       {layout({{8}, {6}}, {{"tp", 0, 0}}),
                        layout({{12}, {6}}, {{"tp", 0, 0}}), layout({{12}})},
                       {layout({{8}, {12}})}, {2});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::TwoFactors);
}

TEST_F(MeetingTest, TheProductOfTwoSumsIsRefused) {
  MeetResult met = run(linear(),
                       {layout({{8}, {6}}, {}, {"tp"}),
                        layout({{12}, {6}}, {}, {"tp"}), layout({{12}})},
                       {layout({{8}, {12}})}, {2});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::TwoSums);
}

TEST_F(MeetingTest, NestedAxesKeepTheirOrder) {
  PlacementRule add = sum();
  auto inner = layout({{8}}, {{"dp", 0, 0}, {"tp", 0, 0}});
  auto outer = layout({{8}}, {{"tp", 0, 0}, {"dp", 0, 0}});
  EXPECT_TRUE(run(add, {inner, inner}, {layout({{8}})}).mismatches.empty());
  MeetResult met = run(add, {inner, outer}, {layout({{8}})});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::Nesting);
}

TEST_F(MeetingTest, CutsFallOnWholeMinorFactors) {
  // x[384] against a rule over (12 heads, 32).
  PlacementRule rule;
  rule.factors = {factor(12), factor(32)};
  rule.operands = {value({{0, 1}})};
  rule.results = {value({{0, 1}})};
  auto split = layout({{384}}, {{"tp", 0, 0}});
  MeetResult met = run(rule, {split}, {layout({{12, 32}})});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], layout({{12, 32}}, {{"tp", 0, 0}}));
  mesh = meshOf({{"tp", 5}}); // 77 of 384 are no whole heads
  met = run(rule, {split}, {layout({{12, 32}})});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::Unaligned);
}

/// dq[h, s] and dk[g] of q[h, s], k[g]: of each pair of g one head reads it.
static PlacementRule gradientOfGroups(const PlacementRule::Factor &heads,
                                      const PlacementRule::Factor &queries) {
  PlacementRule rule;
  rule.factors = {heads, queries};
  PlacementRule::Value q, k;
  q.dims = {{0}, {1}};
  k.dims = {{0}};
  k.picks = {0};
  rule.operands = {q, k};
  rule.results = {q, k};
  return rule;
}

TEST_F(MeetingTest, AResultThatLacksAFactorIsASum) {
  MeetResult met = run(gradientOfGroups(factor(8), factor(6)),
                       {layout({{8}, {6}}, {{"tp", 1, 0}}), layout({{8}})},
                       {layout({{8}, {6}}), layout({{8}})}, {});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], layout({{8}, {6}}, {{"tp", 1, 0}}));
  EXPECT_EQ(met.results[1], layout({{8}}, {}, {"tp"}));
}

TEST_F(MeetingTest, AResultPicksAsItsOperandsDo) {
  PlacementRule rule = gradientOfGroups(factor(8), factor(6));
  auto queries = layout({{8}, {6}}, {{"tp", 0, 0}});
  auto results = {layout({{8}, {6}}), layout({{8}})};
  MeetResult whole = run(rule, {queries, layout({{8}})}, results, {});
  ASSERT_TRUE(whole.mismatches.empty());
  EXPECT_EQ(whole.results[0], queries);
  EXPECT_EQ(whole.results[1], layout({{8}}, {}, {"tp"}));
  auto cut = layout({{8}}, {{"tp", 0, 0}});
  MeetResult split = run(rule, {queries, cut}, results, {});
  ASSERT_TRUE(split.mismatches.empty());
  EXPECT_EQ(split.results[1], cut);
}

TEST_F(MeetingTest, QueryHeadsMayBeCutInsideAGroup) {
  // 8 query heads read 2 kv heads.
  PlacementRule rule;
  rule.factors = {factor(2)};
  rule.operands = {value({{0}}), value({{0}})};
  rule.operands[0].multiplicity = {4};
  rule.operands[1].picks = {0};
  rule.results = {value({{0}})};
  rule.results[0].multiplicity = {4};
  auto queries = layout({{8}}, {{"tp", 0, 0}});
  mesh = meshOf({{"tp", 4}});
  MeetResult met = run(rule, {queries, layout({{2}})}, {layout({{8}})});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], queries);
  EXPECT_EQ(met.sliced[1], layout({{2}}));
  // Two kv heads over four ranks do not go with two query heads each.
  met = run(rule, {queries, layout({{2}}, {{"tp", 0, 0}})}, {layout({{8}})});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::Unaligned);
}

TEST_F(MeetingTest, OperandsHaveTheSameParts) {
  auto stated = layout({{8}}, {{"tp", 0, 0, {3, 5}}});
  MeetResult met = run(sum(), {stated, stated}, {layout({{8}})});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], stated);
  met = run(sum(), {stated, layout({{8}}, {{"tp", 0, 0}})}, {layout({{8}})});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::Sizes);
  EXPECT_EQ(met.mismatches[0].factor, 0);
}

TEST_F(MeetingTest, WhatIsFreeIsCutInTheSameParts) {
  auto stated = layout({{8}}, {{"tp", 0, 0, {3, 5}}});
  MeetResult met = run(sum(), {layout({{8}}), stated}, {layout({{8}})}, {0});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.sliced[0], stated);
  // Inside of what it is cut by already.
  auto outer = layout({{8}}, {{"dp", 0, 0, {2, 6}}});
  auto nested =
      layout({{8}}, {{"dp", 0, 0, {2, 6}}, {"tp", 0, 0, {2, 0, 1, 5}}});
  met = run(sum(), {outer, nested}, {layout({{8}})}, {0});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.sliced[0], nested);
  // The outer axis cuts the other one elsewhere.
  met =
      run(sum(), {layout({{8}}, {{"dp", 0, 0}}), nested}, {layout({{8}})}, {0});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::Sizes);
  EXPECT_EQ(met.mismatches[0].axis, 0u);
}

TEST_F(MeetingTest, PartsAreCountedInTheFactorsOfEachType) {
  // x[384] against a rule over (12 heads, 32).
  PlacementRule rule;
  rule.factors = {factor(12), factor(32)};
  rule.operands = {value({{0, 1}})};
  rule.results = {value({{0, 1}})};
  mesh = meshOf({{"tp", 2}});
  auto coarse = layout({{384}}, {{"tp", 0, 0, {96, 288}}});
  auto fine = layout({{12, 32}}, {{"tp", 0, 0, {3, 9}}});
  MeetResult met = run(rule, {coarse}, {layout({{12, 32}})});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], fine);
  met = run(rule, {fine}, {layout({{384}})});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], coarse);
  // 100 are no whole heads.
  met = run(rule, {layout({{384}}, {{"tp", 0, 0, {100, 284}}})},
            {layout({{12, 32}})});
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::Unaligned);
  // Five parts of 12 heads are no even parts of 384.
  mesh = meshOf({{"tp", 5}});
  met = run(rule, {layout({{12, 32}}, {{"tp", 0, 0}})}, {layout({{384}})});
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(nn::partSizes(384, met.results[0].splitsOf(0, 0), mesh),
            (llvm::SmallVector<int64_t>{96, 96, 64, 64, 64}));
  EXPECT_TRUE(met.results[0].splitOver("tp").getBounds().empty());
}

TEST_F(MeetingTest, StatedQueryHeadsReadTheHeadsOfWholeGroups) {
  // 8 query heads read 2 kv heads.
  PlacementRule rule;
  rule.factors = {factor(2)};
  rule.operands = {value({{0}}), value({{0}})};
  rule.operands[0].multiplicity = {4};
  rule.operands[1].picks = {0};
  rule.results = {value({{0}}), value({{0}})};
  rule.results[0].multiplicity = {4};
  rule.results[1].picks = {0};
  auto results = {layout({{8}}), layout({{2}})};
  auto inside = layout({{8}}, {{"tp", 0, 0, {3, 5}}});
  MeetResult met = run(rule, {inside, layout({{2}})}, results);
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], inside);
  EXPECT_EQ(met.results[1], layout({{2}}, {}, {"tp"}));
  auto whole = layout({{8}}, {{"tp", 0, 0, {8, 0}}});
  auto all = layout({{2}}, {{"tp", 0, 0, {2, 0}}});
  met = run(rule, {whole, all}, results);
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[1], all);
  met = run(rule, {inside, all}, results);
  ASSERT_EQ(met.mismatches.size(), 1u);
  EXPECT_EQ(met.mismatches[0].kind, Kind::Unaligned);
  // A group is whole on dp, and cut inside over tp.
  auto nested = layout({{8}}, {{"dp", 0, 0}, {"tp", 0, 0, {1, 3, 2, 2}}});
  auto outer = layout({{2}}, {{"dp", 0, 0}});
  met = run(rule, {nested, outer}, results);
  ASSERT_TRUE(met.mismatches.empty());
  EXPECT_EQ(met.results[0], nested);
  EXPECT_EQ(met.results[1], layout({{2}}, {{"dp", 0, 0}}, {"tp"}));
}

} // namespace
