//===- DropoutRun.cpp - what a program with dropout computes --------------===//

#include "DropoutRun.h"
#include "dialects/Nn/Program.h"
#include "hocket/Launcher/Execute.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Random/Philox.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "hocket/Transforms/Differentiate.h"
#include "hocket/Verify/Verify.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::test;

static void fill(const std::string &name,
                 runtime::MemoryTensors::Tensor &tensor, int32_t step) {
  if (name == "step") {
    *tensor.as<int32_t>() = step;
    return;
  }
  size_t count = tensor.bytes.size() / sizeof(float);
  size_t last = size_t(tensor.description.dims.back());
  for (size_t i = 0; i < count; ++i)
    tensor.as<float>()[i] =
        name == "k" || name == "v" ? i / last % last == i % last : name != "q";
}

/// Kernels that several schedules share are compiled once.
static codegen::KernelCache &cache() {
  static codegen::KernelCache kept;
  return kept;
}

static bool load(Compiler &compiler, const std::string &text,
                 const Settings &settings) {
  frontend::ElaborateOptions options;
  options.training = true;
  options.schedule = settings.schedule;
  if (!settings.schedule.empty())
    options.defines.push_back(
        {"schedule", "n", std::to_string(settings.ranks)});
  compiler.skipReport();
  if (!compiler.loadTexts("drop.hkt", {{"drop.hkt", text}}, options))
    return false;
  nn::modelOf(compiler.module()).setSeed(settings.seed);
  // The gradients of all inputs, for the gradients of outputs that inputs give.
  nn::computeAllGradients(compiler.module());
  return true;
}

Outputs test::run(const std::string &text, const Settings &settings) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  Compiler compiler(stream, &cache());
  std::optional<CompiledProgram> program;
  if (load(compiler, text, settings))
    program = compiler.makeProgram();
  EXPECT_TRUE(program) << errors;
  if (!program)
    return {};
  const plan::Plan &plan = program->plan;
  EXPECT_EQ(plan.rankCount(), settings.ranks);
  std::shared_ptr<const runtime::Devices> devices;
  runtime::MemoryTensors weights("weights"), inputs("input"), outputs("output");
  for (const plan::GlobalTensor &input : plan.inputs)
    fill(input.name, inputs.add(input.name, input.type, input.dims),
         settings.step);
  runtime::Status status = runtime::openCpuDevices(
      plan, program->kernels.data(), program->kernels.size(),
      runtime::oneProcess(), devices);
  if (status.ok())
    status = runtime::executePlan(plan, devices, weights, inputs, outputs);
  EXPECT_TRUE(status.ok()) << status.message;
  Outputs found;
  for (const plan::GlobalTensor &output : plan.outputs)
    if (const auto *tensor = outputs.find(output.name))
      found[output.name] =
          Numbers(tensor->as<float>(),
                  tensor->as<float>() + tensor->bytes.size() / sizeof(float));
  return found;
}

Numbers test::dropped(size_t count, double p, const std::string &path,
                      int32_t step, int64_t seed) {
  uint64_t key = uint64_t(seed) ^ runtime::hashPath(path);
  Numbers result;
  for (size_t i = 0; i < count; ++i) {
    uint32_t word =
        runtime::wordOfElement(key, i, step, runtime::Purpose::Dropout);
    result.push_back(word < runtime::dropThreshold(p) ? 0 : float(1 / (1 - p)));
  }
  return result;
}

Outputs test::sameOnAllRanks(const std::string &text,
                             const std::vector<std::string> &names,
                             const std::set<std::string> &sums) {
  Outputs alone = run(text, {"", 1, 5, 3});
  EXPECT_FALSE(alone.empty());
  for (const std::string &name : names)
    for (int64_t ranks : {2, 3, 4}) {
      SCOPED_TRACE(name + " on " + std::to_string(ranks) + " ranks");
      Outputs found = run(text, {name, ranks, 5, 3});
      EXPECT_EQ(found.size(), alone.size());
      for (const auto &[output, values] : alone) {
        if (sums.count(output) == 0) {
          EXPECT_EQ(found[output], values) << output;
        }
        float worst = 0;
        for (size_t i = 0; i < found[output].size(); ++i)
          worst = std::max(worst, std::fabs(found[output][i] - values[i]));
        EXPECT_LE(worst, 1e-5f) << output;
      }
    }
  return alone;
}

double test::errorOf(const std::string &text, const Settings &settings) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  Compiler compiler(stream, &cache());
  VerifyReport report;
  runtime::Status status;
  bool done = load(compiler, text, settings) &&
              verify(compiler, VerifyOptions(), report, status);
  EXPECT_TRUE(done) << settings.schedule << ": " << errors << status.message;
  return done ? report.worst() : INFINITY;
}

int64_t test::countDrops(const std::string &text, const Settings &settings) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  Compiler compiler(stream);
  int64_t count = 0;
  EXPECT_TRUE(load(compiler, text, settings) &&
              compiler.runTo("differentiated"))
      << errors;
  compiler.module()->walk([&](mlir::Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    count += name == "nn.dropout" || name.starts_with("nn.attention");
  });
  return count;
}
