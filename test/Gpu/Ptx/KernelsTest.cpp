//===- KernelsTest.cpp - kernels of CUDA C++, as nvcc compiles them -------===//
//
// Where the toolkit is installed; the tests are skipped elsewhere.
//
//===----------------------------------------------------------------------===//

#include "hocket/Random/Philox.h"
#include "test/Gpu/Ptx/CompiledKernels.h"
#include <chrono>

using namespace hocket::ptx;

namespace {

/// Loads and stores touch no sector more than they fill.
void expectCoalesced(const Report &report) {
  EXPECT_EQ(report.total.sectorsPerIdeal(), 1);
}

TEST_F(Kernels, Softmax) {
  Memory memory;
  Program program(parse(textOf("Rows"), "Rows.ptx"), memory);
  const int rows = 16, width = 1024;
  std::vector<float> x = normal(rows * width);
  uint64_t in = memory.upload(x, "x");
  uint64_t out = memory.allocate(x.size() * 4, "y");
  Report report = launch(program, "softmax",
                         {{rows}, {128}, 0, Arguments().add(in).add(out)});
  EXPECT_EQ(report.text(), "");
  expectCoalesced(report);
  EXPECT_EQ(report.total.loadBytes, x.size() * 4);
  EXPECT_EQ(report.total.storeBytes, x.size() * 4);
  EXPECT_EQ(report.barriers, rows * 4u);
  EXPECT_EQ(report.of(Class::Exchange).warps, rows * 4u * 10);
  EXPECT_GE(report.divergent, 2u * rows * 4) << "one lane of a warp stores";
  auto y = memory.download<float>(out, x.size());
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < width; ++i)
      sum += std::exp(double(x[row * width + i]));
    for (int i = 0; i < width; ++i)
      ASSERT_NEAR(y[row * width + i] / (std::exp(x[row * width + i]) / sum), 1,
                  1e-5);
  }
}

