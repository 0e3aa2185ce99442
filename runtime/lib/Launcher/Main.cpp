//===- Main.cpp - from the command line to the exit status ----------------===//

#include "hocket/Launcher/Main.h"
#include "Options.h"
#include "Progress.h"
#include "Reports.h"
#include "SameProgram.h"
#include "TrainMain.h"
#include "hocket/Io/RandomTensors.h"
#include "hocket/Io/Safetensors.h"
#include "hocket/Io/TensorCheck.h"
#include "hocket/Io/TensorFiles.h"
#include "hocket/Launcher/Execute.h"
#include "hocket/Mpi/MpiProcesses.h"
#include "hocket/Runtime/MemoryTensors.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <sstream>

namespace hocket::runtime {

namespace {

constexpr int usageStatus = 2;

/// Every line of `message` as an error, except those that continue one. All is
/// written at once: others may write to the same terminal.
void printError(const std::string &message) {
  std::istringstream lines(message);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    bool continues =
        line.empty() || line[0] == ' ' || line.compare(0, 4, "and ") == 0;
    text += (continues ? "" : "error: ") + line + "\n";
  }
  std::cerr << text << std::flush;
}

int fail(const Status &status) {
  printError(status.message);
  return status.exitStatus();
}

int print(const std::string &text) {
  Status status = printOut(text);
  return status.ok() ? 0 : fail(status);
}

int failUsage(const std::string &message) {
  printError(message);
  return usageStatus;
}

std::string namesOf(const std::vector<plan::GlobalTensor> &tensors) {
  constexpr size_t most = 3;
  std::string text;
  for (size_t i = 0; i < tensors.size() && i < most; ++i)
    text += (i ? ", '" : "'") + tensors[i].name + "'";
  if (tensors.size() > most)
    text += " and " + std::to_string(tensors.size() - most) + " more";
  return text;
}

/// What is wrong with the options for this plan, or nothing.
std::string usageFault(const LauncherOptions &options, const plan::Plan &plan) {
  if (!options.weights.empty() && options.randomWeights)
    return "--weights and --random-weights exclude each other";
  if (!options.inputs.empty() && options.randomInput)
    return "--input and --random-input exclude each other";
  if (options.weights.empty() && !options.randomWeights &&
      !plan.parameters.empty())
    return "missing --weights FILE: the model has " + namesOf(plan.parameters) +
           " (or --random-weights SEED)";
  if (!options.renames.empty() && options.weights.empty())
    return "--rename needs files whose names it changes: --weights FILE";
  if (options.inputs.empty() && !options.randomInput && !plan.inputs.empty())
    return "missing --input FILE: the model takes " + namesOf(plan.inputs) +
           " (or --random-input SEED)";
  if (!options.output.empty() && !options.outputShards.empty())
    return "--output and --output-shards exclude each other";
  if (std::string fault = shardFault(options); !fault.empty())
    return fault;
  bool showsResult = options.repeat > 0 || options.stats ||
                     !options.statsJson.empty() || !options.trace.empty() ||
                     options.checkReplicas;
  if (options.output.empty() && options.outputShards.empty() && !showsResult)
    return "missing --output FILE: the model gives " + namesOf(plan.outputs);
  return "";
}

/// Files of one role, or numbers drawn from a seed.
struct Source {
  std::unique_ptr<TensorSource> source;
  std::vector<std::string> names;

