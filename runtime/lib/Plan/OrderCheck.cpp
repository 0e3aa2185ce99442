//===- OrderCheck.cpp - that ranks never wait for each other --------------===//
//
// Members of a group wait for one another in a collective. Ranks of different
// classes may have programs of their own, as stages of a pipeline do, and need
// only have the collectives of their groups. Nobody waits for ever if there is
// an order of all collectives of all groups that no rank's program goes
// against: then the first of those that are awaited is the next of all who have
// not come. It is asked for twice: for the order in which collectives begin,
// which is also that of a queue of messages, and for that in which they end.
//
// Groups of one collective that share a class are taken for one: a class has
// one program. So the work is that of classes, whatever the number of ranks.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "hocket/Plan/Accesses.h"
#include "hocket/Plan/Check.h"
#include <algorithm>
#include <numeric>
#include <queue>

namespace hocket::plan {

namespace {

using Numbers = std::vector<int64_t>;

/// What one class's list does with collectives, by id.
struct Program {
  Numbers begins, ends;
  std::map<int64_t, const Collective *> byId;

  explicit Program(const Instructions &list) {
    for (const Instruction &instruction : list) {
      if (auto *one = std::get_if<Collective>(&instruction.body)) {
        begins.push_back(one->id);
        byId[one->id] = one;
        if (!one->isStarted)
          ends.push_back(one->id);
      } else if (auto *wait = std::get_if<Wait>(&instruction.body)) {
        ends.push_back(wait->id);
      }
    }
  }
};

/// A collective among the groups that some classes share.
using Node = std::pair<int64_t, int>; // id, number of these classes

/// What comes directly before what, in which class.
class Order {
public:
  void add(const std::vector<Node> &program, size_t rankClass) {
    for (size_t i = 0; i < program.size(); ++i) {
      edges[program[i]];
      if (i > 0)
        edges[program[i]].push_back({program[i - 1], rankClass});
    }
  }

  /// "class 0 begins collective 5 before 6, class 1 begins 6 before 5"; empty
  /// if there is no circle.
  std::string circle(const char *verb) const {
    std::map<Node, Node> circular = withoutEnds();
    if (circular.empty())
      return "";
    std::set<Node> seen;
    Node at = circular.begin()->first;
    while (seen.insert(at).second)
      at = circular.at(at);
    return describe(at, circular, verb);
  }

private:
  /// What goes on being before and behind something, and what is before it,
  /// after all without anything before them have been taken away again and
  /// again.
  std::map<Node, Node> withoutEnds() const {
    std::map<Node, size_t> left;
    std::map<Node, std::vector<Node>> next;
    std::queue<Node> free;
    for (const auto &[node, before] : edges) {
      left[node] = before.size();
      for (const auto &[other, rankClass] : before)
        next[other].push_back(node);
      if (before.empty())
        free.push(node);
    }
    for (; !free.empty(); free.pop()) {
      for (const Node &node : next[free.front()])
        if (--left[node] == 0)
          free.push(node);
      left.erase(free.front());
    }
    std::map<Node, Node> before;
    for (const auto &[node, count] : left)
      for (const auto &[other, rankClass] : edges.at(node))
        if (left.count(other))
          before[node] = other;
    return before;
  }

  /// The circle from `last` back to itself; steps of one class are one.
  std::string describe(Node last, const std::map<Node, Node> &before,
                       const char *verb) const {
    struct Step {
      int64_t from, to;
      size_t rankClass;
    };
    std::vector<Step> steps;
    Node at = last;
    do {
      Node from = before.at(at);
      for (const auto &[other, rankClass] : edges.at(at))
        if (other == from) {
          if (!steps.empty() && steps.back().rankClass == rankClass)
            steps.back().from = from.first;
          else
            steps.push_back({from.first, at.first, rankClass});
          break;
        }
      at = from;
    } while (at != last);
    std::string text;
    for (size_t i = steps.size(); i-- > 0;)
      text += (text.empty() ? "" : ", ") +
              ("class " + std::to_string(steps[i].rankClass)) + " " + verb +
              " collective " + std::to_string(steps[i].from) + " before " +
              std::to_string(steps[i].to);
    return text;
  }

