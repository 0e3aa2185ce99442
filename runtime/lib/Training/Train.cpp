//===- Train.cpp - a plan run step after step -----------------------------===//

#include "hocket/Training/Train.h"
#include "hocket/Io/SignalEnd.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "hocket/Runtime/PackedBytes.h"
#include "hocket/Runtime/Stopwatch.h"
#include "hocket/Training/Parameters.h"
#include <cmath>
#include <sstream>
#include <utility>

namespace hocket::runtime {

using Json = nlohmann::ordered_json;

bool isTraining(const plan::Plan &plan) { return !plan.states.empty(); }

namespace {

/// JSON has no number for what is not finite.
void addNumber(const std::string &name, double number, Json &line) {
  if (std::isfinite(number))
    line[name] = number;
  else
    line[name] = nullptr;
}

/// Outputs of one number go by their names: loss, grad_norm, lr.
void addNumbers(const plan::Plan &plan, const MemoryTensors &outputs,
                Json &line) {
  for (const plan::GlobalTensor &output : plan.outputs) {
    int64_t elements = 1;
    for (int64_t extent : output.dims)
      elements *= extent;
    const MemoryTensors::Tensor *found = outputs.find(output.name);
    if (elements != 1 || !found)
      continue;
    double number = 0;
    convert(found->bytes.data(), output.type, &number, plan::DType::F64, 1);
    addNumber(output.name, number, line);
  }
}

/// One run, from the executor to its last step.
class Run {
public:
  Run(const plan::Plan &plan, const TrainStart &start, const Batches &batches,
      const TrainOptions &options, TrainReport &report)
      : plan(plan), start(start), batches(batches), options(options),
        report(report),
        processes(options.executor.processes ? *options.executor.processes
                                             : oneProcess()) {}

  Status prepare(const std::shared_ptr<const Devices> &devices,
                 const Batches *validationData);
  Status steps(const StepDone &done);
  /// What the run's record is to say, if it has one.
  void conclude(const Status &status) {
    if (status.kind == ErrorKind::Runtime)
      record.fail(status.message);
  }

private:
  ExecutorOptions executorOptions();
  Status keepRecord();
  Status findOthers(RecordedProcess &own);
  Status meet(int64_t stepsDone, Status status, int64_t &bytes);
  bool isWriting() const { return processes.isFirst(); }
  Status step(int64_t number, const StepDone &done);
  Status unwritten; // of the metrics of the step before
  Status leftOut(int64_t number, const Batch &batch);
  Status validate(Json &line);
  Status save(int64_t stepsDone);

