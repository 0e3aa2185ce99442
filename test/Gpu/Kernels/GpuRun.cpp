//===- GpuRun.cpp - launches of the runtime, run by the interpreter -------===//

#include "test/Gpu/Kernels/GpuRun.h"
#include "test/Gpu/Kernels/KernelText.h"
#include "test/Gpu/Kernels/KernelTrace.h"

namespace hocket::test {

using runtime::Operand;
using runtime::cuda::Image;
using runtime::cuda::KernelLaunch;

/// Of one launch; those of the tests take less than a fifth.
static constexpr uint64_t mostSteps = uint64_t(1) << 24;

/// Bytes from the first element to the end of the last one.
static int64_t span(const TestOperand &host) {
  int64_t last = 0;
  for (size_t dim = 0; dim < host.shape.size(); ++dim)
    last += (host.shape[dim] - 1) * host.strides[dim];
  return host.elements() ? (last + 1) * plan::byteSize(host.type) : 0;
}

TestOperand manyDims(plan::DType type, size_t dims, int64_t unit) {
  TestOperand operand(type, std::vector<int64_t>(dims, 2));
  operand.shape.back() = 2 * unit;
  for (size_t dim = dims - 1; dim-- > 0;)
    operand.strides[dim] =
        dim + 2 == dims ? 3 * unit : 2 * operand.strides[dim + 1] + unit;
  operand.bytes.resize((2 * operand.strides[0] + unit) * plan::byteSize(type));
  return operand;
}

Operand GpuRun::upload(const TestOperand &host, const std::string &name,
                       int64_t offset) {
  int64_t before = offset * plan::byteSize(host.type);
  uint64_t address = memory.allocate(before + span(host), name) + before;
  if (span(host))
    memory.write(address, host.bytes.data(), span(host));
  return {reinterpret_cast<void *>(address), host.type, host.shape,
          host.strides};
}

Operand GpuRun::uploadApart(const TestOperand &host, const std::string &name,
                            int dim) {
  if (dim < 0 || size_t(dim) >= host.shape.size() || host.shape[dim] != 2)
    return upload(host, name);
  TestOperand entry = host;
  entry.shape[dim] = 1;
  int64_t width = plan::byteSize(host.type);
  uint64_t addresses[2];
  for (int i : {0, 1}) {
    addresses[i] = memory.allocate(span(entry), name);
    memory.write(addresses[i], &host.bytes[i * host.strides[dim] * width],
                 span(entry));
  }
  Operand operand{reinterpret_cast<void *>(addresses[0]), host.type, host.shape,
                  host.strides};
  operand.strides[dim] = int64_t(addresses[1] - addresses[0]) / width;
  return operand;
}

void GpuRun::download(const Operand &device, TestOperand &host) {
  uint64_t address = reinterpret_cast<uint64_t>(device.data);
  if (device.strides == host.strides) {
    if (span(host))
      memory.read(address, host.bytes.data(), span(host));
    return;
  }
  TestOperand there = host;
  there.strides = device.strides;
  int64_t width = plan::byteSize(host.type);
  for (int64_t flat = 0; flat < host.elements(); ++flat)
    memory.read(address + there.place(flat) * width,
                &host.bytes[host.place(flat) * width], width);
}

/// The PTX that ships, or what a test puts in its place, parsed once.
static const ptx::Module &moduleOf(const std::string &source,
                                   const std::string &entry) {
  static std::map<std::string, ptx::Module> modules;
  auto found = modules.find(entry);
  if (found == modules.end())
    found = modules
                .emplace(entry, ptx::parse(changedText(entry).value_or(
                                               textOfKernel(source, entry)),
                                           source + ".ptx"))
                .first;
  return found->second;
}

ptx::Program &GpuRun::program(const std::string &source,
                              const std::string &entry) {
  std::unique_ptr<ptx::Program> &made = programs[entry];
  if (!made)
    made = std::make_unique<ptx::Program>(moduleOf(source, entry), memory);
  return *made;
}

static void add(ptx::Report &all, const ptx::Report &one) {
  all.total += one.total;
  for (unsigned i = 0; i < ptx::classCount; ++i)
    all.byClass[i] += one.byClass[i];
  for (const auto &[line, counts] : one.byLine)
    all.byLine[line] += counts;
  for (const auto &[base, counts] : one.byAllocation)
    all.byAllocation[base] += counts;
  all.barriers += one.barriers;
}

ptx::Report GpuRun::run(runtime::cuda::KernelLaunches &launches) {
  if (launches.scratchBytes())
    launches.setScratch(memory.allocate(launches.scratchBytes(), scratchName));
  if (const std::vector<std::byte> &tables = launches.tables();
      !tables.empty()) {
    uint64_t place = memory.allocate(tables.size(), "tables");
    memory.write(place, tables.data(), tables.size());
    launches.setTables(place);
  }
  ptx::Report all;
  for (const KernelLaunch &one : launches.list) {
    ptx::Configuration how;
    how.grid = {one.grid[0], one.grid[1], one.grid[2]};
    how.block = {one.block[0], one.block[1], one.block[2]};
    how.dynamicShared = one.sharedBytes;
    how.arguments.bytes = one.argument;
    how.mostSteps = mostStepsOfLaunch(mostSteps);
    how.onlyBlocks = onlyBlocks;
    ptx::Report report =
        ptx::launch(program(one.source, one.entry), one.entry, how);
    traceLaunch(one.source, one.entry, report);
    EXPECT_EQ(report.text(), "") << "in " << one.entry;
    add(all, report);
  }
  traceMemory(memory);
  return all;
}

} // namespace hocket::test
