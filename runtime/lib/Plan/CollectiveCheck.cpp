//===- CollectiveCheck.cpp - one collective of a class --------------------===//

#include "Checker.h"
#include "KindNumbers.h"
#include <algorithm>
#include <numeric>

namespace hocket::plan {

/// Tables over exactly the collective's axes.
bool Checker::checkShareTables(const Collective &collective, int offset,
                               int size, const char *what) {
  for (int table : {offset, size}) {
    if (table < 0 || size_t(table) >= plan.tables.size())
      return fail(std::string(what) + ": table " + std::to_string(table) +
                  " does not exist, there are " +
                  std::to_string(plan.tables.size()));
    if (plan.tables[table].axes != collective.axes)
      return fail(std::string(what) + ": table " + std::to_string(table) +
                  " is not over the axes of the collective");
  }
  return true;
}

/// Tables over exactly the collective's axes, of intervals inside [0, extent).
bool Checker::checkParts(const Collective &collective, int offset, int size,
                         const char *what, int64_t extent) {
  if (!checkShareTables(collective, offset, size, what))
    return false;
  const auto &offsets = plan.tables[offset].values;
  const auto &sizes = plan.tables[size].values;
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] < 0 || sizes[i] < 0 || offsets[i] + sizes[i] > extent)
      return fail(std::string(what) + ": member " + std::to_string(i) +
                  " has [" + std::to_string(offsets[i]) + ", " +
                  std::to_string(offsets[i] + sizes[i]) + ") of " +
                  std::to_string(extent));
  return true;
}

/// The same, disjoint.
bool Checker::checkShards(const Collective &collective, int offset, int size,
                          const char *what, int64_t extent) {
  if (!checkParts(collective, offset, size, what, extent))
    return false;
  const auto &offsets = plan.tables[offset].values;
  const auto &sizes = plan.tables[size].values;
  std::vector<std::pair<int64_t, int64_t>> shards;
  for (size_t i = 0; i < offsets.size(); ++i)
    if (sizes[i] > 0)
      shards.push_back({offsets[i], offsets[i] + sizes[i]});
  std::sort(shards.begin(), shards.end());
  for (size_t i = 1; i < shards.size(); ++i)
    if (shards[i].first < shards[i - 1].second)
      return fail(std::string(what) + ": members overlap at " +
                  std::to_string(shards[i].first));
  return true;
}

namespace {

/// Whether a user's own function may do it: one overload a kind.
struct TakesHook {
  bool operator()(const AllReduce &) const { return true; }
  bool operator()(const ReduceScatter &) const { return true; }
  bool operator()(const AllGather &) const { return true; }
  bool operator()(const AllToAll &) const { return false; }
  bool operator()(const Broadcast &) const { return false; }
  bool operator()(const HaloShares &) const { return false; }
};

} // namespace

bool Checker::checkBody(const Collective &c) {
  if (!checkAxes(c.axes))
    return false;
  if (c.axes.empty() && !c.halo())
    return fail("has no axes");
  if (c.pairs.empty())
    return fail("moves no tensor");
  if (!c.hook.empty() &&
      (c.pairs.size() > 1 || !std::visit(TakesHook(), c.kind)))
    return fail("hook '" + c.hook +
                "' is for one tensor and an all_reduce, reduce_scatter or "
                "all_gather");
  auto ofKind = [&](const auto &kind) { return checkKind(c, kind); };
  if (!std::visit(ofKind, c.kind))
    return false;
  std::string whole = where;
  for (size_t i = 0; i < c.pairs.size(); ++i) {
    if (c.pairs.size() > 1)
      where = whole + ", tensor " + std::to_string(i);
    if (!checkPair(c, i))
      return false;
  }
  where = whole;
  return true;
}

// ---- what a kind says of all tensors: one overload a kind -------------------

bool Checker::checkOneEach(const Collective &c, const char *what,
                           size_t count) {
  return count == c.pairs.size() ||
         fail(std::string(what) + " has " + std::to_string(count) +
              " entries, tensors are " + std::to_string(c.pairs.size()));
}

