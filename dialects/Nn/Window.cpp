//===- Window.cpp - which positions a windowed operation reads ------------===//

#include "dialects/Nn/Window.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
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

BordersAttr nn::zeroBorders(mlir::MLIRContext *context, size_t dims) {
  return BordersAttr::get(context, SmallVector<Border>(dims, Border::Zero));
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

Interval Window::dataOf(Interval positions) const {
  int64_t begin = std::clamp<int64_t>(positions.offset, 0, extent);
  int64_t end = begin, last = positions.offset + positions.size;
  auto add = [&](int64_t place) {
    begin = begin == end ? place : std::min(begin, place);
    end = std::max(end, place + 1);
  };
  for (int64_t e = positions.offset; e < last; ++e)
    if (int64_t place = dataAt(e); place >= 0) { // or a border's
      add(place);
      if (border == Border::Reflect && place != e)
        add(e < 0 ? 0 : extent - 1);
    }
  return {begin, end - begin};
}

bool Window::operator==(const Window &other) const {
  auto fields = [](const Window &w) {
    return std::tie(w.extent, w.kernel, w.stride, w.dilation, w.low, w.high,
                    w.border, w.isTruncated, w.settles, w.neighborhood);
  };
  auto lists = [](const Window &w) {
    return std::tie(w.lookup->indices, w.lookup->owners, w.lookup->ownerExtent);
  };
  return fields(*this) == fields(other) &&
         lookup.has_value() == other.lookup.has_value() &&
         (!lookup || lists(*this) == lists(other));
}

static bool areEven(ArrayRef<SplitAttr> splits) {
  return llvm::all_of(splits, [](SplitAttr split) { return split.isEven(); });
}

/// The parts that the axes of the splits make where they cut evenly.
static SmallVector<int64_t>
cutEvenly(int64_t extent, ArrayRef<SplitAttr> splits, MeshAttr mesh) {
  SmallVector<int64_t> parts = {extent};
  for (SplitAttr split : splits)
    parts = evenSizes(parts, mesh.getSize(split.getAxis()));
  return parts;
}

/// Parts that were looked up: even ones, or stated where they begin.
static Parts foundParts(ArrayRef<int64_t> sizes, ArrayRef<SplitAttr> splits,
                        MeshAttr mesh) {
  bool isEven = cutEvenly(llvm::sum_of(sizes), splits, mesh) == sizes;
  return {llvm::to_vector(sizes), isEven ? Bounds() : Bounds::of(sizes)};
}

/// A result for each position, as of a convolution that keeps the extent: parts
/// of both are the same, so that what comes in meets what goes out.
static bool keepsParts(const Window &window) {
  return window.stride == 1 && window.results() == window.extent &&
         !window.settles;
}

/// How many positions before the data's first one the results begin: of
/// padding, or, negative, those of which there are none. None where there is a
/// result for as many positions as a stride, however windows lie around them;
/// else those at which the middle of a window has a stride around it, to a
/// whole stride if that is between two.
static int64_t positionsBefore(const Window &window) {
  int64_t results = window.results(), stride = window.stride;
  if (results == window.extent / stride ||
      results == (window.extent + stride - 1) / stride)
    return 0;
  int64_t twice = 2 * window.low - window.span() + stride;
  if (twice % 2 == 0)
    return twice / 2;
  return llvm::divideFloorSigned(twice + stride, 2 * stride) * stride;
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
                                  split.getDim(), split.getFactor()));
  if (lookupParts(window, even, mesh) == wanted)
    return cutEvenly(window.extent, windows, mesh);
  SmallVector<int64_t> nodes =
      moveBorders(wanted, lookup.ownerExtent, [&](int64_t border) {
        if (border >= window.results())
          return lookup.ownerExtent;
        return border > 0 ? lookup.owners[border - 1] + 1 : int64_t(0);
      });
  return inProportion(nodes, lookup.ownerExtent, window.extent);
}

Parts nn::windowParts(const Window &window, ArrayRef<SplitAttr> positions,
                      MeshAttr mesh) {
  if (window.lookup)
    return foundParts(lookupParts(window, positions, mesh), positions, mesh);
  Parts parts = boundedParts(window.extent, positions, mesh);
  if (keepsParts(window))
    return parts;
  if (areEven(positions) || (parts.bounds.empty() && window.settles))
    return {cutEvenly(window.results(), positions, mesh), {}};
  if (parts.bounds.empty())
    parts.bounds = Bounds::of(parts.sizes);
  return parts
      .moved(/*up=*/1, /*down=*/1, positionsBefore(window), window.extent)
      .moved(/*up=*/1, /*down=*/window.stride, /*shift=*/0, window.results());
}

Parts nn::positionParts(const Window &window, ArrayRef<SplitAttr> windows,
                        MeshAttr mesh) {
  if (window.lookup)
    return foundParts(lookedUpParts(window, windows, mesh), windows, mesh);
  Parts parts = boundedParts(window.results(), windows, mesh);
  if (keepsParts(window))
    return parts;
  if (areEven(windows))
    return {cutEvenly(window.extent, windows, mesh), {}};
  if (parts.bounds.empty())
    parts.bounds = Bounds::of(parts.sizes);
  return parts.moved(/*up=*/window.stride, /*down=*/1, -positionsBefore(window),
                     window.extent);
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
