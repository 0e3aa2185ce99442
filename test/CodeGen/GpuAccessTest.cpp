//===- GpuAccessTest.cpp - what kernels ask of a GPU's memory -------------===//
//
// Memory bounds these kernels: they read and write each element once, in whole
// sectors of 32 bytes, with accesses of 16 bytes a thread.
//
//===----------------------------------------------------------------------===//

#include "PtxRun.h"
#include "lib/CodeGen/PrepareKernel.h"
#include <gtest/gtest.h>

using namespace hocket::test;

namespace {

struct Expected {
  int64_t loaded, stored; // bytes
  double scratch = 0;     // so much of `loaded` more, both ways
};

/// The function reads and writes so much, in hardly more sectors than that
/// fills. (Lanes behind the end of a row load its last elements again, from
/// sectors that the warp loads anyway.)
void expectOnePass(const std::string &function, Expected expected,
                   const RunOptions &options = {}) {
  SCOPED_TRACE(function);
  KernelCase test(function, options);
  hocket::ptx::Counts counts;
  ASSERT_TRUE(runPtx(test.request, test.memory, 0, &counts));
  double scratch = expected.scratch * expected.loaded;
  EXPECT_GE(counts.loadBytes, uint64_t(expected.loaded));
  EXPECT_LE(counts.loadSectors * 32, 1.05 * (expected.loaded + scratch));
  EXPECT_LE(counts.loadSectors, 1.05 * counts.idealLoadSectors);
  EXPECT_GE(counts.storeBytes, uint64_t(expected.stored));
  EXPECT_LE(counts.storeBytes, expected.stored + scratch);
  EXPECT_LE(counts.storeSectors, 1.05 * counts.idealStoreSectors);
  EXPECT_LE(counts.sharedWays, 1.1 * counts.idealSharedWays);
}

/// Bytes of a load, of all threads of a warp.
double bytesOfLoad(const std::string &function) {
  KernelCase test(function, {});
  hocket::ptx::Counts counts;
  EXPECT_TRUE(runPtx(test.request, test.memory, 0, &counts));
  return double(counts.loadBytes) / counts.loads;
}

/// Of the first launch.
int64_t blocksOf(const std::string &function, const RunOptions &options) {
  KernelCase test(function, options);
  hocket::codegen::GpuKernel kernel;
  EXPECT_TRUE(prepareOrReport(test.request, kernel));
  return kernel.steps.front().schedule.blocks;
}

std::string addOf(const std::string &x) {
  return "(%x: " + x + ", %y: " + x + ") -> " + x +
         " { %z = nn.binary add %x, %y : (" + x + ", " + x + ") -> " + x +
         " return %z : " + x + " }";
}

std::string softmaxOf(const std::string &x) {
  return "(%x: " + x + ") -> " + x +
         " { %y = nn.softmax %x {dim = 1 : i64} : (" + x + ") -> " + x +
         " return %y : " + x + " }";
}

std::string layerNormOf(const std::string &x, const std::string &w) {
  std::string types = "(" + x + ", " + w + ", " + w + ") -> " + x;
  return "(%x: " + x + ", %w: " + w + ", %b: " + w + ") -> " + x +
         " { %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : " + types +
         " return %y : " + x + " }";
}

std::string sumOf(const std::string &x, int dim, const std::string &y) {
  return "(%x: " + x + ") -> " + y + " { %y = nn.reduce sum %x {dims = " +
         "array<i64: " + std::to_string(dim) + ">, keepdim = false} : (" + x +
         ") -> " + y + " return %y : " + y + " }";
}

} // namespace

TEST(GpuAccess, elementsOnce) {
  expectOnePass(addOf("$96x512xf32"), {2 * 96 * 512 * 4, 96 * 512 * 4});
  expectOnePass(addOf("$96x512xbf16"), {2 * 96 * 512 * 2, 96 * 512 * 2});
  expectOnePass(addOf("$96x512xf64"), {2 * 96 * 512 * 8, 96 * 512 * 8});
}

TEST(GpuAccess, rowsOnce) {
  for (int64_t size : {64, 256, 1000, 1024, 4096}) {
    std::string text = std::to_string(size);
    int64_t bytes = 64 * size * 4;
    expectOnePass(softmaxOf("$64x" + text + "xf32"), {bytes, bytes});
    expectOnePass(softmaxOf("$64x" + text + "xbf16"), {bytes / 2, bytes / 2});
    // Each row reads weight and bias.
    expectOnePass(layerNormOf("$64x" + text + "xf32", "$" + text + "xf32"),
                  {3 * bytes, bytes});
  }
}

TEST(GpuAccess, sums) {
  expectOnePass(sumOf("$64x2048xf32", 1, "$64xf32"), {64 * 2048 * 4, 64 * 4});
  // The rows are cut in parts, of which each leaves its sum.
  expectOnePass(sumOf("$2048x96xf32", 0, "$96xf32"),
                {2048 * 96 * 4, 96 * 4, 1.0 / 32});
  expectOnePass(sumOf("$131072xf32", 0, "$f32"), {131072 * 4, 4, 1.0 / 32});
}

