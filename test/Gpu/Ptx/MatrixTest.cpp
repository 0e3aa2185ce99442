//===- MatrixTest.cpp - products and fragments of tensor cores ------------===//

#include "test/Gpu/Ptx/Rounding.h"
#include "test/Gpu/Ptx/Sample.h"
#include <random>

using namespace hocket::ptx;

namespace {

using Words = std::vector<uint32_t>;

/// A kernel of one warp that loads `in` registers a lane from p0, runs the
/// instruction with {a0, a1, ...} of them, stores `out` of {d0, ...} to p1.
Words runFragments(const std::string &instruction, unsigned in, unsigned out,
                   const Words &values, unsigned bytes) {
  std::string bits = std::to_string(bytes * 8), body;
  body = ".reg .b" + bits + " %a<16>; .reg .b" + bits +
         " %e<8>;\n"
         "mov.u32 %r0, %laneid; mad.wide.u32 %d4, %r0, " +
         std::to_string(in * bytes) + ", %d0; mad.wide.u32 %d5, %r0, " +
         std::to_string(out * bytes) + ", %d1;\n";
  for (unsigned i = 0; i < in; ++i)
    body += "ld.global.b" + bits + " %a" + std::to_string(i) + ", [%d4+" +
            std::to_string(i * bytes) + "];\n";
  body += instruction + "\n";
  for (unsigned i = 0; i < out; ++i)
    body += "st.global.b" + bits + " [%d5+" + std::to_string(i * bytes) +
            "], %e" + std::to_string(i) + ";\n";
  Sample sample(body, 2);
  uint64_t x = sample.memory.upload(values, "x");
  uint64_t y = sample.memory.allocate(32 * out * bytes, "y");
  Report report = sample.run({1}, {32}, Arguments().add(x).add(y));
  EXPECT_EQ(report.text(), "");
  return sample.memory.download<uint32_t>(y, 32 * out * bytes / 4);
}

/// The layouts of the ISA's figures for m16n8, written out again: `row` and
/// `column` of element i of a lane, for 16-bit elements.
struct Figure {
  static unsigned rowA(unsigned lane, unsigned i) {
    return i < 2 || (i >= 4 && i < 6) ? lane >> 2 : (lane >> 2) + 8;
  }
  static unsigned columnA(unsigned lane, unsigned i) {
    return (lane & 3) * 2 + (i & 1) + (i >= 4 ? 8 : 0);
  }
  static unsigned rowB(unsigned lane, unsigned i) {
    return (lane & 3) * 2 + (i & 1) + (i >= 2 ? 8 : 0);
  }
  static unsigned rowC(unsigned lane, unsigned i) {
    return (lane >> 2) + (i < 2 ? 0 : 8);
  }
  static unsigned columnC(unsigned lane, unsigned i) {
    return (lane & 3) * 2 + (i & 1);
  }
};

template <typename H> void checkHalf(const std::string &name, unsigned k) {
  std::mt19937 random(k);
  std::uniform_int_distribution<int> small(-8, 8);
  double a[16][16], b[16][8], c[16][8];
  for (auto &row : a)
    for (double &x : row)
      x = small(random);
  for (auto &row : b)
    for (double &x : row)
      x = small(random);
  for (auto &row : c)
    for (double &x : row)
      x = small(random);
  unsigned inA = k / 4, inB = inA / 2, in = inA + inB + 4;
  Words words(32 * in);
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t *word = &words[lane * in];
    for (unsigned i = 0; i < inA * 2; ++i)
      word[i / 2] |=
          uint32_t(
              H(float(a[Figure::rowA(lane, i)][Figure::columnA(lane, i)])).bits)
          << i % 2 * 16;
    for (unsigned i = 0; i < inB * 2; ++i)
      word[inA + i / 2] |=
          uint32_t(H(float(b[Figure::rowB(lane, i)][lane >> 2])).bits)
          << i % 2 * 16;
    for (unsigned i = 0; i < 4; ++i)
      word[inA + inB + i] = bitsAs<uint32_t>(
          float(c[Figure::rowC(lane, i)][Figure::columnC(lane, i)]));
  }
  std::string operands =
      k == 16 ? "{%e0,%e1,%e2,%e3}, {%a0,%a1,%a2,%a3}, {%a4,%a5}, "
                "{%a6,%a7,%a8,%a9};"
              : "{%e0,%e1,%e2,%e3}, {%a0,%a1}, {%a2}, {%a3,%a4,%a5,%a6};";
  Words out =
      runFragments("mma.sync.aligned.m16n8k" + std::to_string(k) +
                       ".row.col.f32." + name + "." + name + ".f32 " + operands,
                   in, 4, words, 4);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = Figure::rowC(lane, i), column = Figure::columnC(lane, i);
      double sum = c[row][column];
      for (unsigned j = 0; j < k; ++j)
        sum += a[row][j] * b[j][column];
      ASSERT_EQ(bitsAs<float>(out[lane * 4 + i]), sum) << lane << " " << i;
    }
}

