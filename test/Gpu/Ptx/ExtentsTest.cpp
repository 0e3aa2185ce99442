//===- ExtentsTest.cpp - which bytes a launch says that it touched --------===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

std::string text(const std::vector<Extent> &extents) {
  std::string text;
  for (Extent extent : extents)
    text +=
        std::to_string(extent.begin) + "-" + std::to_string(extent.end) + " ";
  return text;
}

TEST(Extents, UniteWhereTheyMeet) {
  std::vector<Extent> extents = {{8, 12}, {0, 4}, {4, 6}, {9, 10}, {20, 24}};
  unite(extents);
  EXPECT_EQ(text(extents), "0-6 8-12 20-24 ");
}

TEST(Extents, OfLoadsAndStores) {
  Sample sample("mov.u32 %r0, %tid.x; mad.wide.u32 %d4, %r0, 4, %d0;\n"
                "ld.global.u32 %r1, [%d4];\n"
                "mad.wide.u32 %d5, %r0, 16, %d1;\n"
                "st.global.u32 [%d5+4], %r1;",
                2);
  uint64_t x = sample.memory.upload(std::vector<uint32_t>(64), "x");
  uint64_t y = sample.memory.allocate(4096, "y");
  Report report = sample.run({1}, {4}, Arguments().add(x + 8).add(y));
  EXPECT_EQ(report.text(), "");
  ASSERT_EQ(report.touched.size(), 2u);
  EXPECT_EQ(text(report.touched[x].read), "8-24 ");
  EXPECT_EQ(text(report.touched[x].written), "");
  EXPECT_EQ(text(report.touched[y].read), "");
  EXPECT_EQ(text(report.touched[y].written), "4-8 20-24 36-40 52-56 ");
}

TEST(Extents, OfBlocksAndOfMany) {
  // Thread i of block b stores at 8 * (64 b + i): 4096 places with gaps.
  Sample sample("mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
                "mad.lo.u32 %r0, %r1, 64, %r0;\n"
                "mad.wide.u32 %d4, %r0, 8, %d0;\n"
                "st.global.u32 [%d4], %r0;");
  uint64_t x = sample.memory.allocate(8 * 4096, "x");
  Report report = sample.run({64}, {64}, Arguments().add(x));
  EXPECT_EQ(report.text(), "");
  ASSERT_EQ(report.touched[x].written.size(), 4096u);
  EXPECT_EQ(report.touched[x].written.back().begin, 8u * 4095);
}

/// Of a tensor that no host could hold, the blocks that run touch theirs.
TEST(Extents, OfSomeBlocksOfALargeGrid) {
  Sample sample(
      "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
      "mad.lo.u32 %r0, %r1, 64, %r0;\n"
      "mad.wide.u32 %d4, %r0, 4, %d0; mad.wide.u32 %d5, %r0, 4, %d1;\n"
      "ld.global.u32 %r1, [%d4];\n"
      "st.global.u32 [%d5], %r1;",
      2);
  uint64_t blocks = uint64_t(1) << 24, bytes = blocks * 64 * 4;
  uint64_t x = sample.memory.allocateZeros(bytes, "x");
  uint64_t y = sample.memory.allocateZeros(bytes, "y");
  Configuration how{{uint32_t(blocks)}, {64}, 0, Arguments().add(x).add(y)};
  uint64_t end = uint64_t(1) << 22;
  how.onlyBlocks = {end - 2, end - 1};
  Report report = launch(sample.program, "k", how);
  EXPECT_EQ(report.text(), "");
  std::string touched = std::to_string((uint64_t(1) << 30) - 512) + "-" +
                        std::to_string(uint64_t(1) << 30) + " ";
  EXPECT_EQ(text(report.touched[x].read), touched);
  EXPECT_EQ(text(report.touched[y].written), touched);
  EXPECT_EQ(report.byAllocation[x].loadBytes, 512u);
  EXPECT_EQ(report.byAllocation[x].storeBytes, 0u);
  EXPECT_EQ(report.byAllocation[y].storeSectors, 16u);
  how.onlyBlocks = {blocks - 1};
  EXPECT_EQ(launch(sample.program, "k", how).total.loads, 2u);
}

TEST(Extents, AtomicsReadAndWrite) {
  Sample sample("atom.global.add.u32 %r0, [%d0+4], 1;");
  uint64_t x = sample.memory.upload(std::vector<uint32_t>(4), "x");
  Report report = sample.run({2}, {32}, Arguments().add(x));
  EXPECT_EQ(report.text(), "");
  EXPECT_EQ(text(report.touched[x].read), "4-8 ");
  EXPECT_EQ(text(report.touched[x].written), "4-8 ");
}

} // namespace
