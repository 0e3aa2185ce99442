//===- DemandsTest.cpp - launches of instructions, by hand ----------------===//

#include "hocket/Cuda/Demands.h"
#include "test/Runtime/PlanBuilder.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::plan;
using namespace hocket::runtime::cuda;
using hocket::test::ClassBuilder;

namespace {

struct Program {
  Program() : builder({0}) {
    plan.target = Target::Cuda;
    plan.mesh = {{"x", 1}};
  }
  View arena(std::vector<int64_t> shape, DType type = DType::F32) {
    return builder.arena(std::move(shape), type);
  }
  template <class Body> Demands of(const Body &body) {
    std::vector<Demands> demands;
    runtime::Status status =
        demandsOf(plan, builder.result, {{-1, body}}, demands);
    EXPECT_TRUE(status.ok()) << status.message;
    return demands.at(0);
  }

  Plan plan;
  ClassBuilder builder;
};

void expectLaunches(const Demands &demands, int64_t generated, int64_t library,
                    int64_t own, int64_t copies) {
  EXPECT_EQ(demands.launches.generated, generated);
  EXPECT_EQ(demands.launches.library, library);
  EXPECT_EQ(demands.launches.own, own);
  EXPECT_EQ(demands.launches.copies, copies);
  EXPECT_EQ(demands.launches.all(), generated + library + own + copies);
}

TEST(Demands, GeneratedKernels) {
  Program p;
  expectLaunches(p.of(Kernel{"k", {}, {p.arena({8})}, {}, 3, 32, 8}), 1, 0, 0,
                 0);
  expectLaunches(p.of(Kernel{"k", {}, {p.arena({8})}, {}, 0, 32, 8}), 0, 0, 0,
                 0);
}

TEST(Demands, Products) {
  Program p;
  Matmul matmul;
  matmul.a = p.arena({5, 3, 4}), matmul.b = p.arena({5, 4, 6});
  matmul.c = p.arena({5, 3, 6});
  expectLaunches(p.of(matmul), 0, 1, 0, 0);
  // Batch dims that cannot be joined: a call for each of the shorter one.
  matmul.a = p.arena({2, 5, 3, 4}), matmul.b = p.arena({2, 5, 4, 6});
  matmul.c = p.arena({2, 5, 3, 6});
  matmul.a.strides = {12, 24, 4, 1};
  expectLaunches(p.of(matmul), 0, 2, 0, 0);
}

Attention attention(Program &p, int64_t depth) {
  Attention one;
  one.q = p.arena({1, 2, 64, depth}, DType::BF16);
  one.k = one.v = one.out = one.q;
  one.scale = 1;
  return one;
}

TEST(Demands, Attention) {
  Program p;
  expectLaunches(p.of(attention(p, 64)), 0, 0, 1, 0);
  for (int64_t depth : {64, 256}) {
    AttentionGrad gradient;
    gradient.forward = attention(p, depth);
    gradient.forward.lse = p.arena({1, 2, 64});
    gradient.dout = gradient.dq = gradient.forward.q;
    gradient.dk = gradient.dv = gradient.forward.q;
    expectLaunches(p.of(gradient), 0, 0, 3, 0);
  }
}

TEST(Demands, Neighborhoods) {
  Program p;
  NeighborhoodAttention one;
  one.q = one.k = one.v = one.out = p.arena({1, 1, 8, 16});
  one.dims = {{{8, 3}, {}, {}}};
  expectLaunches(p.of(one), 0, 0, 1, 0);
  NeighborhoodAttentionGrad gradient{one, one.q, one.q, one.q, one.q};
  gradient.forward.lse = p.arena({1, 1, 8});
  expectLaunches(p.of(gradient), 0, 0, 2, 0);
}

/// A gradient fills with zeros, makes keys, sorts them by 8 bits with three
/// launches, and adds in two.
TEST(Demands, Lookups) {
  Program p;
  View table = p.arena({8, 4}), ids = p.arena({3}, DType::I32);
  View rows = p.arena({3, 4});
  expectLaunches(p.of(Embedding{table, ids, rows, {}, 8}), 0, 0, 1, 0);
  expectLaunches(p.of(EmbeddingGrad{ids, rows, table, {}, 8}), 0, 0, 6, 1);
}

Convolution convolution(Program &p) {
  Convolution one;
  one.x = p.arena({1, 2, 8}), one.weight = p.arena({4, 2, 3});
  one.y = p.arena({1, 4, 6});
  one.strides = one.dilations = {1};
  one.lows = one.highs = {0};
  return one;
}

TEST(Demands, Convolutions) {
  Program p;
  expectLaunches(p.of(convolution(p)), 0, 1, 0, 0);
  Convolution repeats = convolution(p);
  repeats.x.strides = {0, 0, 1}; // is copied before
  expectLaunches(p.of(repeats), 0, 1, 0, 1);
  Convolution cut = convolution(p); // leaves x's ends out, which are zeros
  cut.pass = ConvolutionPass::InputGradient;
  cut.lows = cut.highs = {-1};
  cut.y = p.arena({1, 4, 4});
  expectLaunches(p.of(cut), 0, 1, 0, 1);
}

TEST(Demands, Poolings) {
  Program p;
  Pooling one;
  one.x = p.arena({1, 2, 6}), one.y = p.arena({1, 2, 3});
  one.taps = one.strides = {2}, one.dilations = {1};
  one.lows = one.highs = {0}, one.extents = {6};
  one.xFirst = one.yFirst = {{}};
  expectLaunches(p.of(one), 0, 0, 1, 0);
}

TEST(Demands, WhatOnlyMoves) {
  Program p;
  View x = p.arena({3, 4}), y = p.arena({3, 4});
  expectLaunches(p.of(Copy{x, y}), 0, 0, 0, 1);
  expectLaunches(p.of(Fill{x, 1}), 0, 0, 0, 1);
  expectLaunches(p.of(Iota{x, 1, {}}), 0, 0, 0, 1);
  expectLaunches(p.of(ReadParameter{0, x, {}}), 0, 0, 0, 0);
  expectLaunches(p.of(Constant{p.arena({1}, DType::I64), {1}}), 0, 0, 0, 0);
  expectLaunches(p.of(Collective()), 0, 0, 0, 0);
  expectLaunches(p.of(Wait{0}), 0, 0, 0, 0);
  x.shape = {0, 4};
  expectLaunches(p.of(Fill{x, 1}), 0, 0, 0, 0);
}

TEST(Demands, WhatNoGpuRunsIsSaid) {
  Program p;
  p.plan.sources = {{"mlp.up", "net.hkt:3:4", ""}};
  auto errorOf = [&](Instruction one) {
    one.source = 0;
    std::vector<Demands> demands;
    return demandsOf(p.plan, p.builder.result, {one}, demands).message;
  };
  EXPECT_EQ(errorOf({0, PackWeight{0, p.arena({2, 2}), 1}}),
            "pack_weight of \"mlp.up\" (net.hkt:3:4): not supported yet on a "
            "GPU: a packed weight");
  Attention wide = attention(p, 272);
  EXPECT_EQ(errorOf({0, wide}),
            "attention of \"mlp.up\" (net.hkt:3:4): attention with heads of "
            "272 elements has no CUDA kernel, expected 256 at most");
  Matmul mixed;
  mixed.a = p.arena({2, 2}), mixed.b = p.arena({2, 2}, DType::F64);
  mixed.c = p.arena({2, 2});
  EXPECT_EQ(errorOf({0, mixed})
                .find("matmul of \"mlp.up\" (net.hkt:3:4): not "
                      "supported yet on a GPU: "),
            0u);
}

} // namespace
