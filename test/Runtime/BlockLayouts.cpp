//===- BlockLayouts.cpp - layouts against matrices painted by their rules -===//
//
// A painter fills [heads, nb, nb] as DeepSpeed's rules are written: window by
// window, column by column, row by row. It shares no code with the runs.
//
//===----------------------------------------------------------------------===//

#include "hocket/Plan/BlockLayout.h"
#include "hocket/Random/Philox.h"
#include <gtest/gtest.h>
#include <set>

using namespace hocket;
using namespace hocket::plan;

namespace {

class Painter {
public:
  Painter(const BlockLayout &layout, int64_t blocks, int64_t head)
      : layout(layout), n(blocks), head(head), seen(n * n) {}

  std::vector<bool> paint() {
    switch (layout.kind) {
    case LayoutKind::Dense:
      rectangle(0, n, 0, n);
      break;
    case LayoutKind::Fixed:
      fixed();
      break;
    case LayoutKind::Variable:
      random();
      variableWindows();
      for (auto [begin, end] : globals())
        globalPart(begin, end);
      break;
    case LayoutKind::BigBird:
      random();
      sliding();
      rectangle(0, layout.global, 0, n);
      rectangle(0, n, 0, layout.global);
      lowerTriangle();
      break;
    case LayoutKind::BSLongformer:
      sliding();
      for (auto [begin, end] : globals()) {
        rectangle(begin, end, 0, n);
        rectangle(0, n, begin, end);
      }
      lowerTriangle();
      break;
    case LayoutKind::LocalSlidingWindow:
      sliding();
      lowerTriangle();
      break;
    case LayoutKind::Listed:
      for (int64_t row = 0; row < n; ++row) {
        const auto &list = layout.rows[(layout.perHead ? head * n : 0) + row];
        for (size_t i = 0; i < list.size(); i += 2)
          rectangle(row, row + 1, list[i], list[i + 1]);
      }
    }
    return seen;
  }

private:
  void rectangle(int64_t row, int64_t rowEnd, int64_t column,
                 int64_t columnEnd) {
    for (int64_t r = row; r < rowEnd; ++r)
      for (int64_t c = column; c < columnEnd; ++c)
        seen[r * n + c] = true;
  }
  void lowerTriangle() {
    for (int64_t i = 0; layout.unidirectional && i < n * n; ++i)
      seen[i] = seen[i] && i % n <= i / n;
  }
  void window(int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      rectangle(r, r + 1, begin, layout.unidirectional ? r + 1 : end);
  }
  void globalPart(int64_t begin, int64_t end) {
    rectangle(layout.unidirectional ? begin : 0, n, begin, end);
    if (layout.horizontal)
      rectangle(begin, end, 0, n);
  }
  void fixed() {
    int64_t nl = layout.local, ng = layout.global;
    for (int64_t i = 0; i < n; i += nl)
      window(i, std::min(i + nl, n));
    int64_t pattern = layout.perHead ? head % layout.patterns : 0;
    int64_t f = nl - (1 + pattern) * ng;
    int64_t end = n - n % nl;
    for (int64_t i = f; i < end; i += nl)
      globalPart(i, i + ng);
    if (end < n) {
      int64_t start = std::min(end + f, n - ng);
      globalPart(start, start + ng);
    }
  }
  void variableWindows() {
    int64_t begin = 0;
    for (int64_t size : layout.locals) {
      window(std::min(begin, n), std::min(begin + size, n));
      begin += size;
    }
    for (; begin < n; begin += layout.locals.back())
      window(begin, std::min(begin + layout.locals.back(), n));
  }
  void sliding() {
    int64_t w = layout.window / 2;
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = r - w; c <= r + w; ++c)
        if (c >= 0 && c < n && (c <= r || !layout.unidirectional))
          seen[r * n + c] = true;
  }
  std::vector<std::pair<int64_t, int64_t>> globals() const {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (size_t i = 0; i < layout.globals.size(); ++i)
      if (int64_t begin = layout.globals[i]; begin < n)
        ranges.push_back({begin, layout.globalEnds.empty()
                                     ? begin + 1
                                     : std::min(layout.globalEnds[i], n)});
    return ranges;
  }
  /// Each row draws a set of its candidates: the t-th draw gives one of the
  /// first ones, and the last of these where it has been drawn.
  void random() {
    for (int64_t r = 0; r < n; ++r) {
      int64_t candidates = layout.unidirectional ? r + 1 : n;
      std::set<int64_t> drawn;
      for (int64_t i = std::max<int64_t>(candidates - layout.random, 0);
           i < candidates; ++i) {
        uint64_t word = runtime::philox4x32(
            {uint32_t(drawn.size()), uint32_t(r),
             uint32_t(layout.perHead ? head : 0), 2},
            {uint32_t(layout.key), uint32_t(uint64_t(layout.key) >> 32)})[0];
        if (!drawn.insert(int64_t((word * (i + 1)) >> 32)).second)
          drawn.insert(i);
      }
      for (int64_t c : drawn)
        seen[r * n + c] = true;
    }
  }