  std::map<Node, std::vector<std::pair<Node, size_t>>> edges; // before it
};

} // namespace

std::vector<int> Checker::axesBeside(const std::vector<int> &axes) const {
  std::vector<int> others;
  for (int axis = 0; axis < int(plan.mesh.size()); ++axis)
    if (std::count(axes.begin(), axes.end(), axis) == 0)
      others.push_back(axis);
  return others;
}

/// By class, a number that those have alike whose ranks are in one group along
/// these axes, or in groups that lead from the one to the other.
const std::vector<int> &Checker::classesTogether(const std::vector<int> &axes) {
  auto [known, isNew] = together.try_emplace(axes);
  std::vector<int> &number = known->second;
  if (!isNew)
    return number;
  number.resize(plan.classes.size());
  std::iota(number.begin(), number.end(), 0);
  auto rootOf = [&](int at) {
    while (number[at] != at)
      at = number[at] = number[number[at]];
    return at;
  };
  std::vector<int> others = axesBeside(axes);
  std::vector<int> first(plan.memberCount(others), -1); // by group
  for (size_t k = 0; k < plan.classes.size(); ++k) {
    current = &plan.classes[k];
    for (int64_t rank : ranksAlong(others)) {
      int &other = first[plan.coordinate(rank, others)];
      if (other < 0)
        other = int(k);
      number[rootOf(int(k))] = rootOf(other);
    }
  }
  for (size_t k = 0; k < number.size(); ++k)
    number[k] = rootOf(int(k));
  return number;
}

/// Ranks wait for each other in a collective, so members of a group must run
/// the same ones, mean the same by them, and come to all in an order.
bool Checker::checkClassesAgree(bool comparesMeaning) {
  return checkPrograms(&RankClass::load, "load", comparesMeaning) &&
         checkPrograms(&RankClass::step, "step", comparesMeaning);
}

bool Checker::checkPrograms(Instructions RankClass::*list, const char *stage,
                            bool comparesMeaning) {
  std::vector<Program> programs;
  std::vector<Numbers> begins, ends;
  std::map<int64_t, std::vector<const Collective *>> byId;
  for (const RankClass &rankClass : plan.classes)
    programs.emplace_back(rankClass.*list);
  for (size_t k = 0; k < programs.size(); ++k) {
    begins.push_back(programs[k].begins);
    ends.push_back(programs[k].ends);
    for (auto [id, one] : programs[k].byId)
      byId.try_emplace(id, programs.size(), nullptr).first->second[k] = one;
  }
  for (auto &[id, byClass] : byId)
    if (!checkMembers(id, byClass, stage) ||
        (comparesMeaning && !checkSame(byClass)))
      return false;
  return checkOrder(begins, byId, stage, "begins") &&
         checkOrder(ends, byId, stage, "ends");
}

/// Who shares a group with a class that has the collective has it too.
bool Checker::checkMembers(int64_t id,
                           const std::vector<const Collective *> &byClass,
                           const char *stage) {
  if (std::count(byClass.begin(), byClass.end(), nullptr) == 0)
    return true;
  for (size_t k = 0; k < byClass.size(); ++k) {
    if (!byClass[k])
      continue;
    const std::vector<int> &number = classesTogether(byClass[k]->axes);
    for (size_t other = 0; other < byClass.size(); ++other) {
      where = "class " + std::to_string(other) + ", " + stage;
      if (!byClass[other] && number[other] == number[k])
        return fail("does not run collective " + std::to_string(id) +
                    ", in which ranks of class " + std::to_string(k) +
                    " would wait for it");
    }
  }
  return true;
}

bool Checker::checkOrder(
    const std::vector<Numbers> &programs,
    const std::map<int64_t, std::vector<const Collective *>> &byId,
    const char *stage, const char *verb) {
  bool areEqual = std::all_of(
      programs.begin(), programs.end(),
      [&](const Numbers &program) { return program == programs[0]; });
  if (areEqual) // and no id comes twice
    return true;
  Order order;
  for (size_t k = 0; k < programs.size(); ++k) {
    std::vector<Node> nodes;
    for (int64_t id : programs[k])
      nodes.push_back({id, classesTogether(byId.at(id)[k]->axes)[k]});
    order.add(nodes, k);
  }
  std::string circle = order.circle(verb);
  where = stage;
  return circle.empty() ||
         fail(circle + ", so that their ranks wait for each other for ever");
}

bool checkOrder(const Plan &plan, std::string &error) {
  return Checker(plan, error).checkClassesAgree(/*comparesMeaning=*/false);
}

} // namespace hocket::plan
