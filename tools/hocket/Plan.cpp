//===- Plan.cpp - hocket plan ---------------------------------------------===//

#include "Options.h"
#include "PlanText.h"
#include "Terminal.h"
#include "hocket/Plan/Costs.h"
#include "hocket/Plan/Summary.h"
#include <iostream>

using namespace hocket;
using namespace hocket::tool;

static std::optional<plan::Plan> planOf(const CompileSource &source) {
  Compiler compiler(errors());
  Progress progress("hocket plan", compiler);
  compiler.skipReport();
  if (!compiler.load(source))
    return std::nullopt;
  return compiler.makePlan();
}

/// The summary, and by rank the sums that it leaves to the reader.
static nlohmann::ordered_json jsonOf(const plan::Plan &plan) {
  nlohmann::ordered_json json = plan::summary(plan);
  std::vector<int64_t> received, hooks, memory;
  for (const plan::Costs &costs : plan::costsByRank(plan)) {
    received.push_back(costs.receivedBytes);
    hooks.push_back(costs.hookBytes);
    memory.push_back(costs.memoryBytes);
  }
  json["received_bytes"] = received;
  json["hook_bytes"] = hooks;
  json["memory_bytes"] = memory;
  return json;
}

static int runDifference(const Options &options, const plan::Plan &first) {
  CompileSource source = options.source;
  source.elaborate.schedule = *options.otherSchedule;
  std::optional<plan::Plan> second = planOf(source);
  if (!second)
    return kUserError;
  if (first.model != second->model) {
    std::cerr << "error: schedule '" << first.schedule << "' is for '"
              << first.model << "', '" << second->schedule << "' for '"
              << second->model << "'; schedules of one model are compared\n";
    return kUserError;
  }
  if (options.json)
    std::cout << differenceJson(first, *second).dump(1) << "\n";
  else
    printDifference(first, *second);
  return kOk;
}

int tool::runPlan(const Options &options) {
  std::optional<plan::Plan> plan = planOf(options.source);
  if (!plan)
    return kUserError;
  if (options.otherSchedule)
    return runDifference(options, *plan);
  if (options.json)
    std::cout << jsonOf(*plan).dump(1) << "\n";
  else
    printPlan(*plan, options.everyLayer);
  return kOk;
}
