//===- Trace.cpp - trace events as Chrome trace JSON ----------------------===//

#include "runtime/lib/Executor/State.h"
#include <nlohmann/json.hpp>
#include <ostream>

namespace hocket::runtime {

void Executor::writeTrace(std::ostream &stream) const {
  stream << "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  const char *separator = "\n";
  for (const std::unique_ptr<RankRunner> &runner : state->runners) {
    nlohmann::json thread = {
        {"ph", "M"},
        {"name", "thread_name"},
        {"pid", 0},
        {"tid", runner->counters.rank},
        {"args", {{"name", "rank " + std::to_string(runner->counters.rank)}}}};
    stream << separator << thread.dump();
    separator = ",\n";
    for (const TraceEvent &event : runner->events) {
      static const plan::Source none;
      const plan::Source &source =
          event.source < 0 ? none : state->plan.sources[event.source];
      const char *kind = plan::instructionWords[event.kind];
      nlohmann::json span = {{"ph", "X"},
                             {"name", source.path.empty() ? kind : source.path},
                             {"cat", kind},
                             {"pid", 0},
                             {"tid", runner->counters.rank},
                             {"ts", event.begin / 1000.0},
                             {"dur", (event.end - event.begin) / 1000.0},
                             {"args",
                              {{"phase", event.load ? "load" : "step"},
                               {"model", source.model},
                               {"schedule", source.schedule}}}};
      stream << separator << span.dump();
    }
  }
  stream << "\n]}\n";
}

} // namespace hocket::runtime