TEST(Matrix, HalfFragments) {
  checkHalf<Float16>("f16", 16);
  checkHalf<Float16>("f16", 8);
  checkHalf<BFloat16>("bf16", 16);
  checkHalf<BFloat16>("bf16", 8);
}

TEST(Matrix, Tf32Fragments) {
  // A has 1 + row in column 3, B has 2 in row 3: C gets 2 + 2 * row.
  Words words(32 * 10);
  for (unsigned lane = 0; lane < 32; ++lane) {
    float rows[4] = {float(lane / 4), float(lane / 4 + 8), 0, 0};
    for (unsigned i = 0; i < 2; ++i)
      words[lane * 10 + i] =
          lane % 4 == 3 ? bitsAs<uint32_t>(1 + rows[i]) | 0x1fff : 0;
    words[lane * 10 + 4] = lane % 4 == 3 ? bitsAs<uint32_t>(2.0f) : 0;
  }
  Words out = runFragments(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%e0,%e1,%e2,%e3}, "
      "{%a0,%a1,%a2,%a3}, {%a4,%a5}, {%a6,%a7,%a8,%a9};",
      10, 4, words, 4);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(bitsAs<float>(out[lane * 4 + i]),
                2 + 2.0f * Figure::rowC(lane, i));
}

TEST(Matrix, F64Fragments) {
  // A is the identity of the first 4 rows, so that C + B comes out there.
  std::vector<double> values(32 * 4);
  for (unsigned lane = 0; lane < 32; ++lane) {
    values[lane * 4] = lane / 4 == lane % 4;
    values[lane * 4 + 1] = 10 * (lane % 4) + lane / 4; // B[k][n]
    values[lane * 4 + 2] = values[lane * 4 + 3] = 0.5;
  }
  Words words(values.size() * 2);
  std::memcpy(words.data(), values.data(), words.size() * 4);
  Words out = runFragments("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                           "{%e0,%e1}, {%a0}, {%a1}, {%a2,%a3};",
                           4, 2, words, 8);
  std::vector<double> sums(64);
  std::memcpy(sums.data(), out.data(), out.size() * 4);
  EXPECT_EQ(sums[2 * 13 + 1], 30 + 3 + 0.5); // row 3, column 3
  EXPECT_EQ(sums[2 * 20], 0.5);              // row 5
}

TEST(Matrix, F16Sums) {
  Words words(32 * 8, 0x3c003c00); // all ones
  Words out = runFragments("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                           "{%e0,%e1}, {%a0,%a1,%a2,%a3}, {%a4,%a5}, "
                           "{%a6,%a7};",
                           8, 2, words, 4);
  EXPECT_EQ(out[17], 0x4c404c40u); // 17
}

