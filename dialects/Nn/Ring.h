//===- Ring.h - keys and values that travel ---------------------*- C++ -*-===//
//
// Attention over a sequence that is split, of queries, keys and values alike
// (ring attention, Liu et al. 2023, arXiv 2310.01889): in hop s member m of P
// has the keys and values of member m - s (mod P), computes their term of its
// result, and merges it with what it has by the lse of both. Here the part
// comes from its owner, who keeps it; each rank receives as many bytes as when
// it goes from rank to rank. What a mask hides from all queries of a member
// does not travel to it.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_RING_H
#define HOCKET_NN_RING_H

#include "dialects/Nn/Products.h"
#include "hocket/Plan/BlockLayout.h"

namespace hocket::nn {

/// The mask of nn.attention and its gradient between a query and the keys from
/// `before` before to `after` behind it; absent, all.
struct RingMask {
  std::optional<int64_t> before, after;
  /// Besides, of a sequence of `extent` positions, what it shows to some of
  /// `heads` heads. Ranks of a ring may have other heads: all of them count.
  std::optional<plan::BlockLayout> layout = std::nullopt;
  int64_t extent = 0, heads = 1;

  static RingMask of(AttentionOp op);
  static RingMask of(AttentionGradOp op);
  /// Whether one of the queries sees one of the keys, whatever the layout.
  bool sees(llvm::ArrayRef<Interval> queries,
            llvm::ArrayRef<Interval> keys) const;
};

/// Where the positions of a part lie, ascending; of an order several runs, and
/// of an empty part none.
using RunList = llvm::SmallVector<Interval, 2>;
/// By member of the axes that split a factor of `extent`, row-major.
llvm::SmallVector<RunList>
runsOfParts(int64_t extent, llvm::ArrayRef<SplitAttr> splits, MeshAttr mesh);

/// The same of a dim that its major factor alone may split, in positions of the
/// dim.
llvm::SmallVector<RunList> runsOfDim(LayoutAttr layout, int64_t dim,
                                     MeshAttr mesh);

/// By member, whether it receives the part of the member `distance` before it.
struct RingHop {
  int64_t distance;
  llvm::SmallVector<bool> receives;
};

/// The hops in which some member receives something, nearest first. `parts` are
/// those of the members, in their order.
llvm::SmallVector<RingHop> ringHops(const RingMask &mask,
                                    llvm::ArrayRef<RunList> parts);

/// Whether keys and values of this operation travel over the axis.
bool isRingOver(mlir::Operation *op, llvm::StringRef axis);

/// What a placed operation with a ring receives: hops, and at most how many
/// keys a rank. None where its keys are not split.
struct RingTraffic {
  int64_t hops = 0, keys = 0;
};
RingTraffic ringTraffic(mlir::Operation *op, MeshAttr mesh);

} // namespace hocket::nn

#endif // HOCKET_NN_RING_H
