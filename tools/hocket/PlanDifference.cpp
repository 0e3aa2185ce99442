//===- PlanDifference.cpp - what two schedules cost -----------------------===//

#include "BoundText.h"
#include "PlanText.h"
#include "hocket/Placement/Meet.h"
#include "hocket/Plan/Costs.h"
#include "hocket/Plan/Summary.h"
#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace hocket;
using namespace hocket::tool;
using Json = nlohmann::ordered_json;

/// What a plan costs the rank with the most, as one flat object except the
/// collectives.
static Json costsOf(const plan::Plan &plan) {
  Json summary = plan::summary(plan);
  plan::Costs costs = plan::mostOf(plan::costsByRank(plan));
  Json collectives = Json::object();
  for (auto &[kind, total] : summary["totals"]["step"].items())
    if (total["calls"].get<int64_t>())
      collectives[kind] = {{"calls", total["calls"]},
                           {"bytes", most(total["bytes_per_rank"])}};
  return {{"schedule", plan.schedule},
          {"ranks", plan.rankCount()},
          {"received_bytes", costs.receivedBytes},
          {"collectives", collectives},
          {"hook_bytes", costs.hookBytes},
          {"memory_bytes", costs.memoryBytes},
          {"weight_bytes", most(summary["weight_bytes"])},
          {"packed_bytes", packedBytes(plan)},
          {"arena_bytes", most(summary["arena_bytes"])},
          {"state_bytes", most(summary["state_bytes"])},
          {"flops", costs.flops}};
}

/// Of the rank whose step takes longest.
static void addBound(const bound::StepBound &bound, Json &costs) {
  const bound::KindBound &total = bound.slowest[bound.slowestClass()].total;
  costs["launches"] = total.launches.all();
  costs["bound_seconds"] = bound::sumOf(total.seconds);
}

Json tool::differenceJson(const plan::Plan &first, const plan::Plan &second,
                          const std::optional<Bounds> &bounds) {
  Json a = costsOf(first), b = costsOf(second), difference = Json::object();
  if (bounds) {
    addBound(bounds->first, a);
    addBound(bounds->second, b);
  }
  for (auto &[key, value] : a.items())
    if (value.is_number_float())
      difference[key] = b[key].get<double>() - value.get<double>();
    else if (value.is_number())
      difference[key] = b[key].get<int64_t>() - value.get<int64_t>();
  return {{"model", first.model},
          {"schedules", {a, b}},
          {"difference", difference}};
}

/// "+1.2 MB, +3.1 %"; "same".
template <typename Number>
static std::string changeText(Number from, Number to,
                              std::string (*text)(Number)) {
  if (from == to)
    return "same";
  Number change = to - from;
  std::string result =
      (change < 0 ? "-" : "+") + text(change < 0 ? -change : change);
  if (from == 0)
    return result;
  char percent[32];
  std::snprintf(percent, sizeof percent, ", %+.1f %%", 100.0 * change / from);
  return result + percent;
}

namespace {

struct Row {
  std::string title, first, second, change;
};

class Rows {
public:
  Rows(const Json &first, const Json &second) : a(first), b(second) {}

  template <typename Number>
  void add(const std::string &title, const char *key,
           std::string (*text)(Number)) {
    Number from = a[key], to = b[key];
    list.push_back({title, text(from), text(to), changeText(from, to, text)});
  }
  /// Left out where neither has any.
  void addPart(const std::string &title, const char *key) {
    if (a[key] != 0 || b[key] != 0)
      add("  " + title, key, placement::bytesText);
  }
  void addKind(const std::string &kind) {
    auto of = [&](const Json &costs) {
      const Json &all = costs["collectives"];
      return all.contains(kind) ? all[kind] : Json{{"calls", 0}, {"bytes", 0}};
    };
    auto text = [](const Json &total) {
      return total["calls"] == 0 ? std::string("none")
                                 : total["calls"].dump() + ", " +
                                       placement::bytesText(total["bytes"]);
    };
    Json from = of(a), to = of(b);
    list.push_back({"  " + kind, text(from), text(to),
                    changeText<int64_t>(from["bytes"], to["bytes"],
                                        placement::bytesText)});
  }
  void print() const;

  std::vector<Row> list;

private:
  const Json &a, &b;
};

void Rows::print() const {
  size_t widths[3] = {0, 0, 0};
  for (const Row &row : list) {
    widths[0] = std::max(widths[0], row.title.size());
    widths[1] = std::max(widths[1], row.first.size());
    widths[2] = std::max(widths[2], row.second.size());
  }
  for (const Row &row : list)
    std::cout << "  " << std::left << std::setw(widths[0]) << row.title
              << std::right << "  " << std::setw(widths[1]) << row.first << "  "
              << std::setw(widths[2]) << row.second << "  " << row.change
              << "\n";
}

std::string plainText(int64_t number) { return std::to_string(number); }

} // namespace

void tool::printDifference(const plan::Plan &first, const plan::Plan &second,
                           const std::optional<Bounds> &bounds) {
  Json costs = differenceJson(first, second, bounds);
  const Json &a = costs["schedules"][0], &b = costs["schedules"][1];
  auto name = [](const plan::Plan &plan) {
    return plan.schedule.empty() ? std::string("one device") : plan.schedule;
  };
  std::cout << first.model << ": " << name(first) << " and " << name(second)
            << ", costs of the rank with the most\n";
  Rows rows(a, b);
  rows.list.push_back({"", name(first), name(second), "difference"});
  rows.add("ranks", "ranks", plainText);
  rows.add("received in a step", "received_bytes", placement::bytesText);
  for (auto &[kind, total] : a["collectives"].items())
    rows.addKind(kind);
  for (auto &[kind, total] : b["collectives"].items())
    if (!a["collectives"].contains(kind))
      rows.addKind(kind);
  rows.addPart("by hooks besides", "hook_bytes");
  rows.add("memory", "memory_bytes", placement::bytesText);
  rows.addPart("weights", "weight_bytes");
  rows.addPart("packed weights at least", "packed_bytes");
  rows.addPart("activations", "arena_bytes");
  rows.addPart("parameters and optimizer state", "state_bytes");
  rows.add("compute", "flops", flopsText);
  if (bounds) {
    rows.add("launches in a step", "launches", plainText);
    rows.add("step on " + bounds->device.name + " at least", "bound_seconds",
             secondsText);
  }
  rows.print();
}
