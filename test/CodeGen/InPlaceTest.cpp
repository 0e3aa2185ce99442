//===- InPlaceTest.cpp - outputs that are written over an input -----------===//

#include "KernelHarness.h"
#include "PtxRun.h"
#include "lib/CodeGen/PrepareKernel.h"
#include <gtest/gtest.h>

using namespace hocket::codegen;
using hocket::test::KernelText;
using hocket::test::LoadedObject;

namespace {

/// The pairs of `wanted` that the compiler grants.
llvm::SmallVector<std::pair<unsigned, unsigned>>
granted(const std::string &text,
        llvm::SmallVector<std::pair<unsigned, unsigned>> wanted) {
  KernelCompiler compiler({});
  KernelText parsed(text);
  KernelRequest request;
  request.body = &parsed.body();
  request.inPlace = wanted;
  auto info = compiler.add(request);
  EXPECT_TRUE(succeeded(info));
  std::string error;
  EXPECT_TRUE(compiler.finish(error)) << error;
  return info->inPlace;
}

const std::string n = "$1000xf32", one = "tensor<f32, #nn.layout<>>";

/// m' = m / 2 + g, w' = w - m' and the sum w' + m, which reads m after m' is
/// known.
const std::string update =
    "func.func @f(%m: " + n + ", %w: " + n + ", %g: " + n + ", %h: " + one +
    ") -> (" + n + ", " + n + ", " + n + ") { %a = nn.binary mul %m, %h : (" +
    n + ", " + one + ") -> " + n + " %b = nn.binary add %a, %g : (" + n + ", " +
    n + ") -> " + n + " %c = nn.binary sub %w, %b : (" + n + ", " + n +
    ") -> " + n + " %d = nn.binary add %c, %m : (" + n + ", " + n + ") -> " +
    n + " return %b, %c, %d : " + n + ", " + n + ", " + n + " }";

TEST(InPlace, everyElementIsReadBeforeItIsWritten) {
  KernelCompiler compiler({});
  KernelText parsed(update);
  KernelRequest request;
  request.body = &parsed.body();
  request.inPlace = {{0, 0}, {1, 1}};
  auto info = compiler.add(request);
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(info->inPlace, request.inPlace);
  std::string error;
  auto bytes = compiler.finish(error);
  ASSERT_TRUE(bytes) << error;
  LoadedObject object(*bytes);
  constexpr int count = 1000;
  std::vector<float> m(count), w(count), g(count), sum(count);
  for (int i = 0; i < count; ++i) {
    m[i] = float(i);
    w[i] = float(3 * i);
    g[i] = float(i % 7);
  }
  float half = 0.5f;
  void *arguments[] = {m.data(), w.data(), g.data(),  &half,
                       m.data(), w.data(), sum.data()};
  int64_t middle = info->launches.front().extent / 3;
  auto kernel = object.find(info->symbol);
  kernel(arguments, nullptr, 0, middle);
  kernel(arguments, nullptr, middle, info->launches.front().extent);
  for (int i = 0; i < count; ++i) {
    float next = float(i) / 2 + float(i % 7);
    ASSERT_EQ(m[i], next) << i;
    ASSERT_EQ(w[i], float(3 * i) - next) << i;
    ASSERT_EQ(sum[i], float(3 * i) - next + float(i)) << i;
  }
}

TEST(InPlace, isAnotherKernel) {
  KernelCompiler compiler({});
  KernelText parsed(update);
  KernelRequest request;
  request.body = &parsed.body();
  std::string apart = compiler.add(request)->symbol;
  request.inPlace = {{0, 0}};
  EXPECT_NE(compiler.add(request)->symbol, apart);
  std::string error;
  EXPECT_TRUE(compiler.finish(error)) << error;
}

TEST(InPlace, isRefusedWhereElementsAreReadAgain) {
  // A row is read twice, for its maximum and for the result.
  std::string x = "$4x50xf32";
  EXPECT_TRUE(granted("func.func @f(%x: " + x + ") -> " + x +
                          " { %y = nn.softmax %x {dim = 1} : (" + x + ") -> " +
                          x + " return %y : " + x + " }",
                      {{0, 0}})
                  .empty());
  // x [i, j] and x [j, i] make one element.
  std::string square = "$9x9xf32";
  EXPECT_TRUE(
      granted("func.func @f(%x: " + square + ") -> " + square +
                  " { %t = nn.rearrange %x {source = #nn.layout<[9] [9]>, "
                  "order = [[1], [0]]} : (" +
                  square + ") -> " + square + " %y = nn.binary add %x, %t : (" +
                  square + ", " + square + ") -> " + square +
                  " return %y : " + square + " }",
              {{0, 0}})
          .empty());
  // A column's elements meet every row.
  std::string column = "$4x1xf32", wide = "$4x8xf32";
  EXPECT_TRUE(granted("func.func @f(%x: " + column + ", %z: " + wide +
                          ") -> (" + column + ", " + wide +
                          ") { %y = nn.unary neg %x : (" + column + ") -> " +
                          column + " %s = nn.binary add %x, %z : (" + column +
                          ", " + wide + ") -> " + wide +
                          " return %y, %s : " + column + ", " + wide + " }",
                      {{0, 0}})
                  .empty());
}

//===----------------------------------------------------------------------===//
// As PTX
//===----------------------------------------------------------------------===//

using Pairs = std::vector<std::pair<int, int>>;

/// The function as it stands behind func.func @f, run on the interpreter with
/// equal addresses for the pairs that are granted, which are expected to be
/// these.
void checkPtx(const std::string &function, const Pairs &wanted,
              const Pairs &expected) {
  SCOPED_TRACE(function);
  hocket::test::KernelCase test(function, {});
  for (auto [input, output] : wanted)
    test.request.inPlace.push_back({input, output});
  GpuKernel kernel;
  auto builder = prepareOrReport(test.request, kernel);
  ASSERT_TRUE(builder);
  EXPECT_EQ(builder->graph.inPlace, expected);
  auto results = evaluate(*test.request.body, test.inputs, 0);
  ASSERT_TRUE(runPtx(test.request, test.memory, 0));
  for (size_t i = 0; i < results.size(); ++i)
    compare(results[i], test.memory[test.inputs.size() + i], {}, "as PTX");
}

TEST(InPlaceOnGpu, everyElementIsReadBeforeItIsWritten) {
  checkPtx(update.substr(update.find('(')), {{0, 0}, {1, 1}}, {{0, 0}, {1, 1}});
}

TEST(InPlaceOnGpu, inVectorsAndBehindTheLastThread) {
  for (std::string x : {"$3x250xf32", "$7x31xbf16", "$5x64xf64", "$8x24xi1"}) {
    std::string op = x.back() == '1' ? "not" : "neg";
    checkPtx("(%x: " + x + ") -> " + x + " { %y = nn.unary " + op + " %x : (" +
                 x + ") -> " + x + " return %y : " + x + " }",
             {{0, 0}}, {{0, 0}});
  }
}

TEST(InPlaceOnGpu, theInputNeedNotBeRead) {
  checkPtx("(%x: " + n + ", %z: " + n + ") -> " + n +
               " { %y = nn.unary neg %z : (" + n + ") -> " + n +
               " return %y : " + n + " }",
           {{0, 0}}, {{0, 0}});
}

TEST(InPlaceOnGpu, isRefusedWhereElementsAreReadAgain) {
  std::string x = "$4x50xf32", square = "$9x9xf32";
  checkPtx("(%x: " + x + ") -> " + x + " { %y = nn.softmax %x {dim = 1} : (" +
               x + ") -> " + x + " return %y : " + x + " }",
           {{0, 0}}, {});
  checkPtx("(%x: " + square + ") -> " + square +
               " { %t = nn.rearrange %x {source = #nn.layout<[9] [9]>, order "
               "= [[1], [0]]} : (" +
               square + ") -> " + square + " %y = nn.binary add %x, %t : (" +
               square + ", " + square + ") -> " + square +
               " return %y : " + square + " }",
           {{0, 0}}, {});
  // The types differ.
  checkPtx("(%x: $40xf32) -> $40xi32 { %y = nn.cast %x : ($40xf32) -> $40xi32 "
           "return %y : $40xi32 }",
           {{0, 0}}, {});
}

} // namespace
