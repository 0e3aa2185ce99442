//===- AtomicTest.cpp - each form of atom and red -------------------------===//

#include "test/Gpu/Ptx/FloatValues.h"
#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

/// What a word of memory holds after `atom.FORM` with b, and c where it takes
/// one; it must have given the word as it was.
template <typename T>
T after(const std::string &form, T memory, T b, T c = 0, bool takesC = false) {
  std::string bits = std::to_string(sizeof(T) * 8);
  std::string atom = "atom.global.relaxed.gpu." + form + " %old, [%d0], %b";
  Sample sample(".reg .b" + bits +
                    " %old, %b, %c;\n"
                    "ld.global.b" +
                    bits +
                    " %b, [%d1];\n"
                    "ld.global.b" +
                    bits + " %c, [%d1+8];\n" + atom + (takesC ? ", %c;" : ";") +
                    "\nst.global.b" + bits + " [%d1+16], %old;",
                2);
  std::vector<uint64_t> operands(3);
  std::memcpy(&operands[0], &b, sizeof b);
  std::memcpy(&operands[1], &c, sizeof c);
  uint64_t x = sample.memory.upload(std::vector<T>{memory}, "x");
  uint64_t y = sample.memory.upload(operands, "y");
  Report report = sample.run({1}, {1}, Arguments().add(x).add(y));
  EXPECT_EQ(report.text(), "");
  EXPECT_EQ(report.of(Class::Atomic).warps, 1u);
  EXPECT_EQ(sample.memory.download<T>(y + 16, 1)[0], memory) << form;
  return sample.memory.download<T>(x, 1)[0];
}

TEST(Atomic, Integers) {
  EXPECT_EQ(after("add.u32", 7u, ~0u), 6u);
  EXPECT_EQ(after("add.s32", -7, 5), -2);
  EXPECT_EQ(after("add.u64", uint64_t(1) << 40, uint64_t(1)),
            (uint64_t(1) << 40) + 1);
  EXPECT_EQ(after("min.s32", 1, -1), -1);
  EXPECT_EQ(after("min.u32", 1u, ~0u), 1u);
  EXPECT_EQ(after("max.s64", int64_t(1), int64_t(-1)), 1);
  EXPECT_EQ(after("max.u64", uint64_t(1), ~uint64_t(0)), ~uint64_t(0));
  EXPECT_EQ(after("and.b32", 12u, 10u), 8u);
  EXPECT_EQ(after("or.b64", uint64_t(12), uint64_t(10)), 14u);
  EXPECT_EQ(after("xor.b32", 12u, 10u), 6u);
  EXPECT_EQ(after("exch.b32", 12u, 10u), 10u);
  EXPECT_EQ(after("exch.b64", uint64_t(12), uint64_t(10)), 10u);
  EXPECT_EQ(after("cas.b32", 12u, 12u, 5u, true), 5u);
  EXPECT_EQ(after("cas.b64", uint64_t(12), uint64_t(1), uint64_t(5), true),
            12u);
  EXPECT_EQ(after("cas.b16", uint16_t(3), uint16_t(3), uint16_t(4), true), 4u);
  EXPECT_EQ(after("inc.u32", 4u, 5u), 5u);
  EXPECT_EQ(after("inc.u32", 5u, 5u), 0u);
  EXPECT_EQ(after("dec.u32", 0u, 5u), 5u);
  EXPECT_EQ(after("dec.u32", 9u, 5u), 5u);
  EXPECT_EQ(after("dec.u32", 3u, 5u), 2u);
}

TEST(Atomic, Floats) {
  EXPECT_EQ(after("add.f32", 1.5f, 2.0f), 3.5f);
  EXPECT_EQ(after("add.f64", 1.5, 2.0), 3.5);
  EXPECT_EQ(after("add.noftz.f16", uint16_t(0x3c00), uint16_t(0x3c00)), 0x4000);
  EXPECT_EQ(after("add.noftz.bf16x2", 0x3f804000u, 0x3f803f80u), 0x40004040u);
}

TEST(Atomic, OnSharedAndGenericAddresses) {
  Sample sample("mov.u32 %r0, %tid.x; mov.u32 %r1, dynamic; setp.eq.u32 %q0, "
                "%r0, 0;\n@%q0 st.shared.u32 [%r1], 0; bar.sync 0;\n"
                "red.shared.add.u32 [%r1], %r0; mov.u64 %d4, dynamic;\n"
                "cvta.shared.u64 %d5, %d4; atom.add.u32 %r2, [%d5], 1;\n"
                "isspacep.shared %q1, %d5; cvta.to.shared.u64 %d6, %d5;\n"
                "cvt.u32.u64 %r3, %d6; bar.sync 0; ld.shared.u32 %r4, [%r3];\n"
                "selp.u32 %r4, %r4, 0, %q1; @%q0 st.global.u32 [%d0], %r4;");
  uint64_t x = sample.memory.allocate(4, "x");
  Report report = sample.run({1}, {64}, Arguments().add(x), 16);
  EXPECT_EQ(report.text(), "");
  EXPECT_EQ(sample.memory.download<uint32_t>(x, 1)[0], 63u * 32 + 64);
}

TEST(Atomic, IsCheckedAsOtherAccesses) {
  Sample sample("red.global.add.u32 [%d0+2], 1;\nred.global.add.u32 [%d0+8], "
                "1;");
  uint64_t x = sample.memory.upload(std::vector<uint32_t>(2), "x");
  EXPECT_EQ(sample.run({1}, {1}, Arguments().add(x)).text(),
            "k.ptx:10: red.global.add.u32 [%d0+2], 1: thread (0, 0, 0) of "
            "block (0, 0, 0) writes 4 bytes at 'x' + 2, whose address is no "
            "multiple of 4\n"
            "k.ptx:11: red.global.add.u32 [%d0+8], 1: thread (0, 0, 0) of "
            "block (0, 0, 0) writes 4 bytes at 'x' + 8, which has 8 bytes\n");
}

} // namespace
