//===- Train.h - a plan run step after step ---------------------*- C++ -*-===//

#ifndef HOCKET_TRAINING_TRAIN_H
#define HOCKET_TRAINING_TRAIN_H

#include "hocket/Runtime/Executor.h"
#include "hocket/Training/Batches.h"
#include "hocket/Training/Checkpoint.h"
#include "hocket/Training/Metrics.h"
#include "hocket/Training/Validation.h"
#include <functional>

namespace hocket::runtime {

/// Whether steps of the plan change something: it is for training.
bool isTraining(const plan::Plan &plan);

struct TrainOptions {
  ExecutorOptions executor;
  int64_t steps = 0;           // in all, those before a checkpoint included
  int64_t saveEvery = 0;       // 0: after the last step only
  std::string checkpoints;     // a folder, or empty: nothing is saved
  std::optional<int64_t> keep; // CheckpointFolder::keptByDefault
  std::string metrics;         // a file, or empty
  TensorSink *parameters = nullptr; // gets them after the last step, or null
  /// Any of these saves after the step that it comes in and ends the run.
  std::vector<int> endingSignals;
  NotFinite notFinite = NotFinite::Stop;
  ValidationOptions validation;
};

struct TrainReport {
  int64_t firstStep = 0; // done before
  int endedBy = 0;       // a signal, after the last step was saved
  std::string lastCheckpoint;
  nlohmann::ordered_json lastLine;
  int threads = 1; // of each rank
  std::vector<RankCounters> counters;
  std::vector<PeerCounters> peers;
  std::vector<DeviceMemory> beside;
  double prepareSeconds = 0, loadSeconds = 0;
  std::vector<double> stepSeconds;
  std::string trace;
};

/// What a run begins with: parameters, and after a checkpoint the states.
struct TrainStart {
  const TensorSource *parameters = nullptr;
  const TensorSource *states = nullptr; // or null: as load makes them
  Progress progress;
  std::string checkpoint; // its file, or empty
};

/// Called after every step with its line of metrics.
using StepDone = std::function<void(const nlohmann::ordered_json &line)>;

/// Runs steps [start.progress.step, options.steps). Everything is opened and
/// checked before the first rank starts. `validation` is null where the plan
/// has none or options.validation says never.
Status train(const plan::Plan &plan,
             const std::shared_ptr<const Devices> &devices,
             const TrainStart &start, const Batches &batches,
             const Batches *validation, const TrainOptions &options,
             TrainReport &report, const StepDone &done);

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_TRAIN_H
