//===- Plan.cpp - hocket plan ---------------------------------------------===//

#include "AttentionText.h"
#include "BoundText.h"
#include "EngineText.h"
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

namespace {

/// A plan and, of one for GPUs, the least time of its step.
struct Costed {
  plan::Plan plan;
  std::optional<bound::DescribedDevice> device;
  bound::StepBound bound;
};

} // namespace

/// False after a printed error.
static bool chooseDevice(const Options &options,
                         bound::DescribedDevice &device) {
  device = bound::knownDevices().front();
  if (!options.device)
    return true;
  std::string why;
  auto chosen = bound::readDevice(*options.device, why);
  if (!chosen)
    std::cerr << "error: " << why << "\n";
  else
    device = *chosen;
  return chosen.has_value();
}

static std::optional<Costed> costedOf(const CompileSource &source,
                                      const Options &options) {
  bound::DescribedDevice device;
  if (!chooseDevice(options, device))
    return std::nullopt;
  std::optional<plan::Plan> plan = planOf(source);
  if (!plan)
    return std::nullopt;
  Costed costed{std::move(*plan), {}, {}};
  if (costed.plan.target != plan::Target::Cuda) {
    if (!options.device)
      return costed;
    std::cerr << "error: option '--device' goes with --target=cuda\n";
    return std::nullopt;
  }
  runtime::Status status = bound::boundStep(costed.plan, device, costed.bound);
  if (!status.ok()) {
    std::cerr << "error: " << status.message << "\n";
    return std::nullopt;
  }
  costed.device = device;
  return costed;
}

/// The summary, and by rank the sums that it leaves to the reader.
static nlohmann::ordered_json jsonOf(const Costed &costed) {
  nlohmann::ordered_json json = plan::summary(costed.plan);
  std::vector<int64_t> received, hooks, memory;
  for (const plan::Costs &costs : plan::costsByRank(costed.plan)) {
    received.push_back(costs.receivedBytes);
    hooks.push_back(costs.hookBytes);
    memory.push_back(costs.memoryBytes);
  }
  json["received_bytes"] = received;
  json["hook_bytes"] = hooks;
  json["memory_bytes"] = memory;
  json["attentions"] = attentionsJson(costed.plan);
  if (costed.device)
    json["bound"] = boundJson(costed.plan, costed.bound, *costed.device);
  if (costed.device)
    json["attention_engines"] = enginesJson(costed.plan);
  return json;
}

static int runDifference(const Options &options, const Costed &first) {
  CompileSource source = options.source;
  source.elaborate.schedule = *options.otherSchedule;
  std::optional<Costed> second = costedOf(source, options);
  if (!second)
    return kUserError;
  const plan::Plan &a = first.plan, &b = second->plan;
  if (a.model != b.model) {
    std::cerr << "error: schedule '" << a.schedule << "' is for '" << a.model
              << "', '" << b.schedule << "' for '" << b.model
              << "'; schedules of one model are compared\n";
    return kUserError;
  }
  std::optional<Bounds> bounds;
  if (first.device)
    bounds = {*first.device, first.bound, second->bound};
  if (options.json)
    std::cout << differenceJson(a, b, bounds).dump(1) << "\n";
  else
    printDifference(a, b, bounds);
  return kOk;
}

int tool::runPlan(const Options &options) {
  std::optional<Costed> costed = costedOf(options.source, options);
  if (!costed)
    return kUserError;
  if (options.otherSchedule)
    return runDifference(options, *costed);
  if (options.json) {
    std::cout << jsonOf(*costed).dump(1) << "\n";
    return kOk;
  }
  printPlan(costed->plan, options.everyLayer);
  if (costed->device)
    printBound(costed->plan, costed->bound, *costed->device);
  if (costed->device)
    printEngines(costed->plan);
  return kOk;
}
