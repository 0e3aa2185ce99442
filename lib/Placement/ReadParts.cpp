//===- ReadParts.cpp - what windows of each rank read ---------------------===//

#include "ReadParts.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Held.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

SmallVector<nn::Interval>
placement::windowsOwned(nn::WindowedOp op, size_t number, nn::MeshAttr mesh) {
  nn::LayoutAttr made = nn::layoutOf(op.getWindowed());
  Value positions = op.getPositions().front();
  SmallVector<nn::SplitAttr> cuts = made.splitsOf(number, 0);
  cuts.truncate(std::min( // more axes cut windows over the same keys
      nn::layoutOf(positions).splitsOf(number, 0).size(), cuts.size()));
  SmallVector<nn::Interval> parts;
  int64_t begin = 0;
  for (int64_t size :
       nn::partSizes(made.getDims()[number].getSize(), cuts, mesh)) {
    parts.push_back({begin, size});
    begin += size;
  }
  return parts;
}

SmallVector<SmallVector<nn::Interval>>
placement::readParts(ArrayRef<Operation *> layers, size_t number,
                     nn::MeshAttr mesh) {
  auto windowed = [](Operation *op) { return cast<nn::WindowedOp>(op); };
  auto parts = windowsOwned(windowed(layers.back()), number, mesh);
  SmallVector<SmallVector<nn::Interval>> list(layers.size());
  for (auto [layer, read] : llvm::reverse(llvm::zip_equal(layers, list))) {
    nn::Window window = *windowed(layer).getWindows()[number];
    for (nn::Interval &part : parts) {
      part = window.reads(part);
      if (layer != layers.front())
        part = window.dataOf(part);
    }
    read = parts;
  }
  return list;
}

/// What each member's windows read.
static SmallVector<nn::Interval> partsRead(nn::WindowedOp op, int64_t number,
                                           nn::MeshAttr mesh) {
  nn::LayoutAttr made = nn::layoutOf(op.getWindowed());
  auto parts = made.heldOf(number, /*factor=*/0)
                   ? nn::heldParts(made, number, /*factor=*/0, mesh)
                   : windowsOwned(op, number, mesh);
  nn::Window window = *op.getWindows()[number];
  return llvm::map_to_vector(
      parts, [&](nn::Interval part) { return window.reads(part); });
}

/// What each member owns of the nodes, and those between that its edges name.
static nn::HeldAttr hullOfEdges(nn::WindowedOp op, int64_t number,
                                ArrayRef<nn::Interval> own, nn::MeshAttr mesh) {
  auto parts = partsRead(op, number, mesh);
  for (auto [part, owned] : llvm::zip_equal(parts, own)) {
    if (part.size == 0 || owned.size == 0) {
      part = part.size == 0 ? owned : part;
      continue;
    }
    int64_t begin = std::min(part.offset, owned.offset);
    int64_t end = std::max(part.offset + part.size, owned.offset + owned.size);
    part = {begin, end - begin};
  }
  return nn::heldOf(op.getContext(), {true, number, 0}, parts);
}

/// What each member owns of the nodes, and those that its edges name.
static nn::HeldAttr rowsOfEdges(nn::WindowedOp op, int64_t number,
                                ArrayRef<nn::Interval> own, nn::MeshAttr mesh) {
  nn::Window window = *op.getWindows()[number];
  SmallVector<SmallVector<int64_t>> rows;
  for (auto [edges, owned] :
       llvm::zip_equal(windowsOwned(op, number, mesh), own)) {
    llvm::BitVector isHeld(window.extent);
    isHeld.set(owned.offset, owned.offset + owned.size);
    for (int64_t node : window.lookup->indices.slice(edges.offset, edges.size))
      isHeld.set(node);
    auto held = isHeld.set_bits();
    rows.emplace_back(held.begin(), held.end());
  }
  return nn::heldRows(op.getContext(), {true, number, 0}, rows, own);
}

nn::HeldAttr placement::heldFor(nn::WindowedOp op, int64_t number,
                                StringRef strategy, nn::MeshAttr mesh) {
  nn::RulePlace place{true, number, 0};
  if (!op.getWindows()[number]->lookup)
    return nn::heldOf(op.getContext(), place, partsRead(op, number, mesh));
  auto own = nn::heldParts(
      nn::layoutOf(op.getPositions().front()).owning(number, 0), number,
      /*factor=*/0, mesh);
  return strategy == "all_gather" ? hullOfEdges(op, number, own, mesh)
                                  : rowsOfEdges(op, number, own, mesh);
}

/// The least interval of the data that holds what is read of it and what the
/// border shows there; none where a circular one shows the other end.
static std::optional<nn::Interval> shownPart(const nn::Window &window,
                                             nn::Interval read) {
  int64_t begin = read.offset, end = read.offset + read.size;
  int64_t before = std::max<int64_t>(-begin, 0);
  int64_t behind = std::max<int64_t>(end - window.extent, 0);
  bool readsBorder = read.size > 0 && (before > 0 || behind > 0);
  if (readsBorder && window.border == nn::Border::Circular)
    return std::nullopt;
  if (readsBorder && window.border != nn::Border::Zero) {
    bool isReflected = window.border == nn::Border::Reflect;
    if (before > 0)
      end = std::max(end, isReflected ? before + 1 : 1);
    if (behind > 0)
      begin = std::min(begin, window.extent - 1 - (isReflected ? behind : 0));
  }
  begin = std::max<int64_t>(begin, 0);
  return nn::Interval{begin, std::min(end, window.extent) - begin};
}

nn::HeldAttr placement::croppedFor(nn::WindowedOp op, int64_t number,
                                   nn::MeshAttr mesh) {
  nn::Window window = *op.getWindows()[number];
  if (window.lookup || window.isTruncated)
    return {};
  auto own = nn::heldParts(nn::layoutOf(op.getPositions().front()), number,
                           /*factor=*/0, mesh);
  auto parts = partsRead(op, number, mesh);
  bool crops = false;
  for (auto [part, owned] : llvm::zip_equal(parts, own)) {
    std::optional<nn::Interval> shown = shownPart(window, part);
    if (!shown)
      return {};
    int64_t begin = std::max(shown->offset, owned.offset);
    int64_t end =
        std::min(shown->offset + shown->size, owned.offset + owned.size);
    part = begin < end ? nn::Interval{begin, end - begin}
                       : nn::Interval{owned.offset, 0};
    crops |= part.size < owned.size;
  }
  return crops ? nn::heldOf(op.getContext(), {true, number, 0}, parts)
               : nn::HeldAttr();
}
