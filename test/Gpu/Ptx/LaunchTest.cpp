//===- LaunchTest.cpp - what cannot be decoded or launched ----------------===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

std::string launchError(const std::string &bounds, Configuration how) {
  Memory memory;
  Program program(parse(".version 8.0\n.entry k(.param .u32 n)" + bounds +
                            " { .shared .b8 s[1024]; ret; }",
                        "k.ptx"),
                  memory);
  try {
    launch(program, "k", how);
  } catch (const PtxError &error) {
    return error.what();
  }
  return "";
}

TEST(Launch, Refusals) {
  Arguments one;
  one.add(1);
  EXPECT_EQ(launchError("", {{1}, {2048}, 0, one}),
            "k.ptx:2: 'k' cannot be launched: a block has 1 to 1024 threads, "
            "at most 64 in z, not 2048");
  EXPECT_EQ(launchError("", {{1, 70000}, {1}, 0, one}),
            "k.ptx:2: 'k' cannot be launched: a grid has at most 2^31 - 1 "
            "blocks in x, 65535 in y and z, and no size of 0");
  EXPECT_EQ(
      launchError(".maxntid 128", {{1}, {256}, 0, one}),
      "k.ptx:2: 'k' cannot be launched: 256 threads, .maxntid allows 128");
  EXPECT_EQ(launchError(".reqntid 16, 4", {{1}, {64}, 0, one}),
            "k.ptx:2: 'k' cannot be launched: a block of (64, 1, 1), .reqntid "
            "asks for (16, 4, 1)");
  EXPECT_EQ(launchError("", {{1}, {32}}),
            "k.ptx:2: 'k' cannot be launched: arguments of 0 bytes for "
            "parameters of 4");
  EXPECT_EQ(launchError("", {{1}, {32}, 232000, one}),
            "k.ptx:2: 'k' cannot be launched: 233024 bytes of shared memory, "
            "232448 are allowed");
  EXPECT_EQ(launchError("", {{1}, {32}, 0, one}), "");
  Memory memory;
  Program program(parse(".version 8.0", "k.ptx"), memory);
  try {
    launch(program, "f", {{1}, {1}});
    FAIL();
  } catch (const PtxError &error) {
    EXPECT_STREQ(error.what(), "k.ptx: no entry is called 'f'");
  }
}

TEST(Launch, PointersAreAlignedAsPromised) {
  Memory memory;
  Program program(
      parse(".version 8.0\n.entry k(.param .u64 .ptr .align 16 x) { ret; }",
            "k.ptx"),
      memory);
  uint64_t x = memory.allocate(64, "x");
  EXPECT_EQ(launch(program, "k", {{1}, {1}, 0, Arguments().add(x)}).text(), "");
  try {
    launch(program, "k", {{1}, {1}, 0, Arguments().add(x + 8)});
    FAIL();
  } catch (const PtxError &error) {
    EXPECT_STREQ(error.what(),
                 "k.ptx:2: 'k' cannot be launched: 'x' points to multiples of "
                 "16, the address given is none");
  }
}

TEST(Launch, CopiesStayWithinAnAllocation) {
  Memory memory;
  uint64_t x = memory.allocate(4, "x");
  int values[2] = {1, 2};
  try {
    memory.write(x, values, 8);
    FAIL();
  } catch (const PtxError &error) {
    EXPECT_STREQ(error.what(),
                 "a copy of 8 bytes is not within one allocation");
  }
  memory.release(x);
  try {
    memory.release(x + 1);
    FAIL();
  } catch (const PtxError &error) {
    EXPECT_STREQ(error.what(),
                 "no allocation begins at the address that is released");
  }
}

TEST(Decode, RefusalsNameLineAndInstruction) {
  EXPECT_EQ(refusal("add.s32.foo %r0, %r1, %r2;"),
            "k.ptx:10: add.s32.foo %r0, %r1, %r2: '.foo' is not supported "
            "here");
  EXPECT_EQ(refusal("add.s64 %d5, %r1, 2;"),
            "k.ptx:10: add.s64 %d5, %r1, 2: '%r1' has 4 bytes, the instruction "
            "takes 8");
  EXPECT_EQ(refusal("add.s32 %r0, %r1;"),
            "k.ptx:10: add.s32 %r0, %r1: expected 3 operands, found 2");
  EXPECT_EQ(refusal("mul.s32 %r0, %r1, 2;"),
            "k.ptx:10: mul.s32 %r0, %r1, 2: expected one of .lo, .hi, .wide");
  EXPECT_EQ(refusal("bra Nowhere;"),
            "k.ptx:10: bra Nowhere: no label is called 'Nowhere'");
  EXPECT_EQ(refusal("mov.u32 %r0, %smid;"),
            "k.ptx:10: mov.u32 %r0, %smid: the register '%smid' is not "
            "declared, nor supported as a special one");
  EXPECT_EQ(refusal("@%r0 ret;"), "k.ptx:10: @%r0 ret: '%r0' is no predicate");
  EXPECT_EQ(refusal("mov.u32 5, %r0;"),
            "k.ptx:10: mov.u32 5, %r0: the destination is no register");
  EXPECT_EQ(refusal("ld.global.v2.f32 %f0, [%d0];"),
            "k.ptx:10: ld.global.v2.f32 %f0, [%d0]: 1 registers for 2 "
            "elements");
  EXPECT_EQ(refusal("ld.global.u64 %r0, [%d0];"),
            "k.ptx:10: ld.global.u64 %r0, [%d0]: registers of 4 bytes cannot "
            "be loaded so");
  EXPECT_EQ(refusal("st.global.u64 [%d0], %r0;"),
            "k.ptx:10: st.global.u64 [%d0], %r0: registers of 4 bytes cannot "
            "be stored so");
  EXPECT_EQ(refusal("ld.global.u32 %r0, %d0;"),
            "k.ptx:10: ld.global.u32 %r0, %d0: an address is missing");
  EXPECT_EQ(refusal("cvt.u64.u32 %r0, %r1;"),
            "k.ptx:10: cvt.u64.u32 %r0, %r1: a register is too narrow");
  EXPECT_EQ(refusal("cp.async.cg.shared.global [%r0], [%d0], 8;"),
            "k.ptx:10: cp.async.cg.shared.global [%r0], [%d0], 8: cp.async.cg "
            "copies 16 bytes");
  EXPECT_EQ(refusal("atom.global.add.s64 %d1, [%d0], 1;"),
            "k.ptx:10: atom.global.add.s64 %d1, [%d0], 1: the operation is not "
            "supported with this type");
  EXPECT_EQ(refusal("setp.hs.f32 %q0, %f0, %f1;"),
            "k.ptx:10: setp.hs.f32 %q0, %f0, %f1: no comparison '.hs' of "
            "'.f32'");
}

} // namespace
