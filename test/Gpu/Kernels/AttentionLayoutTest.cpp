//===- AttentionLayoutTest.cpp - attention under block layouts ------------===//

#include "runtime/lib/Cuda/Attention/TileLists.h"
#include "test/Gpu/Kernels/AttentionCase.h"

using namespace hocket;
using namespace hocket::test;
using plan::BlockLayout;
using plan::LayoutKind;
using Shape = AttentionShape;

namespace {

BlockLayout layoutOf(LayoutKind kind, int64_t block) {
  BlockLayout layout;
  layout.kind = kind;
  layout.block = block;
  layout.window = 1;
  layout.random = kind == LayoutKind::BigBird || kind == LayoutKind::Variable;
  layout.key = 7;
  return layout;
}

/// A sequence of `tokens`.
Shape shapeOf(const BlockLayout &layout, int64_t tokens = 192) {
  Shape shape;
  shape.layout = layout;
  shape.layoutBlocks = tokens / layout.block;
  shape.queries = shape.keys = tokens;
  shape.heads = shape.kvHeads = 1;
  shape.depth = shape.width = 32;
  return shape;
}

class CudaAttentionLayouts : public OfAttentionTypes {};
INSTANTIATE_TEST_SUITE_P(Types, CudaAttentionLayouts, attentionTypes,
                         OfAttentionTypes::nameOf);

TEST_P(CudaAttentionLayouts, Kinds) {
  for (LayoutKind kind :
       {LayoutKind::Fixed, LayoutKind::Variable, LayoutKind::BigBird,
        LayoutKind::BSLongformer, LayoutKind::LocalSlidingWindow})
    expectBothRight(shapeOf(layoutOf(kind, 16), 96));
}

/// Blocks smaller and larger than tiles, and that begin inside of them.
TEST_P(CudaAttentionLayouts, Blocks) {
  expectBothRight(shapeOf(layoutOf(LayoutKind::BigBird, 6)));
  for (int64_t block : {1, 48})
    expectBothRight(shapeOf(layoutOf(LayoutKind::BigBird, block), 96));
}

TEST_P(CudaAttentionLayouts, HeadsWithLayoutsOfTheirOwn) {
  BlockLayout layout = layoutOf(LayoutKind::BigBird, 16);
  layout.perHead = true;
  Shape shape = shapeOf(layout, 96);
  shape.heads = 5;
  shape.kvHeads = 2;
  shape.group = 4;
  shape.headOffset = 6;
  shape.kvHeadOffset = 1;
  shape.queries = 40;
  expectBothRight(shape);
  shape.layout->perHead = false;
  expectBothRight(shape);
}

/// Queries and keys of a rank, whose first blocks other ranks begin.
TEST_P(CudaAttentionLayouts, PartsOfASequence) {
  Shape shape = shapeOf(layoutOf(LayoutKind::BigBird, 24));
  shape.queries = 70;
  shape.queryOffset = 83;
  shape.keys = 101;
  shape.keyOffset = 40;
  expectBothRight(shape);
  shape.causal = true;
  expectBothRight(shape);
}

TEST_P(CudaAttentionLayouts, MasksBesides) {
  Shape shape = shapeOf(layoutOf(LayoutKind::BSLongformer, 16), 96);
  shape.causal = true;
  expectBothRight(shape);
  shape.before = 20;
  shape.batch = 2;
  shape.padding = true;
  expectBothRight(shape);
}

/// Every kernel, and weights dropped by their numbers in the whole.
TEST_P(CudaAttentionLayouts, Dropout) {
  Shape shape = shapeOf(layoutOf(LayoutKind::Variable, 12), 96);
  shape.queries = 30;
  shape.queryOffset = 50;
  for (int64_t depth : {24, 64, 100, 256})
    for (double dropout : {0.0, 0.3}) {
      shape.depth = shape.width = depth;
      shape.dropout = dropout;
      expectBothRight(shape);
    }
}

/// Rows that visit nothing give zeros.
TEST_P(CudaAttentionLayouts, RowsOfNothing) {
  BlockLayout layout;
  layout.kind = LayoutKind::Listed;
  layout.block = 24;
  layout.rows = {{0, 1}, {}, {0, 1, 3, 4}, {}};
  expectBothRight(shapeOf(layout, 96));
}

/// What is computed is what is visited.
TEST(CudaAttentionTiles, OnlyVisitedTilesAreListed) {
  BlockLayout layout = layoutOf(LayoutKind::LocalSlidingWindow, 32);
  layout.unidirectional = true;
  layout.window = 3;
  Shape shape = shapeOf(layout);
  runtime::AttentionArguments given;
  given.q.shape = {1, 2, 192, 32};
  given.k.shape = {1, 2, 192, 32};
  given.visited =
      runtime::VisitedKeys(given, runtime::ruleOf(layout, shape.layoutBlocks));
  using Tiles = std::vector<std::pair<int, bool>>;
  auto rowOf = [](const runtime::cuda::TileLists &lists, size_t row) {
    Tiles tiles;
    for (int64_t i = lists.starts[row]; i < lists.starts[row + 1]; ++i)
      tiles.push_back({lists.tiles[i].tile, lists.tiles[i].mask >= 0});
    return tiles;
  };
  // Block row r visits blocks r - 1 and r, tiles of 64 have two of them.
  runtime::cuda::TileLists lists;
  expectOk(runtime::cuda::listTilesOfQueries(given, {64, 32}, lists));
  ASSERT_EQ(lists.starts.size(), 4u);
  EXPECT_EQ(rowOf(lists, 0), (Tiles{{0, false}, {1, true}}));
  EXPECT_EQ(rowOf(lists, 1), (Tiles{{1, true}, {2, false}, {3, true}}));
  EXPECT_EQ(rowOf(lists, 2), (Tiles{{3, true}, {4, false}, {5, true}}));
  EXPECT_EQ(lists.masks, (std::vector<uint32_t>{0, ~0u, ~0u, 0}));

  runtime::cuda::TileLists ofKeys;
  expectOk(runtime::cuda::listTilesOfKeys(given, {64, 32}, ofKeys));
  ASSERT_EQ(ofKeys.starts.size(), 4u);
  EXPECT_EQ(rowOf(ofKeys, 0), (Tiles{{0, true}, {1, false}, {2, true}}));
  EXPECT_EQ(rowOf(ofKeys, 1), (Tiles{{2, true}, {3, false}, {4, true}}));
  EXPECT_EQ(rowOf(ofKeys, 2), (Tiles{{4, true}, {5, false}}));
}

} // namespace
