//===- HeldWindows.cpp - whether ranks hold what windows read -------------===//

#include "dialects/Nn/Held.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Ring.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// Whether members have parts of it that are intervals, and stay where they
/// are.
static bool isSplitInIntervals(WindowedOp op, LayoutAttr layout, int64_t dim) {
  SmallVector<SplitAttr> splits = layout.splitsOf(dim, /*factor=*/0);
  return !splits.empty() && layout.getDims()[dim].getFactors().size() == 1 &&
         llvm::none_of(splits, [&](SplitAttr split) {
           return split.isOrdered() || isRingOver(op, split.getAxis());
         });
}

/// Whether all that windows show of the data is in what a member holds.
static bool finds(const Window &window, Interval held, Interval read) {
  int64_t begin = held.offset, end = held.offset + held.size;
  auto isHeld = [&](int64_t e) {
    int64_t place = window.dataAt(e);
    return place < 0 || (place >= begin && place < end);
  };
  int64_t readEnd = read.offset + read.size;
  for (int64_t e = read.offset; e < std::min(begin, readEnd); ++e)
    if (!isHeld(e))
      return false;
  for (int64_t e = std::max(end, read.offset); e < readEnd; ++e)
    if (!isHeld(e))
      return false;
  return true;
}

/// Of one dim, by member: the windows that it makes or reads, and what it holds
/// of what they slide over.
static LogicalResult verifyWindow(WindowedOp op, const Window &window,
                                  int64_t dim, ArrayRef<Interval> made,
                                  ArrayRef<Interval> has) {
  for (auto [member, pair] : llvm::enumerate(llvm::zip(has, made))) {
    auto [held, part] = pair;
    Interval read = window.reads(part);
    if (!finds(window, held, read))
      return op->emitOpError()
             << "has windows that reach [" << read.offset << ":"
             << read.offset + read.size << "] of dim " << dim
             << " where member " << member << " makes or reads them, which "
             << "holds [" << held.offset << ":" << held.offset + held.size
             << "] of " << op.getPositions().front().getType();
  }
  return success();
}

/// The same of edges, which are on the ranks that own what they make.
static LogicalResult verifyEdges(WindowedOp op, const Lookup &lookup,
                                 int64_t dim, ArrayRef<Interval> made,
                                 ArrayRef<Interval> has) {
  Type type = op.getPositions().front().getType();
  HeldAttr listed = layoutOf(type).heldOf(dim, /*factor=*/0);
  bool areRows = listed && listed.getRows();
  for (auto [member, part] : llvm::enumerate(made)) {
    auto [begin, size] = has[member];
    llvm::BitVector rows(layoutOf(type).getShape()[dim]);
    if (areRows)
      for (int64_t row : listed.rowsOf(member))
        if (row < int64_t(rows.size()))
          rows.set(row);
    for (int64_t node : lookup.indices.slice(part.offset, part.size))
      if (areRows ? !rows[node] : node < begin || node >= begin + size)
        return op->emitOpError()
               << "has an edge at [" << node << "] of dim " << dim
               << " where member " << member << " makes or reads it, which "
               << "does not hold that of " << type;
  }
  return success();
}

/// Of windows that more axes cut than what they slide over this is known
/// elsewhere.
LogicalResult nn::verifyWindowsHeld(WindowedOp op) {
  MeshAttr mesh = meshOf(op.getOperation());
  LayoutAttr positions = layoutOf(op.getPositions().front()),
             windowed = layoutOf(op.getWindowed());
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    if (!mesh || !window || !isSplitInIntervals(op, positions, dim))
      continue;
    LayoutAttr makes = window->lookup ? windowed.owning(dim, 0) : windowed;
    auto has = heldParts(positions, dim, /*factor=*/0, mesh);
    auto made = heldParts(makes, dim, /*factor=*/0, mesh);
    if (has.size() != made.size())
      continue;
    if (failed(window->lookup ? verifyEdges(op, *window->lookup, dim, made, has)
                              : verifyWindow(op, *window, dim, made, has)))
      return failure();
  }
  return success();
}
