//===- CutSizes.cpp - parts by weight and by alignment --------------------===//

#include "lib/Placement/Cuts.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace hocket::placement;
using Sizes = llvm::SmallVector<int64_t>;

TEST(WeightedSizes, AreInProportion) {
  EXPECT_EQ(weightedSizes(12, Sizes{1, 1, 2}), (Sizes{3, 3, 6}));
  EXPECT_EQ(weightedSizes(10, Sizes{1, 0, 4}), (Sizes{2, 0, 8}));
  EXPECT_EQ(weightedSizes(0, Sizes{1, 2}), (Sizes{0, 0}));
}

TEST(WeightedSizes, TheLargestRemaindersHaveOneMore) {
  // 7 of 3 to 2: 4.2 and 2.8.
  EXPECT_EQ(weightedSizes(7, Sizes{3, 2}), (Sizes{4, 3}));
  // 10 in thirds: 3.33 each, a tie.
  EXPECT_EQ(weightedSizes(10, Sizes{1, 1, 1}), (Sizes{4, 3, 3}));
  EXPECT_EQ(weightedSizes(11, Sizes{5, 5, 5}), (Sizes{4, 4, 3}));
}

TEST(WeightedSizes, LargeWeightsDoNotOverflow) {
  int64_t large = int64_t(1) << 62;
  EXPECT_EQ(weightedSizes(6, Sizes{large, large}), (Sizes{3, 3}));
}

TEST(AlignedSizes, PartsBeginAtMultiples) {
  EXPECT_EQ(alignedSizes(721, 2, 2), (Sizes{360, 361}));
  EXPECT_EQ(alignedSizes(12, 5, 3), (Sizes{5, 5, 2}));
  EXPECT_EQ(alignedSizes(5, 3, 3), (Sizes{3, 0, 2}));
  EXPECT_EQ(alignedSizes(2, 4, 2), (Sizes{0, 2}));
  for (int64_t extent = 0; extent < 30; ++extent)
    for (int64_t unit = 1; unit < 7; ++unit)
      for (int64_t count = 1; count < 5; ++count) {
        Sizes sizes = alignedSizes(extent, unit, count);
        EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t(0)),
                  extent);
        int64_t begin = 0;
        for (int64_t size : sizes) {
          EXPECT_EQ(begin % unit, 0);
          begin += size;
        }
      }
}
