//===- Collective.h - what ranks do together -------------------*- C++ -*-===//
//
// A collective moves one tensor or several among the ranks that differ only on
// its axes, its members. Each kind is a struct with what only it has; who looks
// at a kind does so by std::visit over one small function a kind, so that a new
// one that is forgotten somewhere does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_COLLECTIVE_H
#define HOCKET_PLAN_COLLECTIVE_H

#include "hocket/Plan/Halo.h"
#include "hocket/Plan/View.h"
#include <variant>

namespace hocket::plan {

/// How members share a dim of a tensor: member i has `size[i]` positions from
/// `offset[i]` on. Both are tables over exactly the axes of the collective.
struct Share {
  int dim = -1, offset = -1, size = -1;
};

// The kinds. With p members, me = i, of each tensor:

/// dst = reduce_j src_j
struct AllReduce {
  Reduction reduction = Reduction::Sum;
};

/// dst = reduce_j src_j[dim: offset[i], size[i]]
struct ReduceScatter {
  std::vector<Share> shares; // one a tensor
  Reduction reduction = Reduction::Sum;
};

/// dst[dim: offset[j], size[j]] = src_j
struct AllGather {
  std::vector<Share> shares; // one a tensor
};

/// dst[from: offset[j], size[j]] = src_j[to: offset[i], size[i]], summed in the
/// order of j where parts of `from` overlap; those of `to` may overlap as well.
struct AllToAll {
  std::vector<Share> from, to; // one a tensor
};

/// dst = src_root
struct Broadcast {
  int64_t root = 0;
};

/// How a halo's margins travel: each member reads what it misses from those
/// that own it, or all send every other one a part, which may be empty. Both
/// move the same; here ranks share memory and do the same for it, elsewhere
/// they do not.
enum class HaloStrategy { Neighbors, AllToAll };

/// What the members of a halo own and hold: of a dim of `extent`, which may be
/// another one of each tensor, member i owns `size[i]` positions from
/// `offset[i]` on and holds `heldSize[i]` from `heldOffset[i]` on, which may be
/// more, less, and beyond the ends; or, with `rows`, those that are listed.
struct HaloShares {
  std::vector<int> dims;                                      // by tensor
  int offset = -1, size = -1, heldOffset = -1, heldSize = -1; // tables
  int64_t extent = 0;
  Border border = Border::Zero;
  HaloStrategy strategy = HaloStrategy::Neighbors;
  int rows = -1; // index into Plan::rowLists, or -1
};

/// dst[dim: e - heldOffset[i]] = src_j[dim: p - offset[j]] for each position e
/// that i holds, where p is the place in [0, extent) that e shows under
/// `border` and j the member that owns it; zeros where e shows none.
struct HaloExchange : HaloShares {};

/// Its transpose: dst[dim: p - offset[i]] = the sum, over members j in their
/// order and e of theirs that show p, of src_j[dim: e - heldOffset[j]].
struct HaloReduce : HaloShares {};

/// The kinds by name, in the order of Collective::kind.
enum class CollectiveKind {
  AllReduce,
  ReduceScatter,
  AllGather,
  AllToAll,
  Broadcast,
  HaloExchange,
  HaloReduce,
};

/// A collective among the ranks that differ only on `axes` (coordinate order =
/// row-major over `axes`), of tensors of one type. Every member's src lies in
/// its own memory, views may be strided. Reductions run in member order, so
/// that results do not depend on timing. Only halos may have no axes: then they
/// are a rank's own work.
struct Collective {
  std::variant<AllReduce, ReduceScatter, AllGather, AllToAll, Broadcast,
               HaloExchange, HaloReduce>
      kind;
  std::vector<int> axes;
  struct Pair {
    View src, dst;
    int source = -1; // as Instruction::source, if it has one of its own
  };
  std::vector<Pair> pairs; // one or more
  /// It only begins here, and ends at a Wait with its id. Between the two it is
  /// open, as others may be: members may read src (of a HaloReduce what is not
  /// this member's own), which nothing may write, and dst is nobody's to touch
  /// (of a halo whose src lies in dst, or dst in src, the margins).
  bool isStarted = false;
  int64_t id = 0; // equal on all classes: the n-th collective of the program
  std::string hook = {}; // a user's own function that does it, see Hook; or ""

  /// What the members of a halo own and hold; null of another kind.
  const HaloShares *halo() const;
  /// What it is called and counted as: margins that go all to all are one.
  CollectiveKind namedKind() const;
  /// Whether ranks meet: one over no axes is a rank's own work.
  bool moves() const { return !axes.empty(); }
  /// Whether a run counts it: what a hook moves is its own affair.
  bool isCounted() const { return moves() && hook.empty(); }
};

/// Ends the collective that was started with this id: dst is complete and src
/// may be written again.
struct Wait {
  int64_t id = 0;
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_COLLECTIVE_H
