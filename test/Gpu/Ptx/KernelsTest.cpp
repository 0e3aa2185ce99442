//===- KernelsTest.cpp - kernels of CUDA C++, as nvcc compiles them -------===//
//
// Where the toolkit is installed; the tests are skipped elsewhere.
//
//===----------------------------------------------------------------------===//

#include "hocket/Random/Philox.h"
#include "test/Gpu/Ptx/Rounding.h"
#include "test/Gpu/Ptx/Sample.h"
#include "test/Paths.h"
#include <chrono>
#include <fstream>
#include <random>
#include <sstream>

using namespace hocket::ptx;

namespace {

std::string textOf(const std::string &name) {
  std::ifstream file(hocket::test::builtPath("test/ptx/" + name + ".ptx"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Kernels : public testing::Test {
protected:
  void SetUp() override {
    if (textOf("Rows").empty())
      GTEST_SKIP() << "nvcc was not found when this was built";
  }
  std::vector<float> normal(size_t count) {
    std::normal_distribution<float> distribution;
    std::vector<float> values(count);
    for (float &value : values)
      value = distribution(random);
    return values;
  }
  std::vector<BFloat16> halves(size_t count) {
    std::vector<BFloat16> values;
    for (float value : normal(count))
      values.push_back(BFloat16(value));
    return values;
  }
  std::mt19937 random{1};
};

/// Loads and stores touch no sector more than they fill.
void expectCoalesced(const Report &report) {
  EXPECT_EQ(report.total.loadSectors, report.total.idealLoadSectors);
  EXPECT_EQ(report.total.storeSectors, report.total.idealStoreSectors);
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
  EXPECT_EQ(report.total.sharedWays, report.total.idealSharedWays);
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

/// Causal attention of two heads over 256 positions.
struct Attention {
  static constexpr int length = 256, heads = 2;
  Attention(const std::string &text, const std::vector<BFloat16> &q,
            const std::vector<BFloat16> &k, const std::vector<BFloat16> &v)
      : program(parse(text, "Attention.ptx"), memory) {
    out = memory.allocate(q.size() * 2, "out");
    Arguments arguments;
    arguments.add(memory.upload(q, "q")).add(memory.upload(k, "k"));
    arguments.add(memory.upload(v, "v")).add(out);
    arguments.add(length).add(0.125f * 1.44269504f);
    report = launch(program, "attention",
                    {{length / 64, heads}, {128}, 5 * 8192, arguments});
  }
  Memory memory;
  Program program;
  uint64_t out;
  Report report;
};

TEST_F(Kernels, Attention) {
  size_t count = Attention::length * Attention::heads * 64;
  auto q = halves(count), k = halves(count), v = halves(count);
  Attention done(textOf("Attention"), q, k, v);
  EXPECT_EQ(done.report.text(), "");
  EXPECT_EQ(done.report.of(Class::Matrix).sharedWays,
            done.report.of(Class::Matrix).idealSharedWays)
      << "rows are swizzled";
  // Stores of 4 bytes: 8 rows of 16 bytes each, half of every sector.
  EXPECT_EQ(done.report.total.storeSectors,
            2 * done.report.total.idealStoreSectors);
  auto y = done.memory.download<BFloat16>(done.out, count);
  for (int head = 0; head < Attention::heads; ++head)
    for (int i = 0; i < Attention::length; ++i) {
      const BFloat16 *query = &q[(head * Attention::length + i) * 64];
      std::vector<double> weights(i + 1);
      double sum = 0;
      for (int j = 0; j <= i; ++j) {
        double score = 0;
        for (int d = 0; d < 64; ++d)
          score +=
              double(query[d]) * k[(head * Attention::length + j) * 64 + d];
        sum += weights[j] = std::exp(score / 8);
      }
      for (int d = 0; d < 64; ++d) {
        double expected = 0;
        for (int j = 0; j <= i; ++j)
          expected +=
              weights[j] / sum * v[(head * Attention::length + j) * 64 + d];
        ASSERT_NEAR(y[(head * Attention::length + i) * 64 + d], expected, 0.02);
      }
    }
}

/// The text with the n-th place of `from` (from 0) made `to`.
std::string changed(std::string text, const std::string &from,
                    const std::string &to, int n) {
  size_t at = text.find(from);
  for (; n > 0 && at != std::string::npos; --n)
    at = text.find(from, at + 1);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST_F(Kernels, DefectsOfAttention) {
  std::string text = textOf("Attention");
  size_t count = Attention::length * Attention::heads * 64;
  auto q = halves(count), k = halves(count), v = halves(count);
  auto first = [&](const std::string &mutant) {
    Report report = Attention(mutant, q, k, v).report;
    return report.findings.empty() ? FindingKind::Trap
                                   : report.findings[0].kind;
  };
  EXPECT_EQ(first(changed(text, "bar.sync \t0", "bar.warp.sync -1", 0)),
            FindingKind::UndefinedMemory);
  EXPECT_EQ(first(changed(text, "bar.sync \t0", "bar.warp.sync -1", 1)),
            FindingKind::PendingCopy);
  EXPECT_EQ(
      first(changed(text, "cp.async.wait_group 0", "cp.async.wait_group 1", 0)),
      FindingKind::PendingCopy);
  EXPECT_EQ(
      first(changed(text, "cp.async.wait_group 1", "cp.async.wait_group 2", 0)),
      FindingKind::PendingCopy);
  EXPECT_EQ(first(changed(text, "cp.async.commit_group;", "", 0)),
            FindingKind::PendingCopy);
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
