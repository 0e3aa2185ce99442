//===- AccessTest.cpp - loads and stores, and what is found about them ----===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

const char *const own = "mov.u32 %r0, %tid.x; mad.wide.u32 %d4, %r0, 4, %d0;\n";

TEST(Access, WidthsAndSigns) {
  Sample sample(R"(
    ld.global.s8 %r0, [%d0];     st.global.u32 [%d1], %r0;
    ld.global.u8 %h0, [%d0];     st.global.u16 [%d1+4], %h0;
    ld.global.s32 %d4, [%d0+4];  st.global.u64 [%d1+8], %d4;
    ld.global.v2.u16 {%h1, %h2}, [%d0+4]; st.global.u16 [%d1+6], %h2;
    ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d0]; st.v2.b32 [%d1+16], {%r7, %r4};
  )",
                2);
  std::vector<uint32_t> values = {0x000000fe, 0x80000001, 3, 4};
  uint64_t in = sample.memory.upload(values, "in");
  uint64_t out = sample.memory.allocate(24, "out");
  Report report = sample.run({1}, {1}, Arguments().add(in).add(out));
  EXPECT_EQ(report.text(), "");
  EXPECT_EQ(sample.memory.download<uint32_t>(out, 6),
            (std::vector<uint32_t>{0xfffffffe, 0x800000fe, 0x80000001,
                                   0xffffffff, 4, 0xfe}));
}

TEST(Access, LocalSharedAndConstantVariables) {
  Memory memory;
  Program program(parse(R"(.version 8.0
    .target sm_80
    .address_size 64
    .const .b32 table[4] = {10, 20, 30, 40};
    .global .align 8 .u64 total;
    .entry k() {
      .reg .b32 %r<4>; .reg .b64 %d<8>;
      .local .align 8 .b8 stack[16];
      .shared .align 4 .b8 box[128];
      mov.u32 %r0, %tid.x;
      mov.u64 %d0, stack;
      cvta.local.u64 %d1, %d0;
      st.u32 [%d1+4], %r0;
      ld.local.u32 %r1, [stack+4];
      mad.wide.u32 %d2, %r1, 4, 0;
      mov.u64 %d3, box;
      add.s64 %d3, %d3, %d2;
      cvta.shared.u64 %d4, %d3;
      ld.const.u32 %r2, [table+8];
      st.shared.u32 [%d3], %r2;
      ld.u32 %r3, [%d4];
      .reg .pred %p;
      setp.ne.s32 %p, %r0, 5;
      @%p ret;
      cvt.u64.u32 %d5, %r3;
      st.global.u64 [total], %d5;
    })",
                        "k.ptx"),
                  memory);
  Report report = launch(program, "k", {{1}, {32}});
  EXPECT_EQ(report.text(), "");
  EXPECT_EQ(memory.download<uint64_t>(program.address("total"), 1)[0], 30u);
}

TEST(Access, OutOfBounds) {
  Sample sample(std::string(own) + "st.global.u32 [%d4], %r0;");
  uint64_t x = sample.memory.allocate(40, "x");
  Report report = sample.run({1}, {32}, Arguments().add(x));
  EXPECT_EQ(only(report),
            "k.ptx:11: st.global.u32 [%d4], %r0: thread (10, 0, 0) of block "
            "(0, 0, 0) writes 4 bytes at 'x' + 40, which has 40 bytes");
  EXPECT_EQ(report.findings[0].kind, FindingKind::OutOfBounds);
  EXPECT_EQ(report.findings[0].times, 22u);
  EXPECT_EQ(sample.memory.download<uint32_t>(x, 10)[9], 9u);

  report =
      Sample("ld.global.u32 %r0, [%d0+-4];").run({1}, {1}, Arguments().add(x));
  EXPECT_EQ(only(report).substr(0, 30), "k.ptx:10: ld.global.u32 %r0, [");
}

