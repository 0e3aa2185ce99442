//===- CpuAttentionBias.cpp - attention of scores with a bias -------------===//

#include "test/Runtime/AttentionGradProblem.h"
#include "test/Runtime/RandomLayout.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;

namespace {

/// All shapes that are 1 or whole in each dim but the last.
std::vector<std::vector<int64_t>> shapesOf(Extents e, int64_t keys) {
  std::vector<std::vector<int64_t>> shapes;
  for (int which = 0; which < 8; ++which)
    shapes.push_back({which & 1 ? e.batch : 1, which & 2 ? e.heads : 1,
                      which & 4 ? e.queries : 1, keys});
  return shapes;
}

std::string textOf(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + " ";
  return text;
}

} // namespace

TEST(CpuAttentionBias, OfAnyShape) {
  for (DType type : {DType::F32, DType::F64, DType::BF16})
    for (Extents e :
         {Extents{2, 2, 1, 20, 70, 16, 8}, Extents{2, 1, 1, 5, 40, 7, 5},
          Extents{2, 4, 2, 90, 301, 8, 8}})
      for (const std::vector<int64_t> &shape : shapesOf(e, e.keys)) {
        if (type != DType::F32 && e.heads == 4)
          continue;
        SCOPED_TRACE(textOf(shape));
        GradProblem problem(e, type);
        problem.addLearnedBias(shape);
        expectRightOnThreads(problem);
      }
}

// Of a constant there is no gradient.
TEST(CpuAttentionBias, WithoutGradient) {
  for (DType type : {DType::F32, DType::F64}) {
    GradProblem problem({2, 4, 2, 90, 90, 16, 8}, type);
    problem.addBias({1, 4, 90, 90});
    expectRightOnThreads(problem);
  }
}

// Keys need not be innermost, nor dense.
TEST(CpuAttentionBias, InAnyOrder) {
  for (DType type : {DType::F32, DType::F64})
    for (const std::vector<int> &order :
         {std::vector<int>{0, 2, 3, 1}, std::vector<int>{3, 2, 1, 0},
          std::vector<int>{2, 0, 1, 3}}) {
      GradProblem problem({2, 4, 2, 90, 150, 16, 8}, type);
      problem.given.causal = true;
      problem.given.queryOffset = 60;
      problem.addLearnedBias({2, 4, 90, 150}, order);
      expectRightOnThreads(problem);
    }
}

// A rank's keys may be a part of those that the bias has, and its queries
// others; causality, windows, padding, documents and dropout hide besides.
TEST(CpuAttentionBias, OtherMasks) {
  int32_t step = 3;
  size_t number = 0;
  runtime::Operand ofStep{&step, DType::I32, {}, {}};
  for (DType type : {DType::F32, DType::F64})
    for (bool hasDocuments : {false, true})
      for (auto [causal, before, after, queryOffset, keyOffset] :
           {std::tuple<bool, int64_t, int64_t, int64_t, int64_t>{true, -1, -1,
                                                                 0, 0},
            {true, -1, -1, 130, 37},
            {false, 70, 30, 150, 100},
            {false, -1, -1, 40, 200}}) {
        Extents e{2, 2, 1, 70, 260, 8, 8};
        std::vector<std::vector<int64_t>> shapes =
            shapesOf(e, keyOffset + e.keys + 20);
        const std::vector<int64_t> &shape = shapes[number++ * 3 % 8];
        SCOPED_TRACE(textOf(shape));
        GradProblem problem(e, type);
        problem.given.causal = causal;
        problem.given.before = before, problem.given.after = after;
        problem.given.queryOffset = queryOffset;
        problem.given.keyOffset = keyOffset;
        problem.given.dropout = runtime::AttentionDropout(
            0.25, 77, ofStep, 5, {2, 2, 70}, {2 * 70 * 500, 70 * 500, 500});
        problem.keepOnly([](int64_t b, int64_t j) { return b == 0 || j % 3; });
        if (hasDocuments)
          problem.number([](int64_t b, int64_t i) { return (i / 50 + b) % 3; });
        problem.addLearnedBias(shape);
        expectRightOnThreads(problem);
      }
}

