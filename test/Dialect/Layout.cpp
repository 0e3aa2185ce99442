//===- Layout.cpp - cuts, shards, local shapes and words of layouts -------===//

#include "NnProgram.h"
#include "dialects/Nn/PartSizes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;
using hocket::test::parseLayout;

namespace {

class Layouts : public testing::Test {
protected:
  LayoutAttr layout(const std::string &text) {
    return parseLayout(context, text);
  }
  MeshAttr mesh(const std::string &axes) {
    context.loadDialect<NnDialect>();
    return cast<MeshAttr>(parseAttribute("#nn.mesh<" + axes + ">", &context));
  }
  std::vector<std::pair<int64_t, int64_t>>
  shards(const std::string &text, int64_t dim, int64_t factor,
         const std::string &axes, std::vector<std::vector<int64_t>> ranks) {
    std::vector<std::pair<int64_t, int64_t>> result;
    for (auto &coordinates : ranks) {
      Interval held =
          shardOf(layout(text), dim, factor, mesh(axes), coordinates);
      result.push_back({held.offset, held.size});
    }
    return result;
  }
  MLIRContext context;
};

using Parts = std::vector<std::pair<int64_t, int64_t>>;

Parts cuts(int64_t extent, int64_t parts) {
  Parts result;
  for (int64_t index = 0; index < parts; ++index) {
    Interval part = cut(extent, parts, index);
    result.push_back({part.offset, part.size});
  }
  return result;
}

TEST(Cut, FirstPartsHoldTheRemainder) {
  EXPECT_EQ(cuts(12, 5), (Parts{{0, 3}, {3, 3}, {6, 2}, {8, 2}, {10, 2}}));
  EXPECT_EQ(cuts(12, 4), (Parts{{0, 3}, {3, 3}, {6, 3}, {9, 3}}));
  EXPECT_EQ(cuts(7, 1), (Parts{{0, 7}}));
}

TEST(Cut, PartsMayBeEmpty) {
  EXPECT_EQ(cuts(2, 3), (Parts{{0, 1}, {1, 1}, {2, 0}}));
  EXPECT_EQ(cuts(0, 2), (Parts{{0, 0}, {0, 0}}));
}

TEST(Cut, PartsCoverTheExtentOnce) {
  for (int64_t extent = 0; extent < 40; ++extent)
    for (int64_t parts = 1; parts < 12; ++parts) {
      int64_t end = 0;
      for (auto [offset, size] : cuts(extent, parts)) {
        EXPECT_EQ(offset, end);
        EXPECT_TRUE(size == extent / parts || size == extent / parts + 1);
        end += size;
      }
      EXPECT_EQ(end, extent);
    }
}

TEST_F(Layouts, NestedAxesCutThePartOfTheOuterAxisAgain) {
  // dp is listed first, so it is the outer axis: 12 -> 6 6, 6 over 4 -> 2 2
  // 1 1.
  EXPECT_EQ(shards("[12], dp: S(0.0), tp: S(0.0)", 0, 0, "tp=4, dp=2",
                   {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {3, 1}}),
            (Parts{{0, 2}, {2, 2}, {4, 1}, {5, 1}, {6, 2}, {11, 1}}));
}

TEST_F(Layouts, NestedAxesWithRemaindersOfBoth) {
  // 7 over 2 is 4 3; over 3: 2 1 1 and 1 1 1.
  EXPECT_EQ(shards("[7], a: S(0.0), b: S(0.0)", 0, 0, "a=2, b=3",
                   {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}),
            (Parts{{0, 2}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}}));
}