/// x + y, where y is f32 and x of the type, and their sum again in both.
std::string mixedOf(const std::string &type) {
  std::string x = "$96x512x" + type, y = "$96x512xf32";
  return "(%x: " + x + ", %y: " + y + ") -> (" + x + ", " + y +
         ") { %w = nn.cast %x : (" + x + ") -> " + y +
         " %s = nn.binary add %w, %y : (" + y + ", " + y + ") -> " + y +
         " %z = nn.cast %s : (" + y + ") -> " + x + " return %z, %s : " + x +
         ", " + y + " }";
}

TEST(GpuAccess, elementsOfSeveralTypes) {
  int64_t elements = 96 * 512;
  expectOnePass(mixedOf("bf16"), {elements * 6, elements * 6});
  expectOnePass(mixedOf("i1"), {elements * 5, elements * 5});
  expectOnePass(mixedOf("f64"), {elements * 12, elements * 12});
}

/// A warp takes a tile of what lies along different dims.
TEST(GpuAccess, transposes) {
  RunOptions options;
  options.inputStrides = {{1, 96}, {512, 1}};
  expectOnePass(addOf("$96x512xf32"), {2 * 96 * 512 * 4, 96 * 512 * 4},
                options);
  expectOnePass(addOf("$96x512xbf16"), {2 * 96 * 512 * 2, 96 * 512 * 2},
                options);
  expectOnePass(addOf("$96x512xf64"), {2 * 96 * 512 * 8, 96 * 512 * 8},
                options);
  options.inputStrides = {{1, 96}, {512, 1}};
  options.outputStrides = {{1, 96}, {1, 96}};
  expectOnePass(mixedOf("bf16"), {96 * 512 * 6, 96 * 512 * 6}, options);
}

/// Columns are summed by neighbors in memory where they are few, and by enough
/// blocks where no dim alone has enough rows.
TEST(GpuAccess, sumsOfFewColumns) {
  expectOnePass(sumOf("$16384x4xf32", 0, "$4xf32"),
                {16384 * 4 * 4, 4 * 4, 1.0 / 16});
  RunOptions padded;
  padded.inputStrides = {{30 * 30 * 64, 30 * 64, 64, 1}};
  std::string sum = "(%x: $8x28x28x64xf32) -> $64xf32 { %y = nn.reduce sum %x "
                    "{dims = array<i64: 0, 1, 2>, keepdim = false} : "
                    "($8x28x28x64xf32) -> $64xf32 return %y : $64xf32 }";
  expectOnePass(sum, {8 * 28 * 28 * 64 * 4, 64 * 4, 1.0 / 16}, padded);
  EXPECT_GE(blocksOf(sum, padded), 16);
}

/// Threads have columns next to each other, and each several of them.
TEST(GpuAccess, columnsInSixteenBytes) {
  std::string sum = sumOf("$4096x512xf32", 0, "$512xf32");
  EXPECT_EQ(bytesOfLoad(sum), 32 * 16);
  EXPECT_GE(blocksOf(sum, {}), 64);
  expectOnePass(sum, {4096 * 512 * 4, 512 * 4, 1.0 / 64});
  expectOnePass(sumOf("$4100x36xf32", 0, "$36xf32"),
                {4100 * 36 * 4, 36 * 4, 1.0 / 32});
}

/// Where threads are many, each adds several units, and loads what these share
/// once.
TEST(GpuAccess, severalUnitsOfThread) {
  std::string x = "$2048x1024xf32", w = "$1024xf32";
  std::string text = "(%x: " + x + ", %w: " + w + ") -> " + x +
                     " { %z = nn.binary add %x, %w : (" + x + ", " + w +
                     ") -> " + x + " return %z : " + x + " }";
  check(text);
  // Without alignments a unit is one element: eight in each of 256 threads.
  EXPECT_EQ(blocksOf(text, {}), 2048 * 1024 / 8 / 256);
  int64_t bytes = 2048 * 1024 * 4;
  expectOnePass(text, {bytes + bytes / 2, bytes});
}

/// A thread computes both places of a pair, each from both.
TEST(GpuAccess, pairsOnce) {
  if (!hasDeviceLibrary())
    GTEST_SKIP() << noDeviceLibrary;
  for (const char *style : {"half", "interleaved"}) {
    std::string x = "$2x64x4x64xf32";
    std::string text = "(%x: " + x + ") -> " + x +
                       " { %y = spmd.rotary %x {dim = 1 : i64, " +
                       "base = 1.0e4 : f64, style = #nn.rotary_style<" + style +
                       ">, inverse = false, frequencies = array<f64>, "
                       "positions = #spmd.positions<<0> of 64>} : (" +
                       x + ") -> " + x + " return %y : " + x + " }";
    // Cosines and sines of half of 64, which batches and heads share, are made
    // first.
    int64_t bytes = 2 * 64 * 4 * 64 * 4, table = 2 * 64 * 32 * 4;
    KernelCase test(text, {});
    hocket::ptx::Counts counts;
    ASSERT_TRUE(runPtx(test.request, test.memory, 0, &counts));
    EXPECT_LE(counts.loadedOnce, uint64_t(2 * bytes + table)) << style;
    EXPECT_EQ(counts.storedOnce, uint64_t(bytes + table)) << style;
    EXPECT_LE(counts.loadSectors, 1.1 * counts.idealLoadSectors) << style;
  }
}

