//===- RaceTest.cpp - accesses that no barrier orders ---------------------===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

/// %r0 is the thread, %r1 its word of shared memory, %r2 its neighbour's.
const char *const own = "mov.u32 %r0, %tid.x; mov.u32 %r3, dynamic; "
                        "mad.lo.u32 %r1, %r0, 4, %r3; xor.b32 %r4, %r0, 1; "
                        "mad.lo.u32 %r2, %r4, 4, %r3; mov.u32 %r5, %ctaid.x;\n";

Report run(const std::string &body, Dim3 block, Dim3 grid = {1}) {
  Sample sample(own + body);
  uint64_t x = sample.memory.upload(std::vector<uint32_t>(256), "x");
  return sample.run(grid, block, Arguments().add(x), 1024);
}

TEST(Race, WriteThenRead) {
  Report report =
      run("st.shared.u32 [%r1], %r0;\nld.shared.u32 %r6, [%r2];", {32});
  EXPECT_EQ(only(report),
            "k.ptx:12: ld.shared.u32 %r6, [%r2]: thread (0, 0, 0) of block (0, "
            "0, 0) reads 4 bytes at 'dynamic' + 4, which thread (1, 0, 0) of "
            "block (0, 0, 0) writes at line 11 with no barrier between");
  EXPECT_EQ(report.findings[0].kind, FindingKind::Race);
  EXPECT_EQ(run("st.shared.u32 [%r1], %r0;\nbar.warp.sync -1;\n"
                "ld.shared.u32 %r6, [%r2];",
                {32})
                .text(),
            "");
}

TEST(Race, ReadThenWrite) {
  Report report = run("st.shared.u32 [%r1], 0; bar.sync 0;\n"
                      "ld.shared.u32 %r6, [%r2];\nst.shared.u32 [%r1], %r0;",
                      {32});
  EXPECT_EQ(only(report),
            "k.ptx:13: st.shared.u32 [%r1], %r0: thread (0, 0, 0) of block (0, "
            "0, 0) writes 4 bytes at 'dynamic', which thread (1, 0, 0) of "
            "block (0, 0, 0) reads at line 12 with no barrier between");
  // All read one word; a reader of another warp comes before the write.
  report = run("st.shared.u32 [%r1], 0; bar.sync 0;\n"
               "ld.shared.u32 %r6, [%r3]; setp.ne.u32 %q0, %r0, 0;\n"
               "@%q0 ret; st.shared.u32 [%r3], 1;",
               {64});
  EXPECT_EQ(report.findings.size(), 1u) << report.text();
}

TEST(Race, WriteThenWrite) {
  Report report = run("st.shared.u32 [%r3], %r0;", {32});
  EXPECT_EQ(only(report),
            "k.ptx:11: st.shared.u32 [%r3], %r0: thread (1, 0, 0) of block (0, "
            "0, 0) writes 4 bytes at 'dynamic', which thread (0, 0, 0) of "
            "block (0, 0, 0) writes at line 11 with no barrier between");
  EXPECT_EQ(run("st.shared.u32 [%r3], 7;", {32}).text(), "")
      << "the same value may be written twice";
}

TEST(Race, BytesOfAWordAreApart) {
  EXPECT_EQ(run("add.u32 %r6, %r3, %r0; cvt.u16.u32 %h0, %r0;\n"
                "st.shared.u8 [%r6], %h0; ld.shared.u8 %r7, [%r6];",
                {64})
                .text(),
            "");
}

TEST(Race, ABarrierOfOthersDoesNotOrder) {
  // Warps 0 and 1 meet; warp 2 wrote before, and was not there.
  Report report = run("setp.lt.u32 %q0, %r0, 64;\n@%q0 bra Meet;\n"
                      "st.shared.u32 [%r3], %r0; ret;\nMeet: bar.sync 1, 64;\n"
                      "st.shared.u32 [%r1], 5;",
                      {65});
  EXPECT_EQ(
      only(report),
      "k.ptx:15: st.shared.u32 [%r1], 5: thread (0, 0, 0) of block (0, 0, "
      "0) writes 4 bytes at 'dynamic', which thread (64, 0, 0) of block "
      "(0, 0, 0) writes at line 13 with no barrier between");
}

