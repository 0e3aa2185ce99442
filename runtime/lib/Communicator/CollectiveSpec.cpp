//===- CollectiveSpec.cpp - checks of collectives, alone and paired -------===//

#include "runtime/lib/Communicator/CollectiveSpec.h"
#include "runtime/lib/Communicator/ShareParts.h"
#include <numeric>

namespace hocket::runtime {

using plan::CollectiveKind;

static_assert(std::variant_size_v<decltype(CollectiveSpec::kind)> ==
              std::variant_size_v<decltype(plan::Collective::kind)>);

const char *toString(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::HaloExchange:
    return "halo_exchange";
  case CollectiveKind::HaloReduce:
    return "halo_reduce";
  case CollectiveKind::Broadcast:
    break;
  }
  return "broadcast";
}

/// Of a halo its strategy; of all others what has no meaning.
static plan::HaloStrategy strategyOf(const CollectiveSpec &spec) {
  return std::visit(
      [](const auto &kind) {
        if constexpr (std::is_base_of_v<HaloShares,
                                        std::decay_t<decltype(kind)>>)
          return kind.strategy;
        else
          return plan::HaloStrategy::Neighbors;
      },
      spec.kind);
}

std::string CollectiveSpec::describe() const {
  bool isAllToAll = strategyOf(*this) == plan::HaloStrategy::AllToAll;
  return plan::describe(toString(isAllToAll ? CollectiveKind::AllToAll
                                            : CollectiveKind(kind.index())),
                        source);
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

static int64_t sum(const std::vector<int64_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
}

/// Whether `offset` and `size` cut [0, total) into disjoint intervals by
/// member; sizes may be 0 and members in any order.
static bool isCut(const std::vector<int64_t> &offset,
                  const std::vector<int64_t> &size, size_t members) {
  if (offset.size() != members || size.size() != members)
    return false;
  int64_t total = sum(size);
  for (size_t i = 0; i < members; ++i) {
    if (size[i] < 0 || offset[i] < 0 || offset[i] + size[i] > total)
      return false;
    for (size_t j = 0; j < i; ++j)
      if (size[i] > 0 && size[j] > 0 && offset[i] < offset[j] + size[j] &&
          offset[j] < offset[i] + size[i])
        return false;
  }
  return true;
}

namespace {

/// What is wrong with one tensor, or nothing: one overload a kind. `shape` is
/// what src and dst have to have, and begins as src's.
struct TensorCheck {
  const CollectiveSpec &spec;
  size_t tensor;
  std::vector<int64_t> src, dst;

  size_t members() const { return spec.members.size(); }
  bool hasDim(int dim) const { return dim >= 0 && dim < int(src.size()); }
  std::string noDim(int dim) const {
    return "its dim " + std::to_string(dim) + " is not one of a tensor of " +
           std::to_string(src.size()) + " dims";
  }
  /// `whole` is cut, `part` is this member's share of it.
  std::string cut(const Share &share, std::vector<int64_t> &whole,
                  std::vector<int64_t> &part, const char *what) const {
    if (!isCut(share.offset, share.size, members()))
      return std::string(what) + " overlap or leave a gap";
    if (!hasDim(share.dim))
      return noDim(share.dim);
    whole[share.dim] = sum(share.size);
    part[share.dim] = share.size[spec.me];
    return "";
  }

  /// The same of parts that may overlap.
  std::string covered(const Share &share, std::vector<int64_t> &whole,
                      std::vector<int64_t> &part, const char *what) const {
    if (!areParts(share) || !isCovered(share))
      return std::string(what) + " leave a gap";
    if (!hasDim(share.dim))
      return noDim(share.dim);
    whole[share.dim] = extentOf(share);
    part[share.dim] = share.size[spec.me];
    return "";
  }
  bool areParts(const Share &share) const {
    bool are =
        share.offset.size() == members() && share.size.size() == members();
    for (size_t i = 0; are && i < members(); ++i)
      are = share.offset[i] >= 0 && share.size[i] >= 0;
    return are;
  }

  std::string operator()(const AllReduce &) { return ""; }
  std::string operator()(const ReduceScatter &kind) {
    return cut(kind.shares[tensor], src, dst, "its shards");
  }
  std::string operator()(const AllGather &kind) {
    return cut(kind.shares[tensor], dst, src, "its shards");
  }
  std::string operator()(const AllToAll &kind) {
    const Share &from = kind.from[tensor], &to = kind.to[tensor];
    std::string problem = covered(from, dst, src, "its shards");
    if (problem.empty())
      problem = covered(to, src, dst, "its new shards");
    if (problem.empty() && from.dim == to.dim)
      problem =
          "it goes from dim " + std::to_string(from.dim) + " to the same dim";
    return problem;
  }
  std::string operator()(const Broadcast &kind) {
    if (kind.root >= 0 && kind.root < int64_t(members()))
      return "";
    return "root " + std::to_string(kind.root) + " of " +
           std::to_string(members()) + " members does not exist";
  }
  std::string operator()(const HaloExchange &kind) {
    return halo(kind, src, dst);
  }
  std::string operator()(const HaloReduce &kind) {
    return halo(kind, dst, src);
  }

  std::string halo(const HaloShares &kind, std::vector<int64_t> &own,
                   std::vector<int64_t> &held) const {
    if (!isCut(kind.halo.offset, kind.halo.size, members()))
      return "its shards overlap or leave a gap";
    if (!canHold(kind.halo))
      return "its margins reach further than its border";
    int dim = kind.dims[tensor];
    if (!hasDim(dim))
      return noDim(dim);
    own[dim] = kind.halo.size[spec.me];
    held[dim] = kind.halo.heldSize[spec.me];
    return "";
  }
  /// Given that what members own is a cut.
  bool canHold(const plan::Halo &halo) const {
    bool fits = sum(halo.size) == halo.extent &&
                halo.heldOffset.size() == members() &&
                halo.heldSize.size() == members();
    for (size_t i = 0; fits && i < members(); ++i)
      fits = halo.heldSize[i] >= 0 &&
             plan::reaches(halo.border, halo.heldOffset[i],
                           halo.heldOffset[i] + halo.heldSize[i], halo.extent);
    return fits && halo.areRowsValid();
  }
};

/// Whether a kind says something of each tensor: one overload a kind.
struct SaysOfEach {
  size_t tensors;
  bool operator()(const AllReduce &) const { return true; }
  bool operator()(const Broadcast &) const { return true; }
  bool operator()(const ReduceScatter &kind) const {
    return kind.shares.size() == tensors;
  }
  bool operator()(const AllGather &kind) const {
    return kind.shares.size() == tensors;
  }
  bool operator()(const AllToAll &kind) const {
    return kind.from.size() == tensors && kind.to.size() == tensors;
  }
  bool operator()(const HaloShares &kind) const {
    return kind.dims.size() == tensors;
  }
};

} // namespace

static std::string problemOf(const CollectiveSpec &spec, size_t tensor) {
  const auto &[src, dst] = spec.pairs[tensor];
  if (src.shape.size() > maxDims || src.shape.size() != src.strides.size() ||
      dst.shape.size() != dst.strides.size())
    return "windows have at most " + std::to_string(maxDims) +
           " dims, as many strides as extents";
  TensorCheck check{spec, tensor, src.shape, src.shape};
  std::string problem = std::visit(check, spec.kind);
  if (problem.empty() && (src.shape != check.src || dst.shape != check.dst))
    problem = "expected windows " + shapeText(check.src) + " and " +
              shapeText(check.dst) + ", found " + shapeText(src.shape) +
              " and " + shapeText(dst.shape);
  return problem;
}

Status checkSpec(const CollectiveSpec &spec) {
  auto bad = [&](const std::string &what) {
    return Status::runtimeError(spec.describe() + ": " + what);
  };
  size_t members = spec.members.size();
  if (members == 0 || spec.me < 0 || spec.me >= static_cast<int64_t>(members))
    return bad("member " + std::to_string(spec.me) + " of " +
               std::to_string(members) + " does not exist");
  if (spec.pairs.empty() ||
      !std::visit(SaysOfEach{spec.pairs.size()}, spec.kind))
    return bad("it does not say of each tensor how it is moved");
  for (size_t tensor = 0; tensor < spec.pairs.size(); ++tensor)
    if (std::string problem = problemOf(spec, tensor); !problem.empty())
      return bad(problem);
  return Status::success();
}

// ---- two members' specs of one collective -----------------------------------

namespace {

std::string differ(const Share &a, const Share &b) {
  if (a.dim != b.dim)
    return "they work on different dims";
  return a.offset == b.offset && a.size == b.size ? "" : "they cut differently";
}
std::string differ(const std::vector<Share> &a, const std::vector<Share> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::string text = differ(a[i], b[i]); !text.empty())
      return text;
  return "";
}
std::string differ(plan::Reduction a, plan::Reduction b) {
  return a == b ? "" : "they reduce differently";
}

// What differs, given that both move as many tensors: one overload a kind.
std::string differ(const AllReduce &a, const AllReduce &b) {
  return differ(a.reduction, b.reduction);
}
std::string differ(const ReduceScatter &a, const ReduceScatter &b) {
  std::string text = differ(a.reduction, b.reduction);
  return text.empty() ? differ(a.shares, b.shares) : text;
}
std::string differ(const AllGather &a, const AllGather &b) {
  return differ(a.shares, b.shares);
}
std::string differ(const AllToAll &a, const AllToAll &b) {
  std::string text = differ(a.from, b.from);
  return text.empty() ? differ(a.to, b.to) : text;
}
std::string differ(const Broadcast &a, const Broadcast &b) {
  return a.root == b.root ? "" : "they have different roots";
}
std::string differ(const HaloShares &a, const HaloShares &b) {
  if (a.strategy != b.strategy)
    return "they are different collectives";
  if (a.dims != b.dims)
    return "they work on different dims";
  if (a.halo.border != b.halo.border)
    return "their borders differ";
  bool isSame = a.halo.offset == b.halo.offset && a.halo.size == b.halo.size &&
                a.halo.heldOffset == b.halo.heldOffset &&
                a.halo.heldSize == b.halo.heldSize &&
                a.halo.extent == b.halo.extent && a.halo.rows == b.halo.rows;
  return isSame ? "" : "they cut differently";
}

/// Makes the extents of a src those on which all members agree: dims that are
/// cut count whole. One overload a kind.
struct Whole {
  size_t tensor;
  std::vector<int64_t> &shape;
  void operator()(const AllReduce &) const {}
  void operator()(const ReduceScatter &) const {}
  void operator()(const AllGather &kind) const { cut(kind.shares[tensor]); }
  void operator()(const AllToAll &kind) const { cut(kind.from[tensor]); }
  void operator()(const Broadcast &) const {}
  void operator()(const HaloShares &kind) const {
    shape[kind.dims[tensor]] = kind.halo.extent;
  }
  void cut(const Share &share) const { shape[share.dim] = extentOf(share); }
};

std::vector<int64_t> wholeShape(const CollectiveSpec &spec, size_t tensor) {
  std::vector<int64_t> shape = spec.pairs[tensor].src.shape;
  std::visit(Whole{tensor, shape}, spec.kind);
  return shape;
}

} // namespace

std::string difference(const CollectiveSpec &a, const CollectiveSpec &b) {
  if (a.kind.index() != b.kind.index())
    return "they are different collectives";
  if (a.id != b.id)
    return "they are number " + std::to_string(a.id) + " and number " +
           std::to_string(b.id) + " of the program";
  if (a.type != b.type)
    return std::string("one has elements of ") + plan::toString(a.type) +
           " and the other of " + plan::toString(b.type);
  if (a.pairs.size() != b.pairs.size())
    return "one moves " + std::to_string(a.pairs.size()) +
           " tensors and the other " + std::to_string(b.pairs.size());
  std::string text = std::visit(
      [&](const auto &kind) {
        return differ(kind, std::get<std::decay_t<decltype(kind)>>(b.kind));
      },
      a.kind);
  for (size_t i = 0; text.empty() && i < a.pairs.size(); ++i)
    if (wholeShape(a, i) != wholeShape(b, i))
      text = "their tensors are " + shapeText(wholeShape(a, i)) + " and " +
             shapeText(wholeShape(b, i));
  if (text.empty() && a.members != b.members)
    text = "they have different members";
  return text;
}

} // namespace hocket::runtime