  const BlockLayout &layout;
  const int64_t n, head;
  std::vector<bool> seen;
};

std::vector<bool> matrixOf(const BlockLayout &layout, int64_t blocks,
                           int64_t head) {
  std::vector<bool> seen(blocks * blocks);
  for (int64_t row = 0; row < blocks; ++row) {
    int64_t last = -1;
    for (BlockRun run : visitedBlocks(layout, blocks, head, row)) {
      EXPECT_GT(run.begin, last) << "runs rise and do not touch";
      EXPECT_GT(run.end, run.begin);
      EXPECT_LE(run.end, blocks);
      last = run.end;
      for (int64_t c = run.begin; c < run.end; ++c)
        seen[row * blocks + c] = true;
    }
  }
  return seen;
}

/// Compares at every length that the layout has up to `most` blocks; returns
/// at how many.
int compare(const BlockLayout &layout, int64_t most = 41) {
  int lengths = 0;
  for (int64_t blocks = 0; blocks <= most; ++blocks) {
    if (!layoutProblem(layout, blocks * layout.block, 4).empty())
      continue;
    ++lengths;
    for (int64_t head = 0; head < 4; ++head)
      EXPECT_EQ(matrixOf(layout, blocks, head),
                Painter(layout, blocks, head).paint())
          << toString(layout.kind) << " of " << blocks << " blocks, head "
          << head;
  }
  return lengths;
}

BlockLayout layoutOf(LayoutKind kind) {
  BlockLayout layout;
  layout.kind = kind;
  return layout;
}

} // namespace

TEST(BlockLayouts, Dense) {
  EXPECT_EQ(compare(layoutOf(LayoutKind::Dense)), 42);
}

TEST(BlockLayouts, FixedOfManyParameters) {
  int lengths = 0;
  for (int64_t local = 1; local <= 8; ++local)
    for (int64_t global = 1; global <= local; ++global)
      for (int64_t patterns = 1; patterns <= local / global; ++patterns)
        for (int way = 0; way < 3; ++way) {
          BlockLayout layout = layoutOf(LayoutKind::Fixed);
          layout.local = local;
          layout.global = global;
          layout.patterns = patterns;
          layout.perHead = patterns > 1;
          layout.unidirectional = way == 1;
          layout.horizontal = way == 2;
          lengths += compare(layout, 19);
        }
  EXPECT_GT(lengths, 1000);
}

