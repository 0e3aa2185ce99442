//===- SharesTest.cpp - tables of what each coordinate holds --------------===//

#include "lib/Transforms/Partition/Shares.h"
#include "ParsedModule.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

static std::vector<int64_t> valuesOf(spmd::TableAttr table) {
  return table.getValues().vec();
}

using SharesTest = PartitionTest;

TEST_F(SharesTest, RemainderGoesToTheFirst) {
  Shares shares(mesh("#nn.mesh<tp=5>"));
  Share share = shares.of(12, {axis("tp")});
  EXPECT_EQ(valuesOf(share.size), (std::vector<int64_t>{3, 3, 2, 2, 2}));
  EXPECT_EQ(valuesOf(share.offset), (std::vector<int64_t>{0, 3, 6, 8, 10}));
}

TEST_F(SharesTest, EqualSizesAreAConstant) {
  Shares shares(mesh("#nn.mesh<tp=4>"));
  Share share = shares.of(12, {axis("tp")});
  EXPECT_TRUE(share.size.isConstant());
  EXPECT_EQ(valuesOf(share.size), (std::vector<int64_t>{3}));
  EXPECT_FALSE(share.offset.isConstant());
}

TEST_F(SharesTest, InnerAxesCutThePartsOfOuterOnes) {
  Shares shares(mesh("#nn.mesh<dp=2, tp=2>"));
  Share share = shares.of(7, {axis("tp"), axis("dp")});
  EXPECT_EQ(valuesOf(share.offset), (std::vector<int64_t>{0, 2, 4, 6}));
  // tp is the major axis here, so tp = 1 begins at 4 whatever dp is.
  EXPECT_EQ(share.offset.at(shares.getMesh(), {/*dp=*/0, /*tp=*/1}), 4);
  EXPECT_EQ(share.offset.at(shares.getMesh(), {/*dp=*/1, /*tp=*/0}), 2);
}

TEST_F(SharesTest, AxesOfSizeOneAreLeftOut) {
  Shares shares(mesh("#nn.mesh<dp=1, tp=2>"));
  Share share = shares.of(6, {axis("dp"), axis("tp")});
  ASSERT_EQ(share.offset.getAxes().size(), 1u);
  EXPECT_EQ(share.offset.getAxes()[0], axis("tp"));
  EXPECT_TRUE(shares.of(6, {axis("dp")}).offset.isConstant());
}

TEST_F(SharesTest, OffsetsOfADimCountItsElements) {
  Shares shares(mesh("#nn.mesh<tp=2>"));
  auto layout = cast<nn::LayoutAttr>(
      parseAttribute("#nn.layout<[h=3 d=8], tp: S(0.0)>", &context));
  FailureOr<spmd::TableAttr> offset = shares.offsetOf(layout, 0);
  ASSERT_TRUE(succeeded(offset));
  EXPECT_EQ(valuesOf(*offset), (std::vector<int64_t>{0, 16}));
  auto inner = cast<nn::LayoutAttr>(
      parseAttribute("#nn.layout<[h=3 d=8], tp: S(0.1)>", &context));
  EXPECT_TRUE(failed(shares.offsetOf(inner, 0)));
  // A leading factor of size 1 does not matter.
  auto unit = cast<nn::LayoutAttr>(
      parseAttribute("#nn.layout<[h=1 d=8], tp: S(0.1)>", &context));
  EXPECT_TRUE(succeeded(shares.offsetOf(unit, 0)));
}

TEST_F(SharesTest, ConstantsHaveAValueForEveryMember) {
  auto seven = spmd::TableAttr::constant(&context, 7);
  EXPECT_EQ(seven.valuesFor(3), (SmallVector<int64_t>{7, 7, 7}));
  Shares shares(mesh("#nn.mesh<tp=3>"));
  EXPECT_EQ(shares.of(4, {axis("tp")}).size.valuesFor(3),
            (SmallVector<int64_t>{2, 1, 1}));
}
