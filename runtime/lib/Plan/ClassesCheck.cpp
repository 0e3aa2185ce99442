//===- ClassesCheck.cpp - collectives over all classes --------------------===//

#include "Checker.h"
#include "KindNumbers.h"
#include <algorithm>
#include <map>

namespace hocket::plan {

namespace {

/// Says what differs from the first class that has the collective.
struct Difference {
  std::string first; // "class 0"

  std::string is(const std::string &what, const std::string &found,
                 const std::string &expected) const {
    return what + " is " + found + ", in " + first + " it is " + expected;
  }
  template <class E>
  std::string isWord(const char *what, E found, E expected) const {
    return found == expected ? ""
                             : is(what, words(E())[size_t(found)],
                                  words(E())[size_t(expected)]);
  }
  std::string dims(bool areSame) const {
    return areSame ? "" : "moves other dims than in " + first;
  }

  // Why `b`, in some class, is not what `a` is, tables apart: one overload a
  // kind.
  std::string operator()(const AllReduce &a, const AllReduce &b) const;
  std::string operator()(const ReduceScatter &a, const ReduceScatter &b) const;
  std::string operator()(const AllGather &a, const AllGather &b) const;
  std::string operator()(const AllToAll &a, const AllToAll &b) const;
  std::string operator()(const Broadcast &a, const Broadcast &b) const;
  std::string operator()(const HaloShares &a, const HaloShares &b) const;
  std::string operator()(const Collective &a, const Collective &b) const;
};

bool haveSameDims(const std::vector<Share> &a, const std::vector<Share> &b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Share &x, const Share &y) { return x.dim == y.dim; });
}

std::string Difference::operator()(const AllReduce &a,
                                   const AllReduce &b) const {
  return isWord("reduction", b.reduction, a.reduction);
}
std::string Difference::operator()(const ReduceScatter &a,
                                   const ReduceScatter &b) const {
  std::string message = isWord("reduction", b.reduction, a.reduction);
  return message.empty() ? dims(haveSameDims(a.shares, b.shares)) : message;
}
std::string Difference::operator()(const AllGather &a,
                                   const AllGather &b) const {
  return dims(haveSameDims(a.shares, b.shares));
}
std::string Difference::operator()(const AllToAll &a, const AllToAll &b) const {
  return dims(haveSameDims(a.from, b.from) && haveSameDims(a.to, b.to));
}
std::string Difference::operator()(const Broadcast &a,
                                   const Broadcast &b) const {
  return a.root == b.root
             ? ""
             : is("root", std::to_string(b.root), std::to_string(a.root));
}
std::string Difference::operator()(const HaloShares &a,
                                   const HaloShares &b) const {
  std::string message = isWord("border", b.border, a.border);
  if (message.empty())
    message = isWord("strategy", b.strategy, a.strategy);
  if (message.empty() && a.rows != b.rows)
    message = "lists other rows than in " + first;
  return message.empty() ? dims(a.dims == b.dims) : message;
}

std::string Difference::operator()(const Collective &a,
                                   const Collective &b) const {
  if (a.kind.index() != b.kind.index())
    return isWord("kind", CollectiveKind(b.kind.index()),
                  CollectiveKind(a.kind.index()));
  if (a.axes != b.axes)
    return "is over other axes than in " + first;
  if (a.isStarted != b.isStarted)
    return b.isStarted ? "is started, in " + first + " it is run as a whole"
                       : "is run as a whole, in " + first + " it is started";
  if (a.hook != b.hook)
    return is("hook", "'" + b.hook + "'", "'" + a.hook + "'");
  if (a.pairs.size() != b.pairs.size())
    return is("number of tensors", std::to_string(b.pairs.size()),
              std::to_string(a.pairs.size()));
  return std::visit(
      [&](const auto &kind) {
        return (*this)(kind, std::get<std::decay_t<decltype(kind)>>(b.kind));
      },
      a.kind);
}

/// What the members of a group must agree on. Other groups may cut otherwise:
/// where another axis cut the dim before, one group has 6 rows and one has 5.
struct GroupCut {
  DType type;
  std::vector<int64_t> shape; // except the cut dims
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

/// One collective as each class has it, or null: equal in what it says, and
/// equal in type and shape (except the cut dims) among the members of each
/// group.
bool Checker::checkSame(const std::vector<const Collective *> &byClass) {
  if (byClass.size() == 1)
    return true; // members of one class have the same shapes
  size_t firstClass = 0;
  while (!byClass[firstClass])
    ++firstClass;
  const Collective &first = *byClass[firstClass];
  std::vector<int> others = axesBeside(first.axes);
  std::map<int64_t, GroupCut> groups;
  for (size_t k = firstClass; k < byClass.size(); ++k) {
    if (!byClass[k])
      continue;
    const Collective &c = *byClass[k];
    where =
        "class " + std::to_string(k) + ", collective " + std::to_string(c.id);
    std::string message =
        Difference{"class " + std::to_string(firstClass)}(first, c);
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