TEST(BlockLayouts, VariableOfManyParameters) {
  using List = std::vector<int64_t>;
  int lengths = 0;
  for (List locals : {List{4}, List{1, 2, 5}, List{3, 1}})
    for (auto [globals, ends] : {std::pair<List, List>{{0}, {}},
                                 {{}, {}},
                                 {{2, 7, 30}, {}},
                                 {{0, 5}, {2, 9}},
                                 {{6, 39}, {50, 60}}})
      for (int64_t random : {0, 1, 3})
        for (int way = 0; way < 3; ++way) {
          BlockLayout layout = layoutOf(LayoutKind::Variable);
          layout.locals = locals;
          layout.globals = globals;
          layout.globalEnds = ends;
          layout.random = random;
          layout.perHead = random > 1;
          layout.key = 77 + random;
          layout.unidirectional = way == 1;
          layout.horizontal = way == 2;
          lengths += compare(layout);
        }
  EXPECT_GT(lengths, 5000);
}

TEST(BlockLayouts, BigBirdOfManyParameters) {
  int lengths = 0;
  for (int64_t random : {0, 1, 2, 5})
    for (int64_t window : {1, 2, 3, 4, 7})
      for (int64_t global : {0, 1, 3})
        for (bool unidirectional : {false, true}) {
          BlockLayout layout = layoutOf(LayoutKind::BigBird);
          layout.random = random;
          layout.window = window;
          layout.global = global;
          layout.unidirectional = unidirectional;
          layout.perHead = random % 2 == 1;
          layout.key = -5 * random;
          lengths += compare(layout);
        }
  EXPECT_GT(lengths, 4000);
}

TEST(BlockLayouts, LongformerAndSlidingWindow) {
  using List = std::vector<int64_t>;
  int lengths = 0;
  for (int64_t window : {1, 2, 3, 6, 9})
    for (bool unidirectional : {false, true}) {
      BlockLayout sliding = layoutOf(LayoutKind::LocalSlidingWindow);
      sliding.window = window;
      sliding.unidirectional = unidirectional;
      lengths += compare(sliding);
      for (auto [globals, ends] : {std::pair<List, List>{{0}, {}},
                                   {{}, {}},
                                   {{3, 12}, {}},
                                   {{0, 5}, {2, 99}},
                                   {{20}, {21}}}) {
        BlockLayout layout = sliding;
        layout.kind = LayoutKind::BSLongformer;
        layout.globals = globals;
        layout.globalEnds = ends;
        lengths += compare(layout);
      }
    }
  EXPECT_GT(lengths, 2000);
}

TEST(BlockLayouts, ListedRows) {
  BlockLayout layout = layoutOf(LayoutKind::Listed);
  layout.rows = {{0, 1, 2, 4}, {}, {1, 4}, {0, 4}};
  EXPECT_EQ(compare(layout), 1);
  layout.perHead = true;
  for (int i = 0; i < 12; ++i)
    layout.rows.push_back({i % 3, i % 3 + 1});
  EXPECT_EQ(compare(layout), 1);
}

/// An even window acts as the next odd one, a unidirectional one holds half of
/// that and the row's own.
TEST(BlockLayouts, EvenWindows) {
  BlockLayout layout = layoutOf(LayoutKind::LocalSlidingWindow);
  layout.window = 4;
  EXPECT_EQ(visitedBlocks(layout, 10, 0, 5), (std::vector<BlockRun>{{3, 8}}));
  layout.unidirectional = true;
  EXPECT_EQ(visitedBlocks(layout, 10, 0, 5), (std::vector<BlockRun>{{3, 6}}));
}

//===-- Randomness --------------------------------------------------------===//

static BlockLayout drawn(int64_t random) {
  BlockLayout layout = layoutOf(LayoutKind::Variable);
  layout.locals = {1};
  layout.globals = {};
  layout.random = random;
  layout.perHead = true;
  layout.key = 12345;
  return layout;
}

