//===- StateTest.cpp - parameters and states that steps change ------------===//
//
// The same training step on 1, 2 and 4 ranks: every parameter and state has the
// bits of the float64 reference after each step, whether it is written in place
// or copied.
//
//===----------------------------------------------------------------------===//

#include "SgdProgram.h"
#include "dialects/Nn/Func.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Reference/Evaluate.h"
#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

// After gtest, whose folder for temporaries it uses.
#include "test/Runtime/TemporaryFolder.h"

using namespace hocket;
using namespace hocket::test;
using runtime::Executor;
using runtime::MemoryTensors;
using runtime::Status;

namespace {

/// A program of the placed stage, compiled and ready to run.
class Training {
public:
  explicit Training(const std::string &text) : compiler(llvm::errs()) {
    CompileSource source;
    source.path = folder.write("step.mlir", text);
    source.from = "placed";
    if (!compiler.load(source))
      return;
    placed = compiler.module().clone();
    program = compiler.makeProgram();
    if (!program)
      return;
    std::shared_ptr<const runtime::Devices> devices;
    Status status = runtime::openCpuDevices(
        program->plan, program->kernels.data(), program->kernels.size(),
        runtime::oneProcess(), devices);
    if (status.ok())
      status = Executor::create(program->plan, devices, {}, executor);
    EXPECT_TRUE(status.ok()) << status.message;
  }

  nn::FuncOp function() { return *placed->getOps<nn::FuncOp>().begin(); }
  const plan::Plan &plan() const { return program->plan; }
  bool done() const { return executor != nullptr; }

