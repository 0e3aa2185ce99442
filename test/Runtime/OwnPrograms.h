//===- OwnPrograms.h - a plan whose classes run other programs -*- C++ -*-===//
//
// Four ranks on a mesh (stage = 2, part = 2), a class each. Each sums x, of its
// own, over both axes: y over stage, z over part, in whatever order, as long as
// they do not wait in a circle.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RUNTIME_OWNPROGRAMS_H
#define HOCKET_TEST_RUNTIME_OWNPROGRAMS_H

#include "test/Runtime/PlanBuilder.h"

namespace hocket::test {

/// Rank r begins with the axes in the order of `firsts[r]`: 0 is stage. With
/// `alone`, part 1 of each stage also sums something over stage, number 2.
inline plan::Plan ownPrograms(const std::vector<int> &firsts,
                              bool alone = false) {
  plan::Plan plan;
  plan.mesh = {{"stage", 2}, {"part", 2}};
  plan.tables = {{{0, 1}, {0, 1, 2, 3}}, {{0, 1}, {1, 1, 1, 1}}};
  plan.inputs = {tensor("x", {4, 3}, {{0, 0, 1}})};
  plan.outputs = {tensor("y", {4, 3}, {{0, 0, 1}}),
                  tensor("z", {4, 3}, {{0, 0, 1}})};
  for (int64_t rank = 0; rank < 4; ++rank) {
    ClassBuilder c({rank});
    plan::View x = c.box(plan::Region::Input, 0, {1, 3});
    plan::View y = c.box(plan::Region::Output, 0, {1, 3});
    plan::View z = c.box(plan::Region::Output, 1, {1, 3});
    plan::View other = c.arena({1, 3});
    plan::Collective a{plan::AllReduce(), {0}, {{x, y}}};
    plan::Collective b{plan::AllReduce(), {1}, {{x, z}}};
    a.id = 0, b.id = 1;
    if (firsts[rank] == 1)
      std::swap(a, b);
    c.result.step = {{-1, a}, {-1, b}};
    plan::Collective own{plan::AllReduce(), {0}, {{x, other}}};
    own.id = 2;
    if (alone && rank % 2)
      c.result.step.insert(c.result.step.begin() + 1, {-1, own});
    plan.classes.push_back(c.result);
  }
  return plan;
}

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_OWNPROGRAMS_H
