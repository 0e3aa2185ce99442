//===- HaloTest.cpp - margins around what is computed in their middle -----===//

#include "dialects/Buffers/Buffers.h"
#include "hocket/Plan/Check.h"
#include "hocket/Planning/Planning.h"
#include "hocket/Transforms/Bufferize.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace {

class HaloTest : public testing::Test {
protected:
  HaloTest() {
    context.loadDialect<nn::NnDialect, spmd::SpmdDialect,
                        buffers::BuffersDialect>();
  }

  /// The plan of two ranks that own 4 rows each, of 3
  /// columns that nobody shares.
  plan::Plan planOf(const std::string &body) {
    std::string text = R"(
      !own = tensor<4x3xf32, #nn.layout<[rows=4] [cols=3]>>
      !high = tensor<6x3xf32, #nn.layout<[rows=6] [cols=3]>>
      !all = tensor<6x5xf32, #nn.layout<[rows=6] [cols=5]>>
      module {
        nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
        nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
        spmd.func @class0(%x: !own {nn.name = "x", spmd.cuts = #spmd.box<<[rows=8] [cols=3]>, <0, 0, offset = <h: [0, 4]>, size = <4>>>})
            -> (!own {nn.name = "y", spmd.cuts = #spmd.box<<[rows=8] [cols=3]>, <0, 0, offset = <h: [0, 4]>, size = <4>>>, spmd.replicated_over = []})
            attributes {ranks = array<i64: 0, 1>} {)" +
                       body + "} }";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (!module)
      return {};
    EXPECT_TRUE(succeeded(bufferize(*module)));
    auto program = makeProgram(*module, {}, nullptr, {});
    EXPECT_TRUE(succeeded(program));
    std::string error;
    EXPECT_TRUE(plan::check(program->plan, error)) << error;
    return program->plan;
  }

  static std::string halo(const std::string &kind, const std::string &result,
                          const std::string &x, int id, const char *types,
                          const std::string &heldOffsets = "<h: [-1, 3]>") {
    return result + " = spmd.halo_" + kind + " " + x +
           " over [\"h\"] {dims = array<i64: 0>, factors = array<i64: 0>, id "
           "= " +
           std::to_string(id) +
           " : i64, offsets = #spmd.table<h: [0, 4]>, sizes = #spmd.table<4>, "
           "heldOffsets = #spmd.table" +
           heldOffsets +
           ", heldSizes = #spmd.table<6>, extent = 8 : i64, border = "
           "#nn.border<circular>} : " +
           types + "\n";
  }
  static std::string pad(const std::string &kind, const std::string &result,
                         const std::string &x, int id, const char *types) {
    return result + " = spmd.halo_" + kind + " " + x +
           " over [] {dims = array<i64: 1>, factors = array<i64: 0>, id = " +
           std::to_string(id) +
           " : i64, offsets = #spmd.table<0>, sizes = #spmd.table<3>, "
           "heldOffsets = #spmd.table<-1>, heldSizes = #spmd.table<5>, extent "
           "= 3 : i64, border = #nn.border<zero>} : " +
           types + "\n";
  }
  /// A kernel of one function.
  static std::string kernel(const std::string &result, const std::string &x,
                            const std::string &type) {
    return result + " = spmd.kernel(" + x + ") : (" + type + ") -> " + type +
           " {\n^bb0(%a: " + type + "):\n%b = nn.unary exp %a : (" + type +
           ") -> " + type + "\nspmd.yield %b : " + type + "\n}\n";
  }

  template <class Body> static std::vector<Body> all(const plan::Plan &plan) {
    std::vector<Body> found;
    for (const plan::Instruction &instruction : plan.classes[0].step)
      if (auto *body = std::get_if<Body>(&instruction.body))
        found.push_back(*body);
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(HaloTest, MarginsComeAroundWhatAKernelComputes) {
  plan::Plan plan = planOf(kernel("%k", "%x", "!own") +
                           halo("exchange", "%h", "%k", 0, "(!own) -> !high") +
                           pad("exchange", "%w", "%h", 1, "(!high) -> !all") +
                           kernel("%l", "%w", "!all") +
                           pad("reduce", "%g", "%l", 2, "(!all) -> !high") +
                           halo("reduce", "%r", "%g", 3, "(!high) -> !own") +
                           "nn.return %r : !own\n");
  auto kernels = all<plan::Kernel>(plan);
  auto halos = all<plan::Collective>(plan);
  ASSERT_EQ(kernels.size(), 2u);
  ASSERT_EQ(halos.size(), 4u);
  // One buffer from the kernel on: row 1, column 1 of 6 by 5.
  const plan::View &out = kernels[0].outputs[0];
  EXPECT_EQ(out.offset, 6);
  EXPECT_EQ(out.strides, (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(halos[0].pairs[0].src.buffer, out.buffer);
  EXPECT_EQ(halos[0].pairs[0].src.offset, 6);
  EXPECT_EQ(halos[0].pairs[0].dst.buffer, out.buffer);
  EXPECT_EQ(halos[0].pairs[0].dst.offset, 1);
  EXPECT_EQ(halos[0].pairs[0].dst.shape, (std::vector<int64_t>{6, 3}));
  EXPECT_EQ(halos[1].pairs[0].dst.buffer, out.buffer);
  EXPECT_EQ(halos[1].pairs[0].dst.offset, 0);
  // And back.
  int back = kernels[1].outputs[0].buffer;
  EXPECT_EQ(halos[2].pairs[0].src.buffer, back);
  EXPECT_EQ(halos[2].pairs[0].dst.buffer, back);
  EXPECT_EQ(halos[2].pairs[0].dst.offset, 1);
  EXPECT_EQ(halos[3].pairs[0].dst.buffer, back);
  EXPECT_EQ(halos[3].pairs[0].dst.offset, 6);
  // The output alone, which is dense, is copied.
  EXPECT_EQ(all<plan::Copy>(plan).size(), 1u);
}

// Members with other margins before what they own find it elsewhere.
TEST_F(HaloTest, MarginsThatDifferAreATerm) {
  plan::Plan plan = planOf(
      kernel("%k", "%x", "!own") +
      halo("exchange", "%h", "%k", 0, "(!own) -> !high", "<h: [-2, 3]>") +
      halo("reduce", "%r", "%h", 1, "(!high) -> !own", "<h: [-2, 3]>") +
      "nn.return %r : !own\n");
  const plan::View out = all<plan::Kernel>(plan)[0].outputs[0];
  ASSERT_EQ(out.terms.size(), 1u);
  EXPECT_EQ(plan.tables[out.terms[0].table].values,
            (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(out.terms[0].scale, 3);
  EXPECT_EQ(all<plan::Collective>(plan)[0].pairs[0].dst.buffer, out.buffer);
}

// What is trimmed has no place among what is held, and an input has its own.
TEST_F(HaloTest, OthersHaveTheirOwnMemory) {
  plan::Plan trimmed = planOf(
      kernel("%k", "%x", "!own") +
      halo("exchange", "%h", "%k", 0, "(!own) -> !high", "<h: [-3, 3]>") +
      halo("reduce", "%r", "%h", 1, "(!high) -> !own", "<h: [-3, 3]>") +
      "nn.return %r : !own\n");
  EXPECT_NE(all<plan::Collective>(trimmed)[0].pairs[0].dst.buffer,
            all<plan::Kernel>(trimmed)[0].outputs[0].buffer);
  plan::Plan input = planOf(halo("exchange", "%h", "%x", 0, "(!own) -> !high") +
                            halo("reduce", "%r", "%h", 1, "(!high) -> !own") +
                            "nn.return %r : !own\n");
  EXPECT_EQ(all<plan::Kernel>(input).size(), 0u);
  EXPECT_NE(all<plan::Collective>(input)[0].pairs[0].dst.buffer,
            all<plan::Collective>(input)[0].pairs[0].src.buffer);
}
