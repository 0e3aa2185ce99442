//===- CollectiveCheck.cpp - collectives, alone and over all classes ------===//

#include "Checker.h"
#include "PlanFields.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace hocket::plan {

namespace {

const char *wordOf(CollectiveKind kind) {
  return words(CollectiveKind())[size_t(kind)];
}

std::vector<const Collective *>
collectivesOf(const std::vector<Instruction> &list) {
  std::vector<const Collective *> result;
  for (const Instruction &instruction : list)
    if (auto *collective = std::get_if<Collective>(&instruction.body))
      result.push_back(collective);
  return result;
}

/// Shape with the extents at `dims` (where not -1) left out.
std::vector<int64_t> without(std::vector<int64_t> shape,
                             std::initializer_list<int> dims) {
  for (int dim : dims)
    if (dim >= 0)
      shape[dim] = -1;
  return shape;
}

/// Why `b`, in some class, is not the collective that `a` is in class 0.
std::string difference(const Collective &a, const Collective &b) {
  auto is = [&](const std::string &what, const std::string &found,
                const std::string &expected) {
    return what + " is " + found + ", in class 0 it is " + expected;
  };
  if (a.kind != b.kind)
    return is("kind", wordOf(b.kind), wordOf(a.kind));
  if (a.axes != b.axes)
    return "is over other axes than in class 0";
  if (a.kind == CollectiveKind::Broadcast && a.root != b.root)
    return is("root", std::to_string(b.root), std::to_string(a.root));
  if (a.border != b.border)
    return is("border", borderWords[size_t(b.border)],
              borderWords[size_t(a.border)]);
  if (a.strategy != b.strategy)
    return is("strategy", words(HaloStrategy())[size_t(b.strategy)],
              words(HaloStrategy())[size_t(a.strategy)]);
  if (a.phase != b.phase)
    return is("phase", words(CollectivePhase())[size_t(b.phase)],
              words(CollectivePhase())[size_t(a.phase)]);
  if (a.rows != b.rows)
    return "lists other rows than in class 0";
  bool isReduction = a.kind == CollectiveKind::AllReduce ||
                     a.kind == CollectiveKind::ReduceScatter;
  if (isReduction && a.reduction != b.reduction)
    return is("reduction", words(Reduction())[size_t(b.reduction)],
              words(Reduction())[size_t(a.reduction)]);
  if (a.hook != b.hook)
    return is("hook", "'" + b.hook + "'", "'" + a.hook + "'");
  if (a.more.size() != b.more.size())
    return is("number of tensors", std::to_string(1 + b.more.size()),
              std::to_string(1 + a.more.size()));
  bool sameDims = a.dim == b.dim && a.toDim == b.toDim;
  for (size_t i = 0; i < a.more.size(); ++i)
    sameDims &= a.more[i].dim == b.more[i].dim;
  return sameDims ? "" : "moves other dims than in class 0";
}

/// What the members of a group must agree on. Other groups may cut otherwise:
/// where another axis cut the dim before, one group has 6 rows and one has 5.
struct GroupCut {
  DType type;
  std::vector<int64_t> shape; // but for the cut dims
  std::vector<int> tables;    // offset, size, toOffset, toSize

  GroupCut(DType type, const Collective &collective) : type(type) {
    for (size_t tensor = 0; tensor <= collective.more.size(); ++tensor) {
      Collective one = collective.alone(tensor);
      auto rest = without(one.src.shape, {one.dim, one.toDim});
      shape.insert(shape.end(), rest.begin(), rest.end());
      tables.insert(tables.end(),
                    {one.offset, one.size, one.toOffset, one.toSize});
    }
    if (collective.isHalo())
      shape[collective.dim] = collective.extent;
  }
};

} // namespace

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

