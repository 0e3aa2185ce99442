//===- VectorTest.cpp - what vectors run, and how they are compared -------===//

#include "test/Gpu/Ptx/FloatValues.h"
#include "test/Gpu/Vectors/Compare.h"
#include "test/Gpu/Vectors/Run.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::vectors;

namespace {

using Bytes = std::vector<std::byte>;

uint64_t bitsAt(const Bytes &bytes, const Section &section, uint64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, &bytes[section.offset + i * section.type.bytes],
              section.type.bytes);
  return bits;
}

void setBits(Bytes &bytes, const Section &section, uint64_t i, uint64_t bits) {
  std::memcpy(&bytes[section.offset + i * section.type.bytes], &bits,
              section.type.bytes);
}

std::string refusal(const std::string &form) {
  try {
    vectorOf(Form(form));
  } catch (const ptx::PtxError &error) {
    return error.what();
  }
  return "";
}

TEST(Form, SaysWhatIsWritten) {
  std::set<std::string> forms;
  collect(ptx::parse(".version 7.8\n.target sm_80\n.address_size 64\n"
                     ".entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 "
                     "%d; .reg .pred %q;\nld.param.u64 %d, [p];\n"
                     "@%q ld.global.L2::128B.v2.u32 {%r1, %r2}, [%d+8];\n"
                     "shfl.sync.up.b32 %r3|%q, %r1, 1, 0, -1;\n"
                     "bar.sync 0;\nret;\n}",
                     "k.ptx"),
          forms);
  EXPECT_EQ(forms, (std::set<std::string>{"bar.sync x",
                                          "ld.global.L2::128B.v2.u32 v2 m",
                                          "ld.param.u64 x m", "ret",
                                          "shfl.sync.up.b32 x|x x x x x"}));
  for (const std::string &text : forms)
    EXPECT_EQ(Form(text).text(), text);
}

TEST(Form, Refusals) {
  EXPECT_EQ(refusal("wgmma.fence.sync.aligned"),
            "there are no vectors for 'wgmma.fence.sync.aligned'");
  EXPECT_EQ(refusal("add.s32  x"), "'add.s32  x' is no form of an instruction");
}

TEST(Vector, HasTheSpecialValuesOfBothSources) {
  Vector vector = vectorOf(Form("add.s32 x x x"));
  Bytes sums = runOnInterpreter(vector);
  bool overflows = false;
  ASSERT_EQ(vector.outputs[0].count, 6144u);
  for (uint64_t i = 0; i < vector.outputs[0].count; ++i) {
    uint32_t a = bitsAt(vector.input, vector.inputs[0], i),
             b = bitsAt(vector.input, vector.inputs[1], i);
    overflows |= a == 0x7fffffff && b == 1;
    ASSERT_EQ(bitsAt(sums, vector.outputs[0], i), uint32_t(a + b));
  }
  EXPECT_TRUE(overflows);
}

TEST(Vector, DividesByNoZero) {
  Vector vector = vectorOf(Form("rem.s64 x x x"));
  for (uint64_t i = 0; i < vector.outputs[0].count; ++i) {
    EXPECT_NE(bitsAt(vector.input, vector.inputs[0], i), uint64_t(1) << 63);
    EXPECT_NE(bitsAt(vector.input, vector.inputs[1], i), 0u);
  }
}

TEST(Vector, WarpsGiveWhatOthersWaitFor) {
  Vector vector = vectorOf(Form("bar.arrive x x"));
  Bytes seen = runOnInterpreter(vector);
  ASSERT_EQ(vector.outputs[0].count, 512u);
  for (uint64_t i = 0; i < vector.outputs[0].count; ++i)
    EXPECT_EQ(bitsAt(seen, vector.outputs[0], i),
              bitsAt(vector.input, vector.inputs[0], i % 128 < 64 ? i ^ 85 : i))
        << i;
}

TEST(Compare, BitsAndNaN) {
  Vector vector = vectorOf(Form("add.rn.f64 x x x"));
  Bytes expected = runOnInterpreter(vector), found = expected;
  const Section &out = vector.outputs[0];
  EXPECT_EQ(compare(vector, expected, found).otherBits, 0u);
  uint64_t nan = 0;
  while (!std::isnan(numberAt(out.type, &expected[out.offset], nan)))
    ++nan;
  setBits(found, out, nan, 0xfff8000000000123);
  Comparison other = compare(vector, expected, found);
  EXPECT_EQ(other.otherBits, 1u);
  EXPECT_EQ(other.wrong, 0u);
  setBits(found, out, nan, 0);
  EXPECT_EQ(compare(vector, expected, found).wrong, 1u);

  Vector exact = vectorOf(Form("add.f32 x x x"));
  expected = found = runOnInterpreter(exact);
  setBits(found, exact.outputs[0], 0, 0x80000000);
  Comparison wrong = compare(exact, expected, found);
  EXPECT_EQ(wrong.wrong, 1u);
  EXPECT_EQ(wrong.first, "of 0 (0x0), 0 (0x0) expected 0 (0x0), found -0 "
                         "(0x80000000)");
}

TEST(Compare, Approximations) {
  Vector vector = vectorOf(Form("ex2.approx.ftz.f32 x x"));
  Bytes expected = runOnInterpreter(vector), found = expected;
  const Section &out = vector.outputs[0];
  uint64_t one = 0;
  while (bitsAt(expected, out, one) != ptx::bitsAs<uint32_t>(2.0f))
    ++one;
  setBits(found, out, one, ptx::bitsAs<uint32_t>(2.0f) + 1);
  Comparison near = compare(vector, expected, found);
  EXPECT_EQ(near.wrong, 0u);
  EXPECT_EQ(near.worst, 0.5); // of 2^-22
  setBits(found, out, one, ptx::bitsAs<uint32_t>(2.0f) + 3);
  EXPECT_EQ(compare(vector, expected, found).wrong, 1u);
  setBits(found, out, one, ptx::bitsAs<uint32_t>(INFINITY));
  EXPECT_EQ(compare(vector, expected, found).wrong, 1u);
}

/// Small integers of half of the warps must come out to the bit.
TEST(Compare, Products) {
  Vector vector = vectorOf(
      Form("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 v4 v4 v2 v4"));
  Bytes expected = runOnInterpreter(vector), found = expected;
  const Section &out = vector.outputs[0];
  setBits(found, out, 32, bitsAt(expected, out, 32) + 1);
  EXPECT_EQ(compare(vector, expected, found).wrong, 0u);
  setBits(found, out, 31, bitsAt(expected, out, 31) + 1);
  EXPECT_EQ(compare(vector, expected, found).wrong, 1u);
  setBits(found, out, 33, 0);
  EXPECT_EQ(compare(vector, expected, found).wrong, 2u);
}

} // namespace
