//===- PtxRun.cpp - a kernel as PTX, interpreted --------------------------===//

#include "PtxRun.h"
#include "lib/CodeGen/Gpu/PtxCompiler.h"
#include "lib/CodeGen/PrepareKernel.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace hocket::codegen;

namespace hocket::test {

bool hasDeviceLibrary() { return *HOCKET_LIBDEVICE != 0; }

namespace {
/// A device, and the kernels that run on it.
class PtxRunner {
public:
  explicit PtxRunner(int64_t coordinate) : coordinate(coordinate) {}

  uint64_t allocate(int64_t bytes, const std::string &name) {
    return device.allocate(std::max<int64_t>(bytes, 1), name);
  }
  /// Launches the steps. `operands`: addresses of inputs, then of outputs.
  bool run(const GpuKernel &kernel, std::vector<uint64_t> operands,
           ArrayRef<KernelScalar> scalars);
  /// The address of the table's elements, computed; 0: it cannot be.
  uint64_t make(const TableGraph &table);

  ptx::Memory device;
  ptx::Counts counts;

private:
  const int64_t coordinate;
};
} // namespace

/// Nothing if it needs functions that are not there.
static std::optional<std::string> compile(const GpuKernel &kernel) {
  static PtxCompiler compiler("sm_80", HOCKET_LIBDEVICE);
  std::string error;
  std::string text = compiler.compile("k", kernel, error);
  if (!text.empty())
    return text;
  bool isMissing =
      !hasDeviceLibrary() && error.find("libdevice.10.bc") != std::string::npos;
  EXPECT_TRUE(isMissing) << error;
  return std::nullopt;
}

bool PtxRunner::run(const GpuKernel &kernel, std::vector<uint64_t> operands,
                    ArrayRef<KernelScalar> scalars) {
  std::optional<std::string> text = compile(kernel);
  if (!text)
    return false;
  for (const GpuScratch &scratch : kernel.scratch)
    operands.push_back(
        allocate(scratch.elements * plan::byteSize(scratch.type), "scratch"));
  ptx::Program program(ptx::parse(*text, "k.ptx"), device);
  for (auto [i, step] : llvm::enumerate(kernel.steps)) {
    if (step.schedule.blocks == 0)
      continue;
    ptx::Configuration how;
    how.grid.x = step.schedule.blocks;
    how.block.x = step.schedule.threads;
    for (int operand : step.operands)
      how.arguments.add(operands[operand]);
    for (const KernelScalar &scalar : scalars)
      how.arguments.add(valueOf(scalar, coordinate));
    ptx::Report report = launch(program, entryName("k", kernel, i), how);
    EXPECT_TRUE(report.findings.empty()) << report.text();
    counts += report.total;
  }
  return true;
}

uint64_t PtxRunner::make(const TableGraph &table) {
  int64_t elements = 1;
  for (int64_t size : table.shape)
    elements *= size;
  uint64_t place = allocate(elements * plan::byteSize(table.type), "table");
  GpuKernel kernel = makeGpuKernel(table.graph, {kTableAlignment});
  SmallVector<KernelScalar> scalars;
  if (table.first)
    scalars.push_back({KernelScalar::Kind::Table, table.first});
  return run(kernel, {place}, scalars) ? place : 0;
}

bool runPtx(KernelRequest request, std::vector<Memory> &memory,
            int64_t coordinate, ptx::Counts *counts, int64_t alignment) {
  size_t inputs = request.body->getNumArguments();
  for (auto [i, argument] : llvm::enumerate(memory)) {
    int64_t element = argument.element.getIntOrFloatBitWidth() / 8;
    (i < inputs ? request.inputAlignments : request.outputAlignments)
        .push_back(std::max(alignment, element));
  }
  GpuKernel kernel;
  std::unique_ptr<GraphBuilder> builder = prepareOrReport(request, kernel);
  if (!builder) {
    ADD_FAILURE() << "it cannot be one kernel";
    return false;
  }
  PtxRunner runner(coordinate);
  std::vector<uint64_t> operands;
  auto add = [&](const Memory &argument, int64_t aligned) {
    // Not aligned to more than that.
    operands.push_back(runner.allocate(aligned + argument.size(), "argument") +
                       aligned);
  };
  for (size_t i = 0; i < inputs; ++i) {
    add(memory[i], request.inputAlignments[i]);
    runner.device.write(operands.back(), memory[i].bytes.data(),
                        memory[i].size());
  }
  for (const TableGraph &table : builder->tables) {
    operands.push_back(runner.make(table));
    if (!operands.back())
      return false;
  }
  size_t behind = operands.size();
  for (size_t i = inputs; i < memory.size(); ++i)
    add(memory[i], request.outputAlignments[i - inputs]);
  for (auto [input, output] : builder->graph.inPlace)
    operands[behind + output] = operands[input];
  if (!runner.run(kernel, operands, builder->scalars))
    return false;
  if (counts)
    *counts += runner.counts;
  for (size_t i = inputs; i < memory.size(); ++i)
    runner.device.read(operands[behind + i - inputs], memory[i].bytes.data(),
                       memory[i].size());
  return true;
}

} // namespace hocket::test
