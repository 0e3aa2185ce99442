//===- Arena.cpp - where buffers lie in the arenas of all classes ---------===//
//
// Larger ones first, each at the lowest offset that is free during its life
// (greedy by size, Pisarchyk and Lee, arXiv 2001.03288). Buffers of several
// classes that are the same window of the same collective are one thing, whose
// offset has to be free in all of these classes.
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include "hocket/Plan/Summary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

using namespace hocket;
using namespace hocket::planning;

namespace {

/// Of a class.
struct Member {
  size_t rankClass;
  int buffer;
};

/// Buffers that lie at one offset, at most one of a class.
struct Item {
  std::vector<Member> members;
  int64_t size = 0; // of the largest
};

/// A buffer that has its place.
struct Span {
  int64_t begin, end; // bytes of the arena
  Life life;
  int buffer;
};

class Placer {
public:
  Placer(const plan::Plan &plan, const std::vector<std::vector<Life>> &lives)
      : plan(plan), lives(lives), placed(plan.classes.size()),
        totals(plan.classes.size(), 0) {}

  /// Places the items in this order; returns the bytes of each class's arena.
  const std::vector<int64_t> &place(const std::vector<Item> &items) {
    for (const Item &item : items)
      place(item);
    return totals;
  }

  void apply(plan::Plan &to) const {
    for (size_t k = 0; k < placed.size(); ++k) {
      for (const Span &span : placed[k])
        to.classes[k].buffers[span.buffer].offset = span.begin;
      to.classes[k].budget.arenaBytes = totals[k];
    }
  }

private:
  int64_t sizeOf(Member one) const {
    return Memory::aligned(
        plan.classes[one.rankClass].buffers[one.buffer].bytes);
  }

  /// The lowest offset from `offset` on that is free for one of a class.
  int64_t freeFrom(int64_t offset, Member one) const {
    const Life &life = lives[one.rankClass][one.buffer];
    int64_t size = sizeOf(one);
    offset = llvm::alignTo(offset, life.alignment);
    for (const Span &other : placed[one.rankClass]) {
      if (other.end <= offset || !other.life.overlaps(life))
        continue;
      if (offset + size <= other.begin)
        break;
      offset = llvm::alignTo(other.end, life.alignment);
    }
    return offset;
  }

  /// The lowest offset that is free for all members, one of a class each.
  int64_t findFree(const std::vector<Member> &members) const {
    int64_t offset = 0;
    // Members in turn, until as many as there are leave the offset as it is.
    for (size_t i = 0, agreed = 0; agreed < members.size(); ++i) {
      int64_t before = offset;
      offset = freeFrom(offset, members[i % members.size()]);
      agreed = offset == before ? agreed + 1 : 1;
    }
    return offset;
  }

  void place(const Item &item) {
    int64_t offset = findFree(item.members);
    for (Member one : item.members) {
      std::vector<Span> &list = placed[one.rankClass];
      int64_t end = offset + sizeOf(one);
      totals[one.rankClass] = std::max(totals[one.rankClass], end);
      list.insert(llvm::upper_bound(list, offset,
                                    [](int64_t at, const Span &span) {
                                      return at < span.begin;
                                    }),
                  {offset, end, lives[one.rankClass][one.buffer], one.buffer});
    }
  }

  const plan::Plan &plan;
  const std::vector<std::vector<Life>> &lives;
  std::vector<std::vector<Span>> placed; // by class; by begin
  std::vector<int64_t> totals;
};

/// Which buffers of all classes are one item.
class Items {
public:
  explicit Items(const plan::Plan &plan) : plan(plan) {
    for (const plan::RankClass &rankClass : plan.classes) {
      first.push_back(parent.size());
      parent.resize(parent.size() + rankClass.buffers.size());
    }
    std::iota(parent.begin(), parent.end(), size_t(0));
  }

  /// Joins those that are the same window of the same collective, in the
  /// classes that take part.
  void joinWindows(const std::vector<bool> &takesPart) {
    std::map<std::array<int64_t, 4>, size_t> windows;
    for (size_t k = 0; k < plan.classes.size(); ++k)
      for (bool isLoad : {true, false})
        for (const plan::Instruction &instruction :
             isLoad ? plan.classes[k].load : plan.classes[k].step) {
          auto *one = std::get_if<plan::Collective>(&instruction.body);
          if (takesPart[k] && one && one->moves())
            for (size_t i = 0; i < one->pairs.size(); ++i)
              for (bool isDst : {false, true}) {
                const auto &[src, dst, source] = one->pairs[i];
                join(k, (isDst ? dst : src).buffer,
                     windows[{isLoad, one->id, int64_t(i), isDst}]);
              }
        }
  }

