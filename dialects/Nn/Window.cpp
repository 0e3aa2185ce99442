//===- Window.cpp - which positions a windowed operation reads ------------===//

#include "dialects/Nn/Window.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;
using namespace hocket;
using namespace hocket::nn;

std::optional<Border> nn::borderNamed(StringRef name) {
  for (auto [index, word] : enumerate(plan::borderWords))
    if (name == word)
      return Border(index);
  return std::nullopt;
}

StringRef nn::stringifyBorder(Border border) {
  return plan::borderWords[size_t(border)];
}

Window Window::of(const Neighborhood &neighborhood) {
  Window window;
  window.extent = neighborhood.extent;
  window.kernel = neighborhood.kernel;
  window.dilation = neighborhood.dilation;
  window.neighborhood = neighborhood;
  return window;
}

int64_t Window::results() const {
  if (neighborhood)
    return extent;
  int64_t room = extent + low + high - span();
  return room < 0 ? 0 : room / stride + 1;
}

Interval Window::reads(Interval results) const {
  if (neighborhood) {
    auto [begin, end] = neighborhood->reads(results.offset, results.size);
    return {begin, end - begin};
  }
  int64_t first = results.offset * stride - low;
  if (results.size == 0)
    return {first, 0};
  int64_t last = first + (results.size - 1) * stride + span();
  if (isTruncated) {
    first = std::max<int64_t>(first, 0);
    last = std::max(std::min(last, extent), first);
  }
  return {first, last - first};
}

bool Window::operator==(const Window &other) const {
  auto fields = [](const Window &w) {
    return std::tie(w.extent, w.kernel, w.stride, w.dilation, w.low, w.high,
                    w.border, w.isTruncated, w.neighborhood);
  };
  return fields(*this) == fields(other);
}

static bool areEven(ArrayRef<SplitAttr> splits) {
  return llvm::all_of(splits,
                      [](SplitAttr split) { return split.getSizes().empty(); });
}

/// A result for each position, as of a convolution that keeps the extent: parts
/// of both are the same, so that what comes in meets what goes out.
static bool isOneToOne(const Window &window) {
  return window.stride == 1 && window.results() == window.extent;
}

/// Sizes of parts of [0, total), each with a border moved by `move`.
template <class Move>
static SmallVector<int64_t> moveBorders(ArrayRef<int64_t> parts, int64_t total,
                                        Move move) {
  SmallVector<int64_t> sizes;
  int64_t border = 0, last = 0;
  for (int64_t part : parts.drop_back()) {
    border += part;
    int64_t next = std::clamp(move(border), last, total);
    sizes.push_back(next - last);
    last = next;
  }
  sizes.push_back(total - last);
  return sizes;
}

SmallVector<int64_t> nn::windowParts(const Window &window,
                                     ArrayRef<SplitAttr> positions,
                                     MeshAttr mesh) {
  if (areEven(positions) || isOneToOne(window))
    return partSizes(window.results(), positions, mesh);
  // The first window whose middle is at or after the border.
  int64_t middle = (window.span() - 1) / 2 - window.low;
  return moveBorders(partSizes(window.extent, positions, mesh),
                     window.results(), [&](int64_t border) {
                       int64_t room = border - middle;
                       if (border <= 0 || room <= 0)
                         return int64_t(0);
                       if (border >= window.extent)
                         return window.results();
                       return (room + window.stride - 1) / window.stride;
                     });
}

SmallVector<int64_t> nn::positionParts(const Window &window,
                                       ArrayRef<SplitAttr> windows,
                                       MeshAttr mesh) {
  if (areEven(windows) || isOneToOne(window))
    return partSizes(window.extent, windows, mesh);
  int64_t middle = (window.span() - 1) / 2 - window.low;
  return moveBorders(partSizes(window.results(), windows, mesh), window.extent,
                     [&](int64_t border) {
                       if (border <= 0)
                         return int64_t(0);
                       if (border >= window.results())
                         return window.extent;
                       return border * window.stride + middle;
                     });
}

SmallVector<Reach> nn::reachesOf(const Window &window,
                                 ArrayRef<int64_t> positions,
                                 ArrayRef<int64_t> results) {
  SmallVector<Reach> reaches;
  Interval own{0, 0}, made{0, 0};
  for (auto [position, result] : llvm::zip_equal(positions, results)) {
    own = {own.offset + own.size, position};
    made = {made.offset + made.size, result};
    if (made.size == 0) {
      reaches.push_back({});
      continue;
    }
    Interval held = window.reads(made);
    reaches.push_back({own.offset - held.offset,
                       held.offset + held.size - own.offset - own.size});
  }
  return reaches;
}
