//===- Window.cpp - which positions a windowed operation reads ------------===//

#include "dialects/Nn/Window.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <tuple>

using namespace llvm;
using namespace hocket;
using namespace hocket::nn;

std::optional<Border> nn::borderNamed(StringRef name) {
  return StringSwitch<std::optional<Border>>(name)
      .Case("zero", Border::Zero)
      .Case("reflect", Border::Reflect)
      .Case("replicate", Border::Replicate)
      .Case("circular", Border::Circular)
      .Default(std::nullopt);
}

StringRef nn::stringifyBorder(Border border) {
  switch (border) {
  case Border::Zero:
    return "zero";
  case Border::Reflect:
    return "reflect";
  case Border::Replicate:
    return "replicate";
  case Border::Circular:
    return "circular";
  case Border::Truncate:
    break;
  }
  return "truncate";
}

int64_t Window::results() const {
  int64_t room = extent + low + high - span();
  return room < 0 ? 0 : room / stride + 1;
}

Interval Window::reads(Interval results) const {
  int64_t first = results.offset * stride - low;
  if (results.size == 0)
    return {first, 0};
  int64_t last = first + (results.size - 1) * stride + span();
  if (border == Border::Truncate) {
    first = std::max<int64_t>(first, 0);
    last = std::max(std::min(last, extent), first);
  }
  return {first, last - first};
}

std::optional<int64_t> Window::dataAt(int64_t position) const {
  if (position >= 0 && position < extent)
    return position;
  switch (border) {
  case Border::Zero:
  case Border::Truncate:
    return std::nullopt;
  case Border::Reflect:
    return position < 0 ? -position : 2 * (extent - 1) - position;
  case Border::Replicate:
    return position < 0 ? 0 : extent - 1;
  case Border::Circular:
    break;
  }
  return position < 0 ? position + extent : position - extent;
}

bool Window::isBorderValid() const {
  int64_t most = std::max(low, high);
  switch (border) {
  case Border::Zero:
  case Border::Truncate:
    return true;
  case Border::Reflect:
    return most < extent;
  case Border::Replicate:
    return extent > 0;
  case Border::Circular:
    break;
  }
  return most <= extent;
}

bool Window::operator==(const Window &other) const {
  auto fields = [](const Window &w) {
    return std::tie(w.extent, w.kernel, w.stride, w.dilation, w.low, w.high,
                    w.border);
  };
  return fields(*this) == fields(other);
}

static bool areEven(ArrayRef<SplitAttr> splits) {
  return llvm::all_of(splits,
                      [](SplitAttr split) { return split.getSizes().empty(); });
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
  if (areEven(positions))
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
  if (areEven(windows))
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
