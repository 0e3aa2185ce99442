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
    return splitOf(axis, 0, 0, {extent}, sizes);
  }

  std::mt19937 random{5};
  mlir::MLIRContext context;
  mlir::StringAttr axis = mlir::StringAttr::get(&context, "h");

  MeshAttr meshOf(int64_t parts) {
    context.loadDialect<NnDialect>();
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

TEST_F(Windows, areDealtOutWithTheirPositions) {
  for (int round = 0; round < 2000; ++round) {
    Window window = randomWindow();
    int64_t parts = 1 + below(5);
    MeshAttr mesh = meshOf(parts);
    for (bool isEven : {false, true}) {
      SplitAttr cut = isEven ? SplitAttr::get(&context, axis, 0, 0, {})
                             : split(window.extent, parts);
      SmallVector<int64_t> windows = windowParts(window, {cut}, mesh);
      int64_t sum = 0;
      for (int64_t size : windows) {
        EXPECT_GE(size, 0);
        sum += size;
      }
      EXPECT_EQ(sum, window.results());
      if (cut.getSizes().empty())
        continue;
      if (window.stride == 1 && window.results() == window.extent) {
        EXPECT_EQ(windows, partSizes(window.extent, {cut}, mesh));
        continue;
      }
      // Each window is where its middle is.
      SmallVector<int64_t> positions = partSizes(window.extent, {cut}, mesh);
      int64_t window0 = 0, end = 0;
      for (auto [part, count] : llvm::enumerate(windows)) {
        int64_t begin = end;
        end += positions[part];
        for (int64_t o = window0; o < window0 + count; ++o) {
          int64_t middle = std::clamp<int64_t>(o * window.stride - window.low +
                                                   (window.span() - 1) / 2,
                                               0, window.extent - 1);
          // The last part takes what lies after the data.
          EXPECT_GE(middle, begin);
          EXPECT_TRUE(middle < end || end == window.extent);
        }
        window0 += count;
      }
    }
  }
}

TEST_F(Windows, oneForEachPositionKeepTheCut) {
  Window window;
  window.extent = 17;
  window.kernel = 4;
  window.low = 1;
  window.high = 2;
  MeshAttr mesh = meshOf(3);
  SplitAttr cut = splitOf(axis, 0, 0, {17}, {2, 11, 4});
  EXPECT_EQ(windowParts(window, {cut}, mesh), (SmallVector<int64_t>{2, 11, 4}));
  EXPECT_EQ(positionParts(window, {cut}, mesh),
            (SmallVector<int64_t>{2, 11, 4}));
  SmallVector<Reach> reaches = reachesOf(window, {2, 11, 4}, {2, 11, 4});
  for (Reach reach : reaches) {
    EXPECT_EQ(reach.before, 1);
    EXPECT_EQ(reach.after, 2);
  }
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
