//===- Bytes.cpp - what a redistribution sends ----------------------------===//

#include "hocket/Placement/Meet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

namespace {
/// A factor of a layout.
struct Moved {
  int64_t dim, factor;

  /// The one that `axis` splits; nothing where a schedule is wrong.
  static std::optional<Moved> by(nn::LayoutAttr layout, StringRef axis) {
    if (nn::SplitAttr split = layout.splitOver(axis))
      return Moved{split.getDim(), split.getFactor()};
    return std::nullopt;
  }
  nn::PartSizes partsOf(nn::LayoutAttr layout, nn::MeshAttr mesh) const {
    if (layout.heldOf(dim, factor)) {
      SmallVector<int64_t> sizes;
      for (nn::Interval part : nn::heldParts(layout, dim, factor, mesh))
        sizes.push_back(part.size);
      return nn::PartSizes(sizes);
    }
    return nn::partsOf(layout.getDims()[dim].getFactors()[factor].getSize(),
                       layout.splitsOf(dim, factor), mesh);
  }
};
} // namespace

/// The largest number of elements that a rank holds of a value, of one position
/// of each of the factors.
static int64_t elementsAcross(nn::LayoutAttr layout, nn::MeshAttr mesh,
                              ArrayRef<Moved> moved) {
  int64_t count = 1;
  for (auto [dim, attr] : llvm::enumerate(layout.getDims()))
    for (size_t factor = 0; factor < attr.getFactors().size(); ++factor) {
      Moved each{int64_t(dim), int64_t(factor)};
      bool isOne = llvm::any_of(moved, [&](const Moved &other) {
        return other.dim == each.dim && other.factor == each.factor;
      });
      if (!isOne)
        count *= each.partsOf(layout, mesh).largest();
    }
  return count;
}

/// One axis cuts one factor: some rank holds the largest part of each.
int64_t placement::localElements(nn::LayoutAttr layout, nn::MeshAttr mesh) {
  return elementsAcross(layout, mesh, {});
}

/// By number of a member, what it has in the group in which it has most, or
/// what the others have in that in which they have most. Groups are neighbours.
static nn::PartSizes mostOfMembers(const nn::PartSizes &parts, int64_t members,
                                   bool ofOthers) {
  if (parts.count() == members)
    return ofOthers ? parts.ofOthers() : parts;
  SmallVector<int64_t> list = parts.list(), most(members, 0);
  for (size_t begin = 0; begin < list.size(); begin += members) {
    ArrayRef<int64_t> group = ArrayRef(list).slice(begin, members);
    int64_t all = llvm::sum_of(group);
    for (auto [size, largest] : llvm::zip_equal(group, most))
      largest = std::max(largest, ofOthers ? all - size : size);
  }
  return nn::PartSizes(most);
}

/// The most positions that a part gets which were in others.
static int64_t mostMoved(ArrayRef<int64_t> before, ArrayRef<int64_t> after) {
  int64_t most = 0, begin = 0, next = 0;
  for (auto [had, has] : llvm::zip_equal(before, after)) {
    int64_t kept = std::min(begin + had, next + has) - std::max(begin, next);
    most = std::max(most, has - std::max<int64_t>(kept, 0));
    begin += had;
    next += has;
  }
  return most;
}

namespace {
/// What the rank receives that receives most, in elements, by kinds. All except
/// the minor axes of a split factor stay as they are.
struct Received {
  nn::LayoutAttr from, to;
  nn::MeshAttr mesh;
  StringRef axis; ///< the first of those that it goes over
  int64_t members;

  /// Each adds up its chunk of what the others have, and gets their chunks.
  int64_t byAllReduce() const {
    int64_t elements = localElements(from, mesh);
    int64_t chunk = llvm::divideCeil(elements, members);
    return (members - 1) * chunk + elements - chunk;
  }
  int64_t byReduceScatter() const {
    return (members - 1) * localElements(to, mesh);
  }
  int64_t byAllGather() const {
    std::optional<Moved> moved = Moved::by(from, axis);
    if (!moved)
      return 0;
    nn::PartSizes parts = moved->partsOf(from, mesh);
    return mostOfMembers(parts, members, /*ofOthers=*/true).largest() *
           elementsAcross(to, mesh, *moved);
  }
  int64_t byAllToAll() const {
    std::optional<Moved> joined = Moved::by(from, axis),
                         cut = Moved::by(to, axis);
    if (!joined || !cut)
      return 0;
    nn::PartSizes others = mostOfMembers(joined->partsOf(from, mesh), members,
                                         /*ofOthers=*/true);
    nn::PartSizes own =
        mostOfMembers(cut->partsOf(to, mesh), members, /*ofOthers=*/false);
    return others.times(own).largest() *
           elementsAcross(to, mesh, {*joined, *cut});
  }
  int64_t byRepartition() const {
    std::optional<Moved> moved = Moved::by(to, axis);
    if (!moved)
      return 0;
    nn::PartSizes before = moved->partsOf(from, mesh),
                  after = moved->partsOf(to, mesh);
    if (before.count() != after.count())
      return localElements(to, mesh);
    return mostMoved(before.list(), after.list()) *
           elementsAcross(to, mesh, *moved);
  }
};
} // namespace

int64_t placement::sentBytes(RedistributeKind kind, RankedTensorType from,
                             RankedTensorType to, nn::MeshAttr mesh,
                             ArrayRef<StringRef> axes) {
  Received received{nn::layoutOf(from), nn::layoutOf(to), mesh, axes.front(),
                    1};
  for (StringRef axis : axes)
    received.members *= mesh.getSize(axis);
  int64_t width = (from.getElementTypeBitWidth() + 7) / 8;
  switch (kind) {
  case RedistributeKind::AllReduce:
    return width * received.byAllReduce();
  case RedistributeKind::ReduceScatter:
    return width * received.byReduceScatter();
  case RedistributeKind::AllGather:
    return width * received.byAllGather();
  case RedistributeKind::AllToAll:
    return width * received.byAllToAll();
  case RedistributeKind::Broadcast:
    return width * localElements(received.from, mesh);
  case RedistributeKind::Repartition:
    return width * received.byRepartition();
  case RedistributeKind::Slice:
  case RedistributeKind::Mask:
    return 0;
  }
  llvm_unreachable("an enumerator");
}

std::string placement::bytesText(int64_t bytes) {
  if (bytes < 1000)
    return std::to_string(bytes) + " bytes";
  static const char *const units[] = {"kB", "MB", "GB", "TB"};
  double value = bytes / 1000.0;
  int unit = 0;
  for (; value >= 999.95 && unit < 3; ++unit)
    value /= 1000.0;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f %s", value, units[unit]);
  return text;
}