bool Checker::checkKind(const Collective &, const AllReduce &) { return true; }
bool Checker::checkKind(const Collective &c, const ReduceScatter &kind) {
  return checkOneEach(c, "shares", kind.shares.size());
}
bool Checker::checkKind(const Collective &c, const AllGather &kind) {
  return checkOneEach(c, "shares", kind.shares.size());
}
bool Checker::checkKind(const Collective &c, const AllToAll &kind) {
  return checkOneEach(c, "from", kind.from.size()) &&
         checkOneEach(c, "to", kind.to.size());
}
bool Checker::checkKind(const Collective &c, const Broadcast &kind) {
  int64_t members = plan.memberCount(c.axes);
  return (kind.root >= 0 && kind.root < members) ||
         fail("root " + std::to_string(kind.root) +
              " does not exist, there are " + std::to_string(members) +
              " members");
}
bool Checker::checkKind(const Collective &c, const HaloShares &kind) {
  if (kind.rows < -1 || kind.rows >= int64_t(plan.rowLists.size()))
    return fail("rows: list " + std::to_string(kind.rows) +
                " does not exist, there are " +
                std::to_string(plan.rowLists.size()));
  return checkOneEach(c, "dims", kind.dims.size()) && checkHeld(c, kind);
}

/// What members are to hold of a halo's dim can be had from what they own.
bool Checker::checkHeld(const Collective &c, const HaloShares &shares) {
  if (shares.extent < 0 || shares.extent > largestNumber)
    return fail("extent " + std::to_string(shares.extent) + " is out of range");
  // Layers cut alike; what was found right once is.
  std::vector<int64_t> key = numbersOf(shares);
  key.insert(key.end(), c.axes.begin(), c.axes.end());
  if (rightHalos.count(key))
    return true;
  if (!checkShards(c, shares.offset, shares.size, "shards", shares.extent) ||
      !checkShareTables(c, shares.heldOffset, shares.heldSize, "held"))
    return false;
  Halo halo = haloOf(plan, shares);
  int64_t owned =
      std::accumulate(halo.size.begin(), halo.size.end(), int64_t(0));
  if (owned != shares.extent)
    return fail("shards: members own " + std::to_string(owned) + " of " +
                std::to_string(shares.extent));
  for (size_t i = 0; i < halo.heldSize.size(); ++i) {
    int64_t begin = halo.heldOffset[i], end = begin + halo.heldSize[i];
    if (end < begin || !reaches(shares.border, begin, end, shares.extent))
      return fail("held: member " + std::to_string(i) + " has [" +
                  std::to_string(begin) + ", " + std::to_string(end) + ") of " +
                  std::to_string(shares.extent) + " with a border of " +
                  borderWords[size_t(shares.border)]);
  }
  if (!halo.areRowsValid())
    return fail("rows: a member's are not rising, not of the dim, or without "
                "what it owns");
  rightHalos.insert(std::move(key));
  return true;
}

// ---- one tensor: one overload a kind ----------------------------------------

bool Checker::checkPair(const Collective &c, size_t tensor) {
  const auto &[src, dst, source] = c.pairs[tensor];
  if (source < -1 || source >= int64_t(plan.sources.size()))
    return fail("source " + std::to_string(source) +
                " does not exist, there are " +
                std::to_string(plan.sources.size()));
  if (!checkRead("src", src) || !checkWrite("dst", dst) ||
      !checkType("src", src, typeOf(dst)) ||
      !checkType("src", src, typeOf(c.pairs[0].src)))
    return false;
  if (src.shape.size() != dst.shape.size())
    return fail("src has " + std::to_string(src.shape.size()) +
                " dims and dst " + std::to_string(dst.shape.size()));
  return std::visit(
      [&](const auto &kind) { return checkTensor(c, kind, tensor); }, c.kind);
}

bool Checker::checkSummed(Reduction reduction, const View &src) {
  return reduction != Reduction::Sum || typeOf(src) != DType::Bool ||
         fail("cannot sum bool");
}

bool Checker::checkDim(int dim, const View &view) {
  int dims = int(view.shape.size());
  return (dim >= 0 && dim < dims) ||
         fail("dim " + std::to_string(dim) + " does not exist, there are " +
              std::to_string(dims));
}

/// Both have the same extents but along `dims`.
bool Checker::checkRest(const Collective::Pair &pair,
                        std::initializer_list<int> dims) {
  std::vector<int64_t> src = pair.src.shape, dst = pair.dst.shape;
  for (int dim : dims)
    src[dim] = dst[dim] = -1;
  return src == dst ||
         fail("src has shape " + shapeToString(pair.src.shape) + " and dst " +
              shapeToString(pair.dst.shape) + ", which differ beside dim " +
              std::to_string(*dims.begin()));
}

