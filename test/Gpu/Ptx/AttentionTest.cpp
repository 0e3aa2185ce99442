//===- AttentionTest.cpp - attention on tensor cores, and its defects -----===//

#include "test/Gpu/Ptx/CompiledKernels.h"

using namespace hocket::ptx;

namespace {

using AttentionKernel = Kernels;

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

TEST_F(AttentionKernel, AgreesWithTheReference) {
  size_t count = Attention::length * Attention::heads * 64;
  auto q = halves(count), k = halves(count), v = halves(count);
  Attention done(textOf("Attention"), q, k, v);
  EXPECT_EQ(done.report.text(), "");
  EXPECT_EQ(done.report.of(Class::Matrix).waysPerIdeal(), 1)
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

TEST_F(AttentionKernel, DefectsAreFound) {
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

} // namespace
