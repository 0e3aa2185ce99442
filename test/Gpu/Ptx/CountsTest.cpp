//===- CountsTest.cpp - sectors, ways of banks, classes -------------------===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

/// One warp loads from x at `stride` bytes times its lane.
Counts loads(const std::string &load, unsigned stride, uint64_t first = 0) {
  Sample sample("mov.u32 %r0, %tid.x; mad.wide.u32 %d4, %r0, " +
                std::to_string(stride) + ", %d0;\n" + load);
  uint64_t x = sample.memory.upload(std::vector<uint32_t>(2048), "x");
  Report report = sample.run({1}, {32}, Arguments().add(x + first));
  EXPECT_EQ(report.text(), "");
  return report.byLine.at(11);
}

TEST(Counts, SectorsOfGlobalMemory) {
  Counts counts = loads("ld.global.u32 %r1, [%d4];", 4);
  EXPECT_EQ(counts.loads, 1u);
  EXPECT_EQ(counts.loadBytes, 128u);
  EXPECT_EQ(counts.loadSectors, 4u);
  EXPECT_EQ(counts.idealLoadSectors, 4u);

  counts = loads("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d4];", 16);
  EXPECT_EQ(counts.loadBytes, 512u);
  EXPECT_EQ(counts.loadSectors, 16u);

  counts = loads("ld.global.u32 %r1, [%d4];", 128); // a column
  EXPECT_EQ(counts.loadSectors, 32u);
  EXPECT_EQ(counts.sectorsPerIdeal(), 8);
  EXPECT_EQ(counts.waysPerIdeal(), 1);
  EXPECT_EQ(counts.idealLoadSectors, 4u);

  counts = loads("ld.global.u32 %r1, [%d4];", 4, 4); // begins in a sector
  EXPECT_EQ(counts.loadSectors, 5u);
  EXPECT_EQ(counts.idealLoadSectors, 4u);

  counts = loads("ld.global.u32 %r1, [%d4];", 0); // all the same word
  EXPECT_EQ(counts.loadBytes, 128u);
  EXPECT_EQ(counts.loadedOnce, 4u);
  EXPECT_EQ(counts.loadSectors, 1u);
  EXPECT_EQ(counts.idealLoadSectors, 1u);
}

/// One warp stores to shared memory at `stride` bytes times its lane.
Counts stores(const std::string &store, unsigned stride) {
  Sample sample("mov.u32 %r0, %tid.x; mov.u32 %r1, dynamic;\n"
                "mad.lo.u32 %r2, %r0, " +
                std::to_string(stride) + ", %r1;\n" + store);
  Report report = sample.run({1}, {32}, Arguments().add(uint64_t(0)), 32 * 132);
  EXPECT_EQ(report.text(), "");
  return report.byLine.at(12);
}

TEST(Counts, BanksOfSharedMemory) {
  Counts counts = stores("st.shared.u32 [%r2], %r0;", 4);
  EXPECT_EQ(counts.sharedAccesses, 1u);
  EXPECT_EQ(counts.sharedBytes, 128u);
  EXPECT_EQ(counts.sharedWays, 1u);
  EXPECT_EQ(stores("st.shared.u32 [%r2], %r0;", 8).sharedWays, 2u);
  EXPECT_EQ(stores("st.shared.u32 [%r2], %r0;", 128).sharedWays, 32u);
  EXPECT_EQ(stores("st.shared.u32 [%r2], %r0;", 132).sharedWays, 1u);
  EXPECT_EQ(stores("st.shared.u32 [%r2], 5;", 0).sharedWays, 1u);
  counts = stores("st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};", 16);
  EXPECT_EQ(counts.sharedWays, 4u);
  EXPECT_EQ(counts.idealSharedWays, 4u);
  counts = stores("st.shared.v2.u32 [%r2], {%r0, %r0};", 16);
  EXPECT_EQ(counts.sharedWays, 4u);
  EXPECT_EQ(counts.idealSharedWays, 2u);
  EXPECT_EQ(counts.waysPerIdeal(), 2);
}

TEST(Counts, Classes) {
  Sample sample("mov.u32 %r0, %tid.x; setp.lt.u32 %q0, %r0, 8;\n"
                "@%q0 add.u32 %r1, %r0, 1;\n"
                "cvt.rn.f32.u32 %f0, %r0; mul.f32 %f1, %f0, %f0;\n"
                "ex2.approx.f32 %f2, %f1; bar.sync 0;");
  Report report = sample.run({1}, {64}, Arguments().add(uint64_t(0)));
  EXPECT_EQ(report.text(), "");
  EXPECT_EQ(report.of(Class::Compare).warps, 2u);
  EXPECT_EQ(report.of(Class::Integer).warps, 2u);
  EXPECT_EQ(report.of(Class::Integer).threads, 8u);
  EXPECT_EQ(report.of(Class::Convert).threads, 64u);
  EXPECT_EQ(report.of(Class::Float32).threads, 64u);
  EXPECT_EQ(report.of(Class::Approximate).threads, 64u);
  EXPECT_EQ(report.of(Class::Barrier).warps, 2u);
  EXPECT_EQ(report.barriers, 1u);
  // ld.param, six before the barrier, the barrier, ret.
  EXPECT_EQ(report.total.warps, 2u * 9);
  EXPECT_STREQ(nameOf(Class::Exchange), "exchange");
}

} // namespace
