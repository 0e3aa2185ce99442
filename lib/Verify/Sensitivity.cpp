//===- Sensitivity.cpp - what rounding makes of a model -------------------===//

#include "ReferenceSide.h"
#include <cfloat>
#include <random>

using namespace hocket;
using runtime::Status;

/// Half a unit in the last place of a float32 between 1 and 2.
static constexpr double kHalfUnit = 0x1p-24;

/// Reads tensors whose floats are a rounding of float32 away, up or down.
static ReadTensor nudged(const runtime::TensorSource &source, uint64_t seed) {
  return [&source, seed](const std::string &name, reference::Tensor &tensor) {
    runtime::TensorDescription description;
    Status status = readWhole(source, name, tensor);
    if (!status.ok() || !source.describe(name, description) ||
        description.type == plan::DType::I32 ||
        description.type == plan::DType::I64 ||
        description.type == plan::DType::Bool)
      return status;
    std::mt19937_64 random(seed + std::hash<std::string>()(name));
    for (double &value : tensor.values)
      value *= random() % 2 ? 1 + kHalfUnit : 1 - kHalfUnit;
    return status;
  };
}

static ReadTensor exact(const runtime::TensorSource &source) {
  return [&source](const std::string &name, reference::Tensor &tensor) {
    return readWhole(source, name, tensor);
  };
}

bool hocket::sensitivity(Compiler &compiler, const VerifyOptions &options,
                         VerifyReport &report, Status &status) {
  mlir::OwningOpRef<mlir::ModuleOp> model = compiler.module().clone();
  std::optional<CompiledProgram> program;
  if (!makeReference(*model) ||
      !(program = compiler.makeProgram(options.codegen)))
    return false;
  const plan::Plan &plan = program->plan;
  runtime::RandomTensors weights = tellingWeights(plan, options.seed);
  runtime::RandomTensors inputs = runtime::randomInputs(plan, options.seed + 1);
  std::vector<reference::Tensor> expected, moved;
  status = evaluateReference(*model, exact(weights), exact(inputs), expected);
  if (status.ok())
    status = evaluateReference(*model, nudged(weights, options.seed),
                               nudged(inputs, options.seed), moved);
  for (size_t i = 0; status.ok() && i < plan.outputs.size(); ++i) {
    report.outputs.push_back(
        compare(plan.outputs[i].name, moved[i].values, expected[i].values));
    report.outputs.back().isFinite &= report.outputs.back().largest <= FLT_MAX;
  }
  judgeZeroGradients(report.outputs);
  return status.ok();
}
