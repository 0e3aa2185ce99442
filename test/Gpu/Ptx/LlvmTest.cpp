//===- LlvmTest.cpp - a kernel as LLVM's backend compiles it --------------===//

#include "test/Gpu/Ptx/CompiledKernels.h"
#include <regex>

using namespace hocket::ptx;

namespace {

/// sm_100 has pairs of f32, sm_90 conversions that sm_80 has not.
class RmsNorm : public testing::TestWithParam<const char *> {};

TEST_P(RmsNorm, AgreesWithTheReference) {
  std::string text = textOf(std::string("RmsNorm") + GetParam());
  if (text.empty())
    GTEST_SKIP() << "llc was not found when this was built";
  Memory memory;
  Program program(parse(text, "RmsNorm.ptx"), memory);
  const int rows = 6, width = 1024;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<BFloat16> x, weight;
  for (int i = 0; i < rows * width; ++i)
    x.push_back(BFloat16(normal(random)));
  for (int i = 0; i < width; ++i)
    weight.push_back(BFloat16(normal(random)));
  uint64_t out = memory.allocate(x.size() * 2, "y");
  Arguments arguments;
  arguments.add(memory.upload(x, "x")).add(memory.upload(weight, "weight"));
  Report report =
      launch(program, "rms_norm", {{rows}, {128}, 0, arguments.add(out)});
  EXPECT_EQ(report.text(), "");
  // Each byte once, the weights once a block; all accesses are of 16 bytes.
  EXPECT_EQ(report.total.loadBytes, x.size() * 2 + rows * width * 2);
  EXPECT_EQ(report.total.storeBytes, x.size() * 2);
  EXPECT_EQ(report.total.loads, 2u * rows * 4);
  EXPECT_EQ(report.total.sectorsPerIdeal(), 1);
  EXPECT_EQ(report.of(Class::Exchange).warps, 5u * rows * 4);
  auto y = memory.download<BFloat16>(out, x.size());
  for (int row = 0; row < rows; ++row) {
    double mean = 0;
    for (int i = 0; i < width; ++i)
      mean += double(x[row * width + i]) * x[row * width + i] / width;
    for (int i = 0; i < width; ++i) {
      double expected = x[row * width + i] / std::sqrt(mean + 1e-5) * weight[i];
      ASSERT_NEAR(y[row * width + i], expected, 0.004 * std::fabs(expected));
    }
  }
}

/// Expects a finding of this kind in the kernel after the first match of `from`
/// has become `to`.
void finds(FindingKind kind, const std::string &from, const std::string &to) {
  std::string text = textOf("RmsNorm80");
  std::string made = std::regex_replace(
      text, std::regex(from), to, std::regex_constants::format_first_only);
  EXPECT_TRUE(made != text) << from;
  Memory memory;
  Program program(parse(made, "RmsNorm.ptx"), memory);
  std::vector<BFloat16> x(2 * 1024, BFloat16(1.0f));
  Arguments arguments;
  arguments.add(memory.upload(x, "x")).add(memory.upload(x, "weight"));
  arguments.add(memory.allocate(x.size() * 2, "y"));
  Report report = launch(program, "rms_norm", {{2}, {128}, 0, arguments, 9999});
  for (const Finding &finding : report.findings)
    if (finding.kind == kind)
      return;
  ADD_FAILURE() << from << " -> " << to << "\n" << report.text();
}

TEST(RmsNormDefects, AreFound) {
  if (textOf("RmsNorm80").empty())
    GTEST_SKIP() << "llc was not found when this was built";
  using Kind = FindingKind;
  const std::string barrier = "bar\\.sync \t0;";
  finds(Kind::Race, barrier, "");
  finds(Kind::Race, barrier, "bar.warp.sync -1;");
  finds(Kind::DivergentBarrier, barrier, "bar.sync 0, 160;");
  finds(Kind::MissingThreads, barrier, "bar.sync 0, 96;");
  finds(Kind::BadExchange, "16, 31, -1;", "16, 31, 65535;");
  const std::string load = "(ld\\.global.*\\[%rd[0-9]+)\\]";
  finds(Kind::Misaligned, load, "$1+8]");
  finds(Kind::OutOfBounds, load, "$1+16]");
  finds(Kind::OutOfBounds, "(st\\.global.*\\[%rd[0-9]+)\\]", "$1+16]");
  const std::string part = "(st\\.shared.*\\[%rd[0-9]+)\\]";
  finds(Kind::OutOfBounds, part, "$1+4]");
  finds(Kind::UndefinedMemory, part, "$1+4]");
  finds(Kind::UndefinedRegister, "shl\\.b32 \t%r[0-9]+, %r[0-9]+, 3;", "");
  finds(Kind::NoEnd, "(st\\.global.*;)\n\tret;", "$1 bra $$L__BB1_2;");
}

INSTANTIATE_TEST_SUITE_P(Chips, RmsNorm, testing::Values("80", "90", "100"));

} // namespace
