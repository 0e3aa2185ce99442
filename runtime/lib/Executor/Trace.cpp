//===- Trace.cpp - trace events as Chrome trace JSON ----------------------===//

#include "hocket/Plan/Accesses.h"
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
            int64_t rank, const std::vector<TraceEvent> &events,
            std::vector<Json> &out)
      : plan(plan), rankClass(rankClass), events(events), rank(rank), out(out) {
  }

  void write() {
    out.push_back({{"ph", "M"},
                   {"name", "thread_name"},
                   {"pid", 0},
                   {"tid", rank},
                   {"args", {{"name", "rank " + std::to_string(rank)}}}});
    for (const TraceEvent &event : events)
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
    const plan::Instructions &list =
        event.step ? rankClass.step : rankClass.load;
    const plan::Instruction &instruction = list[event.instruction];
    plan::Source source;
    if (instruction.source >= 0)
      source = plan.sources[instruction.source];
    const plan::Collective *ended = plan::endingAt(list, event.instruction);
    auto *collective =
        ended ? ended : std::get_if<plan::Collective>(&instruction.body);
    const char *kind = collective
                           ? plan::toString(collective->namedKind())
                           : plan::instructionWords[instruction.body.index()];
    Json args = {{"phase", event.step ? "step" : "load"},
                 {"kind", kind},
                 {"model", source.model},
                 {"schedule", source.schedule}};
    if (event.step)
      args["step"] = event.step;
    if (ended)
      addMoves(event, *ended, args);
    span(source.path.empty() ? kind : source.path, kind, event.begin, event.end,
         std::move(args));
    for (int32_t i = 0; i < event.waitCount; ++i)
      span("waiting", "waiting", event.waits[i].begin, event.waits[i].end,
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
      waited += event.waits[i].end - event.waits[i].begin;
    args["bytes"] = event.bytes;
    args["peers"] = peers;
    args["waiting_us"] = microseconds(waited);
    args["moving_us"] = microseconds(event.end - event.begin - waited);
  }

  const plan::Plan &plan;
  const plan::RankClass &rankClass;
  const std::vector<TraceEvent> &events;
  const int64_t rank;
  std::vector<Json> &out;
};

} // namespace

Status Executor::writeTrace(std::ostream &stream) const {
  std::vector<std::string> byRank;
  Status status = state->gather(
      [](const RankRunner &rank, BytePacker &packer) {
        packer.add(rank.eventsLeftOut);
        packer.add(rank.events);
      },
      byRank);
  int64_t leftOut = 0;
  std::vector<std::vector<TraceEvent>> events(byRank.size());
  for (size_t rank = 0; rank < byRank.size(); ++rank) {
    ByteUnpacker unpacker(byRank[rank]);
    int64_t count;
    unpacker.take(count);
    leftOut += count;
    unpacker.take(events[rank]);
  }
  stream << "{\"displayTimeUnit\": \"ms\", \"otherData\": "
         << Json({{"instructions_left_out", leftOut}}).dump()
         << ", \"traceEvents\": [";
  const char *separator = "\n";
  for (size_t rank = 0; rank < events.size(); ++rank) {
    std::vector<Json> spans;
    RankTrace(state->plan, state->classOf(int64_t(rank)), int64_t(rank),
              events[rank], spans)
        .write();
    for (const Json &span : spans) {
      stream << separator << span.dump();
      separator = ",\n";
    }
  }
  stream << "\n]}\n";
  return status;
}

} // namespace hocket::runtime