TEST(BlockLayouts, EveryColumnIsDrawnAsOftenAsAnother) {
  BlockLayout layout = drawn(3);
  const int64_t blocks = 24, heads = 4000;
  std::vector<int64_t> counts(blocks);
  for (int64_t head = 0; head < heads; ++head) {
    int64_t count = 0;
    for (BlockRun run : visitedBlocks(layout, blocks, head, 7))
      for (int64_t c = run.begin; c < run.end; ++c, ++count)
        ++counts[c];
    EXPECT_TRUE(count == 3 || count == 4) << "three, and the row's own";
  }
  EXPECT_EQ(counts[7], heads);
  for (int64_t c = 0; c < blocks; ++c) // 500 expected, deviation 21
    if (c != 7) {
      EXPECT_NEAR(double(counts[c]), 500, 105) << c;
    }
}

TEST(BlockLayouts, HeadsRowsAndKeysDrawApart) {
  BlockLayout layout = drawn(2), other = layout;
  other.key ^= 1;
  EXPECT_NE(matrixOf(layout, 32, 0), matrixOf(layout, 32, 1));
  EXPECT_NE(matrixOf(layout, 32, 0), matrixOf(other, 32, 0));
  EXPECT_NE(layoutDigest(layout, 32, 4), layoutDigest(other, 32, 4));
  layout.perHead = false;
  EXPECT_EQ(matrixOf(layout, 32, 0), matrixOf(layout, 32, 3));
}

TEST(BlockLayouts, DigestIsOfBlocksAndNotOfTheRule) {
  BlockLayout dense, fixed = layoutOf(LayoutKind::Fixed);
  fixed.local = 8;
  EXPECT_EQ(layoutDigest(dense, 8, 2), layoutDigest(fixed, 8, 2));
  EXPECT_NE(layoutDigest(dense, 9, 2), layoutDigest(fixed, 9, 2));
  EXPECT_NE(layoutDigest(dense, 8, 2), layoutDigest(dense, 8, 3));
  fixed.block = 32;
  EXPECT_NE(layoutDigest(dense, 8, 2), layoutDigest(fixed, 8, 2));
}

//===-- What is wrong with DeepSpeed's ------------------------------------===//

TEST(BlockLayouts, UnidirectionalRandomBlocksAreCausal) {
  for (LayoutKind kind : {LayoutKind::Variable, LayoutKind::BigBird}) {
    BlockLayout layout = drawn(3);
    layout.kind = kind;
    layout.unidirectional = true;
    for (int64_t row = 0; row < 20; ++row)
      for (BlockRun run : visitedBlocks(layout, 20, 1, row))
        EXPECT_LE(run.end, row + 1);
  }
}

/// Row 0 has one candidate, row 1 two.
TEST(BlockLayouts, FewerCandidatesThanRandomBlocksAreAllDrawn) {
  BlockLayout layout = drawn(5);
  layout.unidirectional = true;
  for (int64_t row = 0; row < 5; ++row)
    EXPECT_EQ(visitedBlocks(layout, 9, 0, row),
              (std::vector<BlockRun>{{0, row + 1}}));
}

/// Fixed has a global part in its short last window, which a slice of a longer
/// one has elsewhere; BigBird draws anew.
TEST(BlockLayouts, LayoutAtALengthIsNoSliceOfALongerOne) {
  BlockLayout fixed = layoutOf(LayoutKind::Fixed);
  EXPECT_EQ(visitedBlocks(fixed, 6, 0, 0),
            (std::vector<BlockRun>{{0, 4}, {5, 6}}));
  EXPECT_EQ(visitedBlocks(fixed, 8, 0, 0),
            (std::vector<BlockRun>{{0, 4}, {7, 8}}));
  BlockLayout bigbird = drawn(2);
  bigbird.kind = LayoutKind::BigBird;
  for (int64_t row = 3; row < 8; ++row) {
    int64_t count = 0;
    for (BlockRun run : visitedBlocks(bigbird, 8, 0, row))
      count += run.end - run.begin;
    EXPECT_GE(count, 3) << "its window";
  }
  EXPECT_EQ(compare(bigbird, 8), 6);
}
