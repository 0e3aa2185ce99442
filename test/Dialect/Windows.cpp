//===- Windows.cpp - what windows read, against counting taps ----------===//

#include "dialects/Nn/Nn.h"
#include <gtest/gtest.h>
#include <random>

using namespace hocket;
using namespace hocket::nn;
using llvm::SmallVector;

namespace {

/// Random windows over random uneven parts, some of them empty.
class Windows : public ::testing::Test {
protected:
  Windows() { context.loadDialect<NnDialect>(); }

  int64_t below(int64_t limit) { return int64_t(random() % limit); }

  Window randomWindow() {
    Window window;
    window.extent = 1 + below(20);
    window.kernel = 1 + below(5);
    window.stride = 1 + below(4);
    window.dilation = 1 + below(3);
    window.low = below(4);
    window.high = below(4);
    window.border = Border(below(4));
    return window;
  }

  SplitAttr split(int64_t extent, int64_t parts) {
    SmallVector<int64_t> sizes(parts, 0);
    for (int64_t i = 0; i < extent; ++i)
      ++sizes[below(parts)];
    return splitOf(axis, 0, 0, {extent}, sizes, Bounds::of(sizes));
  }

  std::mt19937 random{5};
  mlir::MLIRContext context;
  mlir::StringAttr axis = mlir::StringAttr::get(&context, "h");

  MeshAttr meshOf(int64_t parts) {
    return MeshAttr::get(&context, {MeshAxisAttr::get(&context, axis, parts)});
  }
};

TEST_F(Windows, readWhatTheirTapsRead) {
  for (int round = 0; round < 2000; ++round) {
    Window window = randomWindow();
    if (window.results() == 0)
      continue;
    int64_t first = below(window.results());
    int64_t count = 1 + below(window.results() - first);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t o = first; o < first + count; ++o)
      for (int64_t t = 0; t < window.kernel; ++t) {
        int64_t at = o * window.stride - window.low + t * window.dilation;
        low = std::min(low, at);
        high = std::max(high, at);
      }
    Interval reads = window.reads({first, count});
    EXPECT_EQ(reads.offset, low);
    EXPECT_EQ(reads.offset + reads.size, high + 1);
  }
}

TEST_F(Windows, countResultsAsTheyFit) {
  for (int round = 0; round < 2000; ++round) {
    Window window = randomWindow();
    int64_t fit = 0;
    for (int64_t o = 0;; ++o) {
      int64_t last = o * window.stride - window.low + window.span() - 1;
      if (last >= window.extent + window.high)
        break;
      ++fit;
    }
    EXPECT_EQ(window.results(), fit);
  }
}

TEST_F(Windows, areAllDealtOut) {
  for (int round = 0; round < 2000; ++round) {
    Window window = randomWindow();
    int64_t count = 1 + below(5);
    SplitAttr cut = split(window.extent, count);
    Parts parts = windowParts(window, {cut}, meshOf(count));
    ASSERT_EQ(int64_t(parts.sizes.size()), count);
    EXPECT_TRUE(
        llvm::all_of(parts.sizes, [](int64_t size) { return size >= 0; }));
    EXPECT_EQ(llvm::sum_of(parts.sizes), window.results());
  }
}

/// Bounds that are no whole number are remembered: by whatever windows parts
/// go, they come back to where they were.
TEST_F(Windows, leadBackToThePartsTheyCameFrom) {
  for (int round = 0; round < 2000; ++round) {
    Window window = randomWindow();
    int64_t count = 1 + below(5);
    MeshAttr mesh = meshOf(count);
    SplitAttr cut = split(window.extent, count);
    Parts there = windowParts(window, {cut}, mesh);
    SplitAttr between =
        splitOf(axis, 0, 0, {window.results()}, there.sizes, there.bounds);
    Parts back = positionParts(window, {between}, mesh);
    EXPECT_EQ(back.sizes, partSizes(window.extent, {cut}, mesh));
    EXPECT_EQ(splitOf(axis, 0, 0, {window.extent}, back.sizes, back.bounds),
              cut);
  }
}

