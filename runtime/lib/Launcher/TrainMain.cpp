//===- TrainMain.cpp - a program that trains ------------------------------===//

#include "TrainMain.h"
#include "Progress.h"
#include "Reports.h"
#include "hocket/Io/TensorCheck.h"
#include "hocket/Io/TensorFiles.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Runtime/RunRecord.h"
#include "hocket/Training/InitialParameters.h"
#include "hocket/Training/Parameters.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace hocket::runtime {

static std::string validationFault(const LauncherOptions &options,
                                   const plan::Plan &plan) {
  bool validates = options.validateEvery.value_or(0) > 0;
  if (validates && options.validationData.empty())
    return "missing --validation-data FILE: the loss there is wanted after "
           "every " +
           std::to_string(*options.validateEvery) +
           " steps (or --validate-every 0)";
  if ((validates || !options.validationData.empty()) && plan.validation.empty())
    return "the program cannot validate: compile it with a recipe that says "
           "'validate 100'";
  return "";
}

std::string trainingFault(const LauncherOptions &options,
                          const plan::Plan &plan) {
  if (options.data.empty()) {
    std::string names;
    for (const plan::GlobalTensor &input : plan.inputs)
      if (!isStep(input))
        names += (names.empty() ? "'" : ", '") + input.name + "'";
    return "missing --data FILE: the program trains on " + names;
  }
  if (!options.steps)
    return "missing --steps N: how many steps to train";
  if (!options.weights.empty() && !options.resume.empty())
    return "--weights and --resume exclude each other: a checkpoint has the "
           "parameters";
  if (!options.renames.empty() && options.weights.empty())
    return "--rename needs files whose names it changes: --weights FILE";
  for (auto [name, isGiven] : {std::pair("--save-every", !!options.saveEvery),
                               std::pair("--keep", !!options.keep)})
    if (isGiven && options.checkpoints.empty())
      return std::string(name) + " needs a folder to save in: --checkpoint "
                                 "FOLDER";
  if (std::string fault = shardFault(options); !fault.empty())
    return fault;
  return validationFault(options, plan);
}

namespace {

FileType tokenType(const std::string &word) {
  return word == "u8"    ? FileType::U8
         : word == "i32" ? FileType::I32
                         : FileType::U16;
}

/// Where parameters and states come from: new, from files, or a checkpoint.
struct Beginning {
  Checkpoint checkpoint;
  TensorFiles files{"weights"};
  std::unique_ptr<InitialParameters> drawn;
  TrainStart start;

  Status open(const LauncherOptions &options, const plan::Plan &plan);
};

Status Beginning::open(const LauncherOptions &options, const plan::Plan &plan) {
  start.progress.seed = options.seed.value_or(0);
  if (!options.resume.empty()) {
    if (Status status = checkpoint.open(options.resume); !status.ok())
      return status;
    start.progress = checkpoint.progress;
    start.checkpoint = checkpoint.file;
    start.parameters = start.states = &checkpoint.tensors();
    if (options.seed && *options.seed != start.progress.seed)
      return Status::userError(
          "checkpoint '" + checkpoint.file + "' is of a run with seed " +
          std::to_string(start.progress.seed) + ", --seed says " +
          std::to_string(*options.seed) + "; leave out --seed to go on");
    return checkResume(plan, checkpoint);
  }
  if (options.weights.empty()) {
    drawn = std::make_unique<InitialParameters>(plan, start.progress.seed);
    start.parameters = drawn.get();
    return Status::success();
  }
  for (const std::string &path : options.weights)
    if (Status status = files.add(path); !status.ok())
      return status;
  start.parameters = &files;
  if (Status status = files.rename(nameMap(plan, options.renames));
      !status.ok())
    return status;
  return checkParameters(plan, files, files.parameterNames());
}

DataOptions dataOptions(const LauncherOptions &options,
                        const std::vector<std::string> &files, uint64_t seed) {
  DataOptions data{files, std::nullopt, seed};
  if (!options.tokenType.empty())
    data.tokenType = tokenType(options.tokenType);
  return data;
}

TrainOptions trainOptions(const LauncherOptions &options,
                          const plan::Plan &plan, Processes &processes) {
  TrainOptions train;
  train.executor.processes = &processes;
  train.executor.threads = options.threads;
  train.executor.deadlineSeconds = options.deadline;
  train.executor.sumsAsLibrary = options.sums == "nccl";
  train.executor.traceEvents = options.trace.empty() ? 0 : mostTraceEvents;
  train.executor.timesCalls =
      options.stats || !options.statsJson.empty() || !options.trace.empty();
  train.steps = *options.steps;
  train.saveEvery = options.saveEvery.value_or(0);
  train.checkpoints = options.checkpoints;
  // Without a folder there is nothing to wait for.
  if (!train.checkpoints.empty())
    train.endingSignals = {SIGTERM, SIGUSR1};
  train.keep = options.keep;
  train.notFinite = options.nan == "skip"     ? NotFinite::Skip
                    : options.nan == "ignore" ? NotFinite::Update
                                              : NotFinite::Stop;
  train.metrics = options.metrics;
  train.validation.every = options.validateEvery.value_or(0);
  train.validation.batches =
      options.validationBatches.value_or(train.validation.batches);
  return train;
}

/// Parameters of a run that has nothing left to do, as the checkpoint has them.
Status writeShards(const LauncherOptions &options, const plan::Plan &plan,
                   const TensorSource &parameters, Processes &processes) {
  if (options.outputShards.empty())
    return Status::success();
  std::unique_ptr<OutputWriter> shards;
  Status status = openShards(options, parametersOf(plan), shards, processes);
  if (status.ok())
    status = writeParameters(plan, nullptr, parameters, *shards, processes);
  return status.ok() ? shards->commit() : status;
}

/// "steps 101 to 300 in 12.5 s, loss 2.3456; saved in c/step-....safetensors"
std::string endText(const TrainReport &report, const LauncherOptions &options) {
  int64_t steps = report.firstStep + int64_t(report.stepSeconds.size());
  double seconds = std::accumulate(report.stepSeconds.begin(),
                                   report.stepSeconds.end(), 0.0);
  char text[160];
  std::snprintf(text, sizeof text, "steps %lld to %lld in %.1f s",
                static_cast<long long>(report.firstStep + 1),
                static_cast<long long>(steps), seconds);
  std::string line = text;
  auto loss = report.lastLine.find("loss");
  if (loss != report.lastLine.end() && loss->is_number()) {
    std::snprintf(text, sizeof text, ", loss %.4f", double(*loss));
    line += text;
  }
  if (!report.lastCheckpoint.empty())
    line += "; saved in " + report.lastCheckpoint;
  if (!options.outputShards.empty() && steps == *options.steps)
    line += "; parameters in " + options.outputShards;
  if (report.endedBy)
    line += std::string("; ended by SIG") + sigabbrev_np(report.endedBy) +
            ", to go on: --resume " + options.checkpoints;
  return line + "\n";
}

} // namespace