  Status open(const char *role, const std::vector<std::string> &paths,
              std::optional<RandomTensors> random, const NameMap &map = {}) {
    if (random) {
      names = random->tensorNames();
      source = std::make_unique<RandomTensors>(std::move(*random));
      return Status::success();
    }
    auto files = std::make_unique<TensorFiles>(role);
    for (const std::string &path : paths)
      if (Status status = files->add(path); !status.ok())
        return status;
    if (Status status = files->rename(map); !status.ok())
      return status;
    names = files->parameterNames();
    source = std::move(files);
    return Status::success();
  }
};

/// Null where no outputs are written.
Status openWriter(const LauncherOptions &options, const plan::Plan &plan,
                  Processes &processes, std::unique_ptr<OutputWriter> &writer) {
  std::vector<NamedTensor> outputs;
  for (const plan::GlobalTensor &tensor : plan.outputs)
    outputs.push_back({tensor.name, {tensor.type, tensor.dims}});
  if (!options.outputShards.empty())
    return openShards(options, outputs, writer, processes);
  if (options.output.empty())
    return Status::success();
  std::unique_ptr<SafetensorsWriter> file;
  Status status =
      SafetensorsWriter::create(options.output, outputs, file, {}, processes);
  writer = std::move(file);
  return status;
}

RunOptions runOptions(const LauncherOptions &options, const plan::Plan &plan,
                      Processes &processes) {
  RunOptions run;
  run.executor.processes = &processes;
  run.executor.threads = options.threads;
  run.executor.deadlineSeconds = options.deadline;
  run.executor.traceEvents = options.trace.empty() ? 0 : mostTraceEvents;
  run.warmup = options.warmup;
  run.repeat = std::max<int64_t>(options.repeat, 1);
  run.checkReplicas = options.checkReplicas;
  return run;
}

/// Everything is opened and checked before the first rank starts; the outputs
/// get their name only after all else has gone well.
Status runOnce(const LauncherOptions &options, const plan::Plan &plan,
               const uint8_t *kernels, size_t kernelsSize, DeviceOpener open,
               Processes &processes) {
  std::optional<RandomTensors> drawnWeights, drawnInputs;
  if (options.randomWeights)
    drawnWeights = randomWeights(plan, *options.randomWeights);
  if (options.randomInput)
    drawnInputs = randomInputs(plan, *options.randomInput);
  Source weights, inputs;
  Status status = weights.open("weights", options.weights, drawnWeights,
                               nameMap(plan, options.renames));
  if (status.ok())
    status = inputs.open("input", options.inputs, drawnInputs);
  if (status.ok())
    status = checkParameters(plan, *weights.source, weights.names);
  if (status.ok())
    status = checkInputs(plan, *inputs.source, inputs.names);
  if (status.ok())
    status = checkOutputs(options);
  std::shared_ptr<const Devices> devices;
  if (status.ok())
    status = open(plan, kernels, kernelsSize, devices);
  status = processes.agree(status);
  std::unique_ptr<OutputWriter> writer;
  if (status.ok())
    status = openWriter(options, plan, processes, writer);
  if (!status.ok())
    return status;

  MemoryTensors unwritten("outputs");
  TensorSink *sink = &unwritten;
  if (writer)
    sink = writer.get();
  RunReport report;
  {
    ProgressSource progress(*weights.source, elementsToLoad(plan),
                            processes.isFirst());
    status = executePlan(plan, devices, progress, *inputs.source, *sink,
                         runOptions(options, plan, processes), &report);
  }
  if (status.ok() && processes.isFirst())
    status = writeReports(options, plan, report);
  status = processes.agree(status);
  if (status.ok() && writer)
    status = writer->commit();
  return status;
}

} // namespace

namespace {

/// A program on the command line, and whether this process speaks for all.
struct Command {
  const std::string &program;
  const plan::Plan &plan;
  const std::vector<std::string> &arguments;
  bool isSpeaking;
  ProgramKind kind;
  LauncherOptions options;

