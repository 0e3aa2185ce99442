//===- GpuAccessTest.cpp - what kernels ask of a GPU's memory -------------===//
//
// Memory bounds these kernels: they read and write each element once, in whole
// sectors of 32 bytes, with accesses of 16 bytes a thread.
//
//===----------------------------------------------------------------------===//

#include "PtxRun.h"
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
void expectOnePass(const std::string &function, Expected expected) {
  SCOPED_TRACE(function);
  KernelCase test(function, {});
  hocket::ptx::Counts counts;
  ASSERT_TRUE(runPtx(test.request, test.memory, 0, &counts));
  double scratch = expected.scratch * expected.loaded;
  EXPECT_GE(counts.loadBytes, uint64_t(expected.loaded));
  EXPECT_LE(counts.loadSectors * 32, 1.05 * (expected.loaded + scratch));
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

TEST(GpuAccess, accessesOfSixteenBytes) {
  EXPECT_EQ(bytesOfLoad(addOf("$32x512xf32")), 32 * 16);
  EXPECT_EQ(bytesOfLoad(addOf("$32x512xbf16")), 32 * 16);
  EXPECT_EQ(bytesOfLoad(addOf("$32x512xf64")), 32 * 16);
  EXPECT_EQ(bytesOfLoad(softmaxOf("$8x1024xf32")), 32 * 16);
}

TEST(GpuAccess, functionsOfLibdevice) {
  if (!hasDeviceLibrary())
    GTEST_SKIP()
        << "libdevice.10.bc of the CUDA toolkit was not found: kernels "
           "that call functions are not run as PTX";
  KernelCase test("(%x: $64xf32) -> $64xf32 { %y = nn.unary sin %x : ($64xf32) "
                  "-> $64xf32 return %y : $64xf32 }",
                  {});
  EXPECT_TRUE(runPtx(test.request, test.memory, 0));
}
