//===- IntegerTest.cpp - each form of an instruction on integers ----------===//

#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

using u16 = uint16_t;
using s32 = int32_t;
using u32 = uint32_t;
using s64 = int64_t;
using u64 = uint64_t;

TEST(Integer, AddAndSub) {
  EXPECT_EQ(evaluate<u32>("add.u32 %d, %s0, %s1;", ~0u, 2u), 1u);
  EXPECT_EQ(evaluate<u16>("add.s16 %d, %s0, 3;", u16(0xffff)), 2);
  EXPECT_EQ(evaluate<u64>("sub.s64 %d, %s0, %s1;", u64(1), u64(2)), ~u64(0));
  EXPECT_EQ(evaluate<s32>("add.sat.s32 %d, %s0, %s1;", 0x7fffffff, 1),
            0x7fffffff);
  EXPECT_EQ(evaluate<s32>("sub.sat.s32 %d, %s0, 1;", s32(0x80000000)),
            s32(0x80000000));
}

TEST(Integer, Products) {
  EXPECT_EQ(evaluate<u32>("mul.lo.s32 %d, %s0, %s1;", 0x10001u, 0x10001u),
            0x20001u);
  EXPECT_EQ(evaluate<u32>("mul.hi.u32 %d, %s0, %s1;", ~0u, ~0u), 0xfffffffeu);
  EXPECT_EQ(evaluate<s32>("mul.hi.s32 %d, %s0, %s1;", -1, 1), -1);
  EXPECT_EQ(evaluate<u64>("mul.hi.u64 %d, %s0, %s1;", ~u64(0), ~u64(0)),
            ~u64(0) - 1);
  EXPECT_EQ(evaluate<s64>("mul.hi.s64 %d, %s0, %s1;", s64(-5), s64(3)), -1);
  EXPECT_EQ(evaluate<u64>("mul.wide.u32 %d, %s0, %s1;", ~0u, ~0u),
            u64(~0u) * ~0u);
  EXPECT_EQ(evaluate<s64>("mul.wide.s32 %d, %s0, -3;", 0x40000000),
            s64(0x40000000) * -3);
  EXPECT_EQ(evaluate<s32>("mul.wide.s16 %d, %s0, %s1;", u16(0x8000), u16(2)),
            -65536);
  EXPECT_EQ(evaluate<u32>("mad.lo.u32 %d, %s0, %s1, %s2;", 7u, 6u, ~0u), 41u);
  EXPECT_EQ(evaluate<u32>("mad.hi.u32 %d, %s0, %s1, %s2;", ~0u, ~0u, 3u), 1u);
  EXPECT_EQ(
      evaluate<s64>("mad.wide.s32 %d, %s0, %s1, %s2;", -2, 3, s64(1) << 40),
      (s64(1) << 40) - 6);
}

TEST(Integer, Carries) {
  // 64-bit sums, differences and products of halves.
  const u64 x = 0x89abcdef12345678, y = 0xfedcba9887654321;
  const std::string halves = "mov.b64 {%t0, %t1}, %s0; mov.b64 {%t2, %t3}, "
                             "%s1; ";
  const std::string whole = "mov.b64 %d, {%t0, %t1};";
  EXPECT_EQ(evaluate<u64>(halves +
                              "add.cc.u32 %t0, %t0, %t2; addc.u32 %t1, "
                              "%t1, %t3;" +
                              whole,
                          x, y),
            x + y);
  EXPECT_EQ(evaluate<u64>(halves +
                              "sub.cc.u32 %t0, %t0, %t2; subc.u32 %t1, "
                              "%t1, %t3;" +
                              whole,
                          x, y),
            x - y);
  EXPECT_EQ(evaluate<u64>(halves +
                              "mad.lo.cc.u32 %t0, %t0, %t2, -1; "
                              "addc.cc.u32 %t1, 0, 0;" +
                              whole,
                          u64(0xffffffff), u64(0xffffffff)),
            u64(1) << 32);
  EXPECT_EQ(evaluate<u64>(halves +
                              "add.cc.u32 %t0, %t0, %t2; madc.hi.u32 %t1, "
                              "%t0, %t2, %t3;" +
                              whole,
                          u64(0xffffffff), u64(5) << 32 | 0x80000000),
            u64(5 + 1 + 0x3fffffff) << 32 | 0x7fffffff);
}

