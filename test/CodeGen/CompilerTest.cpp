//===- CompilerTest.cpp - symbols, caching, errors of the compiler --------===//

#include "KernelHarness.h"
#include "dialects/Nn/Nn.h"
#include "llvm/ADT/StringRef.h"
#include <gtest/gtest.h>

using namespace hocket::codegen;
using hocket::test::KernelText;
using hocket::test::LoadedObject;

static std::string geluOf(const std::string &n) {
  return "func.func @f(%x: $4x" + n + "xf32) -> $4x" + n +
         "xf32 { %y = nn.unary gelu %x : ($4x" + n + "xf32) -> $4x" + n +
         "xf32 return %y : $4x" + n + "xf32 }";
}

static std::vector<uint8_t> compileAll(const std::vector<std::string> &texts,
                                       unsigned threads,
                                       KernelCache *cache = nullptr) {
  CodeGenOptions options;
  options.threads = threads;
  KernelCompiler compiler(options, cache);
  for (const std::string &text : texts) {
    KernelText parsed(text);
    KernelRequest request;
    request.body = &parsed.body();
    EXPECT_TRUE(succeeded(compiler.add(request)));
  }
  std::string error;
  auto bytes = compiler.finish(error);
  EXPECT_TRUE(bytes) << error;
  return bytes.value_or(std::vector<uint8_t>());
}

TEST(Compiler, equalRequestsGiveEqualBytes) {
  std::vector<std::string> texts = {geluOf("8"), geluOf("9"), geluOf("100"),
                                    geluOf("8")};
  auto first = compileAll(texts, 1);
  EXPECT_EQ(first, compileAll(texts, 2));
  KernelCache cache;
  EXPECT_EQ(first, compileAll(texts, 2, &cache));
  EXPECT_EQ(first, compileAll(texts, 1, &cache));
}

TEST(Compiler, symbolsFollowContentAndStrides) {
  KernelCompiler compiler({});
  auto symbolOf = [&](const std::string &text, int64_t stride) {
    KernelText parsed(text);
    KernelRequest request;
    request.body = &parsed.body();
    request.inputStrides = {{stride, 1}};
    request.outputStrides = {{8, 1}};
    auto info = compiler.add(request);
    EXPECT_TRUE(succeeded(info));
    return info->symbol;
  };
  std::string dense = symbolOf(geluOf("8"), 8);
  EXPECT_EQ(dense, symbolOf(geluOf("8"), 8));
  EXPECT_NE(dense, symbolOf(geluOf("8"), 16));
  EXPECT_EQ(dense.substr(0, 2), "k_");
  std::string error;
  EXPECT_TRUE(compiler.finish(error)) << error;
}

TEST(Compiler, extentCoversAllElements) {
  KernelText text("func.func @f(%x: $6x8xf32, %b: $8xf32) -> $6x8xf32 { "
                  "%y = nn.binary add %x, %b : ($6x8xf32, $8xf32) -> "
                  "$6x8xf32 return %y : $6x8xf32 }");
  KernelCompiler compiler({});
  KernelRequest request;
  request.body = &text.body();
  auto info = compiler.add(request);
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->launches.front().extent, 6);
  EXPECT_EQ(info->launches[0].flops, 48);
  EXPECT_TRUE(info->scalars.empty());
}

TEST(Compiler, noKernelsMakeAnEmptyObject) {
  EXPECT_FALSE(compileAll({}, 1).empty());
}

TEST(Compiler, needsOnlyLibmAndLibc) {
  auto bytes =
      compileAll({"func.func @f(%x: $4xf64) -> $4xf64 { %y = nn.unary erf %x : "
                  "($4xf64) -> $4xf64 return %y : $4xf64 }"},
                 1);
  llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
  EXPECT_TRUE(text.contains("libm.so.6"));
  EXPECT_FALSE(text.contains("libstdc++"));
  LoadedObject object(bytes);
}

TEST(Compiler, unknownCpu) {
  CodeGenOptions options;
  options.cpu = "pentium9";
  KernelCompiler compiler(options);
  std::string error;
  EXPECT_FALSE(compiler.finish(error));
  EXPECT_EQ(error, "unknown cpu 'pentium9' for x86_64; write --cpu=native, "
                   "--cpu=x86-64-v3, --cpu=x86-64-v4 or another name that "
                   "LLVM knows");
}