  /// Those of more than one class come first if `sharedFirst`; else all by
  /// size.
  std::vector<Item> list(bool sharedFirst) {
    std::map<size_t, Item> byRoot;
    for (size_t k = 0; k < plan.classes.size(); ++k) {
      const std::vector<plan::Buffer> &buffers = plan.classes[k].buffers;
      for (size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].region != plan::Region::Arena)
          continue;
        Item &item = byRoot[rootOf(first[k] + i)];
        item.members.push_back({k, int(i)});
        item.size = std::max(item.size, Memory::aligned(buffers[i].bytes));
      }
    }
    std::vector<Item> items;
    for (auto &[root, item] : byRoot)
      add(item, items);
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item &a, const Item &b) {
                       bool isShared = a.members.size() > 1;
                       if (sharedFirst && isShared != (b.members.size() > 1))
                         return isShared;
                       return a.size > b.size;
                     });
    return items;
  }

private:
  size_t rootOf(size_t at) {
    while (parent[at] != at)
      at = parent[at] = parent[parent[at]];
    return at;
  }
  /// `window` is 1 + the first buffer that was joined by it, or 0. Where one
  /// that has no byte lies says nothing.
  void join(size_t rankClass, int buffer, size_t &window) {
    const plan::Buffer &one = plan.classes[rankClass].buffers[buffer];
    if (one.region != plan::Region::Arena || one.bytes == 0)
      return;
    size_t node = first[rankClass] + buffer;
    if (window == 0)
      window = node + 1;
    parent[rootOf(node)] = rootOf(window - 1);
  }
  /// An item that has two buffers of a class falls apart.
  static void add(Item &item, std::vector<Item> &items) {
    bool isWhole = true;
    for (size_t i = 1; i < item.members.size(); ++i)
      isWhole &= item.members[i].rankClass != item.members[i - 1].rankClass;
    if (isWhole) {
      items.push_back(std::move(item));
      return;
    }
    for (Member one : item.members)
      items.push_back({{one}, item.size});
  }

  const plan::Plan &plan;
  std::vector<size_t> first, parent; // by class; by number of a buffer
};

} // namespace

/// Takes classes out whose arena grows by more than 2 % until none does.
static Placer placeShared(const plan::Plan &plan,
                          const std::vector<std::vector<Life>> &lives,
                          const std::vector<int64_t> &least, bool sharedFirst) {
  std::vector<bool> takesPart(plan.classes.size(), true);
  for (;;) {
    Items items(plan);
    items.joinWindows(takesPart);
    Placer placer(plan, lives);
    const std::vector<int64_t> &totals = placer.place(items.list(sharedFirst));
    size_t worst = least.size();
    double most = 1.02;
    for (size_t k = 0; k < least.size(); ++k) {
      double growth = double(totals[k]) / std::max(double(least[k]), 1.0);
      if (takesPart[k] && growth > most)
        worst = k, most = growth;
    }
    if (worst == least.size())
      return placer;
    takesPart[worst] = false;
  }
}

static int64_t windowsElsewhere(const plan::Plan &plan) {
  return plan::countWindows(plan).elsewhere;
}

void planning::placeArenas(plan::Plan &plan,
                           const std::vector<std::vector<Life>> &lives) {
  Placer alone(plan, lives);
  std::vector<int64_t> least = alone.place(Items(plan).list(false));
  alone.apply(plan);
  if (plan.classes.size() == 1)
    return;
  Placer first = placeShared(plan, lives, least, true);
  Placer mixed = placeShared(plan, lives, least, false);
  std::pair<int64_t, const Placer *> best{windowsElsewhere(plan), &alone};
  for (const Placer *placer : {&first, &mixed}) {
    placer->apply(plan);
    best = std::min(best, {windowsElsewhere(plan), placer},
                    [](auto &a, auto &b) { return a.first < b.first; });
  }
  best.second->apply(plan);
}