/// The intervals of all members: tables over exactly the collective's axes,
/// inside [0, extent), disjoint.
bool Checker::checkShards(const Collective &collective, int offset, int size,
                          const char *what, int64_t extent) {
  if (!checkShareTables(collective, offset, size, what))
    return false;
  const auto &offsets = plan.tables[offset].values;
  const auto &sizes = plan.tables[size].values;
  std::vector<std::pair<int64_t, int64_t>> shards;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] < 0 || sizes[i] < 0 || offsets[i] + sizes[i] > extent)
      return fail(std::string(what) + ": member " + std::to_string(i) +
                  " has [" + std::to_string(offsets[i]) + ", " +
                  std::to_string(offsets[i] + sizes[i]) + ") of " +
                  std::to_string(extent));
    if (sizes[i] > 0)
      shards.push_back({offsets[i], offsets[i] + sizes[i]});
  }
  std::sort(shards.begin(), shards.end());
  for (size_t i = 1; i < shards.size(); ++i)
    if (shards[i].first < shards[i - 1].second)
      return fail(std::string(what) + ": members overlap at " +
                  std::to_string(shards[i].first));
  return true;
}

bool Checker::checkBody(const Collective &c) {
  if (!checkAxes(c.axes))
    return false;
  if (c.axes.empty() && !c.isHalo())
    return fail("has no axes");
  if (c.rows != -1 && !c.isHalo())
    return fail("has rows, which are of halos");
  if (c.rows < -1 || c.rows >= int64_t(plan.rowLists.size()))
    return fail("rows: list " + std::to_string(c.rows) +
                " does not exist, there are " +
                std::to_string(plan.rowLists.size()));
  if (!checkRead("src", c.src) || !checkWrite("dst", c.dst) ||
      !checkType("src", c.src, typeOf(c.dst)) || !checkMore(c))
    return false;
  if (c.src.shape.size() != c.dst.shape.size())
    return fail("src has " + std::to_string(c.src.shape.size()) +
                " dims and dst " + std::to_string(c.dst.shape.size()));
  bool isReduction = c.kind == CollectiveKind::AllReduce ||
                     c.kind == CollectiveKind::ReduceScatter ||
                     c.kind == CollectiveKind::HaloReduce;
  if (c.isHalo() && c.reduction != Reduction::Sum)
    return fail("reduces with " +
                std::string(words(Reduction())[size_t(c.reduction)]) +
                ", margins are summed");
  if (isReduction && c.reduction == Reduction::Sum &&
      typeOf(c.src) == DType::Bool)
    return fail("cannot sum bool");
  int64_t members = plan.memberCount(c.axes);
  if (c.kind == CollectiveKind::Broadcast && (c.root < 0 || c.root >= members))
    return fail("root " + std::to_string(c.root) +
                " does not exist, there are " + std::to_string(members) +
                " members");
  return checkShapes(c);
}

/// The further tensors, each as if it were moved alone.
bool Checker::checkMore(const Collective &c) {
  if (!c.more.empty() && !Collective::movesSeveral(c.kind))
    return fail(std::string(wordOf(c.kind)) +
                " takes one tensor, more are only for all_reduce, "
                "reduce_scatter, all_gather and halos");
  if (!c.hook.empty() &&
      (!c.more.empty() || c.isHalo() || !Collective::movesSeveral(c.kind)))
    return fail("hook '" + c.hook +
                "' is for one tensor and an all_reduce, reduce_scatter or "
                "all_gather");
  std::string whole = where;
  for (size_t i = 0; i < c.more.size(); ++i) {
    where = whole + ", more " + std::to_string(i);
    int source = c.more[i].source;
    if (source < -1 || source >= int64_t(plan.sources.size()))
      return fail("source " + std::to_string(source) +
                  " does not exist, there are " +
                  std::to_string(plan.sources.size()));
    if (!checkBody(c.alone(i + 1)) ||
        !checkType("src", c.more[i].src, typeOf(c.src)))
      return false;
  }
  where = whole;
  return true;
}

