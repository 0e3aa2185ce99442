//===- GpuRun.cpp - launches of the runtime, run by the interpreter -------===//

#include "test/Gpu/Kernels/GpuRun.h"

namespace hocket::test {

using runtime::Operand;
using runtime::cuda::Image;
using runtime::cuda::KernelLaunch;

/// Bytes from the first element to the end of the last one.
static int64_t span(const TestOperand &host) {
  int64_t last = 0;
  for (size_t dim = 0; dim < host.shape.size(); ++dim)
    last += (host.shape[dim] - 1) * host.strides[dim];
  return host.elements() ? (last + 1) * plan::byteSize(host.type) : 0;
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

void GpuRun::download(const Operand &device, TestOperand &host) {
  if (span(host))
    memory.read(reinterpret_cast<uint64_t>(device.data), host.bytes.data(),
                span(host));
}

/// The PTX as it is embedded, parsed once.
static const ptx::Module &moduleOf(const std::string &source) {
  static std::map<std::string, ptx::Module> modules;
  auto found = modules.find(source);
  if (found != modules.end())
    return found->second;
  for (const Image &image : runtime::cuda::images())
    if (image.chip == 0 && image.source == source) {
      std::string text(reinterpret_cast<const char *>(image.data), image.size);
      return modules.emplace(source, ptx::parse(text, source + ".ptx"))
          .first->second;
    }
  throw std::runtime_error("no PTX of " + source);
}

ptx::Program &GpuRun::program(const std::string &source) {
  std::unique_ptr<ptx::Program> &made = programs[source];
  if (!made)
    made = std::make_unique<ptx::Program>(moduleOf(source), memory);
  return *made;
}

static void add(ptx::Report &all, const ptx::Report &one) {
  all.total += one.total;
  for (unsigned i = 0; i < ptx::classCount; ++i)
    all.byClass[i] += one.byClass[i];
  for (const auto &[line, counts] : one.byLine)
    all.byLine[line] += counts;
  all.barriers += one.barriers;
}

ptx::Report GpuRun::run(runtime::cuda::KernelLaunches &launches) {
  if (launches.scratchBytes())
    launches.setScratch(memory.allocate(launches.scratchBytes(), "scratch"));
  ptx::Report all;
  for (const KernelLaunch &one : launches.list) {
    ptx::Configuration how;
    how.grid = {one.grid[0], one.grid[1], one.grid[2]};
    how.block = {one.block[0], one.block[1], one.block[2]};
    how.dynamicShared = one.sharedBytes;
    how.arguments.bytes = one.argument;
    ptx::Report report = ptx::launch(program(one.source), one.entry, how);
    EXPECT_EQ(report.text(), "") << "in " << one.entry;
    add(all, report);
  }
  return all;
}

} // namespace hocket::test