TEST(Access, BeforeAndNowhere) {
  Sample sample("ld.global.u32 %r0, [%d0+-4]; ld.global.u32 %r1, [64];\n"
                "ld.shared.u32 %r2, [dynamic+16];");
  uint64_t x = sample.memory.upload(std::vector<int>{1}, "x");
  Report report = sample.run({1}, {1}, Arguments().add(x), 16);
  EXPECT_EQ(report.text(),
            "k.ptx:10: ld.global.u32 %r0, [%d0+-4]: thread (0, 0, 0) of block "
            "(0, 0, 0) reads 4 bytes at 'x' - 4, which has 4 bytes\n"
            "k.ptx:10: ld.global.u32 %r1, [64]: thread (0, 0, 0) of block (0, "
            "0, 0) reads 4 bytes at address 0x40, where nothing is allocated\n"
            "k.ptx:11: ld.shared.u32 %r2, [dynamic+16]: thread (0, 0, 0) of "
            "block (0, 0, 0) reads 4 bytes at 16 of shared memory, which has "
            "16 bytes\n");
}

TEST(Access, Misaligned) {
  Sample sample("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d0+4];");
  uint64_t x = sample.memory.upload(std::vector<float>(8), "x");
  EXPECT_EQ(only(sample.run({1}, {1}, Arguments().add(x))),
            "k.ptx:10: ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d0+4]: thread "
            "(0, 0, 0) of block (0, 0, 0) reads 16 bytes at 'x' + 4, whose "
            "address is no multiple of 16");
}

TEST(Access, Released) {
  Sample sample("st.global.u32 [%d0], 1;");
  uint64_t x = sample.memory.allocate(4, "x");
  sample.memory.release(x);
  EXPECT_EQ(only(sample.run({1}, {1}, Arguments().add(x))),
            "k.ptx:10: st.global.u32 [%d0], 1: thread (0, 0, 0) of block (0, "
            "0, 0) writes 4 bytes at 'x', which is released");
}

TEST(Access, UndefinedMemory) {
  Sample sample("ld.global.u32 %r0, [%d0+4]; ld.shared.u16 %h0, [dynamic];");
  uint64_t x = sample.memory.allocate(8, "x");
  Report report = sample.run({1}, {1}, Arguments().add(x), 4);
  EXPECT_EQ(report.text(),
            "k.ptx:10: ld.global.u32 %r0, [%d0+4]: thread (0, 0, 0) of block "
            "(0, 0, 0) reads 4 bytes at 'x' + 4, where some have no value\n"
            "k.ptx:10: ld.shared.u16 %h0, [dynamic]: thread (0, 0, 0) of block "
            "(0, 0, 0) reads 2 bytes at 'dynamic', where some have no value\n");
}

TEST(Access, UndefinedRegisters) {
  // A copy of nothing is no error; its use is.
  Sample sample(std::string(own) +
                "setp.lt.u32 %q0, %r0, 3; @%q0 mov.u32 %r1, 5;\n"
                "mov.u32 %r2, %r1; mov.b64 %d5, {%r2, %r0};\n"
                "add.s32 %r3, %r0, %r2; @%q1 ret;");
  uint64_t x = sample.memory.allocate(4, "x");
  Report report = sample.run({1}, {8}, Arguments().add(x));
  EXPECT_EQ(report.text(),
            "k.ptx:13: add.s32 %r3, %r0, %r2: thread (3, 0, 0) of block (0, 0, "
            "0) reads a register that has no value, the source operand 2\n"
            "k.ptx:13: @%q1 ret: thread (0, 0, 0) of block (0, 0, 0) reads a "
            "predicate that has no value, the guard\n");
  EXPECT_EQ(report.findings[0].kind, FindingKind::UndefinedRegister);
}

TEST(Access, Constant) {
  Memory memory;
  Program program(parse(".version 8.0\n.const .b32 c[2] = {1};\n.entry k() {\n"
                        ".reg .b64 %d; mov.u64 %d, c;\nst.b32 [%d], 7; }",
                        "k.ptx"),
                  memory);
  EXPECT_EQ(only(launch(program, "k", {{1}, {1}})),
            "k.ptx:5: st.b32 [%d], 7: thread (0, 0, 0) of block (0, 0, 0) "
            "writes 4 bytes at 'c', which is constant");
}

} // namespace
