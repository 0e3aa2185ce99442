//===- WarpTest.cpp - branches, barriers and exchanges --------------------===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

using Words = std::vector<uint32_t>;

/// %r0 is the thread, %d4 its word of the first parameter.
const char *const own = "mov.u32 %r0, %tid.x; mad.wide.u32 %d4, %r0, 4, %d0;\n";

struct Outcome {
  Report report;
  Words out;
};
Outcome run(const std::string &body, Dim3 block, uint64_t dynamicShared = 0,
            Dim3 grid = {1}) {
  Sample sample(own + body);
  uint64_t count = block.count() * grid.count();
  uint64_t out = sample.memory.upload(Words(count), "out");
  Report report = sample.run(grid, block, Arguments().add(out), dynamicShared);
  return {report, sample.memory.download<uint32_t>(out, count)};
}

/// What each of 32 lanes stores of %r1.
Words lanes(const std::string &body) {
  Outcome done = run(body + "\nst.global.u32 [%d4], %r1;", {32});
  EXPECT_EQ(done.report.text(), "");
  return done.out;
}

TEST(Warp, LanesPartAndMeet) {
  // Even lanes loop as often as their number says; all meet for the ballot.
  Words out = lanes(R"(
    mov.u32 %r1, 0;
    and.b32 %r2, %r0, 1;
    setp.ne.u32 %q0, %r2, 0;
    @%q0 bra Odd;
    mov.u32 %r3, 0;
  Loop:
    setp.ge.u32 %q1, %r3, %r0;
    @%q1 bra Join;
    add.u32 %r1, %r1, 2;
    add.u32 %r3, %r3, 1;
    bra Loop;
  Odd:
    mov.u32 %r1, 7;
  Join:
    setp.eq.u32 %q2, %r1, 7;
    vote.sync.ballot.b32 %r4, %q2, -1;
    add.u32 %r1, %r1, %r4;)");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], 0xaaaaaaaau + (lane % 2 ? 7 : 2 * lane));
}

TEST(Warp, TableOfTargets) {
  Words out = lanes(R"(
    and.b32 %r2, %r0, 1;
    Targets: .branchtargets First, Second;
    brx.idx %r2, Targets;
  First: mov.u32 %r1, 10; bra Join;
  Second: mov.u32 %r1, 20;
  Join: )");
  EXPECT_EQ(out[4], 10u);
  EXPECT_EQ(out[5], 20u);
}

TEST(Warp, SpecialRegisters) {
  Outcome done =
      run("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
          "mad.lo.u32 %r3, %r1, %r2, %r0; mov.u32 %r4, %laneid;\n"
          "mov.u32 %r5, %warpid; mov.u32 %r6, %nctaid.x;\n"
          "mad.lo.u32 %r4, %r5, 100, %r4; mad.lo.u32 %r4, %r6, 1000, "
          "%r4; mad.wide.u32 %d5, %r3, 4, %d0; st.global.u32 [%d5], %r4;",
          {64}, 0, {2});
  EXPECT_EQ(done.report.text(), "");
  EXPECT_EQ(done.out[64 + 33], 2101u);
}

TEST(Warp, Shuffles) {
  Words out = lanes("shfl.sync.bfly.b32 %r1, %r0, 5, 31, -1;");
  EXPECT_EQ(out[8], 13u);
  out = lanes("shfl.sync.down.b32 %r1|%q0, %r0, 8, 31, -1; "
              "@!%q0 mov.u32 %r1, 99;");
  EXPECT_EQ(out[3], 11u);
  EXPECT_EQ(out[30], 99u);
  out = lanes("shfl.sync.up.b32 %r1, %r0, 1, 0, -1;");
  EXPECT_EQ(out[0], 0u);
  EXPECT_EQ(out[9], 8u);
  // Segments of 8 lanes: each reads its third.
  out = lanes("shfl.sync.idx.b32 %r1, %r0, 3, 0x181f, -1;");
  EXPECT_EQ(out[20], 19u);
}

TEST(Warp, VotesMatchesAndReductions) {
  EXPECT_EQ(lanes("setp.lt.u32 %q0, %r0, 4; vote.sync.ballot.b32 %r1, !%q0, "
                  "-1;")[0],
            0xfffffff0u);
  EXPECT_EQ(lanes("setp.lt.u32 %q0, %r0, 4; vote.sync.any.pred %q1, %q0, -1; "
                  "selp.b32 %r1, 1, 0, %q1;")[9],
            1u);
  EXPECT_EQ(lanes("shr.u32 %r2, %r0, 3; match.any.sync.b32 %r1, %r2, -1;")[9],
            0xff00u);
  EXPECT_EQ(lanes("redux.sync.add.u32 %r1, %r0, -1;")[9], 496u);
  EXPECT_EQ(lanes("neg.s32 %r2, %r0; redux.sync.min.s32 %r1, %r2, -1;")[9],
            uint32_t(-31));
  EXPECT_EQ(lanes("mov.u32 %r1, 0; setp.gt.u32 %q0, %r0, 29; "
                  "@%q0 activemask.b32 %r1;")[30],
            0xc0000000u);
}

