//===- Trace.cpp - trace events as Chrome trace JSON ----------------------===//

#include "hocket/Plan/Summary.h"
#include "runtime/lib/Executor/State.h"
#include <nlohmann/json.hpp>
#include <ostream>

namespace hocket::runtime {

using Json = nlohmann::ordered_json;

namespace {

double microseconds(int64_t nanoseconds) { return double(nanoseconds) / 1000; }

/// The spans of one rank, one after the other.
class RankTrace {
public:
  RankTrace(const plan::Plan &plan, const plan::RankClass &rankClass,
            const RankRunner &runner, std::vector<Json> &out)
      : plan(plan), rankClass(rankClass), runner(runner),
        rank(runner.counters.rank), out(out) {}

  void write() {
    out.push_back({{"ph", "M"},
                   {"name", "thread_name"},
                   {"pid", 0},
                   {"tid", rank},
                   {"args", {{"name", "rank " + std::to_string(rank)}}}});
    for (const TraceEvent &event : runner.events)
      writeInstruction(event);
  }

private:
  void span(const std::string &name, const char *kind, int64_t begin,
            int64_t end, Json args) {
    out.push_back({{"ph", "X"},
                   {"name", name},
                   {"cat", kind},
                   {"pid", 0},
                   {"tid", rank},
                   {"ts", microseconds(begin)},
                   {"dur", microseconds(end - begin)},
                   {"args", std::move(args)}});
  }

  void writeInstruction(const TraceEvent &event) {
    const plan::Instruction &instruction =
        event.step ? rankClass.step[event.instruction]
                   : rankClass.load[event.instruction];
    plan::Source source;
    if (instruction.source >= 0)
      source = plan.sources[instruction.source];
    auto *collective = std::get_if<plan::Collective>(&instruction.body);
    const char *kind = collective
                           ? plan::toString(collective->namedKind())
                           : plan::instructionWords[instruction.body.index()];
    Json args = {{"phase", event.step ? "step" : "load"},
                 {"kind", kind},
                 {"model", source.model},
                 {"schedule", source.schedule}};
    if (event.step)
      args["step"] = event.step;
    if (collective)
      addMoves(event, *collective, args);
    span(source.path.empty() ? kind : source.path, kind, event.begin, event.end,
         std::move(args));
    for (int32_t i = 0; i < event.waitCount; ++i)
      span("waiting", "waiting", event.waits[i].first, event.waits[i].second,
           Json::object());
  }

  /// What came from whom, and how much of the time was waiting.
  void addMoves(const TraceEvent &event, const plan::Collective &collective,
                Json &args) {
    std::vector<int64_t> from =
        plan::receivedFrom(plan, rankClass, collective, rank);
    std::vector<int64_t> members = plan.members(rank, collective.axes);
    Json peers = Json::array();
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i] > 0)
        peers.push_back(members[i]);
    int64_t waited = 0;
    for (int32_t i = 0; i < event.waitCount; ++i)
      waited += event.waits[i].second - event.waits[i].first;
    args["bytes"] = event.bytes;
    args["peers"] = peers;
    args["waiting_us"] = microseconds(waited);
    args["moving_us"] = microseconds(event.end - event.begin - waited);
  }

  const plan::Plan &plan;
  const plan::RankClass &rankClass;
  const RankRunner &runner;
  const int64_t rank;
  std::vector<Json> &out;
};

} // namespace

void Executor::writeTrace(std::ostream &stream) const {
  int64_t leftOut = 0;
  for (const std::unique_ptr<RankRunner> &runner : state->runners)
    leftOut += runner->eventsLeftOut;
  stream << "{\"displayTimeUnit\": \"ms\", \"otherData\": "
         << Json({{"instructions_left_out", leftOut}}).dump()
         << ", \"traceEvents\": [";
  const char *separator = "\n";
  for (const std::unique_ptr<RankRunner> &runner : state->runners) {
    std::vector<Json> spans;
    RankTrace(state->plan, state->classOf(runner->counters.rank), *runner,
              spans)
        .write();
    for (const Json &span : spans) {
      stream << separator << span.dump();
      separator = ",\n";
    }
  }
  stream << "\n]}\n";
}

} // namespace hocket::runtime