/// Rows that share sectors, and operands of which only some lie along a row.
TEST(GpuAccess, rowsThatShareSectors) {
  std::string x = "$2x8x2x8x16xf32", y = "$2x8xf32";
  std::string sum = "(%x: " + x + ") -> " + y + " { %y = nn.reduce sum %x " +
                    "{dims = array<i64: 2, 3, 4>, keepdim = false} : (" + x +
                    ") -> " + y + " return %y : " + y + " }";
  RunOptions last; // groups and their channels lie innermost
  last.inputStrides = {{2048, 2, 1, 256, 16}};
  check(sum, last);
  expectOnePass(sum, {2 * 2048 * 4, 2 * 8 * 4, 1.0 / 16}, last);

  std::string z = "$64x32x48xf32", c = "$64xf32";
  std::string both = "(%x: " + z + ", %y: " + z + ") -> " + c +
                     " { %z = nn.binary mul %x, %y : (" + z + ", " + z +
                     ") -> " + z + " %s = nn.reduce sum %z {dims = " +
                     "array<i64: 1, 2>, keepdim = false} : (" + z + ") -> " +
                     c + " return %s : " + c + " }";
  RunOptions mixed;
  mixed.inputStrides = {{1536, 48, 1}, {1, 3072, 64}};
  mixed.low = 0;
  check(both, mixed);
  expectOnePass(both, {2 * 64 * 1536 * 4, 64 * 4, 1.0 / 16}, mixed);
}

/// Rows of an odd number of elements begin at other places of a sector each.
TEST(GpuAccess, rowsThatBeginAnywhere) {
  for (const char *type : {"f32", "bf16", "f64"}) {
    std::string x = std::string("$130x2501x") + type;
    int64_t size = type[0] == 'b' ? 2 : type[1] == '6' ? 8 : 4;
    int64_t bytes = 130 * 2501 * size;
    RunOptions rounded;
    rounded.tolerance = size == 2 ? 1e-2 : 1e-5;
    check(softmaxOf(x), rounded);
    expectOnePass(softmaxOf(x), {bytes, bytes});
    EXPECT_GE(bytesOfLoad(softmaxOf(x)), 350); // also of single elements
    // Without a reduction, beside one number a row.
    std::string w = std::string("$130x1x") + type;
    std::string add = "(%x: " + x + ", %w: " + w + ") -> " + x +
                      " { %z = nn.binary add %x, %w : (" + x + ", " + w +
                      ") -> " + x + " return %z : " + x + " }";
    check(add, rounded);
    expectOnePass(add, {bytes + bytes / 64, bytes});
  }
}

/// The rows of a norm over groups of channels, each of two dims or more.
TEST(GpuAccess, longRowsHaveManyBlocks) {
  RunOptions padded;
  padded.inputStrides = {{64 * 66 * 66, 66 * 66, 66, 1}};
  EXPECT_GE(blocksOf("(%x: $2x64x64x64xf32) -> $2xf32 { %y = nn.reduce sum %x "
                     "{dims = array<i64: 1, 2, 3>, keepdim = false} : "
                     "($2x64x64x64xf32) -> $2xf32 return %y : $2xf32 }",
                     padded),
            32);
}

/// What a sum over long columns reads is stored, doubled, in the same pass.
TEST(GpuAccess, storesWhileItReduces) {
  std::string x = "$64x4096xf32", c = "$4096xf32";
  expectOnePass("(%x: " + x + ") -> (" + x + ", " + c +
                    ") { %y = nn.binary add %x, %x : (" + x + ", " + x +
                    ") -> " + x + " %s = nn.reduce sum %y {dims = array<i64: " +
                    "0>, keepdim = false} : (" + x + ") -> " + c +
                    " return %y, %s : " + x + ", " + c + " }",
                {64 * 4096 * 4, (64 + 1) * 4096 * 4});
}

TEST(GpuAccess, accessesOfSixteenBytes) {
  EXPECT_EQ(bytesOfLoad(addOf("$32x512xf32")), 32 * 16);
  EXPECT_EQ(bytesOfLoad(addOf("$32x512xbf16")), 32 * 16);
  EXPECT_EQ(bytesOfLoad(addOf("$32x512xf64")), 32 * 16);
  EXPECT_EQ(bytesOfLoad(softmaxOf("$8x1024xf32")), 32 * 16);
}

TEST(GpuAccess, functionsOfLibdevice) {
  if (!hasDeviceLibrary())
    GTEST_SKIP() << noDeviceLibrary;
  KernelCase test("(%x: $64xf32) -> $64xf32 { %y = nn.unary sin %x : ($64xf32) "
                  "-> $64xf32 return %y : $64xf32 }",
                  {});
  EXPECT_TRUE(runPtx(test.request, test.memory, 0));
}