TEST(Integer, QuotientsAndOrder) {
  EXPECT_EQ(evaluate<s32>("div.s32 %d, %s0, %s1;", -7, 2), -3);
  EXPECT_EQ(evaluate<s32>("rem.s32 %d, %s0, %s1;", -7, 2), -1);
  EXPECT_EQ(evaluate<s32>("div.s32 %d, %s0, -1;", s32(0x80000000)),
            s32(0x80000000));
  EXPECT_EQ(evaluate<u64>("div.u64 %d, %s0, %s1;", ~u64(0), u64(10)),
            ~u64(0) / 10);
  EXPECT_EQ(evaluate<u32>("div.u32 %d, %s0, 0;", 5u), ~0u);
  EXPECT_EQ(evaluate<s32>("min.s32 %d, %s0, %s1;", -1, 1), -1);
  EXPECT_EQ(evaluate<u32>("min.u32 %d, %s0, %s1;", ~0u, 1u), 1u);
  EXPECT_EQ(evaluate<s64>("max.s64 %d, %s0, %s1;", s64(-1), s64(1)), 1);
  EXPECT_EQ(evaluate<s32>("abs.s32 %d, %s0;", -5), 5);
  EXPECT_EQ(evaluate<s64>("neg.s64 %d, %s0;", s64(5)), -5);
  EXPECT_EQ(evaluate<u32>("sad.s32 %d, %s0, %s1, 10;", -5, 5), 20u);
}

TEST(Integer, Shifts) {
  EXPECT_EQ(evaluate<u32>("shl.b32 %d, %s0, 31;", 3u), 0x80000000u);
  EXPECT_EQ(evaluate<u32>("shl.b32 %d, %s0, %s1;", 3u, 32u), 0u);
  EXPECT_EQ(evaluate<s32>("shr.s32 %d, %s0, %s1;", -8, 1u), -4);
  EXPECT_EQ(evaluate<s32>("shr.s32 %d, %s0, %s1;", -8, 99u), -1);
  EXPECT_EQ(evaluate<u64>("shr.u64 %d, %s0, %s1;", ~u64(0), 60u), 15u);
  EXPECT_EQ(evaluate<u16>("shr.u16 %d, %s0, 4;", u16(0xff00)), 0x0ff0);
  EXPECT_EQ(evaluate<u32>("shf.l.wrap.b32 %d, %s0, %s1, 8;", 0x11223344u,
                          0xaabbccddu),
            0xbbccdd11u);
  EXPECT_EQ(evaluate<u32>("shf.r.clamp.b32 %d, %s0, %s1, 40;", 1u, 2u), 2u);
  EXPECT_EQ(evaluate<u32>("shf.l.clamp.b32 %d, %s0, %s1, 40;", 1u, 2u), 1u);
}

