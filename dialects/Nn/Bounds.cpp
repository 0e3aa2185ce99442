//===- Bounds.cpp - where stated parts begin exactly ----------------------===//

#include "dialects/Nn/Nn.h"
#include "dialects/Nn/PartSizes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

Bounds Bounds::of(ArrayRef<int64_t> sizes) {
  Bounds bounds;
  int64_t place = 0;
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    bounds.places.push_back(place += sizes[i]);
  return bounds;
}

Bounds nn::boundsOf(SplitAttr split) {
  return {llvm::to_vector(split.getBounds()), split.getDenominator(),
          orderOf(split)};
}

Ordering nn::orderOf(SplitAttr split) {
  return {split.getOrder(), split.getBlock()};
}

std::string Ordering::text() const {
  if (kind == Order::Zigzag)
    return "zigzag";
  if (kind == Order::Striped)
    return block == 1 ? "striped" : "striped " + std::to_string(block);
  return "";
}

__extension__ using Wide = __int128;

/// In lowest terms; where these are too large to go on counting with, the
/// places rounded up.
static Bounds inLowestTerms(ArrayRef<Wide> places, int64_t denominator) {
  int64_t common = denominator;
  for (Wide place : places)
    common = std::gcd(common, int64_t(place % denominator));
  bool isFine = denominator / common <= (int64_t(1) << 20);
  Bounds bounds;
  bounds.denominator = isFine ? denominator / common : 1;
  for (Wide place : places) {
    Wide rounded = (place + (place > 0 ? denominator - 1 : 0)) / denominator;
    bounds.places.push_back(int64_t(isFine ? place / common : rounded));
  }
  return bounds;
}

Bounds Bounds::moved(int64_t up, int64_t down, int64_t shift) const {
  SmallVector<Wide> moved;
  for (int64_t place : places)
    moved.push_back(Wide(place) * up + Wide(shift) * denominator * down);
  Bounds bounds = inLowestTerms(moved, denominator * down);
  bounds.order = order;
  if (order.kind == Order::Striped)
    bounds.order.block =
        order.block * up % down == 0 ? order.block * up / down : 0;
  return bounds;
}

Parts Parts::moved(int64_t up, int64_t down, int64_t shift,
                   int64_t extent) const {
  Parts result;
  result.bounds = bounds.moved(up, down, shift);
  int64_t last = 0;
  for (int64_t place : result.bounds.places) {
    int64_t bound = llvm::divideCeilSigned(place, result.bounds.denominator);
    bound = std::clamp(bound, last, extent);
    result.sizes.push_back(bound - last);
    last = bound;
  }
  result.sizes.push_back(extent - last);
  return result;
}

/// The bounds of parts that are each cut in `count`: where the split states
/// them, or, of an even cut of stated parts, where the sizes say, except for
/// those that there were.
static Bounds cutBounds(const Bounds &outer, SplitAttr split, int64_t count,
                        ArrayRef<int64_t> sizes) {
  if (split.getBounds().size() + 1 == sizes.size())
    return boundsOf(split);
  if (outer.empty())
    return {};
  Bounds bounds = Bounds::of(sizes);
  bounds.denominator = outer.denominator;
  for (auto [i, place] : llvm::enumerate(bounds.places)) {
    bool isOuter = int64_t(i + 1) % count == 0;
    place =
        isOuter ? outer.places[(i + 1) / count - 1] : place * outer.denominator;
  }
  return bounds;
}

Parts nn::boundedParts(int64_t extent, ArrayRef<SplitAttr> splits,
                       MeshAttr mesh) {
  Parts parts{{extent}, {}};
  for (SplitAttr split : splits) {
    int64_t count = mesh.getSize(split.getAxis());
    parts.sizes = cutBy(split, PartSizes(parts.sizes), mesh).list();
    parts.bounds = cutBounds(parts.bounds, split, count, parts.sizes);
  }
  return parts;
}