/// What members are to hold of a halo's dim can be had from what they own.
bool Checker::checkHeld(const Collective &c) {
  if (c.extent < 0 || c.extent > largestNumber)
    return fail("extent " + std::to_string(c.extent) + " is out of range");
  // Layers cut alike; what was found right once is.
  std::vector<int64_t> key = {c.offset,          c.size,   c.toOffset, c.toSize,
                              int64_t(c.border), c.extent, c.rows};
  key.insert(key.end(), c.axes.begin(), c.axes.end());
  if (rightHalos.count(key))
    return true;
  if (!checkShards(c, c.offset, c.size, "shards", c.extent) ||
      !checkShareTables(c, c.toOffset, c.toSize, "held"))
    return false;
  Halo halo = haloOf(plan, c);
  int64_t owned =
      std::accumulate(halo.size.begin(), halo.size.end(), int64_t(0));
  if (owned != c.extent)
    return fail("shards: members own " + std::to_string(owned) + " of " +
                std::to_string(c.extent));
  for (size_t i = 0; i < halo.heldSize.size(); ++i) {
    int64_t begin = halo.heldOffset[i], end = begin + halo.heldSize[i];
    if (end < begin || !reaches(c.border, begin, end, c.extent))
      return fail("held: member " + std::to_string(i) + " has [" +
                  std::to_string(begin) + ", " + std::to_string(end) + ") of " +
                  std::to_string(c.extent) + " with a border of " +
                  borderWords[size_t(c.border)]);
  }
  if (!halo.areRowsValid())
    return fail("rows: a member's are not rising, not of the dim, or without "
                "what it owns");
  rightHalos.insert(std::move(key));
  return true;
}

bool Checker::checkShapes(const Collective &c) {
  bool hasDim = c.kind == CollectiveKind::ReduceScatter ||
                c.kind == CollectiveKind::AllGather ||
                c.kind == CollectiveKind::AllToAll || c.isHalo();
  if (!hasDim)
    return checkShape("dst", c.dst, c.src.shape);
  int dims = int(c.src.shape.size());
  bool isExchange = c.kind == CollectiveKind::AllToAll;
  if (c.dim < 0 || c.dim >= dims ||
      (isExchange && (c.toDim < 0 || c.toDim >= dims || c.toDim == c.dim)))
    return fail("dims " + std::to_string(c.dim) + " and " +
                std::to_string(c.toDim) + " do not fit " +
                std::to_string(dims) + " dims");
  const View &whole = c.kind == CollectiveKind::ReduceScatter ? c.src : c.dst;
  if (c.isHalo()
          ? !checkHeld(c)
          : !checkShards(c, c.offset, c.size, "shards", whole.shape[c.dim]))
    return false;
  if (isExchange &&
      !checkShards(c, c.toOffset, c.toSize, "to_shards", c.src.shape[c.toDim]))
    return false;
  int toDim = isExchange ? c.toDim : -1;
  if (without(c.src.shape, {c.dim, toDim}) !=
      without(c.dst.shape, {c.dim, toDim}))
    return fail("src has shape " + shapeToString(c.src.shape) + " and dst " +
                shapeToString(c.dst.shape) + ", which differ beside dim " +
                std::to_string(c.dim));
  for (int64_t rank : ranksAlong(c.axes))
    if (!checkLocalShapes(c, rank))
      return false;
  return true;
}

/// What this rank holds of the cut dim is what the tables say.
bool Checker::checkLocalShapes(const Collective &c, int64_t rank) {
  int64_t me = plan.coordinate(rank, c.axes);
  bool scatters = c.kind == CollectiveKind::ReduceScatter ||
                  c.kind == CollectiveKind::HaloReduce;
  auto check = [&](bool ofDst, int dim, int table) {
    int64_t local = (ofDst ? c.dst : c.src).shape[dim];
    int64_t expected = plan.tables[table].values[me];
    return local == expected ||
           fail(std::string(ofDst ? "dst" : "src") + " holds " +
                std::to_string(local) + " of dim " + std::to_string(dim) +
                ", the table says " + std::to_string(expected) + " for rank " +
                std::to_string(rank));
  };
  if (!check(scatters, c.dim, c.size))
    return false;
  if (c.isHalo())
    return check(!scatters, c.dim, c.toSize);
  return c.kind != CollectiveKind::AllToAll || check(true, c.toDim, c.toSize);
}

static bool areSame(const View &a, const View &b) {
  auto isSame = [](const Scalar &s, const Scalar &t) {
    return s.constant == t.constant && s.table == t.table && s.scale == t.scale;
  };
  return a.buffer == b.buffer && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(),
                    b.terms.end(), isSame);
}

