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
  if (lookup)
    return lookup->indices.size();
  int64_t room = extent + low + high - span();
  return room < 0 ? 0 : room / stride + 1;
}

Interval Window::reads(Interval results) const {
  if (neighborhood) {
    auto [begin, end] = neighborhood->reads(results.offset, results.size);
    return {begin, end - begin};
  }
  if (lookup && results.size > 0) {
    auto [least, most] = std::minmax_element(
        lookup->indices.begin() + results.offset,
        lookup->indices.begin() + results.offset + results.size);
    return {*least, *most + 1 - *least};
  }
  int64_t first = lookup ? 0 : results.offset * stride - low;
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
  auto lists = [](const Window &w) {
    return std::tie(w.lookup->indices, w.lookup->owners, w.lookup->ownerExtent);
  };
  return fields(*this) == fields(other) &&
         lookup.has_value() == other.lookup.has_value() &&
         (!lookup || lists(*this) == lists(other));
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

/// Parts of a dim of `total` that go with these of one of `extent`: the same
/// where both are as long, else in proportion.
static SmallVector<int64_t> inProportion(ArrayRef<int64_t> parts,
                                         int64_t extent, int64_t total) {
  return moveBorders(parts, total, [&](int64_t border) {
    return extent > 0 ? border * total / extent : 0;
  });
}

/// Each result goes with its owner.
static SmallVector<int64_t> lookupParts(const Window &window,
                                        ArrayRef<SplitAttr> positions,
                                        MeshAttr mesh) {
  const Lookup &lookup = *window.lookup;
  SmallVector<int64_t> nodes =
      areEven(positions)
          ? partSizes(lookup.ownerExtent, positions, mesh)
          : inProportion(partSizes(window.extent, positions, mesh),
                         window.extent, lookup.ownerExtent);
  return moveBorders(nodes, window.results(), [&](int64_t border) {
    return std::lower_bound(lookup.owners.begin(), lookup.owners.end(),
                            border) -
           lookup.owners.begin();
  });
}

static SmallVector<int64_t> lookedUpParts(const Window &window,
                                          ArrayRef<SplitAttr> windows,
                                          MeshAttr mesh) {
  const Lookup &lookup = *window.lookup;
  SmallVector<int64_t> wanted = partSizes(window.results(), windows, mesh);
  SmallVector<SplitAttr> even;
  for (SplitAttr split : windows)
    even.push_back(SplitAttr::get(split.getContext(), split.getAxis(),
                                  split.getDim(), split.getFactor(), {}));
  if (lookupParts(window, even, mesh) == wanted)
    return partSizes(window.extent, even, mesh);
  SmallVector<int64_t> nodes =
      moveBorders(wanted, lookup.ownerExtent, [&](int64_t border) {
        if (border >= window.results())
          return lookup.ownerExtent;
        return border > 0 ? lookup.owners[border - 1] + 1 : int64_t(0);
      });
  return inProportion(nodes, lookup.ownerExtent, window.extent);
}

SmallVector<int64_t> nn::windowParts(const Window &window,
                                     ArrayRef<SplitAttr> positions,
                                     MeshAttr mesh) {
  if (window.lookup)
    return lookupParts(window, positions, mesh);
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
  if (window.lookup)
    return lookedUpParts(window, windows, mesh);
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

/// A border is read of others only where it shows what they have.
static Reach reachOf(const Window &window, Interval own, Interval held) {
  int64_t begin = held.offset, end = held.offset + held.size;
  auto isOwn = [&](int64_t position) {
    int64_t place = window.dataAt(position);
    return place < 0 || (place >= own.offset && place < own.offset + own.size);
  };
  Reach reach{own.offset - begin, end - own.offset - own.size};
  if (reach.before > 0) {
    int64_t last = std::min(own.offset, end);
    while (begin < last && isOwn(begin))
      ++begin;
    reach.before = begin < last ? own.offset - begin : 0;
  }
  if (reach.after > 0) {
    int64_t first = std::max(own.offset + own.size, held.offset);
    while (end > first && isOwn(end - 1))
      --end;
    reach.after = end > first ? end - own.offset - own.size : 0;
  }
  return reach;
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
    reaches.push_back(reachOf(window, own, window.reads(made)));
  }
  return reaches;
}
