//===- ClassesCheck.cpp - collectives over all classes --------------------===//

#include "Checker.h"
#include "KindNumbers.h"
#include <algorithm>
#include <map>

namespace hocket::plan {

namespace {

std::vector<const Collective *>
collectivesOf(const std::vector<Instruction> &list) {
  std::vector<const Collective *> result;
  for (const Instruction &instruction : list)
    if (auto *collective = std::get_if<Collective>(&instruction.body))
      result.push_back(collective);
  return result;
}

std::string is(const std::string &what, const std::string &found,
               const std::string &expected) {
  return what + " is " + found + ", in class 0 it is " + expected;
}

template <class E> std::string isWord(const char *what, E found, E expected) {
  return found == expected ? ""
                           : is(what, words(E())[size_t(found)],
                                words(E())[size_t(expected)]);
}

bool haveSameDims(const std::vector<Share> &a, const std::vector<Share> &b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Share &x, const Share &y) { return x.dim == y.dim; });
}

std::string dimsDiffer(bool areSame) {
  return areSame ? "" : "moves other dims than in class 0";
}

// Why `b`, in some class, is not what `a` is in class 0, tables apart: one
// overload a kind.

std::string differ(const AllReduce &a, const AllReduce &b) {
  return isWord("reduction", b.reduction, a.reduction);
}
std::string differ(const ReduceScatter &a, const ReduceScatter &b) {
  std::string message = isWord("reduction", b.reduction, a.reduction);
  return message.empty() ? dimsDiffer(haveSameDims(a.shares, b.shares))
                         : message;
}
std::string differ(const AllGather &a, const AllGather &b) {
  return dimsDiffer(haveSameDims(a.shares, b.shares));
}
std::string differ(const AllToAll &a, const AllToAll &b) {
  return dimsDiffer(haveSameDims(a.from, b.from) && haveSameDims(a.to, b.to));
}
std::string differ(const Broadcast &a, const Broadcast &b) {
  return a.root == b.root
             ? ""
             : is("root", std::to_string(b.root), std::to_string(a.root));
}
std::string differ(const HaloShares &a, const HaloShares &b) {
  std::string message = isWord("border", b.border, a.border);
  if (message.empty())
    message = isWord("strategy", b.strategy, a.strategy);
  if (message.empty() && a.rows != b.rows)
    message = "lists other rows than in class 0";
  return message.empty() ? dimsDiffer(a.dims == b.dims) : message;
}

std::string difference(const Collective &a, const Collective &b) {
  if (a.kind.index() != b.kind.index())
    return isWord("kind", CollectiveKind(b.kind.index()),
                  CollectiveKind(a.kind.index()));
  if (a.axes != b.axes)
    return "is over other axes than in class 0";
  if (a.isStarted != b.isStarted)
    return b.isStarted ? "is started, in class 0 it is run as a whole"
                       : "is run as a whole, in class 0 it is started";
  if (a.hook != b.hook)
    return is("hook", "'" + b.hook + "'", "'" + a.hook + "'");
  if (a.pairs.size() != b.pairs.size())
    return is("number of tensors", std::to_string(b.pairs.size()),
              std::to_string(a.pairs.size()));
  return std::visit(
      [&](const auto &kind) {
        return differ(kind, std::get<std::decay_t<decltype(kind)>>(b.kind));
      },
      a.kind);
}

/// What the members of a group must agree on. Other groups may cut otherwise:
/// where another axis cut the dim before, one group has 6 rows and one has 5.
struct GroupCut {
  DType type;
  std::vector<int64_t> shape; // but for the cut dims
  std::vector<int> tables;

  GroupCut(DType type, const Collective &collective) : type(type) {
    for (size_t tensor = 0; tensor < collective.pairs.size(); ++tensor) {
      std::vector<int64_t> rest = collective.pairs[tensor].src.shape;
      std::visit([&](const auto &kind) { add(kind, tensor, rest); },
                 collective.kind);
      shape.insert(shape.end(), rest.begin(), rest.end());
    }
  }

private:
  void cut(const Share &share, std::vector<int64_t> &rest) {
    rest[share.dim] = -1;
    tables.insert(tables.end(), {share.offset, share.size});
  }
  void add(const AllReduce &, size_t, std::vector<int64_t> &) {}
  void add(const Broadcast &, size_t, std::vector<int64_t> &) {}
  void add(const ReduceScatter &x, size_t i, std::vector<int64_t> &rest) {
    cut(x.shares[i], rest);
  }
  void add(const AllGather &x, size_t i, std::vector<int64_t> &rest) {
    cut(x.shares[i], rest);
  }
  void add(const AllToAll &x, size_t i, std::vector<int64_t> &rest) {
    cut(x.from[i], rest);
    cut(x.to[i], rest);
  }
  void add(const HaloShares &x, size_t i, std::vector<int64_t> &rest) {
    rest[x.dims[i]] = x.extent;
    tables.insert(tables.end(), {x.offset, x.size, x.heldOffset, x.heldSize});
  }
};

} // namespace

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
    GroupCut cut(plan.classes[k].buffers[c.pairs[0].src.buffer].type, c);
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