TEST_F(Layouts, SizesSayWhatEachPartHas) {
  EXPECT_EQ(
      shards("[12], tp: S(0.0 sizes [3, 0, 9])", 0, 0, "tp=3", {{0}, {1}, {2}}),
      (Parts{{0, 3}, {3, 0}, {3, 9}}));
  // The sizes of an inner axis are those of all parts, row-major.
  std::string inner =
      "[10], a: S(0.0 sizes [4, 6]), b: S(0.0 sizes [1, 3, 4, 2])";
  EXPECT_EQ(shards(inner, 0, 0, "a=2, b=2", {{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
            (Parts{{0, 1}, {1, 3}, {4, 4}, {8, 2}}));
  // An inner axis without sizes cuts evenly what the outer one has left.
  EXPECT_EQ(shards("[10], a: S(0.0 sizes [3, 7]), b: S(0.0)", 0, 0, "a=2, b=2",
                   {{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
            (Parts{{0, 2}, {2, 1}, {3, 4}, {7, 3}}));
}

TEST_F(Layouts, SizesOfAnEvenCutAreLeftOut) {
  EXPECT_EQ(layout("[12], tp: S(0.0 sizes [3, 3, 2, 2, 2] even)"),
            layout("[12], tp: S(0.0)"));
  // What is stated is not an even cut, but looks like one.
  EXPECT_EQ(layout("[12], tp: S(0.0 sizes [3, 3, 2, 2, 2])"),
            layout("[12], tp: S(0.0 bounds [3, 6, 8, 10])"));
  EXPECT_NE(layout("[12], tp: S(0.0 sizes [2, 3, 3, 2, 2])"),
            layout("[12], tp: S(0.0)"));
  EXPECT_EQ(layout("[10], a: S(0.0 sizes [3, 7]), "
                   "b: S(0.0 sizes [2, 1, 4, 3] even)"),
            layout("[10], a: S(0.0 sizes [3, 7]), b: S(0.0)"));
  // How many parts an even axis makes only a mesh can tell.
  auto axis = StringAttr::get(&context, "b");
  EXPECT_TRUE(splitOf(axis, 0, 0, {5, 5}, {3, 2, 3, 2}).getSizes().empty());
  EXPECT_EQ(splitOf(axis, 0, 0, {5, 5}, {2, 3, 3, 2}).getSizes().vec(),
            (std::vector<int64_t>{2, 3, 3, 2}));
}

TEST_F(Layouts, PartsOfManyRanksAreFewRuns) {
  using List = SmallVector<int64_t>;
  constexpr int64_t many = int64_t(1) << 40; // no list could hold them
  PartSizes even = PartSizes(3 * many).cutEvenly(many);
  EXPECT_EQ(even.count(), many);
  EXPECT_EQ(even.largest(), 3);
  EXPECT_EQ(PartSizes(6 * many).cutEvenly(many).dividedBy(2), even);
  EXPECT_EQ(even.times(2).dividedBy(4), std::nullopt);
  EXPECT_EQ(PartSizes(many + 1).cutEvenly(many).largest(), 2);

  EXPECT_EQ(PartSizes(12).cutEvenly(5).list(), (List{3, 3, 2, 2, 2}));
  PartSizes nested = PartSizes({5, 5, 4}).cutEvenly(2);
  EXPECT_EQ(nested.list(), (List{3, 2, 3, 2, 2, 2}));
  EXPECT_EQ(nested, PartSizes({3, 2, 3, 2, 2, 2}));
  EXPECT_NE(nested, PartSizes({3, 2, 3, 2, 2}));
  EXPECT_EQ(PartSizes({0, 4}).cutEvenly(2), PartSizes({0, 0, 2, 2}));
  EXPECT_EQ(PartSizes().count(), 0);
}

TEST_F(Layouts, SumsOfNeighboursAreMadeFromRuns) {
  constexpr int64_t many = int64_t(1) << 40;
  PartSizes even = PartSizes(3 * many).cutEvenly(many);
  EXPECT_EQ(even.grouped(many), PartSizes(3 * many));
  EXPECT_EQ(even.grouped(many / 4), PartSizes(12).cutEvenly(4).times(many / 4));
  EXPECT_EQ(even.sum(), 3 * many);
  EXPECT_EQ(PartSizes(2).cutEvenly(many).countOf(0), many - 2);
  EXPECT_EQ(PartSizes(2).cutEvenly(many).smallest(), 0);
  EXPECT_EQ(even.ofOthers().times(even).largest(), 9 * (many - 1));

  EXPECT_EQ(PartSizes({1, 1, 1, 2, 2, 5}).grouped(2), PartSizes({2, 3, 7}));
  EXPECT_EQ(PartSizes({1, 1, 1, 2, 2, 5}).grouped(3), PartSizes({3, 9}));
  EXPECT_EQ(PartSizes({4, 1, 1}).grouped(1), PartSizes({4, 1, 1}));
  // Not what cutting axis by axis makes: 2, 2, 1 and 2, 2, 1.
  EXPECT_EQ(PartSizes(10).cutEvenly(6).grouped(3), PartSizes({6, 4}));
  EXPECT_EQ(PartSizes({3, 1, 1}).ofOthers(), PartSizes({2, 4, 4}));
  EXPECT_EQ(PartSizes({3, 1, 1}).times(PartSizes({2, 2, 7})),
            PartSizes({6, 2, 7}));
  EXPECT_EQ(PartSizes({3, 0, 1}).smallest(), 0);
}

TEST_F(Layouts, OtherFactorsAreWhole) {
  EXPECT_EQ(shards("[3 12 32], tp: S(0.1)", 0, 2, "tp=4", {{0}, {3}}),
            (Parts{{0, 32}, {0, 32}}));
}

TEST_F(Layouts, LocalLayoutHasLocalSizesAndNoPlacement) {
  LayoutAttr global = layout(
      "[batch=5] [qkv=3 heads=12 32], dp: S(0.0), tp: S(1.1), x: P(sum)");
  EXPECT_EQ(localLayout(global, mesh("dp=2, tp=5, x=2"), {1, 4, 0}),
            layout("[batch=2] [qkv=3 heads=2 32]"));
  EXPECT_EQ(localLayout(global, mesh("dp=2, tp=5, x=2"), {0, 0, 1}),
            layout("[batch=3] [qkv=3 heads=3 32]"));
}

TEST_F(Layouts, PlacementsAreInOneOrderHoweverBuilt) {
  LayoutAttr a =
      layout("[4] [6 2], b: P(sum), x: S(1.1), y: S(1.0), z: S(0.0)");
  LayoutAttr b =
      layout("[4] [6 2], z: S(0.0), y: S(1.0), x: S(1.1), b: P(sum)");
  EXPECT_EQ(a, b);
  // The order of axes on one factor is a fact of its own.
  EXPECT_NE(layout("[8], x: S(0.0), y: S(0.0)"),
            layout("[8], y: S(0.0), x: S(0.0)"));
  EXPECT_EQ(
      layout("[8], y: S(0.0), x: S(0.0)").splitsOf(0, 0).front().getAxis(),
      StringAttr::get(&context, "y"));
}

TEST_F(Layouts, LooksUpAxes) {
  LayoutAttr a = layout("[4], tp: S(0.0), dp: P(max)");
  EXPECT_TRUE(a.isPlaced());
  EXPECT_FALSE(a.withoutPlacement().isPlaced());
  EXPECT_EQ(a.splitOver("tp").getDim(), 0);
  EXPECT_FALSE(a.splitOver("dp"));
  EXPECT_EQ(a.partialOver("dp").getReduction(), Reduction::Max);
  EXPECT_FALSE(a.partialOver("tp"));
  MeshAttr axes = mesh("dp=2, tp=4");
  EXPECT_EQ(axes.getRankCount(), 8);
  EXPECT_EQ(axes.getIndex("tp"), 1);
  EXPECT_EQ(axes.getIndex("pp"), -1);
  EXPECT_EQ(axes.getSize("pp"), 0);
  EXPECT_EQ(mesh("").getRankCount(), 1);
}

TEST_F(Layouts, DescribesShapes) {
  Type f32 = Float32Type::get(&context);
  EXPECT_EQ(describe(tensorOf(f32, layout("[4] [96] [heads=12 head_dim=32]"))),
            "f32[4, 96, (heads 12, head_dim 32)]");
  EXPECT_EQ(describe(tensorOf(f32, layout("[3 4]"))), "f32[(3, 4)]");
  EXPECT_EQ(describe(tensorOf(f32, layout(""))), "f32[]");
  EXPECT_EQ(describe(tensorOf(IntegerType::get(&context, 1), layout("[4]"))),
            "bool[4]");
}

TEST_F(Layouts, DescribesPlacements) {
  EXPECT_EQ(describePlacement(layout("[seq=12], tp: S(0.0 sizes [3, 4, 5])")),
            "S(seq) over tp, sizes 3 4 5");
  EXPECT_EQ(describePlacement(layout("[heads=4]")), "R");
  EXPECT_EQ(describePlacement(layout("[4] [heads=12 32], tp: S(1.0), "
                                     "dp: P(sum)")),
            "S(heads) over tp, P(sum) over dp");
  EXPECT_EQ(describePlacement(layout("[4] [heads=12 32], tp: S(1.1), "
                                     "dp: S(0.0)")),
            "S(dim 0) over dp, S(factor 1 of dim 1) over tp");
}

} // namespace
