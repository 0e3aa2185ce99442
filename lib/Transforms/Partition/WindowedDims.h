//===- WindowedDims.h - what windows read of a cut dim ---------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_WINDOWEDDIMS_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_WINDOWEDDIMS_H

#include "Shares.h"
#include "dialects/Nn/Held.h"

namespace hocket::partitioning {

/// One dim that windows slide over.
struct WindowedDim {
  int64_t dim;
  nn::Window window;
  AxisList axes;   // that cut it, major first; none where it is whole
  Share own, held; // positions of each member, and those its windows read
  int64_t members; // of the axes
  /// What is held is not what is owned: positions come from other members, or
  /// from a border that the operation itself does not know.
  bool isExtended;
  /// Zeros that the operation itself adds: a whole dim with a zero border.
  int64_t low = 0, high = 0;
  mlir::LocationAttr line = {}; ///< of the schedule, that asked for margins
  /// What moves the margins: "neighbors", "all_to_all" or "all_gather".
  llvm::StringRef strategy = "neighbors";
  bool overlaps = false; ///< of an exchange: something is computed meanwhile
  /// The rank has what it reads, by the type: only borders may be missing.
  bool isInner = false;
};

using WindowedDims = llvm::SmallVector<WindowedDim, 0>;

/// The tensor with another size of one dim of one factor.
mlir::RankedTensorType withSize(mlir::Type type, int64_t dim, int64_t size);

/// The tensor with another size of one factor.
mlir::RankedTensorType withFactorSize(mlir::Type type, int64_t dim,
                                      int64_t factor, int64_t size);

/// held.offset - own.offset.
spmd::TableAttr shiftOf(const WindowedDim &slid);
/// Whether every member finds what it is to have in what it has, and borders
/// that show zeros or that: when it `attaches` margins, or sends them back.
bool isLocal(const WindowedDim &slid, bool attaches);
/// Whether each does so by itself, and not as a view: ranks of one class then
/// have `held` as far before or behind `own`.
bool isAlone(const WindowedDim &slid, bool attaches);
/// Where the part of each member begins in what it has, if that contains it.
std::optional<llvm::SmallVector<int64_t>> placesOf(const WindowedDim &slid,
                                                   bool attaches);

/// The dims that the windows of a placed operation slide over. A part of the
/// results reads one interval of positions (Window::reads), so that is what a
/// rank holds while it computes them; see docs/placement.md.
WindowedDims windowedDims(nn::WindowedOp op, Shares &shares);

/// The dim whose margins an exchange moves, of each of its values.
WindowedDim exchangedDim(nn::ExchangeOp op, Shares &shares);

/// Whether an operand has something for each window, as a rule has it.
bool hasWindows(const nn::PlacementRule::Value &value,
                const nn::PlacementRule &rule);

/// The nodes that the edges of a rank lead to, counted from the first that it
/// holds; of a dim whose window is a lookup.
llvm::SmallVector<int64_t> localEdges(nn::WindowedOp op,
                                      const WindowedDim &slid, Shares &shares,
                                      llvm::ArrayRef<int64_t> coordinates);

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_WINDOWEDDIMS_H
