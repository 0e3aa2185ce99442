//===- GpuRun.h - launches of the runtime, interpreted ---------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_KERNELS_GPURUN_H
#define HOCKET_TEST_GPU_KERNELS_GPURUN_H

#include "runtime/lib/Cuda/Kernels/Images.h"
#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"
#include "test/Gpu/Ptx/Launch.h"
#include "test/Runtime/TestOperand.h"

namespace hocket::test {

/// Memory of a device with copies of operands, each no larger than what its
/// strides reach.
class GpuRun {
public:
  /// The operand at `offset` elements of an allocation of its own, with the
  /// bytes that it has on the host.
  runtime::Operand upload(const TestOperand &host, const std::string &name,
                          int64_t offset = 0);
  /// The same with each entry of a dim of two in an allocation of its own: the
  /// stride of the dim is more than 2^32 bytes. A dim of another extent, or
  /// none (-1), is uploaded as above.
  runtime::Operand uploadApart(const TestOperand &host, const std::string &name,
                               int dim);
  /// Copies the operand's elements back to the host.
  void download(const runtime::Operand &device, TestOperand &host);

  /// Runs all launches of an instruction; whatever is wrong fails the test.
  /// Returns what they did, all together.
  ptx::Report run(runtime::cuda::KernelLaunches &launches);

  ptx::Memory memory;
  std::vector<uint64_t> onlyBlocks; ///< of each launch; empty: all

private:
  ptx::Program &program(const std::string &source, const std::string &entry);
  std::map<std::string, std::unique_ptr<ptx::Program>> programs; // by entry
};

/// An operand of dims of two units each, no two of which are one: each is
/// followed by a unit that is not its own.
TestOperand manyDims(plan::DType type, size_t dims, int64_t unit = 1);

/// A status that failed fails the test.
inline void expectOk(const runtime::Status &status) {
  EXPECT_TRUE(status.ok()) << status.message;
}

/// Tests that are skipped where Hocket was built without nvcc.
class CudaKernels : public testing::Test {
protected:
  void SetUp() override {
    if (runtime::cuda::images().empty())
      GTEST_SKIP() << "nvcc was not found when this was built";
  }
};

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_KERNELS_GPURUN_H