  TemporaryFolder folder;
  Compiler compiler;
  mlir::OwningOpRef<mlir::ModuleOp> placed;
  std::optional<CompiledProgram> program;
  std::unique_ptr<Executor> executor;
};

void fill(MemoryTensors &tensors, const std::string &name, int rows,
          int columns, int seed) {
  float *data =
      tensors.add(name, plan::DType::F32, {rows, columns}).as<float>();
  for (int i = 0; i < rows * columns; ++i)
    data[i] = static_cast<float>((i * 5 + seed * 3) % 7 % 3 - 1);
}

MemoryTensors weightsOf() {
  MemoryTensors weights("weights");
  fill(weights, "w", sgdOut, sgdIn, 1);
  return weights;
}

MemoryTensors inputsOf(int step) {
  MemoryTensors inputs("inputs");
  fill(inputs, "x", sgdBatch, sgdIn, 2 + step);
  fill(inputs, "t", sgdBatch, sgdOut, 5 + step);
  *inputs.add("step", plan::DType::I32, {}).as<int32_t>() = step;
  return inputs;
}

reference::Tensor wholeOf(const MemoryTensors &tensors,
                          const std::string &name) {
  const MemoryTensors::Tensor *found = tensors.find(name);
  reference::Tensor tensor{found->description.dims, {}};
  size_t count = 1;
  for (int64_t dim : tensor.shape)
    count *= dim;
  for (size_t i = 0; i < count; ++i)
    tensor.values.push_back(found->description.type == plan::DType::I32
                                ? found->as<int32_t>()[i]
                                : found->as<float>()[i]);
  return tensor;
}

/// Parameters and states by name after a step of the reference.
using Held = llvm::StringMap<reference::Tensor>;

Held stepOfReference(Training &training, const Held &held, int step,
                     std::vector<reference::Tensor> &outputs) {
  MemoryTensors inputs = inputsOf(step);
  std::vector<reference::Tensor> arguments;
  for (const char *name : {"x", "t", "step"})
    arguments.push_back(wholeOf(inputs, name));
  auto parameters = [&](llvm::StringRef path, reference::Tensor &tensor) {
    auto found = held.find(path);
    if (found != held.end())
      tensor = found->second;
    return found != held.end();
  };
  Held next;
  std::string error;
  EXPECT_TRUE(succeeded(reference::evaluate(training.function(), parameters,
                                            arguments, outputs, error, &next)))
      << error;
  return next;
}

void expectEqual(const MemoryTensors &found, const std::string &name,
                 const reference::Tensor &expected) {
  ASSERT_TRUE(found.find(name)) << name;
  EXPECT_EQ(wholeOf(found, name).values, expected.values) << name;
}

struct Mesh {
  int dp, tp;
  bool returnsBefore;
};
class States : public testing::TestWithParam<Mesh> {};

constexpr int steps = 3;

TEST_P(States, holdTheBitsOfTheReference) {
  Mesh mesh = GetParam();
  Training training(sgdProgram(mesh.dp, mesh.tp, mesh.returnsBefore));
  ASSERT_TRUE(training.done());
  MemoryTensors weights = weightsOf();
  Status status = training.executor->load(weights);
  ASSERT_TRUE(status.ok()) << status.message;
  Held held;
  held["w"] = wholeOf(weights, "w");
  for (int step = 0; step < steps; ++step) {
    MemoryTensors inputs = inputsOf(step), outputs, saved;
    status = training.executor->step(inputs, outputs);
    ASSERT_TRUE(status.ok()) << status.message;
    std::vector<reference::Tensor> expected;
    reference::Tensor before = held["w"];
    held = stepOfReference(training, held, step, expected);
    EXPECT_FLOAT_EQ(wholeOf(outputs, "loss").values[0], expected[0].values[0]);
    if (mesh.returnsBefore)
      expectEqual(outputs, "before", before);
    status = training.executor->save(saved);
    ASSERT_TRUE(status.ok()) << status.message;
    expectEqual(saved, "w", held["w"]);
    expectEqual(saved, "momentum.w", held["momentum.w"]);
  }
}

/// What one mesh saved another one goes on with, to the bit.
TEST_P(States, areRestoredUnderAnotherSchedule) {
  Mesh mesh = GetParam();
  Training first(sgdProgram(mesh.dp, mesh.tp)), second(sgdProgram(1, 2));
  ASSERT_TRUE(first.done() && second.done());
  MemoryTensors outputs, saved, expected, found;
  ASSERT_TRUE(first.executor->load(weightsOf()).ok());
  ASSERT_TRUE(first.executor->step(inputsOf(0), outputs).ok());
  ASSERT_TRUE(first.executor->save(saved).ok());
  ASSERT_TRUE(second.executor->load(saved).ok());
  ASSERT_TRUE(second.executor->restore(saved).ok());
  ASSERT_TRUE(first.executor->step(inputsOf(1), outputs).ok());
  ASSERT_TRUE(second.executor->step(inputsOf(1), outputs).ok());
  ASSERT_TRUE(first.executor->save(expected).ok());
  ASSERT_TRUE(second.executor->save(found).ok());
  for (const char *name : {"w", "momentum.w"})
    EXPECT_EQ(found.find(name)->bytes, expected.find(name)->bytes) << name;
}

INSTANTIATE_TEST_SUITE_P(Meshes, States,
                         testing::Values(Mesh{1, 1, false}, Mesh{1, 1, true},
                                         Mesh{2, 1, false}, Mesh{1, 2, true},
                                         Mesh{1, 2, false}, Mesh{2, 2, false},
                                         Mesh{3, 1, true}),
                         [](const auto &info) {
                           return "dp" + std::to_string(info.param.dp) + "tp" +
                                  std::to_string(info.param.tp) +
                                  (info.param.returnsBefore ? "before" : "");
                         });

/// Copies of the step, which an update in place does not need.
int64_t copiesIn(const plan::Plan &plan) {
  int64_t copies = 0;
  for (const plan::Instruction &instruction : plan.classes[0].step)
    copies += std::holds_alternative<plan::Copy>(instruction.body);
  return copies;
}

TEST(StatePlan, writesInPlaceWhereNothingReadsTheOldValueLater) {
  Training inPlace(sgdProgram(1, 1)), copied(sgdProgram(1, 1, true));
  ASSERT_TRUE(inPlace.done() && copied.done());
  EXPECT_EQ(copiesIn(inPlace.plan()), 0);
  // The old weight to its output, and the new one to its place.
  EXPECT_EQ(copiesIn(copied.plan()), 2);
}

TEST(StatePlan, packsNoWeightThatChanges) {
  Training training(sgdProgram(1, 1));
  ASSERT_TRUE(training.done());
  EXPECT_EQ(training.plan().classes[0].packs, 0);
  EXPECT_EQ(training.plan().classes[0].budget.weightBytes, 0);
  // Two tensors of 60 bytes, each at a multiple of 64.
  EXPECT_EQ(training.plan().classes[0].budget.stateBytes, 128);
}

TEST(StatePlan, namesWhatIsMissingWhenRestoring) {
  Training training(sgdProgram(1, 1));
  ASSERT_TRUE(training.done());
  MemoryTensors weights = weightsOf();
  Status early = training.executor->restore(weights);
  EXPECT_EQ(early.message, "restoring states needs weights: load comes first");
  ASSERT_TRUE(training.executor->load(weights).ok());
  Status status = training.executor->restore(weights);
  EXPECT_EQ(status.message, "weights: there is no \"momentum.w\", expected "
                            "[3, 5] f32");
  MemoryTensors sink;
  EXPECT_TRUE(training.executor->save(sink).ok());
}

} // namespace
