//===- Execute.cpp - one run of a plan, from load to last step ------------===//

#include "hocket/Launcher/Execute.h"
#include "hocket/Runtime/Stopwatch.h"
#include <algorithm>
#include <sstream>

namespace hocket::runtime {

double RunReport::medianStepSeconds() const {
  if (stepSeconds.empty())
    return 0;
  std::vector<double> sorted = stepSeconds;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle]
                           : (sorted[middle - 1] + sorted[middle]) / 2;
}

double RunReport::leastStepSeconds() const {
  if (stepSeconds.empty())
    return 0;
  return *std::min_element(stepSeconds.begin(), stepSeconds.end());
}

Status executePlan(const plan::Plan &plan,
                   const std::shared_ptr<const Devices> &devices,
                   const TensorSource &weights, const TensorSource &inputs,
                   TensorSink &outputs, const RunOptions &options,
                   RunReport *report) {
  RunReport unused;
  RunReport &result = report ? *report : unused;
  result = RunReport();
  Stopwatch watch;
  std::unique_ptr<Executor> executor;
  Status status = Executor::create(plan, devices, options.executor, executor);
  result.prepareSeconds = watch.lap();
  if (status.ok())
    status = executor->load(weights);
  result.loadSeconds = watch.lap();
  if (status.ok())
    status = executor->readInputs(inputs);
  result.inputSeconds = watch.lap();
  for (int64_t i = 0; status.ok() && i < options.warmup + options.repeat; ++i) {
    status = executor->step();
    double seconds = watch.lap();
    if (i >= options.warmup)
      result.stepSeconds.push_back(seconds);
  }
  if (status.ok())
    status = executor->writeOutputs(outputs);
  result.outputSeconds = watch.lap();
  if (status.ok() && options.checkReplicas)
    status = executor->checkReplicas();
  if (!executor)
    return status;
  result.threads = executor->threads();
  // Errors are the same on all processes, so that all come here or none.
  if (status.ok())
    status = executor->counters(result.counters);
  if (status.ok())
    status = executor->peers(result.peers);
  if (status.ok())
    status = executor->memoryBeside(result.beside);
  if (status.ok() && options.executor.traceEvents > 0) {
    std::ostringstream trace;
    status = executor->writeTrace(trace);
    result.trace = trace.str();
  }
  return status;
}

} // namespace hocket::runtime