TEST(CpuAttentionBias, UnderBlockLayouts) {
  for (auto [type, block] : {std::pair<DType, int64_t>{DType::F32, 16},
                             {DType::F32, 64},
                             {DType::F64, 16}})
    for (bool isPerHead : {false, true}) {
      int64_t tokens = type == DType::F32 ? 170 : 50;
      Extents e{2, 4, 2, tokens, tokens, 8, 8};
      for (const std::vector<int64_t> &shape : shapesOf(e, e.keys)) {
        SCOPED_TRACE(textOf(shape));
        GradProblem problem(e, type);
        RandomLayout layout{block, 4, e.keys / block + 1};
        layout.isPerHead = isPerHead;
        layout.draw(uint32_t(block));
        layout.give(problem);
        problem.addLearnedBias(shape);
        expectRightOnThreads(problem);
      }
    }
}

// What is of a term: lse and out are those of more keys.
TEST(CpuAttentionBias, OfATerm) {
  for (DType type : {DType::F32, DType::F64}) {
    GradProblem whole({2, 2, 1, 70, 200, 8, 8}, type);
    whole.addLearnedBias({1, 2, 70, 200});
    std::unique_ptr<runtime::Call> call;
    whole.makeGrad(2, call);
    ASSERT_TRUE(runCall(*call).ok());
    Rows sum(whole.dbias.elements(), 0);
    for (auto [first, count] :
         {std::pair<int64_t, int64_t>{0, 90}, {90, 110}}) {
      TestOperand dk(type, {2, 1, count, 8}), dv(type, {2, 1, count, 8}),
          dq(type, whole.q.shape), dbias(type, whole.bias.shape);
      runtime::AttentionGradArguments part{whole.given,  whole.dout.operand(),
                                           dq.operand(), dk.operand(),
                                           dv.operand(), dbias.operand()};
      for (runtime::Operand *operand : {&part.forward.k, &part.forward.v}) {
        operand->data = static_cast<char *>(operand->data) +
                        first * operand->strides[2] * plan::byteSize(type);
        operand->shape[2] = count;
      }
      part.forward.keyOffset = first;
      part.forward.isTerm = true;
      dbias.random(9);
      ASSERT_TRUE(runtime::makeAttentionGrad(part, 2, call).ok());
      ASSERT_TRUE(runCall(*call).ok());
      for (size_t flat = 0; flat < sum.size(); ++flat)
        sum[flat] += dbias.get(int64_t(flat));
    }
    EXPECT_LE(worstOf(whole.dbias, sum), toleranceOf(type));
  }
}

// A bias of -infinity hides; a row that sees nothing gives zeros, and no
// gradient.
TEST(CpuAttentionBias, MayHide) {
  for (DType type : {DType::F32, DType::F64, DType::F16})
    for (bool hasGradient : {false, true}) {
      GradProblem problem({2, 2, 1, 140, 290, 16, 8}, type);
      if (hasGradient)
        problem.addLearnedBias({2, 1, 140, 290});
      else
        problem.addBias({2, 1, 140, 290});
      for (int64_t flat = 0; flat < problem.bias.elements(); ++flat) {
        int64_t b = flat / 290 / 140, i = flat / 290 % 140, j = flat % 290;
        if (b == 1 || i == 7 || (i * j) % 5 == 3)
          problem.bias.set(flat, -INFINITY);
      }
      expectRightOnThreads(problem);
      for (int64_t d = 0; d < 8; ++d) {
        EXPECT_EQ(problem.out.at({0, 1, 7, d}), 0);
        EXPECT_EQ(problem.dq.at({0, 1, 7, d}), 0);
        EXPECT_EQ(problem.out.at({1, 0, 3, d}), 0);
      }
      EXPECT_EQ(problem.lse.at({1, 0, 7}), -INFINITY);
      if (hasGradient) {
        EXPECT_EQ(problem.dbias.at({0, 0, 7, 5}), 0);
      }
    }
}

// Nothing is divided by the scale: it may be 0 or below.
TEST(CpuAttentionBias, AnyScale) {
  for (double scale : {0.0, -0.5}) {
    GradProblem problem({1, 2, 2, 150, 150, 8, 8});
    problem.given.scale = scale;
    problem.addLearnedBias({1, 2, 150, 150});
    expectRightOnThreads(problem);
  }
}

// Without keys or queries on a rank the gradient is zeros.
TEST(CpuAttentionBias, OfNothing) {
  for (Extents e : {Extents{2, 2, 1, 5, 0, 4, 4}, Extents{2, 2, 1, 0, 5, 4, 4},
                    Extents{0, 2, 1, 5, 5, 4, 4}}) {
    GradProblem problem(e);
    problem.addLearnedBias({1, 2, e.queries, 5});
    expectRightOnThreads(problem);
  }
}