/// Down by one window and up by another, of any kernels that keep all rows or
/// leave out a last one.
TEST_F(Windows, ofOneStrideLeadUpToThePartsTheyCameDownFrom) {
  for (int round = 0; round < 2000; ++round) {
    int64_t stride = 1 + below(4), extent = 1 + below(40), count = 1 + below(5);
    bool isCut = extent >= stride && below(2);
    int64_t rows = (extent + (isCut ? 0 : stride - 1)) / stride;
    auto draw = [&](int64_t positions) {
      Window window;
      window.extent = positions;
      window.stride = stride;
      window.kernel = 1 + below(2 * stride + 1);
      // As many results as rows, however the padding is dealt out.
      int64_t pads = (rows - 1) * stride + window.kernel - positions;
      window.low = pads / 2 + below(2);
      window.high = pads - window.low + below(stride);
      return window;
    };
    Window down = draw(extent), up = draw(rows * stride);
    ASSERT_EQ(down.results(), rows);
    ASSERT_EQ(up.results(), rows);
    MeshAttr mesh = meshOf(count);
    SplitAttr cut = split(extent, count);
    Parts low = windowParts(down, {cut}, mesh);
    SplitAttr between = splitOf(axis, 0, 0, {rows}, low.sizes, low.bounds);
    Parts high = positionParts(up, {between}, mesh);
    // A crop or a pad to the rows that there were.
    Window end;
    end.extent = rows * stride;
    end.high = extent - rows * stride;
    Parts back = windowParts(
        end, {splitOf(axis, 0, 0, {end.extent}, high.sizes, high.bounds)},
        mesh);
    EXPECT_EQ(back.sizes, partSizes(extent, {cut}, mesh));
  }
}

/// 7 and 3 of 10 are 4 and 1 of 5, cut at 3 1/2.
TEST_F(Windows, roundBoundsUp) {
  Window window;
  window.extent = 10;
  window.kernel = window.stride = 2;
  SplitAttr cut = splitOf(axis, 0, 0, {10}, {7, 3}, Bounds::of({7, 3}));
  Parts half = windowParts(window, {cut}, meshOf(2));
  EXPECT_EQ(half.sizes, (SmallVector<int64_t>{4, 1}));
  EXPECT_EQ(half.bounds.places, (SmallVector<int64_t>{7}));
  EXPECT_EQ(half.bounds.denominator, 2);
}

TEST_F(Windows, oneForEachPositionKeepTheCut) {
  Window window;
  window.extent = 17;
  window.kernel = 4;
  window.low = 1;
  window.high = 2;
  MeshAttr mesh = meshOf(3);
  SplitAttr cut = splitOf(axis, 0, 0, {17}, {2, 11, 4}, Bounds::of({2, 11, 4}));
  EXPECT_EQ(windowParts(window, {cut}, mesh).sizes,
            (SmallVector<int64_t>{2, 11, 4}));
  EXPECT_EQ(positionParts(window, {cut}, mesh).sizes,
            (SmallVector<int64_t>{2, 11, 4}));
  SmallVector<Reach> reaches = reachesOf(window, {2, 11, 4}, {2, 11, 4});
  std::vector<std::pair<int64_t, int64_t>> seen;
  for (Reach reach : reaches)
    seen.push_back({reach.before, reach.after});
  // Beyond the ends is a border of zeros, which nobody sends.
  EXPECT_EQ(seen,
            (std::vector<std::pair<int64_t, int64_t>>{{0, 2}, {1, 2}, {1, 0}}));
}