/// What each rank holds of the cut dim is what the table says.
bool Checker::checkLocal(const Collective &c, const char *what,
                         const View &view, int dim, int table) {
  for (int64_t rank : ranksAlong(c.axes)) {
    int64_t local = view.shape[dim];
    int64_t expected = plan.tables[table].values[plan.coordinate(rank, c.axes)];
    if (local != expected)
      return fail(std::string(what) + " holds " + std::to_string(local) +
                  " of dim " + std::to_string(dim) + ", the table says " +
                  std::to_string(expected) + " for rank " +
                  std::to_string(rank));
  }
  return true;
}

bool Checker::checkTensor(const Collective &c, const AllReduce &kind,
                          size_t tensor) {
  const Collective::Pair &pair = c.pairs[tensor];
  return checkSummed(kind.reduction, pair.src) &&
         checkShape("dst", pair.dst, pair.src.shape);
}

bool Checker::checkTensor(const Collective &c, const Broadcast &,
                          size_t tensor) {
  return checkShape("dst", c.pairs[tensor].dst, c.pairs[tensor].src.shape);
}

bool Checker::checkTensor(const Collective &c, const ReduceScatter &kind,
                          size_t tensor) {
  const Collective::Pair &pair = c.pairs[tensor];
  const Share &share = kind.shares[tensor];
  return checkSummed(kind.reduction, pair.src) &&
         checkDim(share.dim, pair.src) &&
         checkShards(c, share.offset, share.size, "shards",
                     pair.src.shape[share.dim]) &&
         checkRest(pair, {share.dim}) &&
         checkLocal(c, "dst", pair.dst, share.dim, share.size);
}

bool Checker::checkTensor(const Collective &c, const AllGather &kind,
                          size_t tensor) {
  const Collective::Pair &pair = c.pairs[tensor];
  const Share &share = kind.shares[tensor];
  return checkDim(share.dim, pair.dst) &&
         checkShards(c, share.offset, share.size, "shards",
                     pair.dst.shape[share.dim]) &&
         checkRest(pair, {share.dim}) &&
         checkLocal(c, "src", pair.src, share.dim, share.size);
}

bool Checker::checkTensor(const Collective &c, const AllToAll &kind,
                          size_t tensor) {
  const Collective::Pair &pair = c.pairs[tensor];
  const Share &from = kind.from[tensor], &to = kind.to[tensor];
  if (!checkDim(from.dim, pair.dst) || !checkDim(to.dim, pair.src))
    return false;
  if (from.dim == to.dim)
    return fail("goes from dim " + std::to_string(from.dim) +
                " to the same dim");
  // What several members have is added up.
  bool hasSums = typeOf(pair.src) != DType::Bool;
  return (hasSums ? checkParts(c, from.offset, from.size, "from",
                               pair.dst.shape[from.dim])
                  : checkShards(c, from.offset, from.size, "from",
                                pair.dst.shape[from.dim])) &&
         checkParts(c, to.offset, to.size, "to", pair.src.shape[to.dim]) &&
         checkRest(pair, {from.dim, to.dim}) &&
         checkLocal(c, "src", pair.src, from.dim, from.size) &&
         checkLocal(c, "dst", pair.dst, to.dim, to.size);
}

bool Checker::checkTensor(const Collective &c, const HaloExchange &kind,
                          size_t tensor) {
  const Collective::Pair &pair = c.pairs[tensor];
  int dim = kind.dims[tensor];
  return checkDim(dim, pair.src) && checkRest(pair, {dim}) &&
         checkLocal(c, "src", pair.src, dim, kind.size) &&
         checkLocal(c, "dst", pair.dst, dim, kind.heldSize);
}

bool Checker::checkTensor(const Collective &c, const HaloReduce &kind,
                          size_t tensor) {
  const Collective::Pair &pair = c.pairs[tensor];
  int dim = kind.dims[tensor];
  return checkSummed(Reduction::Sum, pair.src) && checkDim(dim, pair.src) &&
         checkRest(pair, {dim}) &&
         checkLocal(c, "dst", pair.dst, dim, kind.size) &&
         checkLocal(c, "src", pair.src, dim, kind.heldSize);
}

} // namespace hocket::plan