TEST_F(Kernels, LayerNorm) {
  Memory memory;
  Program program(parse(textOf("Rows"), "Rows.ptx"), memory);
  const int rows = 8, width = 1024;
  std::vector<BFloat16> x = halves(rows * width);
  std::vector<float> weight = normal(width), bias = normal(width);
  uint64_t out = memory.allocate(x.size() * 2, "y");
  Arguments arguments;
  arguments.add(memory.upload(x, "x")).add(memory.upload(weight, "weight"));
  arguments.add(memory.upload(bias, "bias")).add(out);
  Report report = launch(program, "layerNorm", {{rows}, {128}, 0, arguments});
  EXPECT_EQ(report.text(), "");
  auto y = memory.download<BFloat16>(out, x.size());
  for (int row = 0; row < rows; ++row) {
    const BFloat16 *in = &x[row * width];
    double mean = 0, variance = 0;
    for (int i = 0; i < width; ++i)
      mean += double(in[i]) / width;
    for (int i = 0; i < width; ++i)
      variance += (in[i] - mean) * (in[i] - mean) / width;
    for (int i = 0; i < width; ++i) {
      double expected =
          (in[i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
      ASSERT_NEAR(y[row * width + i], expected,
                  0.004 * std::fabs(expected) + 1e-5);
    }
  }
}

TEST_F(Kernels, Gelu) {
  Memory memory;
  Program program(parse(textOf("Elements"), "Elements.ptx"), memory);
  std::vector<BFloat16> x = halves(8 * 300);
  uint64_t in = memory.upload(x, "x");
  uint64_t out = memory.allocate(x.size() * 2, "y");
  Report report =
      launch(program, "gelu",
             {{2}, {256}, 0, Arguments().add(in).add(out).add(int64_t(300))});
  EXPECT_EQ(report.text(), "");
  expectCoalesced(report);
  auto y = memory.download<BFloat16>(out, x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    double expected = 0.5 * x[i] * (1 + std::erf(x[i] * std::sqrt(0.5)));
    ASSERT_NEAR(y[i], expected, 0.004 * std::fabs(expected) + 1e-6);
  }
}

TEST_F(Kernels, DropoutHasTheBitsOfTheCpu) {
  Memory memory;
  Program program(parse(textOf("Elements"), "Elements.ptx"), memory);
  const size_t count = 1000;
  std::vector<float> x(count * 4, 1);
  uint64_t in = memory.upload(x, "x"), key = 0x9e3779b97f4a7c15;
  uint64_t out = memory.allocate(x.size() * 4, "y");
  const uint32_t step = 7, threshold = 0x40000000;
  Arguments arguments;
  arguments.add(in).add(out).add(key).add(step).add(threshold);
  arguments.add(2.0f).add(int64_t(count));
  Report report = launch(program, "dropout", {{8}, {128}, 0, arguments});
  EXPECT_EQ(report.text(), "");
  expectCoalesced(report);
  auto y = memory.download<float>(out, x.size());
  for (size_t i = 0; i < count; ++i) {
    auto words = hocket::runtime::philox4x32(
        {uint32_t(i), 0, step, 0}, {uint32_t(key), uint32_t(key >> 32)});
    for (size_t j = 0; j < 4; ++j)
      ASSERT_EQ(y[i * 4 + j], words[j] >= threshold ? 2 : 0);
  }
}

TEST_F(Kernels, Transpose) {
  Memory memory;
  Program program(parse(textOf("Elements"), "Elements.ptx"), memory);
  const int rows = 200, columns = 170;
  std::vector<float> x = normal(rows * columns);
  uint64_t in = memory.upload(x, "x");
  uint64_t out = memory.allocate(x.size() * 4, "y");
  Report report = launch(program, "transpose",
                         {{6, 7},
                          {32, 8},
                          0,
                          Arguments().add(in).add(out).add(rows).add(columns)});
  EXPECT_EQ(report.text(), "");
  EXPECT_EQ(report.total.waysPerIdeal(), 1);
  auto y = memory.download<float>(out, x.size());
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      ASSERT_EQ(y[column * rows + row], x[row * columns + column]);
}

TEST_F(Kernels, Mixture) {
  Memory memory;
  Program program(parse(textOf("Elements"), "Elements.ptx"), memory);
  const int count = 100;
  std::vector<int> ids;
  std::vector<Float16> h;
  for (int i = 0; i < count; ++i) {
    ids.push_back(i * 37 % 101);
    h.push_back(Float16(0.01f * i));
  }
  uint64_t out = memory.allocate(count * 8, "out");
  Arguments arguments;
  arguments.add(memory.upload(ids, "ids")).add(memory.upload(h, "h")).add(out);
  arguments.add(count).add(int64_t(7));
  Report report = launch(program, "mixture", {{1}, {128}, 0, arguments});
  EXPECT_EQ(report.text(), "");
  auto y = memory.download<double>(out, count);
  for (int i = 0; i < count; ++i) {
    int id = ids[i];
    float half = h[i];
    double values[] = {
        std::sqrt(double(id)), double(id * 1000003L / 7),
        double(Float16(half * half + 0.5f)),
        double(__builtin_popcount(id) + (id ? __builtin_clz(id) : 32) * 100),
        std::exp(id / 100.0)};
    double expected = values[id % 5] + Float16(half + half);
    ASSERT_NEAR(y[i], expected, 1e-14 * std::fabs(expected)) << i;
  }
}

/// Not a test of speed: it fails only where the interpreter has become many
/// times slower than it is, and prints what it is.
TEST_F(Kernels, MillionsOfInstructionsTakeSeconds) {
  Memory memory;
  Program program(parse(textOf("Rows"), "Rows.ptx"), memory);
  const int rows = 512;
  uint64_t in = memory.upload(normal(rows * 1024), "x");
  uint64_t out = memory.allocate(rows * 4096, "y");
  auto begin = std::chrono::steady_clock::now();
  Report report = launch(program, "softmax",
                         {{rows}, {128}, 0, Arguments().add(in).add(out)});
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  printf("%.1f million instructions of threads in %.3f s\n",
         report.total.threads / 1e6, seconds);
  EXPECT_EQ(report.text(), "");
  EXPECT_LT(seconds, 10);
}

} // namespace