static std::string nothingToDo(const LauncherOptions &options,
                               const Beginning &beginning) {
  std::string text = "nothing to do: checkpoint '" + beginning.checkpoint.file +
                     "' is after step " +
                     std::to_string(beginning.start.progress.step) +
                     " and --steps is " + std::to_string(*options.steps);
  if (!options.outputShards.empty())
    text += "; its parameters are in " + options.outputShards;
  return text + "\n";
}

/// What is there to say of it before its records go.
static void noteLastRun(const std::string &checkpoints) {
  Postmortem last = postmortem(checkpoints);
  if (!last.text.empty())
    last.unreadable.insert(last.unreadable.begin(), last.text);
  for (const std::string &text : last.unreadable)
    std::fprintf(stderr, "note: %s\n", text.c_str());
}

Status runTraining(const LauncherOptions &options, const plan::Plan &plan,
                   const uint8_t *kernels, size_t kernelsSize,
                   DeviceOpener open, Processes &processes, int &exitStatus) {
  exitStatus = 0;
  Beginning beginning;
  Status status = processes.agree(beginning.open(options, plan));
  if (!status.ok())
    return status;
  if (beginning.start.progress.step >= *options.steps) {
    status = writeShards(options, plan, *beginning.start.parameters, processes);
    return status.ok() && processes.isFirst()
               ? printOut(nothingToDo(options, beginning))
               : status;
  }
  std::unique_ptr<Batches> batches, validation;
  status = openBatches(
      plan, dataOptions(options, options.data, beginning.start.progress.seed),
      batches);
  // Always the same examples, whatever the run's seed is.
  if (status.ok() && options.validateEvery.value_or(0) > 0)
    status = openBatches(plan.validation.front(),
                         dataOptions(options, options.validationData, 0),
                         validation);
  if (status.ok())
    status = checkOutputs(options);
  status = processes.agree(status);
  std::unique_ptr<OutputWriter> shards;
  if (status.ok() && !options.outputShards.empty())
    status = openShards(options, parametersOf(plan), shards, processes);
  status = processes.agree(status);
  std::shared_ptr<const Devices> devices;
  if (status.ok())
    status =
        processes.agree(open(plan, kernels, kernelsSize, processes, devices));
  if (!status.ok())
    return status;
  if (processes.isFirst() && !options.checkpoints.empty())
    noteLastRun(options.checkpoints);
  TrainReport report;
  {
    TrainOptions trainAs = trainOptions(options, plan, processes);
    trainAs.parameters = shards.get();
    StepProgress progress(*options.steps);
    status =
        train(plan, devices, beginning.start, *batches, validation.get(),
              trainAs, report, [&](const auto &line) { progress.show(line); });
  }
  bool isDone =
      report.firstStep + int64_t(report.stepSeconds.size()) == *options.steps;
  if (status.ok() && shards && isDone)
    status = shards->commit();
  if (!status.ok())
    return status;
  if (options.statsJson != "-" && processes.isFirst())
    status = printOut(endText(report, options));
  bool wasEnded = report.endedBy != 0 && !isDone;
  exitStatus = wasEnded ? savedAndEnded : 0;
  RunReport counted;
  counted.threads = report.threads;
  counted.counters = report.counters;
  counted.peers = report.peers;
  counted.beside = report.beside;
  counted.prepareSeconds = report.prepareSeconds;
  counted.loadSeconds = report.loadSeconds;
  counted.stepSeconds = report.stepSeconds;
  counted.trace = report.trace;
  if (status.ok() && processes.isFirst())
    status = writeReports(options, plan, counted);
  return processes.agree(status);
}

} // namespace hocket::runtime
