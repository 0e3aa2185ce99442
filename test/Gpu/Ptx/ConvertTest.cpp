//===- ConvertTest.cpp - each form of cvt ---------------------------------===//

#include "test/Gpu/Ptx/Rounding.h"
#include "test/Gpu/Ptx/Sample.h"
#include <random>

using namespace hocket::ptx;

namespace {

using u16 = uint16_t;
using s32 = int32_t;
using u32 = uint32_t;
using s64 = int64_t;
using u64 = uint64_t;

TEST(Convert, IntegerToInteger) {
  EXPECT_EQ(evaluate<u64>("cvt.u64.u32 %d, %s0;", ~0u), 0xffffffffu);
  EXPECT_EQ(evaluate<s64>("cvt.s64.s32 %d, %s0;", -1), -1);
  EXPECT_EQ(evaluate<u32>("cvt.u32.u64 %d, %s0;", u64(5) << 32 | 7), 7u);
  EXPECT_EQ(evaluate<u32>("cvt.s32.s8 %d, %s0;", 0x80u), 0xffffff80u);
  EXPECT_EQ(evaluate<u32>("cvt.u32.u8 %d, %s0;", 0x1ffu), 0xffu);
  EXPECT_EQ(evaluate<u32>("cvt.s16.s32 %d, %s0;", 0x18000), 0xffff8000u);
  EXPECT_EQ(evaluate<u32>("cvt.u8.u32 %d, %s0;", 0x1ffu), 0xffu);
  EXPECT_EQ(evaluate<u32>("cvt.sat.u8.s32 %d, %s0;", -5), 0u);
  EXPECT_EQ(evaluate<u32>("cvt.sat.s8.s32 %d, %s0;", 500), 127u);
}

TEST(Convert, FloatToInteger) {
  EXPECT_EQ(evaluate<s32>("cvt.rni.s32.f32 %d, %s0;", 2.5f), 2);
  EXPECT_EQ(evaluate<s32>("cvt.rzi.s32.f32 %d, %s0;", -2.7f), -2);
  EXPECT_EQ(evaluate<s32>("cvt.rmi.s32.f32 %d, %s0;", -2.1f), -3);
  EXPECT_EQ(evaluate<s32>("cvt.rpi.s32.f32 %d, %s0;", 2.1f), 3);
  EXPECT_EQ(evaluate<s32>("cvt.rzi.s32.f32 %d, %s0;", 1e20f), 0x7fffffff);
  EXPECT_EQ(evaluate<u32>("cvt.rzi.u32.f32 %d, %s0;", -1.0f), 0u);
  EXPECT_EQ(evaluate<s32>("cvt.rzi.s32.f32 %d, %s0;", NAN), 0);
  EXPECT_EQ(evaluate<u64>("cvt.rzi.s64.f32 %d, %s0;", NAN), u64(1) << 63);
  EXPECT_EQ(evaluate<u32>("cvt.rzi.s32.f64 %d, %s0;", double(NAN)), 1u << 31);
  EXPECT_EQ(evaluate<u64>("cvt.rzi.u64.f64 %d, %s0;", 0x1p63), u64(1) << 63);
  EXPECT_EQ(evaluate<float>("cvt.rmi.f32.f32 %d, %s0;", -0.5f), -1);
  EXPECT_EQ(evaluate<float>("cvt.rni.f32.f32 %d, %s0;", 3.5f), 4);
}

TEST(Convert, IntegerToFloat) {
  EXPECT_EQ(evaluate<float>("cvt.rn.f32.s32 %d, %s0;", -7), -7);
  EXPECT_EQ(evaluate<float>("cvt.rn.f32.u32 %d, %s0;", 0x1000001u), 0x1p24f);
  EXPECT_EQ(evaluate<float>("cvt.rp.f32.u32 %d, %s0;", 0x1000001u),
            0x1p24f + 2);
  EXPECT_EQ(evaluate<float>("cvt.rn.f32.u64 %d, %s0;", ~u64(0)), 0x1p64f);
  EXPECT_EQ(evaluate<float>("cvt.rz.f32.s64 %d, %s0;", ~u64(0) >> 1),
            std::nextafter(0x1p63f, 0.0f));
  EXPECT_EQ(evaluate<double>("cvt.rn.f64.s64 %d, %s0;", s64(-3)), -3);
  EXPECT_EQ(evaluate<u16>("cvt.rn.f16.s32 %d, %s0;", 2049), 0x6800);
}

TEST(Convert, FloatToFloat) {
  EXPECT_EQ(evaluate<double>("cvt.f64.f32 %d, %s0;", 0.1f), double(0.1f));
  EXPECT_EQ(evaluate<float>("cvt.rn.f32.f64 %d, %s0;", 0.1), 0.1f);
  EXPECT_EQ(evaluate<float>("cvt.rz.f32.f64 %d, %s0;", 0.1),
            std::nextafter(0.1f, 0.0f));
  EXPECT_EQ(evaluate<u32>("cvt.rn.ftz.f32.f64 %d, %s0;", -0x1p-140),
            0x80000000u);
  EXPECT_EQ(evaluate<float>("cvt.sat.f32.f32 %d, %s0;", 7.0f), 1);
  EXPECT_EQ(evaluate<u16>("cvt.rn.f16.f32 %d, %s0;", 65520.0f), 0x7c00);
  EXPECT_EQ(evaluate<u16>("cvt.rz.f16.f32 %d, %s0;", 65520.0f), 0x7bff);
  EXPECT_EQ(evaluate<u16>("cvt.rn.f16.f32 %d, %s0;", 0x1p-24f), 1);
  EXPECT_EQ(evaluate<u16>("cvt.rn.bf16.f32 %d, %s0;", 1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(evaluate<u16>("cvt.rn.bf16.f32 %d, %s0;", NAN), 0x7fff);
  EXPECT_EQ(evaluate<u16>("cvt.rn.relu.bf16.f32 %d, %s0;", -1.0f), 0);
  EXPECT_EQ(evaluate<float>("cvt.f32.f16 %d, %s0;", u16(0x3c01)), 1 + 0x1p-10f);
  EXPECT_EQ(bitsAs<u32>(evaluate<float>("cvt.f32.f16 %d, %s0;", u16(0x7c01))),
            0x7fffffffu);
  EXPECT_EQ(evaluate<float>("cvt.f32.bf16 %d, %s0;", u16(0x3f81)), 1 + 0x1p-7f);
  EXPECT_EQ(evaluate<u32>("cvt.rn.bf16x2.f32 %d, %s0, %s1;", 1.0f, 2.0f),
            0x3f804000u);
  EXPECT_EQ(evaluate<u32>("cvt.rz.f16x2.f32 %d, %s0, %s1;", 65520.0f, -1.0f),
            0x7bffbc00u);
  EXPECT_EQ(evaluate<float>("cvt.rna.tf32.f32 %d, %s0;", 1 + 0x1p-11f),
            1 + 0x1p-10f);
  EXPECT_EQ(evaluate<float>("cvt.rn.tf32.f32 %d, %s0;", 1 + 0x1p-11f), 1);
}

float half(u16 bits) {
  Float16 value;
  value.bits = bits;
  return value;
}

TEST(Half, Arithmetic) {
  EXPECT_EQ(evaluate<u16>("add.f16 %d, %s0, %s1;", u16(0x3c00), u16(0x3c00)),
            0x4000);
  EXPECT_EQ(
      evaluate<u16>("sub.rn.bf16 %d, %s0, %s1;", u16(0x4000), u16(0x3f80)),
      0x3f80);
  EXPECT_EQ(evaluate<u32>("mul.f16x2 %d, %s0, %s1;", 0x3c004000u, 0x44004400u),
            0x44004800u);
  EXPECT_EQ(evaluate<u32>("fma.rn.bf16x2 %d, %s0, %s1, %s2;", 0x3f803f80u,
                          0x40004000u, 0x3f80bf80u),
            0x40403f80u);
  EXPECT_EQ(evaluate<u16>("fma.rn.relu.f16 %d, %s0, %s1, %s2;", u16(0x3c00),
                          u16(0xbc00), u16(0)),
            0);
  EXPECT_EQ(evaluate<u16>("add.ftz.f16 %d, %s0, %s1;", u16(1), u16(0)), 0);
  EXPECT_EQ(evaluate<u32>("neg.f16x2 %d, %s0;", 0x3c00bc00u), 0xbc003c00u);
  EXPECT_EQ(evaluate<u16>("abs.bf16 %d, %s0;", u16(0xbf80)), 0x3f80);
  EXPECT_EQ(evaluate<u16>("max.f16 %d, %s0, %s1;", u16(0x7e00), u16(0x3c00)),
            0x3c00);
  EXPECT_EQ(
      evaluate<u16>("max.NaN.bf16 %d, %s0, %s1;", u16(0x7fc0), u16(0x3f80)),
      0x7fff);
  EXPECT_EQ(evaluate<u16>("ex2.approx.ftz.bf16 %d, %s0;", u16(0x4000)), 0x4080);
  EXPECT_EQ(evaluate<u16>("tanh.approx.f16 %d, %s0;", u16(0)), 0);
}

TEST(Half, Comparisons) {
  EXPECT_EQ(evaluate<u32>("set.gt.f16x2.f16x2 %d, %s0, %s1;", 0x3c004000u,
                          0x3c003c00u),
            0x00003c00u);
  EXPECT_EQ(evaluate<u32>("set.leu.u32.bf16x2 %d, %s0, %s1;", 0x3f807fc0u,
                          0x3f803f80u),
            ~0u);
  EXPECT_EQ(evaluate<u32>("setp.lt.f16x2 %p|%q, %s0, %s1; selp.b32 %d, 1, 0, "
                          "%q;",
                          0x3c004000u, 0x40003c00u),
            1u);
}

// Against a sum without any rounding, which long double holds for f16.
TEST(Half, FusedProductsAreRoundedOnce) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    u16 a = random(), b = random(), c = random();
    float x = half(a), y = half(b), z = half(c);
    long double exact = (long double)x * y + z;
    float expected = float(rounded(exact, formatF16, Rounding::Nearest));
    float got = toHalf<Float16>(cutToOdd(fmaToOdd(x, y, z)));
    if (expected == expected)
      ASSERT_EQ(got, expected) << a << " " << b << " " << c;
    else
      ASSERT_NE(got, got);
  }
  // A tie of bf16 that a term of 2^-100 breaks.
  EXPECT_EQ(evaluate<u16>("fma.rn.bf16 %d, %s0, %s1, %s2;",
                          BFloat16(1 + 0x1p-4f).bits,
                          BFloat16(1 + 0x1p-4f).bits, BFloat16(0x1p-100f).bits),
            BFloat16(1 + 0x1p-3f + 0x1p-7f).bits);
}

} // namespace