TEST(Warp, ExchangeWithoutItsLanes) {
  Outcome done = run("setp.lt.u32 %q0, %r0, 16;\n@!%q0 bra Other;\n"
                     "shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;\n"
                     "Other: vote.sync.any.pred %q1, %q0, -1;",
                     {32});
  EXPECT_EQ(only(done.report),
            "k.ptx:13: shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1: lanes 0-15 of "
            "warp 0 wait here, while lanes 16-31 wait at line 14");
  EXPECT_EQ(done.report.findings[0].kind, FindingKind::MissingThreads);
  EXPECT_FALSE(done.report.finished);

  done = run("setp.lt.u32 %q0, %r0, 16;\n@!%q0 ret;\n"
             "shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1;",
             {32});
  EXPECT_EQ(only(done.report),
            "k.ptx:13: shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1: thread (0, 0, "
            "0) of block (0, 0, 0) reads from lane 16, which takes no part");

  done = run("shfl.sync.idx.b32 %r1, %r0, 0, 31, 1;", {2});
  EXPECT_EQ(only(done.report),
            "k.ptx:11: shfl.sync.idx.b32 %r1, %r0, 0, 31, 1: thread (1, 0, 0) "
            "of block (0, 0, 0) is not in the mask that it names");
}

TEST(Barrier, OrdersAccessesOfWarps) {
  Outcome done = run(R"(
    mov.u32 %r1, dynamic; mad.lo.u32 %r2, %r0, 4, %r1;
    st.shared.u32 [%r2], %r0;
    bar.sync 0;
    xor.b32 %r3, %r0, 63; mad.lo.u32 %r3, %r3, 4, %r1;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%d4], %r4;)",
                     {64}, 256);
  EXPECT_EQ(done.report.text(), "");
  EXPECT_EQ(done.out[5], 58u);
  EXPECT_EQ(done.report.barriers, 1u);
}

TEST(Barrier, Votes) {
  Outcome done = run("setp.lt.u32 %q0, %r0, 40; bar.red.popc.u32 %r1, 0, %q0;\n"
                     "barrier.cta.red.aligned.and.pred %q1, 1, 64, %q0;\n"
                     "selp.b32 %r2, 100, 200, %q1; add.u32 %r1, %r1, %r2;\n"
                     "st.global.u32 [%d4], %r1;",
                     {64});
  EXPECT_EQ(done.report.text(), "");
  EXPECT_EQ(done.out[63], 240u);
}

TEST(Barrier, OfSomeWarps) {
  // Warp 0 makes what warp 1 takes; warp 2 has no part in it.
  const char *const text = R"(
    mov.u32 %r1, dynamic; and.b32 %r2, %r0, 31; mad.lo.u32 %r2, %r2, 4, %r1;
    shr.u32 %r3, %r0, 5; setp.eq.u32 %q0, %r3, 0; setp.eq.u32 %q1, %r3, 1;
    @%q1 bra Take; @!%q0 ret;
    st.shared.u32 [%r2], %r0;
    bar.arrive 1, 64;
    ret;
  Take:
    bar.sync 1, 64;
    ld.shared.u32 %r4, [%r2];
    st.global.u32 [%d4], %r4;)";
  Outcome done = run(text, {96}, 128);
  EXPECT_EQ(done.report.text(), "");
  EXPECT_EQ(done.out[40], 8u);
}

TEST(Barrier, Divergent) {
  Outcome done = run("setp.lt.u32 %q0, %r0, 8;\n@%q0 bra Less;\nbar.sync 0;\n"
                     "bra Join;\nLess:\nbar.sync 0;\nJoin:",
                     {32});
  EXPECT_EQ(only(done.report),
            "k.ptx:13: bar.sync 0: lanes 8-31 of warp 0 wait here, while lanes "
            "0-7 wait at line 16");
  EXPECT_EQ(done.report.findings[0].kind, FindingKind::DivergentBarrier);

  done = run("setp.lt.u32 %q0, %r0, 8;\n@%q0 ret;\nbar.sync 0;", {32});
  EXPECT_EQ(only(done.report),
            "k.ptx:13: bar.sync 0: thread (8, 0, 0) of block (0, 0, 0) waits "
            "for its warp, of which 8 threads have ended");
}

TEST(Barrier, WithoutSomeWarps) {
  Outcome done = run("setp.lt.u32 %q0, %r0, 32;\n@%q0 ret;\nbar.sync 0;", {64});
  EXPECT_EQ(only(done.report),
            "k.ptx:13: bar.sync 0: warp 1 of block (0, 0, 0) waits for 2 "
            "warps, but only 1 ever come");
  EXPECT_EQ(done.report.findings[0].kind, FindingKind::MissingThreads);
  done = run("bar.sync 0, 48;", {64});
  EXPECT_EQ(only(done.report),
            "k.ptx:11: bar.sync 0, 48: thread (0, 0, 0) of block (0, 0, 0) "
            "names barrier 0 for 48 threads; there are 16, for whole warps of "
            "the block");
  done = run("shr.u32 %r1, %r0, 5; setp.eq.u32 %q0, %r1, 0;\n"
             "selp.b32 %r2, 64, 96, %q0; bar.sync 0, %r2;",
             {96});
  EXPECT_EQ(only(done.report),
            "k.ptx:12: bar.sync 0, %r2: thread (32, 0, 0) of block (0, 0, 0) "
            "comes to barrier 0 with 96 threads, others with 64");
  done = run("bar.arrive 1, 64;\nbar.sync 1, 64;", {32});
  EXPECT_EQ(done.report.findings.size(), 1u);
}

TEST(Warp, EndsThatAreNone) {
  Sample sample("Loop: bra Loop;");
  Report report = sample.run({1}, {32}, Arguments().add(uint64_t(0)), 0, 1000);
  EXPECT_EQ(only(report),
            "k.ptx:10: bra Loop: thread (0, 0, 0) of block (0, 0, 0) is still "
            "here after 1000 instructions of warps");
  EXPECT_EQ(only(run("trap;", {1}).report),
            "k.ptx:11: trap: thread (0, 0, 0) of block (0, 0, 0) ends here");
}

} // namespace