//===----------------------------------------------------------------------===//
// What cannot be one kernel
//===----------------------------------------------------------------------===//

static std::string whyNot(const std::string &function) {
  KernelText text("func.func @f" + function);
  return whyNotKernel(text.body());
}

TEST(WhyNot, computedValueAndItsTranspose) {
  EXPECT_EQ(whyNot(R"((%x: $3x3xf32) -> $3x3xf32 {
    %e = nn.unary exp %x : ($3x3xf32) -> $3x3xf32
    %t = nn.rearrange %e {source = #nn.layout<[3] [3]>, order = [[1], [0]]} : ($3x3xf32) -> $3x3xf32
    %y = nn.binary sub %e, %t : ($3x3xf32, $3x3xf32) -> $3x3xf32
    return %y : $3x3xf32 })"),
            "a computed value is used both as it is and with its dims "
            "exchanged");
}

TEST(WhyNot, resultsWithoutACommonLoop) {
  EXPECT_EQ(whyNot(R"((%x: $30xf32, %z: $40xf32) -> ($30xf32, $40xf32) {
    %a = nn.unary exp %x : ($30xf32) -> $30xf32
    %b = nn.unary exp %z : ($40xf32) -> $40xf32
    return %a, %b : $30xf32, $40xf32 })"),
            "its results do not share one loop");
}

TEST(WhyNot, pieceOfAReduction) {
  EXPECT_EQ(whyNot(R"((%x: $5x12xf32) -> $5x4xf32 {
    %e = nn.softmax %x {dim = 1 : i64} : ($5x12xf32) -> $5x12xf32
    %a = nn.slice %e {dim = 1 : i64, start = 3 : i64, size = 4 : i64} : ($5x12xf32) -> $5x4xf32
    return %a : $5x4xf32 })"),
            "a slice or concatenation takes its operand from a reduction "
            "over or along the cut dim");
}

TEST(WhyNot, reductionForEachElementOfAResult) {
  auto scaled = [](const std::string &sum, const std::string &scaled) {
    return whyNot("(%x: $" + sum + "xf32, %z: $" + scaled + "xf32) -> $" +
                  scaled + "xf32 {\n" +
                  "%s = nn.reduce sum %x {dims = array<i64: 0>, "
                  "keepdim = false} : ($" +
                  sum + "xf32) -> $f32\n" + "%y = nn.binary mul %z, %s : ($" +
                  scaled + "xf32, $f32) -> $" + scaled + "xf32\nreturn %y : $" +
                  scaled + "xf32 }");
  };
  EXPECT_EQ(scaled("4000", "50"),
            "a reduction would be done again for each element of a result");
  EXPECT_EQ(scaled("100", "50"), ""); // little work
}

TEST(WhyNot, concatenationOfFactors) {
  EXPECT_EQ(whyNot(R"((%x: $5x(3,4)xf32, %z: $5x4xf32) -> $5x16xf32 {
    %y = nn.concat %x, %z {dim = 1 : i64} : ($5x(3,4)xf32, $5x4xf32) -> $5x16xf32
    return %y : $5x16xf32 })"),
            "the dim that is cut or joined has several factors");
}

TEST(WhyNot, elementTypes) {
  EXPECT_EQ(whyNot(R"((%x: $4xi16) -> $4xf32 {
    %y = nn.cast %x : ($4xi16) -> $4xf32
    return %y : $4xf32 })"),
            "an input is not a tensor that a kernel can hold");
  EXPECT_EQ(whyNot(R"((%x: $4xf32) -> $4xf32 {
    %n = nn.cast %x : ($4xf32) -> $4xi16
    %y = nn.cast %n : ($4xi16) -> $4xf32
    return %y : $4xf32 })"),
            "no kernel holds elements of this type");
}

TEST(WhyNot, otherOperations) {
  EXPECT_EQ(whyNot(R"((%x: $5x4xf32, %w: $4x4xf32) -> $5x4xf32 {
    %y = nn.linear %x, %w {transposed = false} : ($5x4xf32, $4x4xf32) -> $5x4xf32
    return %y : $5x4xf32 })"),
            "'nn.linear' cannot be part of a kernel");
}

TEST(WhyNot, supportedGroupsHaveNoReason) {
  KernelText text(geluOf("8"));
  EXPECT_EQ(whyNotKernel(text.body()), "");
}