TEST(Race, BlocksHaveNoOrder) {
  Report report = run("setp.ne.u32 %q0, %r0, 0;\n@%q0 ret;\n"
                      "st.global.u32 [%d0], %r5;",
                      {32}, {2});
  EXPECT_EQ(only(report),
            "k.ptx:13: st.global.u32 [%d0], %r5: thread (0, 0, 0) of block (1, "
            "0, 0) writes 4 bytes at 'x', which another block writes at line "
            "13");
  report = run("mad.wide.u32 %d4, %r5, 4, %d0; ld.global.u32 %r6, [%d0];\n"
               "st.global.u32 [%d4], %r5;",
               {1}, {2});
  EXPECT_EQ(only(report),
            "k.ptx:11: ld.global.u32 %r6, [%d0]: thread (0, 0, 0) of block (1, "
            "0, 0) reads 4 bytes at 'x', which another block writes at line "
            "12");
}

TEST(Race, LaunchesHaveAnOrder) {
  Sample sample(std::string(own) + "st.global.u32 [%d0], %r0;");
  uint64_t x = sample.memory.allocate(4, "x");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(sample.run({1}, {1}, Arguments().add(x)).text(), "");
}

TEST(Race, ReadOnlyLoads) {
  Report report =
      run("ld.global.nc.u32 %r6, [%d0];\nst.global.u32 [%d0], %r0;", {1});
  EXPECT_EQ(only(report),
            "k.ptx:12: st.global.u32 [%d0], %r0: thread (0, 0, 0) of block (0, "
            "0, 0) writes 4 bytes at 'x', which thread (0, 0, 0) of block (0, "
            "0, 0) reads through ld.global.nc at line 11 in the same launch");
  report = run("st.global.u32 [%d0], %r0;\nld.global.nc.u32 %r6, [%d0];", {1});
  EXPECT_EQ(only(report),
            "k.ptx:12: ld.global.nc.u32 %r6, [%d0]: thread (0, 0, 0) of block "
            "(0, 0, 0) reads 4 bytes at 'x', which thread (0, 0, 0) of block "
            "(0, 0, 0) writes at line 11 in the same launch");
}

TEST(Race, AtomicsDoNotRace) {
  EXPECT_EQ(run("atom.global.add.u32 %r6, [%d0], 1; red.add.f32 [%d0+4], "
                "0f3f800000; red.shared.max.s32 [%r3], %r0;",
                {1}, {1})
                .findings.size(),
            1u); // the shared word has no value
  Sample sample(std::string(own) + "atom.global.add.u32 %r6, [%d0], %r0;\n"
                                   "red.global.add.f64 [%d0+8], "
                                   "0d3ff0000000000000;\n"
                                   "atom.global.cas.b32 %r7, [%d0+4], 0, 9;\n"
                                   "atom.global.inc.u32 %r7, [%d0+16], 4;");
  uint64_t x = sample.memory.upload(std::vector<uint32_t>(5), "x");
  EXPECT_EQ(sample.run({2}, {64}, Arguments().add(x)).text(), "");
  auto words = sample.memory.download<uint32_t>(x, 5);
  EXPECT_EQ(words[0], 2u * 63 * 32);
  EXPECT_EQ(words[1], 9u);
  EXPECT_EQ(sample.memory.download<double>(x + 8, 1)[0], 128);
  EXPECT_EQ(words[4], 128u % 5);
  // An access that is none races with one that is.
  Report report =
      run("red.global.add.u32 [%d0], 1;\nld.global.u32 %r6, [%d0];", {2});
  EXPECT_EQ(report.findings.size(), 1u) << report.text();
}

} // namespace