TEST(Matrix, LoadedMatrices) {
  // Row r of matrix m lies at 16 * (8 * m + r) and holds 1000 m + 8 r + column.
  for (bool transposed : {false, true}) {
    Sample sample("mov.u32 %r0, %laneid; mov.u32 %r1, dynamic;\n"
                  "mad.lo.u32 %r2, %r0, 16, %r1; mad.wide.u32 %d4, %r0, 16, "
                  "%d0;\n"
                  "cp.async.cg.shared.global [%r2], [%d4], 16;\n"
                  "cp.async.wait_all; bar.warp.sync -1;\n"
                  "ldmatrix.sync.aligned.m8n8.x4" +
                      std::string(transposed ? ".trans" : "") +
                      ".shared.b16 {%r4, %r5, %r6, %r7}, [%r2];\n"
                      "mad.wide.u32 %d5, %r0, 16, %d1;\n"
                      "st.global.v4.b32 [%d5], {%r4, %r5, %r6, %r7};",
                  2);
    std::vector<uint16_t> values(256);
    for (unsigned i = 0; i < 256; ++i)
      values[i] = i / 64 * 1000 + i % 64;
    uint64_t x = sample.memory.upload(values, "x");
    uint64_t y = sample.memory.allocate(512, "y");
    Report report = sample.run({1}, {32}, Arguments().add(x).add(y), 512);
    EXPECT_EQ(report.text(), "");
    auto got = sample.memory.download<uint16_t>(y, 256);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 8; ++i) {
        unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
        unsigned at = transposed ? column * 8 + row : row * 8 + column;
        ASSERT_EQ(got[lane * 8 + i], i / 2 * 1000 + at);
      }
    EXPECT_EQ(report.of(Class::Matrix).sharedWays, 4u);
  }
}

/// What stmatrix writes, ldmatrix reads, transposed or not.
TEST(Matrix, StoredMatrices) {
  for (bool transposed : {false, true}) {
    std::string form = transposed ? ".trans" : "";
    Sample sample("mov.u32 %r0, %laneid; mov.u32 %r1, dynamic;\n"
                  "mad.lo.u32 %r2, %r0, 16, %r1; mul.lo.u32 %r4, %r0, 2;\n"
                  "add.u32 %r5, %r4, 0x10064;\n"
                  "stmatrix.sync.aligned.m8n8.x2" +
                  form +
                  ".shared.b16 [%r2], {%r4, %r5};\n"
                  "bar.warp.sync -1;\n"
                  "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, "
                  "[%r2];\n"
                  "mad.wide.u32 %d4, %r0, 8, %d0;\n"
                  "st.global.v2.b32 [%d4], {%r6, %r7};");
    uint64_t y = sample.memory.allocate(256, "y");
    Report report = sample.run({1}, {32}, Arguments().add(y), 256);
    EXPECT_EQ(report.text(), "");
    auto got = sample.memory.download<uint32_t>(y, 64);
    for (unsigned lane = 0; lane < 32; ++lane) {
      // A lane's word is 2 * lane and 0; of the second matrix, 100 more and 1.
      auto stored = [](unsigned row, unsigned column) {
        return column % 2 ? 0 : 2 * (row * 4 + column / 2);
      };
      unsigned row = lane / 4, column = lane % 4 * 2;
      uint32_t low = transposed ? stored(column, row) : stored(row, column);
      uint32_t high =
          transposed ? stored(column + 1, row) : stored(row, column + 1);
      ASSERT_EQ(got[lane * 2], high << 16 | low) << transposed << lane;
    }
  }
}

TEST(Matrix, NeedsAWholeWarp) {
  Sample sample("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [dynamic];");
  EXPECT_EQ(only(sample.run({1}, {8}, Arguments().add(uint64_t(0)), 128)),
            "k.ptx:10: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, "
            "[dynamic]: thread (0, 0, 0) of block (0, 0, 0) needs all 32 lanes "
            "of its warp, 8 are here");
}

TEST(Matrix, Refusals) {
  EXPECT_EQ(refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, "
                    "%f1, %f2}, {%r0}, {%r1}, {%f0};"),
            "k.ptx:10: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, "
            "%f1, %f2}, {%r0}, {%r1}, {%f0}: operand 1 has 3 registers, not 4");
  EXPECT_EQ(refusal("mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%f0}, "
                    "{%r0}, {%r1}, {%f0};"),
            "k.ptx:10: mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%f0}, "
            "{%r0}, {%r1}, {%f0}: the shape and the types are not supported "
            "together");
  EXPECT_EQ(refusal("wgmma.fence.sync.aligned;"),
            "k.ptx:10: wgmma.fence.sync.aligned: the instruction is not "
            "supported");
}

} // namespace