  /// The exit status of a command that needs no ranks, or of one that is wrong.
  std::optional<int> answer();

private:
  int say(const std::string &text) const {
    return isSpeaking ? print(text) : 0;
  }
  int refuse(const std::string &fault) const {
    return isSpeaking ? failUsage(fault) : usageStatus;
  }
};

std::optional<int> Command::answer() {
  std::string fault;
  if (!parseOptions(arguments, kind, options, fault))
    return refuse(fault);
  if (options.help)
    return say(helpText(program, kind, plan.recipe));
  if (options.ranks && *options.ranks != plan.rankCount()) {
    Status status = Status::userError(
        "the program is compiled for " + std::to_string(plan.rankCount()) +
        (plan.rankCount() == 1 ? " rank" : " ranks") + ", --ranks says " +
        std::to_string(*options.ranks));
    return isSpeaking ? fail(status) : status.exitStatus();
  }
  if (options.describe)
    return say(describePlan(plan).dump(2) + "\n");
  applyRecipe(plan.recipe, options);
  fault = kind == ProgramKind::Trains ? trainingFault(options, plan)
                                      : usageFault(options, plan);
  if (!fault.empty())
    return refuse(fault);
  return std::nullopt;
}

} // namespace

static int runProgram(const std::string &program, const plan::Plan &plan,
                      const uint8_t *kernels, size_t kernelsSize,
                      DeviceOpener open,
                      const std::vector<std::string> &arguments) {
  MpiPlace place = placeInMpi();
  bool trains = isTraining(plan);
  Command command{program,
                  plan,
                  arguments,
                  place.index == 0,
                  trains ? ProgramKind::Trains : ProgramKind::Runs,
                  {}};
  if (std::optional<int> status = command.answer())
    return *status;
  if (std::string fault = rankFault(place, plan.rankCount()); !fault.empty())
    return place.index == 0 ? failUsage(fault) : usageStatus;
  std::unique_ptr<Processes> mpi;
  if (place.isStarted && plan.target == plan::Target::Cuda) {
    Status status = Status::userError(
        "not supported yet: a program for GPUs in several processes; start it "
        "without a launcher, then all its ranks share one GPU");
    return place.index == 0 ? fail(status) : status.exitStatus();
  }
  if (place.isStarted) {
    MpiOptions options;
    options.deadlineSeconds = command.options.deadline;
    if (Status status = startMpi(options, mpi); !status.ok())
      return place.index == 0 ? fail(status) : status.exitStatus();
  }
  Processes &processes = mpi ? *mpi : oneProcess();
  if (command.options.threads == 0 && processes.isFirst())
    if (std::string note = threadsNote(processes, plan.rankCount());
        !note.empty())
      std::cerr << "note: " + note + "\n" << std::flush;
  int done = 0;
  Status status = checkSameProgram(command.options, arguments, processes);
  if (status.ok())
    status = trains ? runTraining(command.options, plan, kernels, kernelsSize,
                                  open, processes, done)
                    : runOnce(command.options, plan, kernels, kernelsSize, open,
                              processes);
  if (!status.ok())
    done = tellsErrors(processes) ? fail(status) : status.exitStatus();
  endMpi(processes, done);
  return done;
}

int runPlan(const std::string &program, const plan::Plan &plan,
            const uint8_t *kernels, size_t kernelsSize, DeviceOpener open,
            const std::vector<std::string> &arguments) {
  try {
    return runProgram(program, plan, kernels, kernelsSize, open, arguments);
  } catch (const std::bad_alloc &) {
    return fail(Status::runtimeError(
        "no memory is left; raise its limit (ulimit -v, or the container's)"));
  }
}

int runMain(int argc, char **argv, DeviceOpener open) {
  std::string program = argc > 0 ? argv[0] : "hocket-runner";
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  endCleanlyOnSignals();
  // The kernel's name for this file; argv[0] is only what errors call it.
  Package package;
  bool carries = false;
  Status status = unpackExecutable("/proc/self/exe", program, package, carries);
  if (!status.ok())
    return fail(status);
  if (!carries) {
    LauncherOptions options;
    std::string fault;
    if (parseOptions(arguments, ProgramKind::Runs, options, fault) &&
        options.help) {
      return print(helpText(program, ProgramKind::Runs));
    }
    return failUsage("this runner carries no program; make one with: hocket "
                     "compile FILE.hkt -o app");
  }
  return runPlan(program, package.plan, package.kernels, package.kernelsSize,
                 open, arguments);
}

} // namespace hocket::runtime
