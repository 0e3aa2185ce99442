//===- PlanWork.cpp - flops and bytes of instructions, by hand ------------===//

#include "hocket/Cpu/Attention.h"
#include "hocket/Plan/Work.h"
#include "test/Runtime/PlanBuilder.h"
#include <gtest/gtest.h>
#include <set>

using namespace hocket;
using namespace hocket::plan;
using namespace hocket::test;

namespace {

/// One class of `ranks` ranks on a mesh (x = ranks).
struct Program {
  explicit Program(int64_t ranks = 1) : builder(listed(ranks)) {
    plan.mesh = {{"x", ranks}};
    plan.tables = {{{0}, listed(ranks)}};
  }

  static std::vector<int64_t> listed(int64_t count) {
    std::vector<int64_t> numbers(count);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = i;
    return numbers;
  }
  View arena(std::vector<int64_t> shape, DType type = DType::F32) {
    return builder.arena(std::move(shape), type);
  }
  template <class Body> Work of(const Body &body, int64_t rank = 0) const {
    return workOf({-1, body}, plan, builder.result, rank);
  }

  Plan plan;
  ClassBuilder builder;
};

void expectWork(const Work &work, Unit unit, int64_t flops, int64_t read,
                int64_t written) {
  EXPECT_EQ(unitWords[size_t(work.unit)], unitWords[size_t(unit)]);
  EXPECT_EQ(work.flops, flops);
  EXPECT_EQ(work.readBytes, read);
  EXPECT_EQ(work.writtenBytes, written);
}

TEST(PlanWork, Products) {
  Program p;
  Matmul matmul;
  matmul.a = p.arena({3, 4}), matmul.b = p.arena({4, 5});
  matmul.c = p.arena({3, 5});
  expectWork(p.of(matmul), Unit::F32, 120, 4 * (12 + 20), 4 * 15);
  matmul.hasBias = true, matmul.bias = p.arena({5});
  matmul.post = {{PostOp::Add, p.arena({3, 5})}, {PostOp::Relu, {}}};
  expectWork(p.of(matmul), Unit::F32, 120, 4 * (12 + 20 + 5 + 15), 4 * 15);
  // The pack has the weight's elements.
  matmul.packedWeight = 0;
  expectWork(p.of(matmul), Unit::F32, 120, 4 * (12 + 20 + 5 + 15), 4 * 15);
}

TEST(PlanWork, ProductsOfOtherTypes) {
  for (auto [type, unit, bytes] : {std::tuple(DType::BF16, Unit::HalfMatrix, 2),
                                   {DType::F16, Unit::HalfMatrix, 2},
                                   {DType::F64, Unit::F64Matrix, 8}}) {
    Program p;
    Matmul matmul;
    matmul.a = p.arena({2, 3, 4}, type), matmul.b = p.arena({2, 4, 5}, type);
    matmul.c = p.arena({2, 3, 5}, type);
    matmul.b.strides[0] = 0; // one weight for both of the batch
    expectWork(p.of(matmul), unit, 240, bytes * (24 + 20), bytes * 30);
  }
}

TEST(PlanWork, Kernels) {
  Program p;
  View x = p.arena({6, 8}), row = p.arena({6, 8}), y = p.arena({6, 8});
  row.strides[0] = 0;
  // What is read twice and what is written in place.
  Kernel kernel{"k", {x, row, x}, {y, x}, {}, 6, 32, 100};
  expectWork(p.of(kernel), Unit::F32, 100, 4 * (48 + 8), 4 * 96);
  View wide = p.arena({6}, DType::F64), ids = p.arena({6}, DType::I32);
  expectWork(p.of(Kernel{"k", {wide, ids}, {wide}, {}, 1, 32, 7}), Unit::F64, 7,
             6 * 12, 6 * 8);
  expectWork(p.of(Kernel{"k", {wide, x}, {wide}, {}, 1, 32, 7}), Unit::F32, 7,
             6 * 8 + 48 * 4, 6 * 8);
  // Windows that overlap.
  View windows = x;
  windows.shape = {7, 3}, windows.strides = {1, -1}, windows.offset = 2;
  expectWork(p.of(Kernel{"k", {windows}, {}, {}, 1, 32, 0}), Unit::F32, 0,
             4 * 9, 0);
}

Attention attention(Program &p, DType type, int64_t queries, int64_t keys) {
  Attention attention;
  attention.q = p.arena({1, 2, queries, 8}, type);
  attention.out = p.arena({1, 2, queries, 16}, type);
  attention.k = p.arena({1, 1, keys, 8}, type);
  attention.v = p.arena({1, 1, keys, 16}, type);
  attention.group = 2;
  return attention;
}

TEST(PlanWork, AttentionCountsWhatIsSeen) {
  Program p(2);
  Attention one = attention(p, DType::BF16, 4, 8);
  int64_t q = 2 * 4 * 8 * 2, key = 2 * (8 + 16), out = 2 * 4 * 16 * 2;
  expectWork(p.of(one), Unit::HalfMatrix, 2 * 2 * 32 * 24, q + 8 * key, out);
  // Rank 1 has the queries from 4 on.
  one.causal = true, one.queryOffset = {0, 0, 4};
  expectWork(p.of(one, 0), Unit::HalfMatrix, 2 * 2 * 10 * 24, q + 4 * key, out);
  expectWork(p.of(one, 1), Unit::HalfMatrix, 2 * 2 * 26 * 24, q + 8 * key, out);
  one.before = 1; // keys 0; 0, 1; ... and 3, 4; ...
  expectWork(p.of(one, 0), Unit::HalfMatrix, 2 * 2 * 7 * 24, q + 4 * key, out);
  expectWork(p.of(one, 1), Unit::HalfMatrix, 2 * 2 * 8 * 24, q + 5 * key, out);
  one.keep = p.arena({1, 8}, DType::Bool);
  one.lse = p.arena({1, 2, 4});
  expectWork(p.of(one, 1), Unit::HalfMatrix, 2 * 2 * 8 * 24, q + 5 * key + 8,
             out + 32);
}

TEST(PlanWork, AttentionOfOtherTypes) {
  Program p;
  EXPECT_EQ(p.of(attention(p, DType::F32, 4, 4)).unit, Unit::F32);
  EXPECT_EQ(p.of(attention(p, DType::F64, 4, 4)).unit, Unit::F64);
}

TEST(PlanWork, GradientOfAttention) {
  Program p;
  AttentionGrad gradient;
  gradient.forward = attention(p, DType::F16, 4, 4);
  gradient.forward.causal = true;
  gradient.forward.lse = p.arena({1, 2, 4});
  gradient.dout = p.arena({1, 2, 4, 16}, DType::F16);
  gradient.dq = p.arena({1, 2, 4, 8}, DType::F16);
  gradient.dk = p.arena({1, 1, 4, 8}, DType::F16);
  gradient.dv = p.arena({1, 1, 4, 16}, DType::F16);
  int64_t q = 128, k = 64, v = 128, out = 256;
  expectWork(p.of(gradient), Unit::HalfMatrix, 2 * 2 * 10 * (3 * 8 + 2 * 16),
             q + k + v + 2 * out + 32, q + k + v);
}

// That of a bias comes of scores and of gradients of weights made once more.
TEST(PlanWork, GradientOfABias) {
  Program p;
  AttentionGrad gradient;
  gradient.forward = attention(p, DType::F32, 4, 4);
  gradient.forward.lse = p.arena({1, 2, 4});
  gradient.forward.bias = p.arena({1, 2, 4, 4});
  gradient.dout = p.arena({1, 2, 4, 16});
  gradient.dq = p.arena({1, 2, 4, 8});
  gradient.dk = p.arena({1, 1, 4, 8});
  gradient.dv = p.arena({1, 1, 4, 16});
  int64_t pairs = 2 * 16, q = 256, k = 128, v = 256, out = 512, bias = 128;
  expectWork(p.of(gradient), Unit::F32, 2 * pairs * (3 * 8 + 2 * 16),
             q + k + v + 2 * out + 32 + bias, q + k + v);
  gradient.dbias = p.arena({1, 2, 4, 4});
  expectWork(p.of(gradient), Unit::F32, 2 * pairs * (4 * 8 + 3 * 16),
             q + k + v + 2 * out + 32 + bias, q + k + v + bias);
}

/// As the kernels walk.
TEST(PlanWork, WindowsAreThoseOfTheKernels) {
  for (int64_t offset : {-5, -1, 0, 3, 9})
    for (int64_t before : {-1, 0, 2, 20})
      for (int64_t after : {-1, 0, 3})
        for (bool causal : {false, true}) {
          Program p;
          Attention one = attention(p, DType::F32, 5, 7);
          one.queryOffset = {offset}, one.causal = causal;
          one.before = before, one.after = after;
          runtime::AttentionArguments walked;
          walked.k.shape = {1, 1, 7, 8};
          walked.queryOffset = offset, walked.causal = causal;
          walked.before = before, walked.after = after;
          int64_t pairs = 0;
          for (int64_t i = 0; i < 5; ++i)
            pairs += walked.keyLimit(i) - walked.keyBegin(i);
          EXPECT_EQ(p.of(one).flops, 2 * 2 * pairs * 24)
              << offset << " " << before << " " << after << " " << causal;
          int64_t keys = walked.keyLimit(4) - walked.keyBegin(0);
          EXPECT_EQ(p.of(one).readBytes, 4 * (80 + keys * 24));
        }
}

// Blocks of 2 in a sequence of 12: rank 0 has queries 1 to 4, rank 1 5 to 8,
// keys from 1 on; heads from 0 and from 2 on.
TEST(PlanWork, LayoutsAreThoseOfTheKernels) {
  for (bool perHead : {false, true})
    for (int64_t before : {-1, 1, 4})
      for (bool causal : {false, true})
        for (int64_t rank : {0, 1}) {
          Program p(2);
          Attention one = attention(p, DType::F32, 4, 8);
          one.queryOffset = {1, 0, 4}, one.keyOffset = {1};
          one.headOffset = {0, 0, 2}, one.kvHeadOffset = {0, 0, 1};
          one.group = 2;
          one.causal = causal, one.before = before;
          one.layout = BlockLayout();
          one.layout->kind = LayoutKind::BigBird, one.layout->block = 2;
          one.layout->random = 1;
          if (perHead) { // head h, row r: the first 1 + (h + r) % 6
            one.layout->kind = LayoutKind::Listed;
            one.layout->perHead = true;
            for (int64_t i = 0; i < 4 * 6; ++i)
              one.layout->rows.push_back({0, 1 + (i / 6 + i % 6) % 6});
          }
          one.layoutBlocks = 6;
          runtime::AttentionArguments walked;
          walked.q.shape = one.q.shape, walked.k.shape = one.k.shape;
          walked.queryOffset = 1 + 4 * rank, walked.keyOffset = 1;
          walked.headOffset = 2 * rank;
          walked.causal = causal, walked.before = before;
          walked.visited =
              runtime::VisitedKeys(walked, runtime::ruleOf(*one.layout, 6));
          int64_t pairs = 0;
          std::set<int64_t> keys;
          for (int64_t h = 0; h < one.q.shape[1]; ++h)
            for (int64_t i = 0; i < 4; ++i)
              walked.visitRuns(h, i, [&](int64_t begin, int64_t end) {
                for (int64_t j = begin; j < end; ++j, ++pairs)
                  keys.insert(j);
              });
          EXPECT_EQ(p.of(one, rank).flops, 2 * pairs * 24);
          EXPECT_EQ(p.of(one, rank).readBytes,
                    4 * (2 * 4 * 8 + int64_t(keys.size()) * 24));
          // Heads of their own make ranks unequal, too.
          one.queryOffset = {1};
          p.builder.result.step = {{-1, one}};
          p.builder.result.ranks = {0, 1};
          EXPECT_EQ(ranksOfEqualWork(p.plan, p.builder.result).size(),
                    perHead ? 2u : 1u);
        }
}

NeighborhoodAttention neighborhood(Program &p, DType type) {
  NeighborhoodAttention one;
  one.q = p.arena({1, 1, 4, 5, 2}, type);
  one.k = p.arena({1, 1, 6, 5, 2}, type);
  one.v = p.arena({1, 1, 6, 5, 3}, type);
  one.out = p.arena({1, 1, 4, 5, 3}, type);
  // Queries 2 to 5 of 9, keys 1 to 6; all of 5, causal.
  one.dims = {{{9, 3}, {2}, {1}}, {{5, 3, 1, 1, true}, {}, {}}};
  return one;
}

TEST(PlanWork, Neighborhoods) {
  Program p;
  NeighborhoodAttention one = neighborhood(p, DType::F16);
  int64_t pairs = (4 * 3) * (1 + 2 + 3 + 3 + 3);
  int64_t q = 2 * 20 * 2, keys = 2 * 6 * 5 * 5, out = 2 * 20 * 3;
  expectWork(p.of(one), Unit::F32, 2 * pairs * 5, q + keys, out);
  NeighborhoodAttentionGrad gradient{one, one.out, one.q, one.k, one.v};
  gradient.forward.lse = p.arena({1, 1, 4, 5});
  expectWork(p.of(gradient), Unit::F32, 2 * pairs * (3 * 2 + 2 * 3),
             q + keys + out + 80, q + keys);
}

TEST(PlanWork, Lookups) {
  Program p;
  View table = p.arena({8, 4}), few = p.arena({3}, DType::I32);
  View many = p.arena({20}, DType::I64);
  expectWork(p.of(Embedding{table, few, p.arena({3, 4}), {}, 8}), Unit::F32, 0,
             3 * 16 + 12, 48);
  expectWork(p.of(Embedding{table, many, p.arena({20, 4}), {}, 8}), Unit::F32,
             0, 8 * 16 + 160, 320);
  expectWork(p.of(EmbeddingGrad{few, p.arena({3, 4}), table, {}, 8}), Unit::F32,
             12, 12 + 48, 128);
}

/// Windows of 3 at 5 positions with a zero at either end: 13 of 15 taps.
TEST(PlanWork, ConvolutionsCountTapsInside) {
  Program p;
  Convolution one;
  one.x = p.arena({2, 4, 5}), one.weight = p.arena({6, 2, 3});
  one.y = p.arena({2, 6, 5}), one.bias = p.arena({6});
  one.strides = one.dilations = one.lows = one.highs = {1};
  one.groups = 2;
  int64_t flops = 2 * 2 * 6 * 2 * 13;
  int64_t x = 4 * 40, weight = 4 * 36, y = 4 * 60;
  expectWork(p.of(one), Unit::F32, flops, x + weight + 24, y);
  one.bias = {};
  one.pass = ConvolutionPass::InputGradient;
  expectWork(p.of(one), Unit::F32, flops, weight + y, x);
  one.pass = ConvolutionPass::WeightGradient;
  expectWork(p.of(one), Unit::F32, flops, x + y, weight);
}

TEST(PlanWork, ConvolutionsWithStridesAndDilations) {
  Program p;
  Convolution one;
  one.x = p.arena({1, 1, 9, 4}, DType::BF16);
  one.weight = p.arena({1, 1, 3, 2}, DType::BF16);
  // (9 + 1 + 2 - 4 - 1) / 2 + 1 and 4 - 1 - 1 + 1 positions
  one.y = p.arena({1, 1, 4, 3}, DType::BF16);
  one.strides = {2, 1}, one.dilations = {2, 1};
  one.lows = {1, -1}, one.highs = {2, 1};
  // -1 1 3; 1 3 5; 3 5 7; 5 7 9: 10 of 12; 1 2; 2 3; 3 4: 5 of 6
  expectWork(p.of(one), Unit::HalfMatrix, 2 * 10 * 5, 2 * (36 + 6), 2 * 12);
}

TEST(PlanWork, Poolings) {
  Program p;
  Pooling one;
  one.x = p.arena({1, 2, 6}), one.y = p.arena({1, 2, 3}), one.taps = {2};
  expectWork(p.of(one), Unit::F32, 12, 48, 24);
  one.isGradient = true, one.dx = p.arena({1, 2, 6});
  expectWork(p.of(one), Unit::F32, 12, 48 + 24, 48);
  one.x = {}; // a mean's
  expectWork(p.of(one), Unit::F32, 12, 24, 48);
}

TEST(PlanWork, WhatOnlyMoves) {
  Program p;
  View x = p.arena({3, 4}), y = p.arena({3, 4});
  expectWork(p.of(Copy{x, y}), Unit::F32, 0, 48, 48);
  expectWork(p.of(Fill{x, 1}), Unit::F32, 0, 0, 48);
  expectWork(p.of(Iota{x, 1, {}}), Unit::F32, 0, 0, 48);
  expectWork(p.of(Constant{p.arena({3}, DType::I64), {1, 2, 3}}), Unit::F32, 0,
             0, 24);
  expectWork(p.of(ReadParameter{0, x, {}}), Unit::F32, 0, 0, 48);
  expectWork(p.of(PackWeight{0, x, 7}), Unit::F32, 0, 48, 48);
  expectWork(p.of(Hook{"f", {x}, {y}}), Unit::F32, 0, 48, 48);
  Collective gather;
  gather.kind = AllGather{}, gather.axes = {0};
  gather.pairs = {{x, p.arena({6, 4})}};
  expectWork(p.of(gather), Unit::F32, 0, 48, 96);
  expectWork(p.of(Wait{0}), Unit::F32, 0, 0, 0);
}

TEST(PlanWork, RanksThatSeeOtherKeysAreApart) {
  Program p(4);
  Attention one = attention(p, DType::F32, 2, 8);
  one.causal = true, one.queryOffset = {0, 0, 2};
  p.plan.tables.push_back({{0}, {0, 0, 1, 1}});
  p.builder.result.step = {{-1, one}};
  using Groups = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(ranksOfEqualWork(p.plan, p.builder.result),
            Groups({{0}, {1}, {2}, {3}}));
  p.plan.classes = {p.builder.result};
  EXPECT_EQ(flopsByRank(p.plan),
            (std::vector<int64_t>{96 * 3, 96 * 7, 96 * 11, 96 * 15}));
  std::get<Attention>(p.builder.result.step[0].body).queryOffset = {0, 1, 2};
  EXPECT_EQ(ranksOfEqualWork(p.plan, p.builder.result),
            Groups({{0, 1}, {2, 3}}));
}

TEST(PlanWork, NumbersStayTheMostThereIs) {
  Program p;
  Matmul matmul;
  matmul.a = p.arena({1, 1}), matmul.b = p.arena({1, 1});
  matmul.c = p.arena({1, 1});
  int64_t many = int64_t(1) << 40;
  matmul.a.shape = {many, many}, matmul.a.strides = {0, 0};
  matmul.c.shape = {many, 1}, matmul.c.strides = {0, 0};
  EXPECT_EQ(p.of(matmul).flops, INT64_MAX);
  EXPECT_EQ(p.of(matmul).readBytes, 8);
}

} // namespace
