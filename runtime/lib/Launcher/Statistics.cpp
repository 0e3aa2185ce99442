//===- Statistics.cpp - what a run counted, and whether it was promised ---===//

#include "Peers.h"
#include "hocket/Plan/Summary.h"
#include "hocket/Plan/Workspace.h"
#include <algorithm>
#include <cstdio>

using Json = nlohmann::ordered_json;

namespace hocket::runtime {

namespace {

const PhaseCounters &phaseOf(const RankCounters &rank, Stage stage) {
  return stage == Stage::Load ? rank.load : rank.step;
}

/// One run's share of a phase's counts. Every run does the same.
int64_t perRun(int64_t count, const PhaseCounters &phase) {
  return phase.runs > 0 ? count / phase.runs : count;
}

Json totals(const plan::Plan &plan, const RunReport &report, Stage stage) {
  Json out = Json::object();
  for (int kind = 0; kind < collectiveKinds; ++kind) {
    int64_t calls = 0;
    std::vector<int64_t> bytes;
    for (const RankCounters &rank : report.counters) {
      const PhaseCounters &phase = phaseOf(rank, stage);
      const CollectiveCounter &counter = phase.collectives[kind];
      calls = std::max(calls, perRun(counter.calls, phase));
      bytes.push_back(perRun(counter.receivedBytes, phase));
    }
    const char *word = plan::toString(plan::CollectiveKind(kind));
    Json &entry = out[word];
    if (!entry.is_null()) { // both kinds of halo are one
      calls += entry["calls"].get<int64_t>();
      for (size_t rank = 0; rank < bytes.size(); ++rank)
        bytes[rank] += entry["bytes_per_rank"][rank].get<int64_t>();
    }
    entry = {{"calls", calls},
             {"bytes_per_rank", bytes},
             {"ranks_by_peers",
              plan::ranksByPeers(peersPerRank(plan, report, stage, word))}};
  }
  return out;
}

template <typename Get>
std::vector<int64_t> byRank(const RunReport &report, Get get) {
  std::vector<int64_t> values;
  for (const RankCounters &rank : report.counters)
    values.push_back(get(rank));
  return values;
}

/// Instructions of a step by who computes them, of all ranks.
Json implementations(const RunReport &report) {
  std::map<std::string, int64_t> counts;
  for (const RankCounters &rank : report.counters)
    for (const auto &[name, count] : rank.implementations)
      counts[name] += count;
  return counts;
}

/// Calls and seconds a step by kind of instruction, mean over ranks.
Json instructionTimes(const RunReport &report) {
  Json out = Json::object();
  double ranks = double(report.counters.size());
  for (int kind = 0; kind < instructionKinds; ++kind) {
    double calls = 0, seconds = 0;
    for (const RankCounters &rank : report.counters) {
      const InstructionCounter &counter = rank.step.instructions[kind];
      auto each = [&](int64_t sum, int64_t runs) {
        return double(sum) / double(std::max<int64_t>(runs, 1)) / ranks;
      };
      calls += each(counter.calls, rank.step.runs);
      seconds += each(counter.nanoseconds, rank.step.timedRuns) * 1e-9;
    }
    if (calls > 0)
      out[plan::instructionWords[kind]] = {{"calls", calls},
                                           {"seconds", seconds}};
  }
  return out;
}

/// 1234567 as "1.23 MB".
std::string spellBytes(int64_t bytes) {
  const char *units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = double(bytes);
  int unit = 0;
  for (; value >= 1000 && unit < 4; ++unit)
    value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", value,
                units[unit]);
  return text;
}

void appendRow(std::string &text, const char *name, const std::string &value) {
  char line[160];
  std::snprintf(line, sizeof line, "  %-22s %s\n", name, value.c_str());
  text += line;
}

/// "12 B" or "12 B to 24 B".
std::string spellSpan(const std::vector<int64_t> &values) {
  if (values.empty())
    return "-";
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  std::string text = spellBytes(*least);
  return *least == *most ? text : text + " to " + spellBytes(*most);
}

/// All bytes that each rank holds.
std::vector<int64_t> memoryOf(const RunReport &report) {
  return byRank(report, [](const RankCounters &rank) {
    return rank.weightBytes + rank.packedBytes + rank.arenaBytes +
           rank.stateBytes + rank.boxBytes + rank.scratchBytes +
           rank.stagingBytes;
  });
}

/// What a device's software holds for itself.
void appendBeside(std::string &text, const RunReport &report) {
  if (!report.beside.empty())
    text += "memory of a GPU beside that of ranks\n";
  for (const DeviceMemory &one : report.beside)
    appendRow(text, one.what.c_str(), spellSpan(one.bytes));
}

Json besideJson(const RunReport &report) {
  Json out = Json::object();
  for (const DeviceMemory &one : report.beside)
    out[one.what] = one.bytes;
  return out;
}

std::string spellSeconds(double seconds) {
  char text[32];
  bool isShort = seconds < 1;
  std::snprintf(text, sizeof text, isShort ? "%.3f ms" : "%.3f s",
                isShort ? seconds * 1e3 : seconds);
  return text;
}

} // namespace

