//===- Execute.h - one run of a plan, from load to last step ---*- C++ -*-===//

#ifndef HOCKET_LAUNCHER_EXECUTE_H
#define HOCKET_LAUNCHER_EXECUTE_H

#include "hocket/Runtime/Executor.h"
#include <nlohmann/json.hpp>

namespace hocket::runtime {

struct RunOptions {
  ExecutorOptions executor;
  int64_t warmup = 0; // steps whose time is not reported
  int64_t repeat = 1; // steps whose time is; all take the same inputs
  /// After the last step, compare the outputs that several ranks hold.
  bool checkReplicas = false;
};

struct RunReport {
  int threads = 1;                    // of each rank
  std::vector<RankCounters> counters; // by rank
  std::vector<PeerCounters> peers;    // by rank
  std::vector<DeviceMemory> beside;   // that no rank was given
  double prepareSeconds = 0, loadSeconds = 0;
  /// Reading the inputs before the first step, writing the outputs after the
  /// last one. Of training they are part of the steps.
  double inputSeconds = 0, outputSeconds = 0;
  std::vector<double> stepSeconds; // of the repeated steps
  std::string trace;               // Chrome trace JSON, if one was asked for

  double medianStepSeconds() const;
  double leastStepSeconds() const;
};

/// Runs `plan` on threads of this process: `hocket run`, `hocket verify` and
/// the executables all come here. Weights and inputs are checked before any
/// rank starts. `report` may be null.
Status executePlan(const plan::Plan &plan,
                   const std::shared_ptr<const Devices> &devices,
                   const TensorSource &weights, const TensorSource &inputs,
                   TensorSink &outputs, const RunOptions &options = {},
                   RunReport *report = nullptr);

/// What the run counted, with the keys of plan::summary (ranks, totals,
/// arena_bytes, weight_bytes: those must be equal to the plan's) and in
/// addition threads_per_rank, packed_bytes, scratch_bytes, box_bytes,
/// staging_bytes, of a plan for GPUs beside_bytes (by what holds them, and
/// process), copied_bytes_per_rank, load_seconds, input_seconds,
/// output_seconds, step_seconds {median, min, all} and instructions (calls and
/// seconds a step by kind, mean over ranks).
nlohmann::ordered_json statistics(const plan::Plan &plan,
                                  const RunReport &report);

/// The same for people.
std::string statisticsText(const plan::Plan &plan, const RunReport &report);

/// Compares what was counted with what the plan promises: first what each rank
/// received from each other one in each collective, then each key of
/// plan::summary. An error names the first that differs.
Status checkAgainstPlan(const plan::Plan &plan, const RunReport &report);

/// Model, schedule, mesh, inputs, outputs and parameters of `plan`.
nlohmann::ordered_json describePlan(const plan::Plan &plan);

} // namespace hocket::runtime

#endif // HOCKET_LAUNCHER_EXECUTE_H
