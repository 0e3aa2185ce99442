//===- Plan.cpp - hocket plan ---------------------------------------------===//

#include "Options.h"
#include "hocket/Placement/Meet.h"
#include "hocket/Plan/Summary.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <iostream>

using namespace hocket;
using namespace hocket::tool;

static int64_t most(const nlohmann::ordered_json &list) {
  int64_t result = 0;
  for (const auto &value : list)
    result = std::max(result, value.get<int64_t>());
  return result;
}

static std::string flopsText(int64_t flops) {
  static const char *const units[] = {"", "k", "M", "G", "T", "P"};
  double value = flops;
  int unit = 0;
  for (; value >= 1000 && unit < 5; ++unit)
    value /= 1000;
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %sFLOP", value, units[unit]);
  return text;
}

/// "  backward: reduce_scatter, 2 halo", or what it is for.
static std::string pairText(const nlohmann::ordered_json &collectives,
                            const nlohmann::ordered_json &collective) {
  bool ofForward = collective.contains("backward");
  if (!ofForward && !collective.contains("forward"))
    return "";
  std::vector<std::pair<std::string, int>> kinds; // in order
  const auto &ids = collective[ofForward ? "backward" : "forward"];
  for (const auto &id : ids)
    for (const auto &other : collectives) {
      if (other["id"] != id || other["stage"] != collective["stage"])
        continue;
      std::string path = other["path"].get<std::string>();
      bool again = path.size() > 6 && path.substr(path.size() - 6) == ".again";
      std::string kind =
          other["kind"].get<std::string>() + (again ? " again" : "");
      if (kinds.empty() || kinds.back().first != kind)
        kinds.push_back({kind, 0});
      ++kinds.back().second;
    }
  std::string text = ofForward ? "  backward: " : "  forward: ", separator;
  for (const auto &[kind, count] : kinds) {
    text += separator + (count > 1 ? std::to_string(count) + " " : "") + kind;
    separator = ", ";
  }
  return kinds.empty() ? text + "nothing" : text;
}

/// ", 2 peers": of margins, which come from some members only.
static std::string peersText(const nlohmann::ordered_json &collective) {
  if (collective["kind"] != "halo" && collective["kind"] != "all_to_all")
    return "";
  int64_t peers = 0;
  for (const auto &[count, ranks] : collective["ranks_by_peers"].items())
    peers = std::stoll(count); // the last one is the largest
  return ", " + std::to_string(peers) + (peers == 1 ? " peer" : " peers");
}

static bool hasBackward(const plan::Plan &plan) {
  return !plan.states.empty() ||
         std::any_of(plan.outputs.begin(), plan.outputs.end(),
                     [](const plan::GlobalTensor &output) {
                       const std::string &name = output.name;
                       return name.size() > 5 &&
                              name.substr(name.size() - 5) == ".grad";
                     });
}

static void printUnproved(const nlohmann::ordered_json &summary) {
  for (const auto &entry : summary["unproved"])
    std::cout << "  unproved: hook " << entry["hook"].get<std::string>() << " ("
              << entry["does"].get<std::string>() << ") at "
              << entry["path"].get<std::string>() << "  ("
              << entry["schedule"].get<std::string>() << ")\n";
}

static void printPlan(const plan::Plan &plan) {
  nlohmann::ordered_json summary = plan::summary(plan);
  std::cout << plan.model;
  if (!plan.schedule.empty())
    std::cout << ", " << plan.schedule;
  std::cout << ": mesh (";
  for (size_t i = 0; i < plan.mesh.size(); ++i)
    std::cout << (i ? ", " : "") << plan.mesh[i].name << " = "
              << plan.mesh[i].size;
  std::cout << "), " << plan.rankCount() << " ranks in " << plan.classes.size()
            << (plan.classes.size() == 1 ? " class\n" : " classes\n");
  for (const auto &collective : summary["collectives"]) {
    std::string kind = collective["kind"].get<std::string>();
    std::string path = collective["path"].get<std::string>();
    auto column = [](std::string text) {
      text.resize(std::max<size_t>(text.size() + 1, 15), ' ');
      return "  " + text;
    };
    if (collective.contains("started")) {
      std::cout << column(kind + " start") << path << "\n";
      kind += " wait";
    }
    std::cout << column(kind)
              << placement::bytesText(most(collective["bytes_per_rank"]))
              << peersText(collective) << "  " << path;
    if (int64_t tensors = collective["tensors"]; tensors > 1)
      std::cout << " and " << tensors - 1 << " more";
    std::string line = collective["schedule"].get<std::string>();
    if (!line.empty())
      std::cout << "  (" << line << ")";
    if (hasBackward(plan) && collective["stage"] == "step")
      std::cout << pairText(summary["collectives"], collective);
    std::cout << "\n";
  }
  printUnproved(summary);
  for (auto &[kind, total] : summary["totals"]["step"].items())
    if (total["calls"].get<int64_t>())
      std::cout << "  total " << kind << ": " << total["calls"] << ", "
                << placement::bytesText(most(total["bytes_per_rank"]))
                << " received by each rank\n";
  int64_t packed = 0;
  for (const plan::RankClass &rankClass : plan.classes)
    packed = std::max(packed, plan::packedBytesAtLeast(rankClass));
  std::cout << "  memory  weights "
            << placement::bytesText(most(summary["weight_bytes"]));
  if (packed)
    std::cout << ", packed weights at least " << placement::bytesText(packed);
  std::cout << ", activations "
            << placement::bytesText(most(summary["arena_bytes"])) << "\n"
            << "  compute " << flopsText(most(summary["flops_per_rank"]))
            << " by each rank\n";
}

int tool::runPlan(const Options &options) {
  Compiler compiler(llvm::errs());
  compiler.skipReport();
  if (!compiler.load(options.source))
    return kUserError;
  std::optional<plan::Plan> plan = compiler.makePlan();
  if (!plan)
    return kUserError;
  if (options.json)
    std::cout << plan::summary(*plan).dump(1) << "\n";
  else
    printPlan(*plan);
  return kOk;
}
