//===- Numbers.cpp - what a program computes ------------------------------===//

#include "Numbers.h"
#include "hocket/Io/RandomTensors.h"
#include "hocket/Launcher/Execute.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Plan/Costs.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <iostream>
#include <map>
#include <optional>

using namespace hocket;
using namespace hocket::mutate;

namespace {
using Outputs = std::map<std::string, std::vector<double>>;
} // namespace

/// Large enough that a softmax is not flat, so that what it weighs shows.
static runtime::RandomTensors weightsOf(const plan::Plan &plan) {
  runtime::RandomTensors weights("weights", /*seed=*/1);
  for (const plan::GlobalTensor &tensor : plan.parameters)
    weights.add(tensor, {/*deviation=*/0.5, /*limit=*/2});
  return weights;
}

static runtime::Status readOutputs(const plan::Plan &plan,
                                   const runtime::MemoryTensors &written,
                                   Outputs &outputs) {
  for (const plan::GlobalTensor &tensor : plan.outputs) {
    runtime::Box box;
    box.shape = box.size = tensor.dims;
    box.offset.assign(tensor.dims.size(), 0);
    std::vector<double> &values = outputs[tensor.name];
    values.resize(box.elements());
    runtime::Status status =
        written.read(tensor.name, box, plan::DType::F64, values.data());
    if (!status.ok())
      return status;
  }
  return runtime::Status::success();
}

static runtime::Status run(const CompiledProgram &program, Outputs &outputs) {
  const plan::Plan &plan = program.plan;
  std::shared_ptr<const runtime::Devices> devices;
  runtime::Status status = runtime::openCpuDevices(
      plan, program.kernels.data(), program.kernels.size(),
      runtime::oneProcess(), devices);
  if (!status.ok())
    return status;
  runtime::MemoryTensors written;
  status =
      runtime::executePlan(plan, devices, weightsOf(plan),
                           runtime::randomInputs(plan, /*seed=*/2), written);
  return status.ok() ? readOutputs(plan, written, outputs) : status;
}

static std::optional<CompiledProgram> compile(const std::string &stage,
                                              const std::string &dump) {
  Compiler compiler(llvm::errs());
  CompileSource source;
  source.path = "dump";
  source.text = dump;
  source.from = stage;
  compiler.skipReport();
  if (!compiler.load(source))
    return std::nullopt;
  codegen::CodeGenOptions options;
  options.optimize = false;
  options.threads = 1;
  return compiler.makeProgram(options);
}

/// Of all ranks together.
static bool isTooLarge(const plan::Plan &plan) {
  constexpr int64_t mostBytes = int64_t(1) << 29;
  constexpr int64_t mostFlops = int64_t(1) << 31;
  int64_t bytes = 0, flops = 0;
  for (const plan::Costs &costs : plan::costsByRank(plan)) {
    bytes += costs.memoryBytes;
    flops += costs.flops;
  }
  return bytes > mostBytes || flops > mostFlops;
}

static std::optional<Outputs> outputsOf(const CompiledProgram &program) {
  Outputs outputs;
  runtime::Status status = run(program, outputs);
  if (status.ok())
    return outputs;
  std::cerr << "error: " << status.message << "\n";
  return std::nullopt;
}

/// As far as the order of a sum explains, of the largest value.
static bool areClose(const std::vector<double> &a,
                     const std::vector<double> &b) {
  constexpr double tolerance = 1e-4;
  if (a.size() != b.size())
    return false;
  double largest = 0, apart = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
      continue;
    if (!std::isfinite(a[i]) || !std::isfinite(b[i]))
      return false;
    apart = std::max(apart, std::fabs(a[i] - b[i]));
  }
  for (double value : a)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  return apart <= tolerance * largest;
}

Numbers mutate::compareNumbers(const std::string &stage,
                               const std::string &dump,
                               const std::string &changed) {
  std::optional<CompiledProgram> was = compile(stage, dump);
  std::optional<CompiledProgram> is = was ? compile(stage, changed) : was;
  if (!is)
    return Numbers::None;
  if (was->plan.target != is->plan.target)
    return Numbers::Other; // and no GPU to run it
  if (isTooLarge(was->plan) || isTooLarge(is->plan))
    return Numbers::TooLarge;
  std::optional<Outputs> before = outputsOf(*was);
  std::optional<Outputs> after = before ? outputsOf(*is) : before;
  if (!after)
    return Numbers::None;
  if (before->size() != after->size())
    return Numbers::Other;
  for (const auto &[name, values] : *before) {
    auto found = after->find(name);
    if (found == after->end() || !areClose(values, found->second))
      return Numbers::Other;
  }
  return Numbers::Same;
}
