//===- TrafficTest.cpp - what kernels of the runtime ask of memory --------===//
//
// What is bound by memory reads and writes each byte once, in whole sectors,
// and meets no bank of shared memory twice: copies, also of windows that are
// packed and transposed, constants, lookups and their gradients, sums.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Kernels/Copy.h"
#include "runtime/lib/Cuda/Kernels/Embedding.h"
#include "runtime/lib/Cuda/Kernels/LookupError.h"
#include "runtime/lib/Cuda/Kernels/Reduce.h"
#include "test/Gpu/Kernels/GpuRun.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using runtime::cuda::KernelLaunches;

namespace {

class CudaTraffic : public CudaKernels {};

int64_t bytesOf(const TestOperand &operand) {
  return operand.elements() * plan::byteSize(operand.type);
}

/// Bytes that warps ask for are those to be read and written; `more` is what
/// may be read beside these, as a part of them (ids that units share).
void expectOnce(const ptx::Report &report, int64_t read, int64_t written,
                double more = 0) {
  const ptx::Counts &total = report.total;
  EXPECT_GE(total.loadedOnce, uint64_t(read));
  EXPECT_LE(double(total.loadedOnce), read * (1 + more));
  EXPECT_EQ(total.storedOnce, uint64_t(written));
  EXPECT_LE(total.sectorsPerIdeal(), 1.05);
  EXPECT_LE(total.waysPerIdeal(), 1.1);
}

ptx::Report copied(TestOperand &src, TestOperand &dst) {
  GpuRun gpu;
  runtime::Operand from = gpu.upload(src, "src"), to = gpu.upload(dst, "dst");
  KernelLaunches launches;
  expectOk(runtime::cuda::addCopy(from, to, launches));
  return gpu.run(launches);
}

TEST_F(CudaTraffic, CopiesOfWindows) {
  for (DType type : {DType::F32, DType::BF16, DType::F64, DType::Bool}) {
    // Dense; rows out of wider ones (packed) and into them (unpacked).
    TestOperand dense(type, {6, 40, 64}), same(type, {6, 40, 64});
    expectOnce(copied(dense, same), bytesOf(dense), bytesOf(dense));
    TestOperand wide(type, {6, 40, 64}, {}, 64);
    expectOnce(copied(wide, dense), bytesOf(dense), bytesOf(dense));
    expectOnce(copied(dense, wide), bytesOf(dense), bytesOf(dense));
  }
}

TEST_F(CudaTraffic, CopiesThatTranspose) {
  for (DType type : {DType::F32, DType::BF16, DType::F64, DType::Bool})
    for (int64_t side : {128, 256}) {
      TestOperand src(type, {3, side, 160}, {0, 2, 1}),
          dst(type, {3, side, 160});
      expectOnce(copied(src, dst), bytesOf(src), bytesOf(src));
    }
}

TEST_F(CudaTraffic, Constants) {
  for (DType type : {DType::F32, DType::BF16}) {
    TestOperand dst(type, {24, 80});
    GpuRun gpu;
    runtime::Operand to = gpu.upload(dst, "dst");
    KernelLaunches launches;
    expectOk(runtime::cuda::addFill(to, 3, launches));
    expectOk(runtime::cuda::addIota(to, 1, 0, launches));
    expectOnce(gpu.run(launches), 0, 2 * bytesOf(dst));
  }
}

TEST_F(CudaTraffic, Lookups) {
  for (DType type : {DType::F32, DType::BF16}) {
    TestOperand table(type, {50, 256}), ids(DType::I64, {3, 33}),
        out(type, {3, 33, 256});
    for (int64_t flat = 0; flat < 99; ++flat)
      ids.set(flat, flat * 7 % 50);
    GpuRun gpu;
    uint64_t error =
        gpu.memory.upload(std::vector<runtime::cuda::LookupError>(1), "error");
    KernelLaunches launches;
    expectOk(runtime::cuda::addEmbedding({gpu.upload(table, "table"),
                                          gpu.upload(ids, "ids"),
                                          gpu.upload(out, "out"), 0, 50, "ids"},
                                         error, launches));
    expectOnce(gpu.run(launches), bytesOf(out), bytesOf(out), 0.05);
  }
}

/// The ids are sorted, which costs some words each, strewn; rows are read and
/// written once.
TEST_F(CudaTraffic, GradientsOfLookups) {
  TestOperand ids(DType::I32, {1024}), dy(DType::F32, {1024, 256}),
      out(DType::F32, {50, 256});
  for (int64_t flat = 0; flat < 1024; ++flat)
    ids.set(flat, flat * 7 % 50);
  dy.random(1);
  GpuRun gpu;
  uint64_t error =
      gpu.memory.upload(std::vector<runtime::cuda::LookupError>(1), "error");
  runtime::Operand from = gpu.upload(dy, "dy"), to = gpu.upload(out, "out");
  KernelLaunches launches;
  expectOk(runtime::cuda::addEmbeddingGrad(
      {gpu.upload(ids, "ids"), from, to, 0, 50, "ids"}, error, launches));
  ptx::Report report = gpu.run(launches);
  EXPECT_LE(double(report.total.loadedOnce), 1.3 * bytesOf(dy));
  auto of = [&](const runtime::Operand &operand) {
    return report.byAllocation[reinterpret_cast<uintptr_t>(operand.data)];
  };
  EXPECT_EQ(of(from).loadedOnce, uint64_t(bytesOf(dy)));
  EXPECT_EQ(of(from).sectorsPerIdeal(), 1);
  EXPECT_GE(of(to).storedOnce, uint64_t(bytesOf(out)));
  EXPECT_EQ(of(to).sectorsPerIdeal(), 1);
}

TEST_F(CudaTraffic, SumsOverRanks) {
  for (DType type : {DType::F32, DType::BF16}) {
    TestOperand host(type, {48, 64});
    host.random(1);
    GpuRun gpu;
    std::vector<runtime::Operand> terms;
    for (int i = 0; i < 4; ++i)
      terms.push_back(gpu.upload(host, "term"));
    runtime::Operand to = gpu.upload(host, "out");
    KernelLaunches launches;
    expectOk(runtime::cuda::addReduce(plan::Reduction::Sum, to, terms, {0, 1},
                                      0, host.elements(), launches));
    expectOnce(gpu.run(launches), 4 * bytesOf(host), bytesOf(host));
  }
}

} // namespace
