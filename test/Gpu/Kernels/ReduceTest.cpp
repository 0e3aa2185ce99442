//===- ReduceTest.cpp - ordered sums over ranks, byte for byte ------------===//

#include "runtime/lib/Cuda/Kernels/Reduce.h"
#include "hocket/Cpu/Reduce.h"
#include "hocket/Runtime/Elements.h"
#include "test/Gpu/Kernels/GpuRun.h"
#include <limits>
#include <numeric>

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using plan::Reduction;
using runtime::cuda::KernelLaunches;

namespace {

constexpr DType allTypes[] = {DType::F32, DType::F64, DType::F16, DType::BF16,
                              DType::I32, DType::I64, DType::Bool};

/// Numbers whose sums are rounded, and, where they are compared as they are,
/// some that are none: what arithmetic makes of a NaN differs in its bits.
void fillNumbers(TestOperand &operand, uint32_t seed,
                 Reduction reduction = Reduction::Sum) {
  bool hasNaN = reduction != Reduction::Sum &&
                (operand.type == DType::F32 || operand.type == DType::F64);
  std::mt19937 random(seed);
  runtime::visitType(operand.type, [&](auto zero) {
    using T = decltype(zero);
    T *data = reinterpret_cast<T *>(operand.bytes.data());
    for (size_t i = 0; i < operand.bytes.size() / sizeof(T); ++i) {
      double value = int32_t(random()) / 1e7;
      if constexpr (std::is_same_v<T, runtime::Boolean>)
        operand.bytes[i] = random() % 2;
      else if constexpr (std::is_integral_v<T>)
        data[i] = T(value * 100);
      else
        data[i] = T(float(hasNaN && i % 97 == 5
                              ? std::numeric_limits<double>::quiet_NaN()
                              : value));
    }
  });
}

struct Case {
  std::vector<int64_t> shape;
  std::vector<int> order; // of the dims in memory, the outermost first
  int terms;
  int64_t begin, end; // -1: all
  int apart = -1;     // a dim of two whose entries lie far apart
};

/// Reduces on the device and on the CPU; every byte must agree.
std::vector<std::string> reduceBoth(DType type, Reduction reduction,
                                    const Case &c) {
  TestOperand out(type, c.shape, c.order);
  fillNumbers(out, 1, reduction);
  GpuRun gpu;
  std::vector<TestOperand> hosts;
  for (int i = 0; i < c.terms; ++i) {
    hosts.emplace_back(type, c.shape, i % 2 ? c.order : std::vector<int>());
    fillNumbers(hosts.back(), 2 + i, reduction);
  }
  std::vector<runtime::Operand> terms, onHost;
  for (TestOperand &host : hosts) {
    terms.push_back(gpu.uploadApart(host, "term", c.apart));
    onHost.push_back(host.operand());
  }
  runtime::Operand to = gpu.uploadApart(out, "out", c.apart);
  int64_t end = c.end < 0 ? out.elements() : c.end;
  std::vector<int> order(c.shape.size());
  std::iota(order.begin(), order.end(), 0);
  KernelLaunches launches;
  expectOk(runtime::cuda::addReduce(reduction, to, terms, order, c.begin, end,
                                    launches));
  gpu.run(launches);
  TestOperand result = out;
  gpu.download(to, result);
  runtime::Reduce(reduction, out.operand(), onHost, order).run(c.begin, end);
  EXPECT_TRUE(result.bytes == out.bytes) << plan::toString(type);
  std::vector<std::string> entries;
  for (const runtime::cuda::KernelLaunch &launch : launches.list)
    entries.push_back(launch.entry);
  return entries;
}

using Entries = std::vector<std::string>;

class CudaReduce : public CudaKernels {};

TEST_F(CudaReduce, EveryTypeAndOperation) {
  for (DType type : allTypes)
    for (Reduction reduction :
         {Reduction::Sum, Reduction::Max, Reduction::Min}) {
      reduceBoth(type, reduction, {{7, 48}, {}, 3, 0, -1});
      reduceBoth(type, reduction, {{5, 3, 7}, {2, 0, 1}, 4, 0, -1});
    }
}

/// Elements around the middle, where the numbers of all dims change.
TEST_F(CudaReduce, SixteenDims) {
  std::vector<int> turned(16);
  std::iota(turned.rbegin(), turned.rend(), 0);
  Case elements{std::vector<int64_t>(16, 2), turned, 3, 32700, 32900};
  // Units of 16 bytes in all dims but the last.
  Case units = elements;
  std::iota(units.order.rbegin() + 1, units.order.rend(), 0);
  units.order.back() = 15;
  for (DType type : allTypes)
    for (Reduction reduction :
         {Reduction::Sum, Reduction::Max, Reduction::Min}) {
      reduceBoth(type, reduction, elements);
      units.shape.back() = 16 / plan::byteSize(type);
      int64_t middle = 16384 * units.shape.back();
      units.begin = middle - 400;
      units.end = middle + 400;
      reduceBoth(type, reduction, units);
    }
}

TEST_F(CudaReduce, OffsetsHave64Bits) {
  for (DType type : allTypes) {
    reduceBoth(type, Reduction::Sum, {{2, 37}, {}, 3, 0, -1, 0});
    reduceBoth(type, Reduction::Max, {{2, 48}, {}, 2, 0, -1, 0});
  }
}

TEST_F(CudaReduce, WholeUnitsBetweenWhatIsNone) {
  Case all{{64, 32}, {}, 2, 0, -1};
  EXPECT_EQ(reduceBoth(DType::F32, Reduction::Sum, all),
            Entries{"reduceSumF32Unit"});
  Case middle{{64, 32}, {}, 2, 3, 2045};
  EXPECT_EQ(reduceBoth(DType::F32, Reduction::Sum, middle),
            (Entries{"reduceSumF32", "reduceSumF32Unit", "reduceSumF32"}));
  Case few{{64, 32}, {}, 2, 5, 7};
  EXPECT_EQ(reduceBoth(DType::BF16, Reduction::Max, few),
            Entries{"reduceMaxBF16"});
}

TEST_F(CudaReduce, OneTermIsACopyAndSixteenAreTheMost) {
  reduceBoth(DType::F16, Reduction::Sum, {{9, 5}, {1, 0}, 1, 0, -1});
  reduceBoth(DType::F16, Reduction::Sum, {{9, 5}, {1, 0}, 16, 0, -1});
  TestOperand host(DType::F32, {4});
  KernelLaunches launches;
  std::vector<runtime::Operand> terms(17, host.operand());
  EXPECT_EQ(runtime::cuda::addReduce(Reduction::Sum, host.operand(), terms, {0},
                                     0, 4, launches)
                .message,
            "a reduction of 17 ranks is more than the 16 that CUDA kernels "
            "count");
}

TEST_F(CudaReduce, ATermMayBeTheResult) {
  TestOperand a(DType::F32, {40}), b(DType::F32, {40});
  fillNumbers(a, 1);
  fillNumbers(b, 2);
  GpuRun gpu;
  runtime::Operand onA = gpu.upload(a, "a"), onB = gpu.upload(b, "b");
  KernelLaunches launches;
  expectOk(runtime::cuda::addReduce(Reduction::Sum, onA, {onA, onB}, {0}, 0, 40,
                                    launches));
  gpu.run(launches);
  TestOperand result = a;
  gpu.download(onA, result);
  runtime::Reduce(Reduction::Sum, a.operand(), {a.operand(), b.operand()}, {0})
      .run(0, 40);
  EXPECT_TRUE(result.bytes == a.bytes);
}

} // namespace