  const plan::Plan &plan;
  const TrainStart &start;
  const Batches &batches;
  const TrainOptions &options;
  TrainReport &report;
  Processes &processes;
  CheckpointFolder folder;
  RunRecord record; // the executor's ranks refer to it
  MetricsFile metrics;
  MemoryTensors outputs{"outputs"};
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Validation> validation;
  std::shared_ptr<const Batch> next; // of the step that comes, if it is known
};

ExecutorOptions Run::executorOptions() {
  ExecutorOptions own = options.executor;
  own.record = &record;
  // The first two steps are not read ahead.
  own.readsAhead = options.steps - start.progress.step > 2;
  own.stepsBefore = start.progress.step;
  return own;
}

Status Run::prepare(const std::shared_ptr<const Devices> &devices,
                    const Batches *validationData) {
  Stopwatch watch;
  Status status;
  if (!options.checkpoints.empty())
    status =
        folder.open(options.checkpoints, options.keep,
                    {plan.model, start.progress, start.checkpoint}, processes);
  if (status.ok())
    status = keepRecord();
  if (status.ok())
    status = Executor::create(plan, devices, executorOptions(), executor);
  report.prepareSeconds = watch.lap();
  if (status.ok())
    status = executor->load(*start.parameters);
  if (status.ok() && start.states)
    status = executor->restore(*start.states);
  if (status.ok() && validationData) {
    validation =
        std::make_unique<Validation>(plan.validation.front(), *start.parameters,
                                     *validationData, options.validation);
    status = validation->prepare(devices, options.executor);
  }
  // An earlier run's lines go only when nothing else can be wrong.
  if (status.ok() && !options.metrics.empty() && isWriting())
    status = metrics.open(options.metrics, start.progress.step);
  status = processes.agree(status);
  report.loadSeconds = watch.lap();
  report.firstStep = start.progress.step;
  return status;
}

/// Of one process there is nobody to tell of another; what an earlier run of
/// several left is told.
Status Run::keepRecord() {
  if (options.checkpoints.empty())
    return Status::success();
  if (isWriting())
    removeRecords(options.checkpoints);
  if (processes.count() == 1)
    return Status::success();
  RecordedProcess own{processes.index(), processes.count(), {}, {}};
  int64_t each = plan.rankCount() / own.count;
  for (int64_t i = 0; i < each; ++i)
    own.ranks.push_back(own.index * each + i);
  Status status = findOthers(own);
  if (status.ok())
    status = record.create(options.checkpoints, own, plan);
  return processes.agree(status);
}

Status Run::findOthers(RecordedProcess &own) {
  std::vector<std::string> all;
  Status status = processes.gather(record.address(), all);
  for (int64_t process = 0; process < int64_t(all.size()); ++process)
    if (process != own.index)
      own.others.push_back({process, all[process]});
  return status;
}

Status Run::step(int64_t number, const StepDone &done) {
  Stopwatch watch;
  int64_t before = executor->receivedBytes();
  std::shared_ptr<const Batch> batch = std::exchange(next, nullptr);
  if (!batch)
    batch = std::make_shared<Batch>(batches, number);
  if (number + 1 < options.steps)
    next = std::make_shared<Batch>(batches, number + 1);
  Status status = executor->step(*batch, outputs, options.notFinite, next);
  std::string why = executor->whyLeftOut();
  if (status.ok() && !why.empty() && options.notFinite == NotFinite::Stop)
    status = leftOut(number, *batch);
  if (status.ok())
    status = unwritten;
  int64_t bytes = executor->receivedBytes() - before;
  status = meet(number + 1, std::move(status), bytes);
  if (!status.ok())
    return status;
  double seconds = watch.lap();
  report.stepSeconds.push_back(seconds);
  Json line = {{"step", number + 1}};
  addNumbers(plan, outputs, line);
  if (!why.empty())
    line["left_out"] = true;
  line["tokens_per_second"] =
      std::llround(double(batches.tokensOfStep) / std::max(seconds, 1e-9));
  line["bytes"] = bytes;
  if (validation && validation->isDueAfter(number + 1))
    status = validate(line);
  if (status.ok() && isWriting()) {
    unwritten = metrics.write(line);
    if (unwritten.ok())
      done(line);
    // The others hear of it when they meet after the next step.
    if (processes.count() == 1)
      status = unwritten;
  }
  report.lastLine = line;
  if (status.ok())
    status = save(number + 1);
  if (status.ok() && options.parameters && number + 1 == options.steps)
    status = writeParameters(plan, executor.get(), *start.parameters,
                             *options.parameters, processes);
  return status;
}

/// After so many steps: whether the last is good on all processes, what all
/// ranks have received in it, and whether one of them was asked to end.
Status Run::meet(int64_t stepsDone, Status status, int64_t &bytes) {
  int asked = options.endingSignals.empty() ? 0 : EndRequest::signal();
  if (processes.count() == 1) {
    report.endedBy = asked;
    return status;
  }
  BytePacker mine;
  mine.add(bytes);
  mine.add(asked);
  mine.add(status.kind);
  mine.add(status.message);
  std::vector<std::string> all;
  if (Status gathered = processes.gather(mine.bytes, all); !gathered.ok()) {
    gathered.message =
        "after step " + std::to_string(stepsDone) + ": " + gathered.message;
    return status.ok() ? gathered : status;
  }
  bytes = 0;
  for (const std::string &one : all) {
    Status theirs;
    int64_t received;
    int signal;
    ByteUnpacker unpacker(one);
    unpacker.take(received);
    unpacker.take(signal);
    unpacker.take(theirs.kind);
    unpacker.take(theirs.message);
    bytes += received;
    report.endedBy = std::max(report.endedBy, signal);
    if (status.ok())
      status = theirs;
  }
  return status;
}

/// The error of a step whose loss is not finite: which, and where it began.
Status Run::leftOut(int64_t number, const Batch &batch) {
  std::string why = executor->whyLeftOut(), found;
  if (Status status = executor->findNotFinite(batch, found); !status.ok())
    return status;
  std::string text = "step " + std::to_string(number + 1) + ": " + why +
                     "; the step was left out; ";
  text += found.empty() ? "run again it meets no value that is not finite"
                        : "the first value that is not finite: " + found;
  const std::string &saved =
      folder.last().empty() ? start.checkpoint : folder.last();
  if (!saved.empty())
    text += "; the last checkpoint is " + saved;
  return Status::runtimeError(text + "; --nan skip goes on without such "
                                     "steps, --nan ignore with them");
}

Status Run::validate(Json &line) {
  double loss = 0;
  Status status = validation->run(*executor, loss);
  addNumber("validation_loss", loss, line);
  return status;
}

Status Run::save(int64_t stepsDone) {
  bool isDue = options.saveEvery > 0 && stepsDone % options.saveEvery == 0;
  Status status;
  bool isLast = stepsDone == options.steps || report.endedBy != 0;
  if (!options.checkpoints.empty() && (isDue || isLast))
    status = folder.save(plan, *executor, *start.parameters,
                         {stepsDone, start.progress.seed});
  report.lastCheckpoint = folder.last();
  return status;
}

Status Run::steps(const StepDone &done) {
  Status status;
  EndRequest request(options.endingSignals);
  for (int64_t i = start.progress.step;
       status.ok() && report.endedBy == 0 && i < options.steps; ++i)
    status = step(i, done);
  if (status.ok())
    status = processes.agree(unwritten);
  if (status.ok())
    status = executor->counters(report.counters);
  report.threads = executor->threads();
  if (status.ok())
    status = executor->peers(report.peers);
  if (status.ok())
    status = executor->memoryBeside(report.beside);
  if (status.ok() && options.executor.traceEvents > 0) {
    std::ostringstream trace;
    status = executor->writeTrace(trace);
    report.trace = trace.str();
  }
  return status;
}

} // namespace

Status train(const plan::Plan &plan,
             const std::shared_ptr<const Devices> &devices,
             const TrainStart &start, const Batches &batches,
             const Batches *validation, const TrainOptions &options,
             TrainReport &report, const StepDone &done) {
  Run run(plan, start, batches, options, report);
  Status status = run.prepare(devices, validation);
  if (status.ok())
    status = run.steps(done);
  run.conclude(status);
  return status;
}

} // namespace hocket::runtime