TEST(Integer, LogicAndFields) {
  EXPECT_EQ(evaluate<u32>("and.b32 %d, %s0, %s1;", 12u, 10u), 8u);
  EXPECT_EQ(evaluate<u64>("or.b64 %d, %s0, %s1;", u64(12), u64(10)), 14u);
  EXPECT_EQ(evaluate<u16>("xor.b16 %d, %s0, -1;", u16(12)), 0xfff3);
  EXPECT_EQ(evaluate<u32>("not.b32 %d, %s0;", 12u), ~12u);
  EXPECT_EQ(evaluate<u32>("cnot.b32 %d, %s0;", 0u), 1u);
  EXPECT_EQ(evaluate<u32>("popc.b64 %d, %s0;", ~u64(0)), 64u);
  EXPECT_EQ(evaluate<u32>("clz.b32 %d, %s0;", 1u), 31u);
  EXPECT_EQ(evaluate<u32>("clz.b32 %d, %s0;", 0u), 32u);
  EXPECT_EQ(evaluate<u32>("brev.b32 %d, %s0;", 3u), 0xc0000000u);
  EXPECT_EQ(evaluate<u32>("bfind.s32 %d, %s0;", -4), 1u);
  EXPECT_EQ(evaluate<u32>("bfind.u32 %d, %s0;", 0u), ~0u);
  EXPECT_EQ(evaluate<u32>("bfe.u32 %d, %s0, 4, 8;", 0x12345678u), 0x67u);
  EXPECT_EQ(evaluate<s32>("bfe.s32 %d, %s0, 4, 4;", 0xf0), -1);
  EXPECT_EQ(evaluate<s32>("bfe.s32 %d, %s0, 28, 8;", s32(0x90000000)), -7);
  EXPECT_EQ(evaluate<u32>("bfe.u32 %d, %s0, 0, 32;", ~0u), ~0u);
  EXPECT_EQ(evaluate<u32>("bfi.b32 %d, %s0, %s1, 8, 4;", 0xabu, ~0u),
            0xfffffbffu);
  EXPECT_EQ(
      evaluate<u32>("prmt.b32 %d, %s0, %s1, 0x5410;", 0x33221100u, 0x77665544u),
      0x55441100u);
  EXPECT_EQ(evaluate<u32>("prmt.b32 %d, %s0, %s1, 0x000c;", 0u, 0x80u),
            0x000000ffu);
  EXPECT_EQ(evaluate<u32>("lop3.b32 %d, %s0, %s1, %s2, 0xe8;", 12u, 10u, 6u),
            14u); // the majority
}

TEST(Integer, Comparisons) {
  auto holds = [](const std::string &compare, auto a, auto b) {
    return evaluate<u32>(
        "setp." + compare + " %p, %s0, %s1;" + "selp.b32 %d, 1, 0, %p;", a, b);
  };
  EXPECT_TRUE(holds("lt.s32", -1, 1));
  EXPECT_FALSE(holds("lt.u32", -1, 1));
  EXPECT_TRUE(holds("hi.u32", -1, 1));
  EXPECT_TRUE(holds("ge.s64", s64(1), s64(1)));
  EXPECT_TRUE(holds("ne.b16", u16(1), u16(2)));
  EXPECT_EQ(evaluate<u32>("setp.ne.s32 %q, %s0, 0; setp.eq.and.s32 %p|%q, %s0, "
                          "%s1, !%q; selp.b32 %d, 1, 0, %q;",
                          0, 1),
            1u); // not (0 == 1), and not (0 != 0)
  EXPECT_EQ(evaluate<u32>("setp.eq.s32 %p, %s0, 0; not.pred %q, %p; xor.pred "
                          "%p, %p, %q; selp.b32 %d, 7, 0, %p;",
                          0),
            7u);
  EXPECT_EQ(evaluate<u32>("set.gt.u32.s32 %d, %s0, %s1;", 1, -1), ~0u);
}

TEST(Integer, MovesOfParts) {
  EXPECT_EQ(evaluate<u64>("mov.b64 %d, {%s0, %s1};", 1u, 2u), u64(2) << 32 | 1);
  EXPECT_EQ(evaluate<u32>("mov.b64 {%t0, %d}, %s0;", u64(5) << 32), 5u);
  EXPECT_EQ(evaluate<u32>("mov.b64 {_, %d}, %s0;", u64(5) << 32), 5u);
  EXPECT_EQ(evaluate<u32>("mov.b32 %d, {%s0, %s1};", u16(1), u16(2)), 0x20001u);
}

} // namespace