/// What a border shows may be a part's own.
TEST_F(Windows, reachBordersOfOthers) {
  Window window;
  window.extent = 12;
  window.kernel = 3;
  window.low = window.high = 1;
  auto reaches = [&](Border border, SmallVector<int64_t> parts) {
    window.border = border;
    std::vector<std::pair<int64_t, int64_t>> seen;
    for (Reach reach : reachesOf(window, parts, parts))
      seen.push_back({reach.before, reach.after});
    return seen;
  };
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(reaches(Border::Circular, {5, 7}), (Pairs{{1, 1}, {1, 1}}));
  EXPECT_EQ(reaches(Border::Circular, {12, 0}), (Pairs{{0, 0}, {0, 0}}));
  EXPECT_EQ(reaches(Border::Replicate, {5, 7}), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_EQ(reaches(Border::Reflect, {5, 7}), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_EQ(reaches(Border::Reflect, {1, 11}), (Pairs{{1, 1}, {1, 0}}));
  // Windows of 2 over 12 and one of padding at each end meet no cut at 11.
  window.kernel = window.stride = 2;
  window.border = Border::Zero;
  std::vector<std::pair<int64_t, int64_t>> seen;
  for (Reach reach : reachesOf(window, {11, 1}, {6, 1}))
    seen.push_back({reach.before, reach.after});
  EXPECT_EQ(seen, (Pairs{{0, 0}, {0, 0}}));
}

/// Whether NATTEN's mask has query and key, from its definition: the key is in
/// the query's dilation group, and near the centre of the group of queries that
/// share a window, moved inward where the window would leave the data.
bool isInNeighborhood(const Neighborhood &n, int64_t query, int64_t key) {
  int64_t group = query % n.dilation;
  if (key % n.dilation != group)
    return false;
  int64_t length = 0;
  for (int64_t at = group; at < n.extent; at += n.dilation)
    ++length;
  int64_t q = query / n.dilation, k = key / n.dilation;
  int64_t first = q - q % n.stride;
  if (n.causal) {
    int64_t last = std::min(first + n.stride - 1, length - 1);
    return k <= q && last - k < n.kernel;
  }
  int64_t left = n.kernel / 2, right = n.kernel - 1 - left;
  int64_t centre = std::min(first + n.stride / 2, length - 1);
  centre = std::max(left, std::min(centre, length - 1 - right));
  return k >= centre - left && k <= centre + right;
}

Neighborhood randomNeighborhood(std::mt19937 &random) {
  Neighborhood n;
  n.kernel = 1 + random() % 7;
  n.dilation = 1 + random() % 4;
  n.stride = 1 + random() % n.kernel;
  n.extent = n.kernel * n.dilation + random() % 12;
  n.causal = random() % 2;
  return n;
}

TEST_F(Windows, ofNeighborhoodsAreThoseOfNatten) {
  for (int round = 0; round < 3000; ++round) {
    Neighborhood n = randomNeighborhood(random);
    ASSERT_TRUE(n.isValid());
    for (int64_t query = 0; query < n.extent; ++query) {
      auto [begin, count] = n.keysOf(query);
      EXPECT_GT(count, 0);
      EXPECT_TRUE(n.causal || count == n.kernel);
      std::vector<bool> seen(n.extent, false);
      for (int64_t t = 0; t < count; ++t)
        seen.at(begin + t * n.dilation) = true;
      for (int64_t key = 0; key < n.extent; ++key)
        EXPECT_EQ(seen[key], isInNeighborhood(n, query, key))
            << "extent " << n.extent << " kernel " << n.kernel << " stride "
            << n.stride << " dilation " << n.dilation << " causal " << n.causal
            << " query " << query << " key " << key;
    }
  }
}

TEST_F(Windows, ofNeighborhoodsReadTheLeastInterval) {
  for (int round = 0; round < 3000; ++round) {
    Neighborhood n = randomNeighborhood(random);
    Window window = Window::of(n);
    EXPECT_EQ(window.results(), n.extent);
    int64_t first = below(n.extent), count = 1 + below(n.extent - first);
    int64_t low = n.extent, high = -1;
    for (int64_t query = first; query < first + count; ++query)
      for (int64_t key = 0; key < n.extent; ++key)
        if (isInNeighborhood(n, query, key)) {
          low = std::min(low, key);
          high = std::max(high, key);
        }
    Interval reads = window.reads({first, count});
    EXPECT_EQ(reads.offset, low);
    EXPECT_EQ(reads.offset + reads.size, high + 1);
  }
}

/// At the ends windows are moved inward: 7 keys of a part of 2 at the end are
/// its own and 5 before it; inside, 3 on each side.
TEST_F(Windows, ofNeighborhoodsReachFurtherAtTheEnds) {
  Neighborhood n;
  n.extent = 20;
  n.kernel = 7;
  Window window = Window::of(n);
  SmallVector<Reach> reaches =
      reachesOf(window, {2, 6, 0, 10, 2}, {2, 6, 0, 10, 2});
  std::vector<std::pair<int64_t, int64_t>> seen;
  for (Reach reach : reaches)
    seen.push_back({reach.before, reach.after});
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int64_t>>{
                      {0, 5}, {2, 3}, {0, 0}, {3, 2}, {5, 0}}));
}

TEST(Borders, showData) {
  Window window;
  window.extent = 4;
  auto shown = [&](Border border) {
    window.border = border;
    std::string text;
    for (int64_t at = -3; at < 7; ++at) {
      int64_t data = window.dataAt(at);
      text += data >= 0 ? char('0' + data) : '.';
    }
    return text;
  };
  EXPECT_EQ(shown(Border::Zero), "...0123...");
  EXPECT_EQ(shown(Border::Reflect), "3210123210");
  EXPECT_EQ(shown(Border::Replicate), "0000123333");
  EXPECT_EQ(shown(Border::Circular), "1230123012");
}

} // namespace
