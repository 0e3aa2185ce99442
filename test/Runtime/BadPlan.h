//===- BadPlan.h - edits that make a plan say what cannot be ---*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_BADPLAN_H
#define HOCKET_TEST_RUNTIME_BADPLAN_H

#include "FullPlan.h"
#include <gtest/gtest.h>

namespace hocket::plan {

/// An edit of the full plan, and the sentence that refuses it.
struct BadEdit {
  const char *sentence;
  void (*edit)(Plan &plan);
};
class BadPlanEdit : public testing::TestWithParam<BadEdit> {};

/// Instruction `i` of class 0.
template <typename T> T &load(Plan &plan, size_t i) {
  return std::get<T>(plan.classes[0].load[i].body);
}
template <typename T> T &step(Plan &plan, size_t i) {
  return std::get<T>(plan.classes[0].step[i].body);
}

/// The kind of collective `i` of class 0, and the first tensor of one.
template <typename Kind> Kind &kind(Plan &plan, size_t i) {
  return std::get<Kind>(step<Collective>(plan, i).kind);
}
inline Collective::Pair &pair(Plan &plan, size_t i) {
  return step<Collective>(plan, i).pairs[0];
}

/// How such a sentence begins.
#define STEP "class 0, step "

} // namespace hocket::plan

#endif // HOCKET_TEST_RUNTIME_BADPLAN_H
