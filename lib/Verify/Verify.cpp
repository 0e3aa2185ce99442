//===- Verify.cpp - runs a program and the reference side by side ---------===//

#include "ReferenceSide.h"
#include "dialects/Nn/Program.h"
#include "hocket/Launcher/Execute.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Plan/Summary.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "hocket/Transforms/Precision.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/xxhash.h"

using namespace hocket;
using runtime::Status;

double VerifyReport::worst() const { return worstOf(outputs); }

bool VerifyReport::isFinite() const {
  return llvm::all_of(
      outputs, [](const OutputError &output) { return output.isFinite; });
}

double hocket::roundingTolerance(mlir::ModuleOp model) {
  double tolerance = 1e-5;
  auto widen = [&](mlir::Type type) {
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    if (element.isF16())
      tolerance = std::max(tolerance, 2e-3);
    if (element.isBF16())
      tolerance = std::max(tolerance, 2e-2);
  };
  if (auto compute =
          nn::modelOf(model).getPrecision().getAs<mlir::TypeAttr>("compute"))
    widen(compute.getValue());
  model.walk([&](mlir::Operation *op) {
    llvm::for_each(op->getOperandTypes(), widen);
    llvm::for_each(op->getResultTypes(), widen);
  });
  return tolerance;
}

void hocket::widenToFloat64(mlir::ModuleOp model) {
  mlir::Type wide = mlir::Float64Type::get(model.getContext());
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([=](mlir::Float32Type) { return wide; });
  replacer.addReplacement([=](mlir::FloatAttr number) -> mlir::Attribute {
    if (!number.getType().isF32())
      return number;
    return mlir::FloatAttr::get(wide, number.getValueAsDouble());
  });
  replacer.recursivelyReplaceElementsIn(model, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

static ReadTensor readsOf(const runtime::TensorSource &source) {
  return [&source](const std::string &name, reference::Tensor &tensor) {
    return readWhole(source, name, tensor);
  };
}

std::optional<Verification>
hocket::prepareVerification(Compiler &compiler, const VerifyOptions &options,
                            Status &status) {
  mlir::OwningOpRef<mlir::ModuleOp> model = compiler.module().clone();
  if (!makeReference(*model))
    return std::nullopt;
  Compiler &run = options.program ? *options.program : compiler;
  std::optional<CompiledProgram> program = run.makeProgram(options.codegen);
  if (!program)
    return std::nullopt;
  runtime::RandomTensors weights = tellingWeights(program->plan, options.seed);
  runtime::RandomTensors inputs =
      runtime::randomInputs(program->plan, options.seed + 1);
  Verification made{
      std::move(*program), std::move(weights), std::move(inputs), {}};
  status = evaluateReference(*model, readsOf(made.weights),
                             readsOf(made.inputs), made.expected);
  if (!status.ok())
    return std::nullopt;
  return made;
}

static uint64_t digestWith(uint64_t digest, const std::vector<double> &values) {
  auto bytes = [](const auto *first, size_t count) {
    return llvm::ArrayRef(reinterpret_cast<const uint8_t *>(first),
                          count * sizeof *first);
  };
  uint64_t both[] = {digest,
                     llvm::xxh3_64bits(bytes(values.data(), values.size()))};
  return llvm::xxh3_64bits(bytes(both, 2));
}

bool hocket::verify(Compiler &compiler, const VerifyOptions &options,
                    VerifyReport &report, Status &status) {
  std::optional<Verification> made =
      prepareVerification(compiler, options, status);
  if (!made)
    return false;
  const plan::Plan &plan = made->program.plan;
  const std::vector<uint8_t> &kernels = made->program.kernels;
  std::shared_ptr<const runtime::Devices> devices;
  status = options.open(plan, kernels.data(), kernels.size(),
                        runtime::oneProcess(), devices);
  if (!status.ok())
    return false;
  runtime::MemoryTensors outputs("outputs");
  runtime::RunOptions running;
  running.checkReplicas = true;
  runtime::RunReport ran;
  status = runtime::executePlan(plan, devices, made->weights, made->inputs,
                                outputs, running, &ran);
  if (status.ok())
    status = runtime::checkAgainstPlan(plan, ran);
  if (!status.ok())
    return false;
  report.ranks = plan.rankCount();
  nlohmann::ordered_json summary = plan::summary(plan);
  for (auto &kind : summary["totals"]["step"])
    report.collectives += kind["calls"].get<int64_t>();
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    reference::Tensor found;
    status = readWhole(outputs, plan.outputs[i].name, found);
    if (!status.ok())
      return false;
    report.outputs.push_back(
        compare(plan.outputs[i].name, found.values, made->expected[i].values));
    report.digest = digestWith(report.digest, found.values);
  }
  judgeZeroGradients(report.outputs);
  report.plan = std::move(made->program.plan);
  return true;
}
