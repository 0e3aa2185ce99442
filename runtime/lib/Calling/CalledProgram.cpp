//===- CalledProgram.cpp - a program that is loaded and called ------------===//

#include "runtime/lib/Calling/CalledProgram.h"
#include "hocket/Io/RandomTensors.h"
#include "hocket/Io/TensorCheck.h"
#include "hocket/Io/TensorFiles.h"
#include "hocket/Launcher/Execute.h"
#include "runtime/lib/Calling/CallersArrays.h"
#include "runtime/lib/Calling/OwnFile.h"
#include "runtime/lib/Ranks/SignalsElsewhere.h"
#include <unistd.h>

namespace hocket::runtime {

CalledProgram::CalledProgram()
    : process(getpid()), package(std::make_unique<Package>()) {}

/// A rank that is stuck goes on to read the plan.
CalledProgram::~CalledProgram() {
  executor.reset();
  if (isStuck)
    static_cast<void>(package.release());
}

// ---- loading --------------------------------------------------------------

/// Of `path`, which errors call `title`, what is a program of this process's.
static Status checkPlan(const plan::Plan &plan, const std::string &title) {
  if (plan.target != plan::Target::Cpu)
    return Status::userError("program '" + title +
                             "' is for GPUs, and what is called runs on cores; "
                             "compile it with --target=cpu");
  if (!plan.states.empty())
    return Status::userError(
        "program '" + title +
        "' trains, for which an executable has data and checkpoints; compile "
        "it without --train, or run the executable");
  return Status::success();
}

Status CalledProgram::open(const std::string &path) {
  std::string file = path.empty() ? fileOfLibrary() : path;
  bool carries = false;
  Status status = unpackExecutable(file, file, *package, carries, "program");
  if (status.ok() && !carries)
    status = Status::userError(
        "'" + file +
        "' carries no program; make one with: hocket compile FILE.hkt "
        "--emit=shared -o libapp.so");
  return status.ok() ? checkPlan(package->plan, file) : status;
}

static std::vector<hocket_array>
describe(const std::vector<plan::GlobalTensor> &tensors) {
  std::vector<hocket_array> arrays;
  for (const plan::GlobalTensor &tensor : tensors)
    arrays.push_back({tensor.name.c_str(), int32_t(fileTypeOf(tensor.type)),
                      int32_t(tensor.dims.size()), tensor.dims.data(),
                      nullptr});
  return arrays;
}

Status CalledProgram::start(const hocket_options &options) {
  const plan::Plan &plan = package->plan;
  Status status = openCpuDevices(plan, package->kernels, package->kernelsSize,
                                 oneProcess(), devices);
  if (!status.ok())
    return status;
  ExecutorOptions wanted;
  wanted.threads = options.threads;
  wanted.pin = !options.unpinned;
  if (options.deadline > 0)
    wanted.deadlineSeconds = options.deadline;
  SignalsElsewhere elsewhere; // they are for threads of the caller
  status = Executor::create(plan, devices, wanted, executor);
  if (status.ok() && plan.parameters.empty())
    status = load(ReadArrays("weights in memory"), {});
  return status;
}

Status CalledProgram::load(const std::string &path,
                           const hocket_options &options,
                           std::unique_ptr<CalledProgram> &program) {
  if (options.threads < 0 || !(options.deadline >= 0))
    return Status::userError(
        "threads and deadline of hocket_options are numbers from 0");
  std::unique_ptr<CalledProgram> loaded(new CalledProgram);
  Status status = loaded->open(path);
  if (status.ok())
    status = loaded->start(options);
  if (!status.ok())
    return status;
  const plan::Plan &plan = loaded->package->plan;
  loaded->description = describePlan(plan).dump(2);
  loaded->inputs = describe(plan.inputs);
  loaded->outputs = describe(plan.outputs);
  loaded->parameters = describe(plan.parameters);
  program = std::move(loaded);
  return status;
}

// ---- calls ----------------------------------------------------------------

bool CalledProgram::isOfThisProcess() const { return getpid() == process; }

Status CalledProgram::enter(std::unique_lock<std::mutex> &lock) {
  if (!isOfThisProcess())
    return Status::userError("the program was loaded before a fork, and its "
                             "ranks are threads of the parent; load it again");
  lock = std::unique_lock<std::mutex>(mutex);
  return Status::success();
}

Status CalledProgram::settle(Status status) {
  if (!status.ok() && !executor->recover())
    isStuck = true;
  return status;
}

Status CalledProgram::load(const TensorSource &weights,
                           const std::vector<std::string> &names) {
  if (Status status = checkParameters(package->plan, weights, names);
      !status.ok())
    return status;
  isLoaded = false;
  Status status = settle(executor->load(weights));
  isLoaded = status.ok();
  return status;
}

Status CalledProgram::loadWeights(const std::vector<std::string> &files,
                                  const std::vector<std::string> &renames) {
  std::unique_lock<std::mutex> lock;
  Status status = enter(lock);
  std::vector<RenameRule> rules;
  for (const std::string &text : renames) {
    std::optional<RenameRule> rule = RenameRule::parse(text);
    if (!rule && status.ok())
      status = Status::userError(
          "--rename is '" + text +
          "', expected FROM=TO with the same * and ** on both sides");
    rules.push_back(rule.value_or(RenameRule()));
  }
  TensorFiles weights("weights");
  for (const std::string &file : files)
    if (status.ok())
      status = weights.add(file);
  if (status.ok())
    status = weights.rename(nameMap(package->plan, rules));
  return status.ok() ? load(weights, weights.parameterNames()) : status;
}

Status CalledProgram::takeWeights(const hocket_array *arrays, size_t count) {
  std::unique_lock<std::mutex> lock;
  Status status = enter(lock);
  ReadArrays weights("weights in memory");
  if (status.ok())
    status = weights.add(arrays, count, nameMap(package->plan, {}));
  return status.ok() ? load(weights, weights.names()) : status;
}

Status CalledProgram::drawWeights(uint64_t seed) {
  std::unique_lock<std::mutex> lock;
  Status status = enter(lock);
  RandomTensors weights = randomWeights(package->plan, seed);
  return status.ok() ? load(weights, weights.tensorNames()) : status;
}

Status CalledProgram::enterStep(std::unique_lock<std::mutex> &lock) {
  Status status = enter(lock);
  if (status.ok() && !isLoaded && !isStuck)
    status = Status::userError("the program has no weights yet; load them "
                               "before it runs");
  return status;
}

Status CalledProgram::step(const TensorSource &source, TensorSink &sink) {
  return settle(executor->step(source, sink));
}

const void *CalledProgram::wholeOutput(size_t output) const {
  return output < outputs.size() ? executor->wholeOutput(output) : nullptr;
}

Status CalledProgram::run(const void *const *inputs, void *const *outputs) {
  std::unique_lock<std::mutex> lock;
  if (Status status = enterStep(lock); !status.ok())
    return status;
  const plan::Plan &plan = package->plan;
  ReadArrays source("input in memory");
  WrittenArrays sink;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const void *data = inputs ? inputs[i] : nullptr;
    if (!data && hocket_bytes(&this->inputs[i]) > 0)
      return Status::userError("input '" + plan.inputs[i].name +
                               "' is a null pointer");
    source.put(plan.inputs[i], data);
  }
  for (size_t i = 0; outputs && i < plan.outputs.size(); ++i)
    sink.put(plan.outputs[i], outputs[i]);
  return step(source, sink);
}

Status CalledProgram::run(const hocket_array *inputs, size_t inputCount,
                          const hocket_array *outputs, size_t outputCount) {
  std::unique_lock<std::mutex> lock;
  Status status = enterStep(lock);
  ReadArrays source("input in memory");
  WrittenArrays sink;
  if (status.ok())
    status = source.add(inputs, inputCount);
  if (status.ok())
    status = checkInputs(package->plan, source, source.names());
  if (status.ok())
    status = sink.add(package->plan, outputs, outputCount);
  return status.ok() ? step(source, sink) : status;
}

} // namespace hocket::runtime
