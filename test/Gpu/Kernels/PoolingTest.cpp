//===- PoolingTest.cpp - poolings, to the bit of the CPU's ----------------===//

#include "runtime/lib/Cuda/Kernels/Pooling.h"
#include "test/Gpu/Kernels/GpuRun.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using plan::PoolingKind;
using Sizes = std::vector<int64_t>;

namespace {

struct Window {
  Sizes extents, taps, strides, dilations, lows, highs;
  bool countsBorder = true;
  /// Results [begin, end) of the first dim on the positions that they read.
  int64_t begin = 0, end = -1;
};

/// Operands of a pooling; x has few values, so that many are largest at once.
struct Problem {
  Problem(const Window &w, DType type, bool channelsInnermost)
      : x(type, {1}), y(x), index(x), dx(x) {
    Sizes from = {2, 5}, to = {2, 5};
    for (size_t d = 0; d < w.extents.size(); ++d) {
      int64_t reach = w.dilations[d] * (w.taps[d] - 1) + 1;
      int64_t results =
          (w.extents[d] + w.lows[d] + w.highs[d] - reach) / w.strides[d] + 1;
      bool isPart = d == 0 && w.end >= 0;
      int64_t count = isPart ? w.end - w.begin : results;
      from.push_back(isPart ? (count - 1) * w.strides[d] + reach
                            : w.extents[d]);
      to.push_back(count);
      given.xFirst.push_back(isPart ? w.begin * w.strides[d] - w.lows[d] : 0);
      given.yFirst.push_back(isPart ? w.begin : 0);
    }
    std::vector<int> order = {0};
    for (size_t d = 2; d < from.size(); ++d)
      order.push_back(static_cast<int>(d));
    order.insert(channelsInnermost ? order.end() : order.begin() + 1, 1);
    x = TestOperand(type, from, order, 1);
    y = TestOperand(type, to, order);
    index = TestOperand(DType::I64, to, order);
    dx = TestOperand(type, from, order);
    for (int64_t i = 0; i < x.elements(); ++i)
      x.set(i, double(i * 7919 % 13) - 6);
    given.taps = w.taps;
    given.strides = w.strides;
    given.dilations = w.dilations;
    given.lows = w.lows;
    given.highs = w.highs;
    given.extents = w.extents;
    given.countsBorder = w.countsBorder;
  }

  /// Runs on both, compares what is written byte for byte.
  void expectEqual(PoolingKind kind, bool isGradient) {
    given.kind = kind;
    given.isGradient = isGradient;
    TestOperand &results = kind == PoolingKind::MaxIndex ? index : y;
    TestOperand &written = isGradient ? dx : results;
    bool needsX = !isGradient || kind == PoolingKind::Max;
    if (isGradient)
      results.random(3, 4);
    GpuRun gpu;
    runtime::PoolingArguments device = given;
    auto upload = [&](const TestOperand &host, const char *name) {
      return isApart ? gpu.uploadApart(host, name, 0)
                     : gpu.upload(host, name, 1);
    };
    device.y = upload(results, "y");
    if (needsX)
      device.x = upload(x, "x");
    if (isGradient)
      device.dx = upload(dx, "dx");
    runtime::cuda::KernelLaunches launches;
    expectOk(runtime::cuda::addPooling(device, launches));
    gpu.run(launches);
    TestOperand found = written;
    gpu.download(isGradient ? device.dx : device.y, found);
    given.y = results.operand();
    given.x = needsX ? x.operand() : runtime::Operand();
    given.dx = isGradient ? dx.operand() : runtime::Operand();
    expectOk(runCall(*runtime::makePooling(given, 1)));
    EXPECT_TRUE(found.bytes == written.bytes)
        << launches.list[0].entry << " of " << x.shape.size() - 2 << " dims";
  }

  TestOperand x, y, index, dx;
  runtime::PoolingArguments given;
  bool isApart = false; // the two entries of the batch
};

class CudaPooling : public CudaKernels {};

const Window windows[] = {
    {{17}, {3}, {2}, {1}, {1}, {1}},
    {{12, 11}, {3, 2}, {2, 2}, {1, 1}, {1, 0}, {1, 1}},
    {{12, 11}, {3, 3}, {1, 1}, {2, 3}, {2, 1}, {1, 3}, false},
    {{6, 7, 8}, {2, 3, 2}, {1, 2, 2}, {1, 1, 2}, {0, 1, 1}, {1, 1, 0}},
    // A window with nothing but border, and ones that leave positions out.
    {{5, 4}, {2, 2}, {3, 3}, {1, 1}, {3, 0}, {2, 0}, false},
    {{20, 6}, {3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}, true, 3, 8},
    {{20, 6}, {3, 3}, {2, 1}, {2, 1}, {1, 1}, {1, 1}, false, 0, 4},
};

TEST_F(CudaPooling, OfAllTypes) {
  for (const Window &window : windows)
    for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16})
      for (bool channelsInnermost : {false, true}) {
        Problem problem(window, type, channelsInnermost);
        problem.expectEqual(PoolingKind::Max, false);
        problem.expectEqual(PoolingKind::Average, false);
        problem.expectEqual(PoolingKind::MaxIndex, false);
        problem.expectEqual(PoolingKind::Max, true);
        problem.expectEqual(PoolingKind::Average, true);
      }
}

TEST_F(CudaPooling, OffsetsHave64Bits) {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    Problem problem(windows[1], type, false);
    problem.isApart = true;
    for (auto [kind, isGradient] : {std::pair(PoolingKind::Max, false),
                                    {PoolingKind::Average, false},
                                    {PoolingKind::MaxIndex, false},
                                    {PoolingKind::Max, true},
                                    {PoolingKind::Average, true}})
      problem.expectEqual(kind, isGradient);
  }
}

TEST_F(CudaPooling, NaNsAreLargest) {
  Problem problem(windows[1], DType::F32, false);
  for (int64_t i = 0; i < problem.x.elements(); i += 29)
    problem.x.set(i, NAN);
  problem.expectEqual(PoolingKind::MaxIndex, false);
  problem.expectEqual(PoolingKind::Max, true);
}

TEST(CudaPoolingLaunches, LongDimsAreRefused) {
  Problem problem(windows[0], DType::F32, false);
  problem.given.extents[0] = 1 << 21;
  problem.given.x = problem.x.operand();
  problem.given.y = problem.y.operand();
  runtime::cuda::KernelLaunches launches;
  EXPECT_EQ(runtime::cuda::addPooling(problem.given, launches).message,
            "pooling over a dim of 2097152 positions with its border and "
            "window has no CUDA kernel, expected less than 2097152");
}

} // namespace
