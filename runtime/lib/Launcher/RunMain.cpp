//===- RunMain.cpp - a program that takes inputs and gives outputs --------===//

#include "RunMain.h"
#include "Progress.h"
#include "Reports.h"
#include "hocket/Io/RandomTensors.h"
#include "hocket/Io/Safetensors.h"
#include "hocket/Io/TensorCheck.h"
#include "hocket/Io/TensorFiles.h"
#include "hocket/Launcher/Execute.h"
#include "hocket/Runtime/MemoryTensors.h"

namespace hocket::runtime {

static std::string namesOf(const std::vector<plan::GlobalTensor> &tensors) {
  constexpr size_t most = 3;
  std::string text;
  for (size_t i = 0; i < tensors.size() && i < most; ++i)
    text += (i ? ", '" : "'") + tensors[i].name + "'";
  if (tensors.size() > most)
    text += " and " + std::to_string(tensors.size() - most) + " more";
  return text;
}

std::string runFault(const LauncherOptions &options, const plan::Plan &plan) {
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

namespace {

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
  run.executor.sumsAsLibrary = options.sums == "nccl";
  run.executor.timesCalls =
      options.stats || !options.statsJson.empty() || !options.trace.empty();
  run.executor.traceEvents = options.trace.empty() ? 0 : mostTraceEvents;
  run.warmup = options.warmup;
  run.repeat = std::max<int64_t>(options.repeat, 1);
  run.checkReplicas = options.checkReplicas;
  return run;
}

} // namespace

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
  status = processes.agree(status);
  std::shared_ptr<const Devices> devices;
  if (status.ok())
    status =
        processes.agree(open(plan, kernels, kernelsSize, processes, devices));
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

} // namespace hocket::runtime
