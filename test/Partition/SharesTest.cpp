//===- SharesTest.cpp - tables of what each coordinate holds --------------===//

#include "lib/Transforms/Partition/Shares.h"
#include "ParsedModule.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

static std::vector<int64_t> valuesOf(spmd::TableAttr table) {
  return table.getValues().vec();
}

namespace {
class SharesTest : public PartitionTest {
protected:
  nn::LayoutAttr layout(const std::string &text) {
    return cast<nn::LayoutAttr>(
        parseAttribute("#nn.layout<" + text + ">", &context));
  }
};
} // namespace

TEST_F(SharesTest, RemainderGoesToTheFirst) {
  Shares shares(mesh("#nn.mesh<tp=5>"));
  Share share = shares.of(layout("[12], tp: S(0.0)"), 0, 0);
  EXPECT_EQ(valuesOf(share.size), (std::vector<int64_t>{3, 3, 2, 2, 2}));
  EXPECT_EQ(valuesOf(share.offset), (std::vector<int64_t>{0, 3, 6, 8, 10}));
}

TEST_F(SharesTest, EqualSizesAreAConstant) {
  Shares shares(mesh("#nn.mesh<tp=4>"));
  Share share = shares.of(layout("[12], tp: S(0.0)"), 0, 0);
  EXPECT_TRUE(share.size.isConstant());
  EXPECT_EQ(valuesOf(share.size), (std::vector<int64_t>{3}));
  EXPECT_FALSE(share.offset.isConstant());
}

TEST_F(SharesTest, InnerAxesCutThePartsOfOuterOnes) {
  Shares shares(mesh("#nn.mesh<dp=2, tp=2>"));
  Share share = shares.of(layout("[7], tp: S(0.0), dp: S(0.0)"), 0, 0);
  EXPECT_EQ(valuesOf(share.offset), (std::vector<int64_t>{0, 2, 4, 6}));
  // tp is the major axis here, so tp = 1 begins at 4 whatever dp is.
  EXPECT_EQ(share.offset.at(shares.getMesh(), {/*dp=*/0, /*tp=*/1}), 4);
  EXPECT_EQ(share.offset.at(shares.getMesh(), {/*dp=*/1, /*tp=*/0}), 2);
}

TEST_F(SharesTest, StatedSizesSayWhereEachPartBegins) {
  Shares shares(mesh("#nn.mesh<tp=3>"));
  Share share = shares.of(layout("[12], tp: S(0.0 sizes [3, 0, 9])"), 0, 0);
  EXPECT_EQ(valuesOf(share.size), (std::vector<int64_t>{3, 0, 9}));
  EXPECT_EQ(valuesOf(share.offset), (std::vector<int64_t>{0, 3, 3}));
}

TEST_F(SharesTest, WhatIsInsideAnOuterPartIsCountedFromItsBegin) {
  Shares shares(mesh("#nn.mesh<dp=2, tp=2>"));
  auto nested = layout("[10], dp: S(0.0 sizes [4, 6]), "
                       "tp: S(0.0 sizes [1, 3, 4, 2])");
  EXPECT_EQ(valuesOf(shares.of(nested, 0, 0).offset),
            (std::vector<int64_t>{0, 1, 4, 8}));
  Share first = shares.inside(nested, 0, 0, 1, {/*dp=*/0, /*tp=*/0});
  EXPECT_EQ(valuesOf(first.size), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(valuesOf(first.offset), (std::vector<int64_t>{0, 1}));
  Share second = shares.inside(nested, 0, 0, 1, {/*dp=*/1, /*tp=*/0});
  EXPECT_EQ(valuesOf(second.size), (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(valuesOf(second.offset), (std::vector<int64_t>{0, 4}));
  // Both axes together.
  EXPECT_EQ(valuesOf(shares.inside(nested, 0, 0, 2, {1, 1}).size),
            (std::vector<int64_t>{1, 3, 4, 2}));
}

TEST_F(SharesTest, AxesOfSizeOneAreLeftOut) {
  Shares shares(mesh("#nn.mesh<dp=1, tp=2>"));
  Share share = shares.of(layout("[6], dp: S(0.0), tp: S(0.0)"), 0, 0);
  ASSERT_EQ(share.offset.getAxes().size(), 1u);
  EXPECT_EQ(share.offset.getAxes()[0], axis("tp"));
  EXPECT_TRUE(shares.of(layout("[6], dp: S(0.0)"), 0, 0).offset.isConstant());
}

TEST_F(SharesTest, OffsetsOfADimCountItsElements) {
  Shares shares(mesh("#nn.mesh<tp=2>"));
  FailureOr<spmd::TableAttr> offset =
      shares.offsetOf(layout("[h=3 d=8], tp: S(0.0)"), 0);
  ASSERT_TRUE(succeeded(offset));
  EXPECT_EQ(valuesOf(*offset), (std::vector<int64_t>{0, 16}));
  EXPECT_TRUE(failed(shares.offsetOf(layout("[h=3 d=8], tp: S(0.1)"), 0)));
  // A leading factor of size 1 does not matter.
  EXPECT_TRUE(succeeded(shares.offsetOf(layout("[h=1 d=8], tp: S(0.1)"), 0)));
}

TEST_F(SharesTest, ConstantsHaveAValueForEveryMember) {
  auto seven = spmd::TableAttr::constant(&context, 7);
  EXPECT_EQ(seven.valuesFor(3), (SmallVector<int64_t>{7, 7, 7}));
  Shares shares(mesh("#nn.mesh<tp=3>"));
  EXPECT_EQ(shares.of(layout("[4], tp: S(0.0)"), 0, 0).size.valuesFor(3),
            (SmallVector<int64_t>{2, 1, 1}));
}
