//===- PlanKinds.h - which kinds of instructions a plan has -----*- C++ -*-===//
//
// A kind is the word of an instruction in a plan, and behind it what decides
// which code computes it: "collective all_gather", "convolution
// input_gradient", "pooling max, gradient", "matmul with gelu_tanh". All are
// made of the words of the plan's own format, so that a new one is a new kind
// here.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_PLANKINDS_H
#define HOCKET_TEST_RANDOM_PLANKINDS_H

#include "hocket/Plan/Plan.h"
#include <set>
#include <string>

namespace hocket::random {

/// Those of all classes, of load and step.
std::set<std::string> kindsOf(const plan::Plan &plan);
/// All that there are.
std::set<std::string> allKinds();

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_PLANKINDS_H
