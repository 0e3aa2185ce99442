//===- AsyncCopyTest.cpp - cp.async and its waits -------------------------===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

using Words = std::vector<uint32_t>;

struct Copies {
  /// One thread copies 16 bytes of x, {1, 2, 3, 4}, to shared memory.
  static Report run(const std::string &body, uint32_t &out) {
    Sample sample(
        "mov.u32 %r1, dynamic;\n" + body + "\nst.global.u32 [%d1], %r2;", 2);
    uint64_t x = sample.memory.upload(Words{1, 2, 3, 4}, "x");
    uint64_t y = sample.memory.upload(Words{0}, "y");
    Report report = sample.run({1}, {1}, Arguments().add(x).add(y), 32);
    out = sample.memory.download<uint32_t>(y, 1)[0];
    return report;
  }
};

TEST(AsyncCopy, FillsWithZeros) {
  uint32_t out;
  const std::string wait = "cp.async.wait_all; ld.shared.u32 %r2, [%r1+12];";
  EXPECT_EQ(
      Copies::run("cp.async.cg.shared.global [%r1], [%d0], 16;" + wait, out)
          .text(),
      "");
  EXPECT_EQ(out, 4u);
  EXPECT_EQ(Copies::run("cp.async.cg.shared.global.L2::128B [%r1], [%d0], 16, "
                        "8;" +
                            wait,
                        out)
                .text(),
            "");
  EXPECT_EQ(out, 0u);
  Copies::run("setp.eq.u32 %q0, 1, 1; cp.async.ca.shared.global [%r1+12], "
              "[%d0], 4, %q0;" +
                  wait,
              out);
  EXPECT_EQ(out, 0u);
}

TEST(AsyncCopy, WaitsForGroups) {
  uint32_t out;
  std::string copies = "cp.async.ca.shared.global [%r1], [%d0], 4; "
                       "cp.async.commit_group; cp.async.ca.shared.global "
                       "[%r1+4], [%d0+4], 4; cp.async.commit_group;\n";
  EXPECT_EQ(Copies::run(copies + "cp.async.wait_group 1; ld.shared.u32 %r2, "
                                 "[%r1];",
                        out)
                .text(),
            "");
  EXPECT_EQ(out, 1u);
  Report report = Copies::run(
      copies + "cp.async.wait_group 1;\nld.shared.u32 %r2, [%r1+4];", out);
  EXPECT_EQ(only(report),
            "k.ptx:13: ld.shared.u32 %r2, [%r1+4]: thread (0, 0, 0) of block "
            "(0, 0, 0) reads 4 bytes at 'dynamic' + 4, which cp.async of "
            "thread (0, 0, 0) of block (0, 0, 0) at line 11 may still write");
  EXPECT_EQ(report.findings[0].kind, FindingKind::PendingCopy);
}

TEST(AsyncCopy, IsSeenByOthersAfterABarrier) {
  auto run = [](const std::string &between) {
    Sample sample("mov.u32 %r0, %tid.x; mov.u32 %r1, dynamic;\n"
                  "setp.ne.u32 %q0, %r0, 0;\n"
                  "@!%q0 cp.async.ca.shared.global [%r1], [%d0], 4;\n"
                  "cp.async.wait_all;\n" +
                  between + "\nld.shared.u32 %r2, [%r1];");
    uint64_t x = sample.memory.upload(Words{1}, "x");
    return sample.run({1}, {64}, Arguments().add(x), 32);
  };
  EXPECT_EQ(run("bar.sync 0;").text(), "");
  EXPECT_EQ(only(run("")),
            "k.ptx:15: ld.shared.u32 %r2, [%r1]: thread (1, 0, 0) of block (0, "
            "0, 0) reads 4 bytes at 'dynamic', which thread (0, 0, 0) of block "
            "(0, 0, 0) writes at line 12 with no barrier between");
}

} // namespace