/// Whether `end` is what `start` has begun.
static bool ends(const Collective &start, Collective end) {
  if (end.id != start.id || end.phase != CollectivePhase::Wait)
    return false;
  end.phase = CollectivePhase::Start;
  if (!difference(start, end).empty())
    return false;
  for (size_t tensor = 0; tensor <= start.more.size(); ++tensor) {
    Collective a = start.alone(tensor), b = end.alone(tensor);
    if (!areSame(a.src, b.src) || !areSame(a.dst, b.dst) ||
        a.offset != b.offset || a.size != b.size || a.toSize != b.toSize ||
        a.toOffset != b.toOffset || a.extent != b.extent)
      return false;
  }
  return true;
}

/// A halo that is started is the next collective that is run, and as it was
/// started.
bool Checker::checkPhases(const std::vector<const Collective *> &list) {
  const Collective *open = nullptr;
  for (const Collective *c : list) {
    std::string id = "collective " + std::to_string(c->id);
    if (c->phase != CollectivePhase::Whole && (!c->isHalo() || c->axes.empty()))
      return fail(id + " is started, which only halos over axes are");
    if (!open) {
      if (c->phase == CollectivePhase::Wait)
        return fail(id + " is waited for, and was not started");
      if (c->phase == CollectivePhase::Start)
        open = c;
      continue;
    }
    if (!ends(*open, *c))
      return fail(id + " comes where collective " + std::to_string(open->id) +
                  ", which was started, should be waited for");
    open = nullptr;
  }
  return !open || fail("collective " + std::to_string(open->id) +
                       " is started and not waited for");
}

/// Ranks wait for each other in a collective, so all classes must run the same
/// ones in the same order, and mean the same by them.
bool Checker::checkClassesAgree() {
  for (bool isLoad : {true, false}) {
    std::vector<std::vector<const Collective *>> lists;
    for (const RankClass &rankClass : plan.classes)
      lists.push_back(collectivesOf(isLoad ? rankClass.load : rankClass.step));
    for (size_t k = 0; k < lists.size(); ++k) {
      where = "class " + std::to_string(k) + (isLoad ? ", load" : ", step");
      if (lists[k].size() != lists[0].size())
        return fail("has " + std::to_string(lists[k].size()) +
                    " collectives, class 0 has " +
                    std::to_string(lists[0].size()));
      if (!checkPhases(lists[k]))
        return false;
    }
    for (size_t i = 0; i < lists[0].size(); ++i) {
      std::vector<const Collective *> byClass;
      for (const auto &list : lists)
        byClass.push_back(list[i]);
      if (!checkSame(byClass))
        return false;
    }
  }
  return true;
}

/// One collective as each class has it: equal in what it says, and equal in
/// type and shape (but for the cut dims) among the members of each group.
bool Checker::checkSame(const std::vector<const Collective *> &byClass) {
  const Collective &first = *byClass[0];
  if (byClass.size() == 1)
    return true; // members of one class have the same shapes
  std::vector<int> others;
  for (int axis = 0; axis < int(plan.mesh.size()); ++axis)
    if (std::count(first.axes.begin(), first.axes.end(), axis) == 0)
      others.push_back(axis);
  std::map<int64_t, GroupCut> groups;
  for (size_t k = 0; k < byClass.size(); ++k) {
    const Collective &c = *byClass[k];
    where =
        "class " + std::to_string(k) + ", collective " + std::to_string(c.id);
    if (c.id != first.id)
      return fail("comes where class 0 has collective " +
                  std::to_string(first.id));
    std::string message = difference(first, c);
    if (!message.empty())
      return fail(message);
    GroupCut cut(plan.classes[k].buffers[c.src.buffer].type, c);
    current = &plan.classes[k];
    for (int64_t rank : ranksAlong(others)) {
      const GroupCut &group =
          groups.insert({plan.coordinate(rank, others), cut}).first->second;
      if (group.type != cut.type || group.shape != cut.shape)
        return fail(std::string("rank ") + std::to_string(rank) + " moves " +
                    toString(cut.type) + " " + shapeToString(cut.shape) +
                    ", another member " + toString(group.type) + " " +
                    shapeToString(group.shape));
      if (group.tables != cut.tables)
        return fail("rank " + std::to_string(rank) +
                    " has other shards than another member");
    }
  }
  return true;
}

} // namespace hocket::plan
