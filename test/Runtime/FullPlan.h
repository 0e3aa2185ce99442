//===- FullPlan.h - a plan with every kind of instruction ------*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_FULLPLAN_H
#define HOCKET_TEST_RUNTIME_FULLPLAN_H

#include "SamplePlan.h"
#include <cmath>

namespace hocket::plan {

/// The sample plan and, after its instructions, one of every other kind:
///   load 2 pack_weight, 3 fill, 4 iota
///   step 3 matmul, 4 attention, 5 embedding, 6 kernel, then collectives
///   7 reduce_scatter, 8 all_gather, 9 all_to_all, 10 broadcast,
///   11 attention_grad, 12 embedding_grad, 13 hook, 14 and 15 halos, 16 and
///   17 convolution, 18 and 19 pooling, 20 neighborhood_attention and 21 its
///   gradient
/// Tables 2 and 3 cut a dim of 4 in two halves.
inline Plan fullPlan() {
  Plan plan = samplePlan();
  plan.tables.push_back({{0}, {0, 2}});
  plan.tables.push_back({{0}, {2, 2}});
  for (RankClass &c : plan.classes) {
    int first = int(c.buffers.size());
    c.buffers.push_back({Region::Arena, 256, 64 * 4, DType::F32});
    c.buffers.push_back({Region::Arena, 512, 64 * 4, DType::F32});
    c.buffers.push_back({Region::Arena, 768, 64, DType::Bool});
    c.buffers.push_back({Region::Arena, 832, 64, DType::I32});
    c.budget.arenaBytes = 896;
    auto view = [&](int buffer, std::vector<int64_t> shape) {
      std::vector<int64_t> strides(shape.size(), 1);
      for (size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * shape[i];
      return View{first + buffer, 0, {}, shape, strides};
    };
    c.packs = 1;
    c.load.push_back({0, PackWeight{0, view(0, {4, 4}), 7}});
    c.load.push_back({-1, Fill{view(0, {4}), -INFINITY}});
    c.load.push_back({-1, Iota{view(1, {4, 2}), 1, Scalar{3, 0, -1}}});
    c.load.push_back({-1, Constant{view(3, {3}), {2, 0, 1}}});
    Matmul matmul;
    matmul.a = matmul.b = view(0, {4, 4}), matmul.c = view(1, {4, 4});
    matmul.packedWeight = 0;
    matmul.post = {{PostOp::GeluErf, {}}, {PostOp::Mul, view(0, {4, 4})}};
    c.step.push_back({0, matmul});
    Attention attention;
    attention.q = attention.out = view(0, {1, 2, 4, 4});
    attention.k = attention.v = view(1, {1, 1, 4, 4});
    attention.keep = view(2, {1, 4});
    attention.queryDocuments = view(3, {1, 4});
    attention.keyDocuments = view(3, {1, 4});
    attention.bias = view(0, {1, 2, 4, 8});
    attention.scale = 0.125f, attention.causal = true, attention.group = 2;
    attention.queryOffset = Scalar{1, 2, 4};
    attention.dropout = {0.1,    -7,     view(3, {}), Scalar{0, 2, 16},
                         {2, 4}, {32, 4}};
    BlockLayout &layout = attention.layout.emplace();
    layout.kind = LayoutKind::Variable, layout.block = 2;
    layout.perHead = true, layout.random = 1, layout.key = -9;
    layout.locals = {1, 2}, layout.globals = {0, 5}, layout.globalEnds = {1, 9};
    attention.layoutBlocks = 16;
    c.step.push_back({0, attention});
    c.step.push_back({0, Embedding{view(0, {8, 2}), view(3, {3}),
                                   view(1, {3, 2}), Scalar{0, 2, 4}, 16}});
    c.step.push_back({0, Kernel{"gelu_0",
                                {view(0, {4})},
                                {view(1, {4})},
                                {Scalar{5}, Scalar{0, 2, 4}},
                                4}});
    int64_t id = 0;
    auto collective = [&](decltype(Collective::kind) kind,
                          std::vector<int64_t> src, std::vector<int64_t> dst) {
      Collective made{kind, {0}, {{view(0, src), view(1, dst)}}};
      made.id = ++id;
      c.step.push_back({1, made});
    };
    Share columns{1, 2, 3}, rows{0, 2, 3};
    collective(ReduceScatter{{columns}, Reduction::Max}, {2, 4}, {2, 2});
    collective(AllGather{{columns}}, {2, 2}, {2, 4});
    collective(AllToAll{{columns}, {rows}}, {4, 2}, {2, 4});
    collective(Broadcast{1}, {4}, {4});
    AttentionGrad attentionGrad;
    attentionGrad.forward = attention;
    attentionGrad.forward.lse = view(0, {1, 2, 4});
    attentionGrad.dout = view(1, {1, 2, 4, 4});
    attentionGrad.dq = view(0, {1, 2, 4, 4});
    attentionGrad.dk = attentionGrad.dv = view(1, {1, 1, 4, 4});
    attentionGrad.dbias = view(1, {1, 2, 4, 8});
    c.step.push_back({0, attentionGrad});
    c.step.push_back({0, EmbeddingGrad{view(3, {3}), view(1, {3, 2}),
                                       view(0, {8, 2}), Scalar{0, 2, 4}, 16}});
    c.step.push_back({1, Hook{"own", {view(0, {4})}, {view(1, {4})}}});
    HaloShares margins{{1}, 2, 3, 2, 3, 4, Border::Reflect};
    collective(HaloExchange{margins}, {4, 2}, {4, 2});
    margins.strategy = HaloStrategy::AllToAll;
    collective(HaloReduce{margins}, {4, 2}, {4, 2});
    // Two groups of one channel, a window of two with one zero before x.
    Convolution convolution;
    convolution.x = view(0, {1, 2, 4}), convolution.weight = view(1, {2, 1, 2});
    convolution.y = view(1, {1, 2, 2}), convolution.bias = view(0, {2});
    convolution.strides = {2}, convolution.dilations = {2};
    convolution.lows = {1}, convolution.highs = {0}, convolution.groups = 2;
    c.step.push_back({0, convolution});
    convolution.bias = {}, convolution.pass = ConvolutionPass::WeightGradient;
    c.step.push_back({0, convolution});
    // Results 2 and 3 of 4 on rank 1, of windows of 2 on 4 positions of 8.
    Pooling pooling;
    pooling.x = view(0, {1, 2, 4}), pooling.y = view(1, {1, 2, 2});
    pooling.taps = pooling.strides = {2}, pooling.dilations = {1};
    pooling.lows = pooling.highs = {0}, pooling.extents = {8};
    pooling.xFirst = {Scalar{0, 2, 2}}, pooling.yFirst = {Scalar{0, 2, 1}};
    c.step.push_back({0, pooling});
    pooling.isGradient = true, pooling.dx = view(1, {1, 2, 4});
    pooling.y = view(0, {1, 2, 2}), pooling.countsBorder = false;
    c.step.push_back({0, pooling});
    // Two queries a rank, all four keys on both; three are seen.
    NeighborhoodAttention near;
    near.q = near.out = view(0, {1, 2, 2, 4});
    near.k = near.v = view(1, {1, 1, 4, 4});
    near.scale = 0.3, near.group = 2;
    near.dims = {{{4, 3, 2, 1, true}, Scalar{0, 2}, Scalar{}}};
    c.step.push_back({0, near});
    near.lse = view(0, {1, 2, 2});
    NeighborhoodAttentionGrad nearGrad{near, near.q, near.q, near.k, near.k};
    c.step.push_back({0, nearGrad});
  }
  return plan;
}

} // namespace hocket::plan

#endif // HOCKET_TEST_RUNTIME_FULLPLAN_H