static Json countedOf(const plan::Plan &plan, const RunReport &report) {
  auto get = [](auto member) {
    return [member](const RankCounters &rank) { return rank.*member; };
  };
  return {{"ranks", plan.rankCount()},
          {"threads_per_rank", report.threads},
          {"totals",
           {{"load", totals(plan, report, Stage::Load)},
            {"step", totals(plan, report, Stage::Step)}}},
          {"arena_bytes", byRank(report, get(&RankCounters::arenaBytes))},
          {"weight_bytes", byRank(report, get(&RankCounters::weightBytes))},
          {"state_bytes", byRank(report, get(&RankCounters::stateBytes))},
          {"packed_bytes", byRank(report, get(&RankCounters::packedBytes))},
          {"scratch_bytes", byRank(report, get(&RankCounters::scratchBytes))},
          {"box_bytes", byRank(report, get(&RankCounters::boxBytes))},
          {"staging_bytes", byRank(report, get(&RankCounters::stagingBytes))},
          {"copied_bytes_per_rank",
           byRank(report,
                  [](const RankCounters &rank) {
                    return perRun(rank.step.copiedBytes, rank.step);
                  })},
          {"prepare_seconds", report.prepareSeconds},
          {"load_seconds", report.loadSeconds},
          {"input_seconds", report.inputSeconds},
          {"output_seconds", report.outputSeconds},
          {"step_seconds",
           {{"median", report.medianStepSeconds()},
            {"min", report.leastStepSeconds()},
            {"all", report.stepSeconds}}},
          {"instructions", instructionTimes(report)},
          {"implementations", implementations(report)}};
}

Json statistics(const plan::Plan &plan, const RunReport &report) {
  Json counted = countedOf(plan, report);
  if (plan.target == plan::Target::Cuda) {
    counted["workspace_bytes"] = plan::workspaceByRank(plan);
    counted["beside_bytes"] = besideJson(report);
  }
  return counted;
}

std::string statisticsText(const plan::Plan &plan, const RunReport &report) {
  Json counted = statistics(plan, report);
  auto span = [&](const char *key) {
    return spellSpan(counted[key].get<std::vector<int64_t>>());
  };
  std::string text = "memory of a rank\n";
  appendRow(text, "weights", span("weight_bytes"));
  appendRow(text, "packed weights", span("packed_bytes"));
  appendRow(text, "activations", span("arena_bytes"));
  if (plan.target == plan::Target::Cuda)
    appendRow(text, "their workspace", spellSpan(plan::workspaceByRank(plan)));
  if (!plan.states.empty())
    appendRow(text, "parameters and state", span("state_bytes"));
  appendRow(text, "inputs and outputs", span("box_bytes"));
  appendRow(text, "scratch", span("scratch_bytes"));
  if (std::string staging = span("staging_bytes"); staging != spellBytes(0))
    appendRow(text, "staging of messages", staging);
  appendRow(text, "in all", spellSpan(memoryOf(report)));
  appendBeside(text, report);
  text += "received by a rank in a step\n";
  bool moves = false;
  for (const auto &[kind, entry] : counted["totals"]["step"].items()) {
    int64_t calls = entry["calls"];
    if (calls == 0)
      continue;
    moves = true;
    appendRow(
        text, kind.c_str(),
        std::to_string(calls) + (calls == 1 ? " call, " : " calls, ") +
            spellSpan(entry["bytes_per_rank"].get<std::vector<int64_t>>()));
  }
  if (!moves)
    appendRow(text, "nothing", "");
  text += "time\n";
  appendRow(text, "prepare", spellSeconds(report.prepareSeconds));
  appendRow(text, "load", spellSeconds(report.loadSeconds));
  if (report.inputSeconds > 0)
    appendRow(text, "inputs", spellSeconds(report.inputSeconds));
  if (!report.stepSeconds.empty())
    appendRow(text, "step",
              spellSeconds(report.medianStepSeconds()) + " median, " +
                  spellSeconds(report.leastStepSeconds()) + " least, of " +
                  std::to_string(report.stepSeconds.size()));
  if (report.outputSeconds > 0)
    appendRow(text, "outputs", spellSeconds(report.outputSeconds));
  text += plan.target == plan::Target::Cuda
              ? "time of a rank in a step by events of the GPU, mean of ranks\n"
              : "time of a rank in a step, mean of ranks\n";
  for (const auto &[kind, entry] : counted["instructions"].items()) {
    double calls = entry["calls"];
    char value[64];
    std::snprintf(value, sizeof value, "%s in %.0f call%s",
                  spellSeconds(entry["seconds"]).c_str(), calls,
                  calls == 1 ? "" : "s");
    appendRow(text, kind.c_str(), value);
  }
  if (!counted["implementations"].empty())
    text += plan.target == plan::Target::Cuda
                ? "attentions of all ranks in a step\n"
                : "convolutions of all ranks in a step\n";
  for (const auto &[name, count] : counted["implementations"].items())
    appendRow(text, name.c_str(), count.dump());
  return text;
}

Status checkAgainstPlan(const plan::Plan &plan, const RunReport &report) {
  if (Status status = checkPeers(plan, report); !status.ok())
    return status;
  Json promised = plan::summary(plan), counted = statistics(plan, report);
  for (const char *stage : {"load", "step"})
    for (const auto &[kind, entry] : promised["totals"][stage].items()) {
      const Json &found = counted["totals"][stage][kind];
      if (found != entry)
        return Status::runtimeError("the run counted " + found.dump() +
                                    " for " + kind + " in " + stage +
                                    ", the plan says " + entry.dump());
    }
  for (const char *key : {"arena_bytes", "weight_bytes", "state_bytes"})
    if (counted[key] != promised[key])
      return Status::runtimeError(std::string("the run counted ") + key + " " +
                                  counted[key].dump() + ", the plan says " +
                                  promised[key].dump());
  return Status::success();
}

} // namespace hocket::runtime
