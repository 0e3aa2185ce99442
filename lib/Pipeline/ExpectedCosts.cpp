//===- ExpectedCosts.cpp - checks expect bytes and expect memory ----------===//

#include "ExpectedCosts.h"
#include "dialects/Nn/Program.h"
#include "hocket/Placement/Meet.h"
#include "hocket/Plan/Summary.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hocket;

/// What the busiest rank receives in a step, without what hooks move.
static int64_t mostBytes(const plan::Plan &plan) {
  plan::Traffic step(plan, &plan::RankClass::step);
  int64_t most = 0;
  for (plan::Received rank : step.total([](const plan::Collective &collective) {
         return collective.hook.empty();
       }))
    most = std::max(most, rank.bytes);
  return most;
}

static int64_t mostMemory(const plan::Plan &plan) {
  int64_t most = 0;
  for (const plan::RankClass &rankClass : plan.classes)
    most = std::max(most, plan::memoryAtLeast(rankClass));
  return most;
}

static const char *memoryText(const plan::Plan &plan) {
  return plan.states.empty() ? "weights and activations take "
                             : "weights, activations, parameters and optimizer "
                               "state take ";
}

static bool holds(StringRef comparison, double value, double limit) {
  if (comparison == "<")
    return value < limit;
  if (comparison == "<=")
    return value <= limit;
  if (comparison == ">")
    return value > limit;
  if (comparison == ">=")
    return value >= limit;
  if (comparison == "!=")
    return value != limit;
  return value == limit;
}

LogicalResult hocket::checkExpectedCosts(ModuleOp module,
                                         const plan::Plan &plan) {
  LogicalResult result = success();
  for (auto expect :
       nn::placementOf(module).getExpectations().getAsRange<DictionaryAttr>()) {
    StringRef what = expect.getAs<StringAttr>("what").getValue();
    StringRef comparison = expect.getAs<StringAttr>("comparison").getValue();
    double limit = expect.getAs<FloatAttr>("limit").getValueAsDouble();
    bool isMemory = what == "memory";
    int64_t found = isMemory ? mostMemory(plan) : mostBytes(plan);
    if (holds(comparison, found, limit))
      continue;
    auto line = expect.getAs<LocationAttr>("line");
    InFlightDiagnostic error =
        emitError(line ? Location(line) : module.getLoc());
    error << "expectation failed: "
          << (isMemory ? memoryText(plan) : "a rank receives ")
          << placement::bytesText(found)
          << (isMemory ? " on a rank" : " in a step") << ", expected "
          << comparison << " "
          << placement::bytesText(static_cast<int64_t>(limit));
    result = failure();
  }
  return result;
}
