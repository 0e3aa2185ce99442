//===- FloatTest.cpp - arithmetic of floats to the bit --------------------===//

#include "test/Gpu/Ptx/FloatValues.h"
#include "test/Gpu/Ptx/Sample.h"

using namespace hocket::ptx;

namespace {

constexpr float inf = INFINITY;

uint32_t bits(const std::string &instruction, float a, float b = 0,
              float c = 0) {
  return evaluate<uint32_t>(instruction, a, b, c);
}
float value(const std::string &instruction, float a, float b = 0, float c = 0) {
  return evaluate<float>(instruction, a, b, c);
}

TEST(Float, RoundingModes) {
  // 1 + 2^-30 lies between 1 and the next float.
  EXPECT_EQ(value("add.f32 %d, %s0, %s1;", 1, 0x1p-30f), 1);
  EXPECT_EQ(value("add.rp.f32 %d, %s0, %s1;", 1, 0x1p-30f), 1 + 0x1p-23f);
  EXPECT_EQ(value("add.rz.f32 %d, %s0, %s1;", -1, -0x1p-30f), -1);
  EXPECT_EQ(value("add.rm.f32 %d, %s0, %s1;", -1, -0x1p-30f), -1 - 0x1p-23f);
  EXPECT_EQ(value("sub.rn.f32 %d, %s0, %s1;", 3, 5), -2);
  EXPECT_EQ(value("mul.rz.f32 %d, %s0, %s1;", 1 + 0x1p-23f, 1 + 0x1p-23f),
            1 + 0x1p-22f);
  EXPECT_EQ(value("div.rn.f32 %d, %s0, %s1;", 1, 3), 1.0f / 3);
  EXPECT_EQ(value("rcp.rn.f32 %d, %s0;", 3), 1.0f / 3);
  EXPECT_EQ(value("sqrt.rn.f32 %d, %s0;", 2), std::sqrt(2.0f));
  EXPECT_EQ(evaluate<double>("div.rp.f64 %d, %s0, %s1;", 1.0, 3.0),
            std::nextafter(1.0 / 3, 1));
}

TEST(Float, FusedProductsAreRoundedOnce) {
  float a = 1 + 0x1p-12f; // its square has a bit too many
  EXPECT_EQ(value("fma.rn.f32 %d, %s0, %s1, %s2;", a, a, -1),
            0x1p-11f + 0x1p-24f);
  EXPECT_EQ(evaluate<double>("fma.rn.f64 %d, %s0, %s1, %s2;", 1 + 0x1p-27,
                             1 + 0x1p-27, -1.0),
            0x1p-26 + 0x1p-54);
}

TEST(Float, SubnormalsAndSaturation) {
  EXPECT_EQ(value("mul.f32 %d, %s0, %s1;", 0x1p-100f, 0x1p-40f), 0x1p-140f);
  EXPECT_EQ(bits("mul.ftz.f32 %d, %s0, %s1;", -0x1p-100f, 0x1p-40f),
            0x80000000u);
  EXPECT_EQ(value("add.ftz.f32 %d, %s0, %s1;", 0x1p-130f, 0x1p-126f),
            0x1p-126f);
  EXPECT_EQ(value("add.sat.f32 %d, %s0, %s1;", 1, 1), 1);
  EXPECT_EQ(bits("add.sat.f32 %d, %s0, %s1;", -NAN, 1), 0u);
}

TEST(Float, NaN) {
  EXPECT_EQ(bits("add.f32 %d, %s0, %s1;", inf, -inf), 0x7fffffffu);
  EXPECT_EQ(value("min.f32 %d, %s0, %s1;", NAN, 2), 2);
  EXPECT_EQ(value("max.f32 %d, %s0, %s1;", 2, NAN), 2);
  EXPECT_EQ(bits("max.f32 %d, %s0, %s1;", NAN, NAN), 0x7fffffffu);
  EXPECT_EQ(bits("max.NaN.f32 %d, %s0, %s1;", NAN, 2), 0x7fffffffu);
  EXPECT_EQ(bits("min.f32 %d, %s0, %s1;", 0.0f, -0.0f), 0x80000000u);
  EXPECT_EQ(bits("max.f32 %d, %s0, %s1;", -0.0f, 0.0f), 0u);
  EXPECT_EQ(value("max.xorsign.abs.f32 %d, %s0, %s1;", -3, 2), -3);
}

TEST(Float, Pairs) {
  auto pair = [](float low, float high) {
    return uint64_t(bitsAs<uint32_t>(high)) << 32 | bitsAs<uint32_t>(low);
  };
  EXPECT_EQ(evaluate<uint64_t>("add.rn.f32x2 %d, %s0, %s1;", pair(1, 2),
                               pair(10, 20)),
            pair(11, 22));
  EXPECT_EQ(evaluate<uint64_t>("mul.rp.f32x2 %d, %s0, %s1;", pair(3, -2),
                               pair(2, 0x1p-140f)),
            pair(6, -0x1p-139f));
  EXPECT_EQ(evaluate<uint64_t>("fma.rn.ftz.f32x2 %d, %s0, %s1, %s2;",
                               pair(3, 0x1p-140f), pair(2, 1), pair(1, 1)),
            pair(7, 1));
}

TEST(Float, F64) {
  const double tiny = 0x1p-1074;
  EXPECT_EQ(
      evaluate<double>("mul.rz.f64 %d, %s0, %s1;", 1 + 0x1p-52, 1 + 0x1p-52),
      1 + 0x1p-51);
  EXPECT_EQ(evaluate<double>("add.f64 %d, %s0, %s1;", tiny, tiny), 2 * tiny);
  EXPECT_EQ(evaluate<double>("min.f64 %d, %s0, %s1;", double(NAN), 2.0), 2);
  EXPECT_EQ(evaluate<double>("max.f64 %d, %s0, %s1;", -0.0, 0.0), 0);
  EXPECT_EQ(evaluate<double>("sqrt.rn.f64 %d, %s0;", 2.0), std::sqrt(2.0));
  EXPECT_EQ(evaluate<double>("rcp.rn.f64 %d, %s0;", 3.0), 1 / 3.0);
  EXPECT_EQ(evaluate<double>("neg.f64 %d, %s0;", 3.0), -3);
  EXPECT_EQ(evaluate<double>("abs.f64 %d, %s0;", -3.0), 3);
  EXPECT_EQ(evaluate<double>("copysign.f64 %d, %s0, %s1;", -1.0, 3.0), -3);
  EXPECT_EQ(evaluate<uint32_t>("setp.gtu.f64 %p, %s0, %s1; "
                               "selp.b32 %d, 1, 0, %p;",
                               double(NAN), 1.0),
            1u);
}

TEST(Float, Signs) {
  EXPECT_EQ(value("neg.f32 %d, %s0;", 2), -2);
  EXPECT_EQ(value("abs.f32 %d, %s0;", -2), 2);
  EXPECT_EQ(value("copysign.f32 %d, %s0, %s1;", -1, 2), -2);
}

TEST(Float, Approximations) {
  EXPECT_EQ(value("ex2.approx.f32 %d, %s0;", 10), 1024);
  EXPECT_EQ(value("ex2.approx.ftz.f32 %d, %s0;", -130), 0);
  EXPECT_EQ(value("lg2.approx.f32 %d, %s0;", 8), 3);
  EXPECT_EQ(value("lg2.approx.f32 %d, %s0;", 0), -inf);
  EXPECT_EQ(value("rsqrt.approx.f32 %d, %s0;", 16), 0.25f);
  EXPECT_EQ(value("rcp.approx.ftz.f32 %d, %s0;", 0), inf);
  EXPECT_EQ(value("sqrt.approx.f32 %d, %s0;", 9), 3);
  EXPECT_EQ(value("tanh.approx.f32 %d, %s0;", 100), 1);
  EXPECT_EQ(value("sin.approx.f32 %d, %s0;", 0), 0);
  EXPECT_EQ(value("cos.approx.f32 %d, %s0;", 0), 1);
  EXPECT_EQ(value("div.full.f32 %d, %s0, %s1;", 6, 3), 2);
  EXPECT_EQ(value("div.approx.ftz.f32 %d, %s0, %s1;", 6, 4), 1.5f);
}

TEST(Float, ApproximationsOfDoublesAreGross) {
  auto reciprocal = [](double of) {
    return evaluate<double>("rcp.approx.ftz.f64 %d, %s0;", of);
  };
  double third = reciprocal(3);
  EXPECT_NE(third, 1 / 3.0);
  EXPECT_NEAR(third, 1 / 3.0, 0x1p-21);
  EXPECT_EQ(bitsAs<uint64_t>(third) & 0xffffffff, 0u);
  EXPECT_EQ(reciprocal(0x1p-1030), HUGE_VAL);
  EXPECT_EQ(reciprocal(-HUGE_VAL), 0);
  EXPECT_EQ(reciprocal(bitsAs<double>(uint64_t(0x7ff0000000000001))), 0);
  EXPECT_TRUE(
      std::isnan(reciprocal(bitsAs<double>(uint64_t(0x7ff0000100000000)))));
  double root = evaluate<double>("rsqrt.approx.ftz.f64 %d, %s0;", 3.0);
  EXPECT_NE(root, 1 / std::sqrt(3.0));
  EXPECT_NEAR(root, 1 / std::sqrt(3.0), 0x1p-20);
}

TEST(Float, Comparisons) {
  auto holds = [](const std::string &compare, float a, float b) {
    return evaluate<uint32_t>("setp." + compare + ".f32 %p, %s0, %s1;" +
                                  "selp.b32 %d, 1, 0, %p;",
                              a, b);
  };
  for (const char *name : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_FALSE(holds(name, NAN, 1)) << name;
  for (const char *name : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_TRUE(holds(name, NAN, 1)) << name;
  EXPECT_TRUE(holds("lt", 1, 2) && holds("leu", 1, 1) && holds("neu", 1, 2));
  EXPECT_FALSE(holds("gtu", 1, 2) || holds("ne", 1, 1) || holds("equ", 1, 2));
  EXPECT_TRUE(holds("eq.ftz", 0x1p-140f, 0));
  EXPECT_FALSE(holds("eq", 0x1p-140f, 0));
  EXPECT_EQ(evaluate<float>("set.lt.f32.f32 %d, %s0, %s1;", 1.0f, 2.0f), 1);
  EXPECT_EQ(evaluate<uint32_t>("testp.infinite.f32 %p, %s0; "
                               "selp.b32 %d, 1, 0, %p;",
                               inf),
            1u);
}

} // namespace
