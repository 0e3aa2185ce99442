//===- IoPlanCheck.cpp - plans that say what cannot be --------------------===//

#include "BadPlan.h"
#include "hocket/Plan/Check.h"

using namespace hocket::plan;

namespace {

TEST_P(BadPlanEdit, IsRefused) {
  Plan plan = fullPlan();
  std::string error;
  ASSERT_TRUE(check(plan, error)) << error;
  GetParam().edit(plan);
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, GetParam().sentence);
}

const BadEdit badTensors[] = {
    {"a mesh axis has no name", [](Plan &p) { p.mesh[0].name = ""; }},
    {"mesh axis 'tp' appears twice",
     [](Plan &p) { p.mesh.push_back({"tp", 1}); }},
    {"table 0: value 1099511627777 is out of range",
     [](Plan &p) { p.tables[0].values[0] = (int64_t(1) << 40) + 1; }},
    {"input '': has no name", [](Plan &p) { p.inputs[0].name = ""; }},
    {"input 'x': shape [-1, 4] is out of range",
     [](Plan &p) { p.inputs[0].dims[0] = -1; }},
    {"parameter 'proj.weight': cut of factor 2, there are 2",
     [](Plan &p) { p.parameters[0].cuts[0].dim = 2; }},
    {"parameter 'proj.weight': factor 0 is cut twice",
     [](Plan &p) { p.parameters[0].cuts.push_back({0, 0, 1}); }},
    {"parameter 'proj.weight': the tables of a cut are over different axes",
     [](Plan &p) {
       p.tables.push_back({{}, {0}});
       p.parameters[0].cuts[0].offset = 4;
     }},
    {"output 'y': ranks write 19 of 18 elements",
     [](Plan &p) {
       // Rank 0 writes [0, 9) of 18, rank 1 [8, 18).
       p.tables.push_back({{0}, {0, 8}});
       p.tables.push_back({{0}, {9, 10}});
       p.outputs[0].dims = p.outputs[0].shape = {18};
       p.outputs[0].replicatedOver = {};
       p.outputs[0].cuts = {{0, 4, 5}};
     }},
    {"output 'y': two ranks write the same elements",
     [](Plan &p) {
       p.tables.push_back({{0}, {0, 8}});
       p.tables.push_back({{0}, {9, 9}});
       p.outputs[0].dims = p.outputs[0].shape = {18};
       p.outputs[0].replicatedOver = {};
       p.outputs[0].cuts = {{0, 4, 5}};
     }},
    {"there is no rank class", [](Plan &p) { p.classes.clear(); }},
    {"class 1: has no rank", [](Plan &p) { p.classes[1].ranks.clear(); }},
    {"class 0: the budget is out of range",
     [](Plan &p) { p.classes[0].budget.arenaBytes = -1; }},
    {"class 0, buffer 2: has 71 bytes, which is no number of f32",
     [](Plan &p) { p.classes[0].buffers[2].bytes = 71; }},
    {"class 0, buffer 4: is i32, 'x' is f32",
     [](Plan &p) { p.classes[0].buffers[4].type = DType::I32; }},
    {"class 0: has 9 packed weights and 6 load instructions",
     [](Plan &p) { p.classes[0].packs = 9; }},
    {"class 0: has no buffer for the output 'y'",
     [](Plan &p) { p.classes[0].buffers[5] = p.classes[0].buffers[4]; }},
};
INSTANTIATE_TEST_SUITE_P(Tensors, BadPlanEdit, testing::ValuesIn(badTensors));

#define LOAD "class 0, load "

const BadEdit badInstructions[] = {
    {STEP "0 (read_parameter, proj): is allowed in load only",
     [](Plan &p) { p.classes[0].step[0] = p.classes[0].load[0]; }},
    {STEP "0 (pack_weight, proj): is allowed in load only",
     [](Plan &p) { p.classes[0].step[0] = p.classes[0].load[2]; }},
    {LOAD "0 (read_parameter, proj): dst is not dense: strides [1, 1] for "
          "shape [2, 3]",
     [](Plan &p) {
       load<ReadParameter>(p, 0).dst.shape = {2, 3};
       load<ReadParameter>(p, 0).dst.strides = {1, 1};
     }},
    {LOAD
     "1 (read_parameter, proj): mesh axis 3 does not exist, the mesh has 1",
     [](Plan &p) { load<ReadParameter>(p, 1).onlyFirstOf = {3}; }},
    {LOAD "2 (pack_weight, proj): packed weight 1 does not exist, there are 1",
     [](Plan &p) { load<PackWeight>(p, 2).packedWeight = 1; }},
    {LOAD "3 (pack_weight, proj): packed weight 0 is packed twice",
     [](Plan &p) { p.classes[0].load[3] = p.classes[0].load[2]; }},
    {LOAD "2 (pack_weight, proj): b has 2 dims and m is -1, expected 2 or more "
          "and 0 or more",
     [](Plan &p) { load<PackWeight>(p, 2).m = -1; }},
    {STEP "3 (matmul, proj): b is not what packed weight 0 was packed from",
     [](Plan &p) { load<PackWeight>(p, 2).b.shape[1] = 0; }},
    {LOAD "4 (iota): dim 2 does not exist, dst has 2",
     [](Plan &p) { load<Iota>(p, 4).dim = 2; }},
    {LOAD "4 (iota): first: table 8 does not exist, there are 4",
     [](Plan &p) { load<Iota>(p, 4).first.table = 8; }},
    {LOAD "4 (iota): first: 1099511627777 is out of range",
     [](Plan &p) { load<Iota>(p, 4).first.scale = (int64_t(1) << 40) + 1; }},
    {LOAD "5 (constant): dst has shape [3], expected [2]",
     [](Plan &p) { load<Constant>(p, 5).values = {1, 2}; }},
    {LOAD "5 (constant): value 2147483648 is no i32",
     [](Plan &p) { load<Constant>(p, 5).values[1] = int64_t(1) << 31; }},
    {LOAD "5 (constant): dst is f32, expected i32 or i64",
     [](Plan &p) {
       load<Constant>(p, 5).dst.buffer = step<Matmul>(p, 3).a.buffer;
     }},
    {STEP "0 (constant): is allowed in load only",
     [](Plan &p) { p.classes[0].step[0] = p.classes[0].load[5]; }},
    {STEP "0 (matmul, proj): a: shape [3, 1] and strides [4] do not fit "
          "together",
     [](Plan &p) { step<Matmul>(p, 0).a.strides = {4}; }},
    {STEP "0 (matmul, proj): a: shape [3, 1099511627777] is out of range",
     [](Plan &p) { step<Matmul>(p, 0).a.shape[1] = (int64_t(1) << 40) + 1; }},
    {STEP "0 (matmul, proj): a has 1 dims and b 2, expected 2 or more, equally",
     [](Plan &p) {
       step<Matmul>(p, 0).a.shape = {3};
       step<Matmul>(p, 0).a.strides = {1};
     }},
    {STEP "0 (matmul, proj): b has shape [1, 6], expected [2, 6]",
     [](Plan &p) { step<Matmul>(p, 0).a.shape = {3, 2}; }},
    {STEP "0 (matmul, proj): c has shape [2, 6], expected [3, 6]",
     [](Plan &p) { step<Matmul>(p, 0).c.shape = {2, 6}; }},
    {STEP "0 (matmul, proj): has a bias but says no",
     [](Plan &p) { step<Matmul>(p, 0).hasBias = false; }},
    {STEP "3 (matmul, proj): mul needs an operand",
     [](Plan &p) { step<Matmul>(p, 3).post[1].operand = {}; }},
    {STEP "3 (matmul, proj): relu takes no operand",
     [](Plan &p) { step<Matmul>(p, 3).post[1].op = PostOp::Relu; }},
    {STEP "3 (matmul, proj): operand has shape [2, 4], expected [4, 4]",
     [](Plan &p) { step<Matmul>(p, 3).post[1].operand.shape = {2, 4}; }},
    {STEP "4 (attention, proj): q, k and v have 3, 4 and 4 dims, expected 4",
     [](Plan &p) {
       step<Attention>(p, 4).q.shape = {2, 4, 4};
       step<Attention>(p, 4).q.strides = {16, 4, 1};
     }},
    {STEP "4 (attention, proj): keep has shape [1, 3], expected [1, 4]",
     [](Plan &p) { step<Attention>(p, 4).keep.shape[1] = 3; }},
    {STEP "4 (attention, proj): is computed by cudnn, which only a GPU has",
     [](Plan &p) { step<Attention>(p, 4).engine = AttentionEngine::Cudnn; }},
    {STEP "4 (attention, proj): is nondeterministic, which only a gradient by "
          "cudnn may be",
     [](Plan &p) { step<Attention>(p, 4).isNondeterministic = true; }},
    {STEP "11 (attention_grad, proj): is nondeterministic, which only a "
          "gradient by cudnn may be",
     [](Plan &p) {
       step<AttentionGrad>(p, 11).forward.isNondeterministic = true;
     }},
    {STEP "4 (attention, proj): is a term of some keys, and gives no lse to "
          "merge it by",
     [](Plan &p) { step<Attention>(p, 4).isTerm = true; }},
    {STEP "4 (attention, proj): group is 0, expected 1 or more",
     [](Plan &p) { step<Attention>(p, 4).group = 0; }},
    {STEP
     "4 (attention, proj): its window reaches -2 keys, expected 0 or more, "
     "or -1 for all",
     [](Plan &p) { step<Attention>(p, 4).before = -2; }},
    {STEP "4 (attention, proj): the query heads of rank 0 need key heads that "
          "it does not hold",
     [](Plan &p) { step<Attention>(p, 4).group = 1; }},
    {STEP "5 (embedding, proj): table has 1 dims, expected 2 or more",
     [](Plan &p) {
       step<Embedding>(p, 5).table.shape = {8};
       step<Embedding>(p, 5).table.strides = {1};
     }},
    {STEP "4 (attention, proj): drops with probability 1.000000, expected at "
          "least 0 and less than 1",
     [](Plan &p) { step<Attention>(p, 4).dropout.p = 1; }},
    {STEP "4 (attention, proj): step is f32, expected i32",
     [](Plan &p) { step<Attention>(p, 4).dropout.step.buffer = 0; }},
    {STEP "4 (attention, proj): drops weights of 6 rows, expected 8",
     [](Plan &p) { step<Attention>(p, 4).dropout.sizes[1] = 3; }},
    {STEP "4 (attention, proj): a size of its dropped rows is out of range",
     [](Plan &p) {
       step<Attention>(p, 4).dropout.sizes[1] = int64_t(1) << 40;
     }},
    {STEP "5 (embedding, proj): ids are f32, expected i32 or i64",
     [](Plan &p) { step<Embedding>(p, 5).ids.buffer = 0; }},
    {STEP "11 (attention_grad, proj): dq has shape [1, 2, 4, 3], expected "
          "[1, 2, 4, 4]",
     [](Plan &p) { step<AttentionGrad>(p, 11).dq.shape[3] = 3; }},
    {STEP "11 (attention_grad, proj): keep has shape [1, 3], expected [1, 4]",
     [](Plan &p) { step<AttentionGrad>(p, 11).forward.keep.shape[1] = 3; }},
    {STEP "11 (attention_grad, proj): dk is i32, expected f32",
     [](Plan &p) {
       p.classes[0].buffers.push_back(p.classes[0].buffers.back());
       p.classes[0].buffers.back().bytes = 64;
       step<AttentionGrad>(p, 11).dk.buffer =
           int(p.classes[0].buffers.size()) - 1;
     }},
    {STEP "11 (attention_grad, proj): dv has shape [1, 1, 3, 4], expected "
          "[1, 1, 4, 4]",
     [](Plan &p) { step<AttentionGrad>(p, 11).dv.shape[2] = 3; }},
    {STEP "11 (attention_grad, proj): out has shape [1, 2, 3, 4], expected "
          "[1, 2, 4, 4]",
     [](Plan &p) { step<AttentionGrad>(p, 11).forward.out.shape[2] = 3; }},
    {STEP "11 (attention_grad, proj): dout has shape [1, 2, 3, 4], expected "
          "[1, 2, 4, 4]",
     [](Plan &p) { step<AttentionGrad>(p, 11).dout.shape[2] = 3; }},
    {STEP "11 (attention_grad, proj): lse has shape [1, 2, 3], expected "
          "[1, 2, 4]",
     [](Plan &p) { step<AttentionGrad>(p, 11).forward.lse.shape[2] = 3; }},
    {STEP "11 (attention_grad, proj): lse is missing",
     [](Plan &p) { step<AttentionGrad>(p, 11).forward.lse = {}; }},
    {STEP "4 (attention, proj): lse is i32, expected f32",
     [](Plan &p) {
       p.classes[0].buffers.push_back(p.classes[0].buffers.back());
       p.classes[0].buffers.back().bytes = 64;
       step<Attention>(p, 4).lse = step<AttentionGrad>(p, 11).forward.lse;
       step<Attention>(p, 4).lse.buffer = int(p.classes[0].buffers.size()) - 1;
     }},
    {STEP "12 (embedding_grad, proj): out has 1 dims, expected 2 or more",
     [](Plan &p) {
       step<EmbeddingGrad>(p, 12).out.shape = {8};
       step<EmbeddingGrad>(p, 12).out.strides = {1};
     }},
    {STEP "12 (embedding_grad, proj): dy has shape [2, 2], expected [3, 2]",
     [](Plan &p) { step<EmbeddingGrad>(p, 12).dy.shape[0] = 2; }},
    {STEP "12 (embedding_grad, proj): ids are f32, expected i32 or i64",
     [](Plan &p) { step<EmbeddingGrad>(p, 12).ids.buffer = 0; }},
    {STEP "6 (kernel, proj): has no symbol",
     [](Plan &p) { step<Kernel>(p, 6).symbol = ""; }},
    {STEP "6 (kernel, proj): extent -1 is out of range",
     [](Plan &p) { step<Kernel>(p, 6).extent = -1; }},
    {STEP "6 (kernel, proj): an output writes to an input",
     [](Plan &p) { step<Kernel>(p, 6).outputs[0].buffer = 4; }},
    {STEP "2 (copy): src is i32, expected f32",
     [](Plan &p) {
       p.classes[0].buffers[3] = p.classes[0].buffers[2];
       p.classes[0].buffers[3].type = DType::I32;
       p.classes[0].step.erase(p.classes[0].step.begin(),
                               p.classes[0].step.begin() + 2);
       p.classes[0].step.insert(p.classes[0].step.begin(), 2,
                                p.classes[0].step[1]);
     }},
};
INSTANTIATE_TEST_SUITE_P(Instructions, BadPlanEdit,
                         testing::ValuesIn(badInstructions));

/// The reduce_scatter moves its tensor twice, in both classes.
void scatterTwo(Plan &plan) {
  for (RankClass &rankClass : plan.classes) {
    Collective &one = std::get<Collective>(rankClass.step[7].body);
    one.pairs.push_back(one.pairs[0]);
    auto &shares = std::get<ReduceScatter>(one.kind).shares;
    shares.push_back(shares[0]);
  }
}

const BadEdit badPoolings[] = {
    {STEP "18 (pooling, proj): takes x unless it is the gradient of a mean, "
          "and dx if it is a gradient",
     [](Plan &p) { step<Pooling>(p, 18).x = {}; }},
    {STEP "19 (pooling, proj): takes x unless it is the gradient of a mean, "
          "and dx if it is a gradient",
     [](Plan &p) { step<Pooling>(p, 19).kind = PoolingKind::Average; }},
    {STEP "19 (pooling, proj): is the gradient of an index, which has none",
     [](Plan &p) { step<Pooling>(p, 19).kind = PoolingKind::MaxIndex; }},
    {STEP "18 (pooling, proj): y is f32, expected i64",
     [](Plan &p) { step<Pooling>(p, 18).kind = PoolingKind::MaxIndex; }},
    {STEP "18 (pooling, proj): is of i32, expected a type of floats",
     [](Plan &p) { step<Pooling>(p, 18).y = step<Embedding>(p, 5).ids; }},
    {STEP "18 (pooling, proj): input has 3 dims and y 2, expected 3 to 5, "
          "equally",
     [](Plan &p) {
       step<Pooling>(p, 18).y.shape = step<Pooling>(p, 18).y.strides = {1, 1};
     }},
    {STEP "18 (pooling, proj): taps has 2 entries, there are 1 spatial dims",
     [](Plan &p) { step<Pooling>(p, 18).taps = {2, 2}; }},
    {STEP "18 (pooling, proj): strides has 0, expected 1 or more",
     [](Plan &p) { step<Pooling>(p, 18).strides = {0}; }},
    {STEP "18 (pooling, proj): begins in 0 and 1 dims, there are 1",
     [](Plan &p) { step<Pooling>(p, 18).xFirst = {}; }},
    {STEP "18 (pooling, proj): y has shape [1, 1, 2], its input [1, 2, 4]",
     [](Plan &p) { step<Pooling>(p, 18).y.shape[1] = 1; }},
    {STEP "19 (pooling, proj): x has shape [1, 2, 3], expected [1, 2, 4]",
     [](Plan &p) { step<Pooling>(p, 19).x.shape[2] = 3; }},
    {STEP "18 (pooling, proj): rank 0 reads position 4 of dim 2, it holds 0 to "
          "4",
     [](Plan &p) { step<Pooling>(p, 18).taps = {3}; }},
};
INSTANTIATE_TEST_SUITE_P(Poolings, BadPlanEdit, testing::ValuesIn(badPoolings));

const BadEdit badCollectives[] = {
    {STEP "7 (collective, proj): moves no tensor",
     [](Plan &p) { step<Collective>(p, 7).pairs.clear(); }},
    {STEP "7 (collective, proj): shares has 0 entries, tensors are 1",
     [](Plan &p) { kind<ReduceScatter>(p, 7).shares.clear(); }},
    {STEP "8 (collective, proj): shares has 0 entries, tensors are 1",
     [](Plan &p) { kind<AllGather>(p, 8).shares.clear(); }},
    {STEP "9 (collective, proj): from has 0 entries, tensors are 1",
     [](Plan &p) { kind<AllToAll>(p, 9).from.clear(); }},
    {STEP "9 (collective, proj): to has 0 entries, tensors are 1",
     [](Plan &p) { kind<AllToAll>(p, 9).to.clear(); }},
    {STEP "14 (collective, proj): dims has 2 entries, tensors are 1",
     [](Plan &p) { kind<HaloExchange>(p, 14).dims = {1, 0}; }},
    {STEP "7 (collective, proj): shards: table 9 does not exist, there are 4",
     [](Plan &p) { kind<ReduceScatter>(p, 7).shares[0].offset = 9; }},
    {STEP "7 (collective, proj): shards: table 4 is not over the axes of the "
          "collective",
     [](Plan &p) {
       p.tables.push_back({{}, {0}});
       kind<ReduceScatter>(p, 7).shares[0].offset = 4;
     }},
    {STEP "7 (collective, proj): src has 2 dims and dst 1",
     [](Plan &p) {
       pair(p, 7).dst.shape = {2};
       pair(p, 7).dst.strides = {1};
     }},
    {STEP "7 (collective, proj): dim 2 does not exist, there are 2",
     [](Plan &p) { kind<ReduceScatter>(p, 7).shares[0].dim = 2; }},
    {STEP "9 (collective, proj): goes from dim 1 to the same dim",
     [](Plan &p) { kind<AllToAll>(p, 9).to[0].dim = 1; }},
    {STEP "7 (collective, proj): src has shape [2, 4] and dst [1, 2], which "
          "differ beside dim 1",
     [](Plan &p) { pair(p, 7).dst.shape = {1, 2}; }},
    {STEP "8 (collective, proj): src holds 1 of dim 1, the table says 2 for "
          "rank 0",
     [](Plan &p) { pair(p, 8).src.shape = {2, 1}; }},
    {STEP "9 (collective, proj): dst holds 1 of dim 0, the table says 2 for "
          "rank 0",
     [](Plan &p) { pair(p, 9).dst.shape = {1, 4}; }},
    {STEP "10 (collective, proj): root 2 does not exist, there are 2 members",
     [](Plan &p) { kind<Broadcast>(p, 10).root = 2; }},
    {STEP "1 (collective, proj): cannot sum bool",
     [](Plan &p) {
       pair(p, 1).src = pair(p, 1).dst = step<Attention>(p, 4).keep;
     }},
    {STEP "1 (collective, proj), tensor 1: src has 1 dims and dst 4",
     [](Plan &p) {
       step<Collective>(p, 1).pairs.push_back(
           {pair(p, 10).src, step<Attention>(p, 4).out});
     }},
    {STEP "1 (collective, proj), tensor 1: src is i32, expected f32",
     [](Plan &p) {
       View ids = step<Embedding>(p, 5).ids;
       step<Collective>(p, 1).pairs.push_back({ids, ids});
     }},
    {STEP
     "7 (collective, proj), tensor 1: dst holds 2 of dim 1, the table says 4 "
     "for rank 0",
     [](Plan &p) {
       scatterTwo(p);
       p.tables.push_back({{0}, {0, 4}});
       p.tables.push_back({{0}, {4, 0}});
       kind<ReduceScatter>(p, 7).shares[1] = {1, int(p.tables.size()) - 2,
                                              int(p.tables.size()) - 1};
     }},
    {STEP "7 (collective, proj), tensor 1: dim -1 does not exist, there are 2",
     [](Plan &p) {
       scatterTwo(p);
       kind<ReduceScatter>(p, 7).shares[1].dim = -1;
     }},
    {STEP
     "1 (collective, proj), tensor 1: source 9 does not exist, there are 2",
     [](Plan &p) {
       step<Collective>(p, 1).pairs.push_back(pair(p, 1));
       step<Collective>(p, 1).pairs[1].source = 9;
     }},
    {STEP "10 (collective, proj): hook 'own' is for one tensor and an "
          "all_reduce, reduce_scatter or all_gather",
     [](Plan &p) { step<Collective>(p, 10).hook = "own"; }},
    {"class 1, collective 0: hook is '', in class 0 it is 'own'",
     [](Plan &p) { step<Collective>(p, 1).hook = "own"; }},
    {STEP "14 (collective, proj): shards: members own 4 of 5",
     [](Plan &p) { kind<HaloExchange>(p, 14).extent = 5; }},
    {STEP "14 (collective, proj): extent -1 is out of range",
     [](Plan &p) { kind<HaloExchange>(p, 14).extent = -1; }},
    {STEP "14 (collective, proj): held: table 9 does not exist, there are 4",
     [](Plan &p) { kind<HaloExchange>(p, 14).heldSize = 9; }},
    {STEP "14 (collective, proj): held: member 0 has [-4, -2) of 4 with a "
          "border of reflect",
     [](Plan &p) {
       p.tables.push_back(p.tables[2]);
       p.tables.back().values = {-4, 2};
       kind<HaloExchange>(p, 14).heldOffset = 4;
     }},
    {STEP "14 (collective, proj): held: member 1 has [2, 1) of 4 with a "
          "border of reflect",
     [](Plan &p) {
       p.tables.push_back(p.tables[3]);
       p.tables.back().values = {2, -1};
       kind<HaloExchange>(p, 14).heldSize = 4;
     }},
    {STEP "14 (collective, proj): dst holds 2 of dim 1, the table says 3 for "
          "rank 0",
     [](Plan &p) {
       p.tables.push_back(p.tables[3]);
       p.tables.back().values = {3, 2};
       kind<HaloExchange>(p, 14).heldSize = 4;
     }},
    {STEP "15 (collective, proj): dst holds 4 of dim 0, the table says 2 for "
          "rank 0",
     [](Plan &p) { kind<HaloReduce>(p, 15).dims = {0}; }},
    {"class 1, collective 5: border is reflect, in class 0 it is zero",
     [](Plan &p) { kind<HaloExchange>(p, 14).border = Border::Zero; }},
    {STEP "13 (hook, proj): has no name",
     [](Plan &p) { step<Hook>(p, 13).name = ""; }},
    {STEP "13 (hook, proj): an output writes to an input",
     [](Plan &p) { step<Hook>(p, 13).outputs[0].buffer = 4; }},
    {"class 1, collective 0: number of tensors is 1, in class 0 it is 2",
     [](Plan &p) { step<Collective>(p, 1).pairs.push_back(pair(p, 10)); }},
    {"class 1, collective 0: kind is all_reduce, in class 0 it is broadcast",
     [](Plan &p) { step<Collective>(p, 1).kind = Broadcast(); }},
    {"class 1, collective 4: root is 1, in class 0 it is 0",
     [](Plan &p) { kind<Broadcast>(p, 10).root = 0; }},
    {"class 1, collective 0: is over other axes than in class 0",
     [](Plan &p) {
       p.mesh.push_back({"one", 1});
       step<Collective>(p, 1).axes = {0, 1};
     }},
    {"class 1, collective 1: rank 1 has other shards than another member",
     [](Plan &p) {
       p.tables.push_back(p.tables[2]);
       kind<ReduceScatter>(p, 7).shares[0].offset = 4;
     }},
    {"class 1, collective 1: moves other dims than in class 0",
     [](Plan &p) {
       scatterTwo(p);
       auto &scatter = std::get<Collective>(p.classes[1].step[7].body);
       for (View *view : {&scatter.pairs[1].src, &scatter.pairs[1].dst}) {
         std::swap(view->shape[0], view->shape[1]);
         std::swap(view->strides[0], view->strides[1]);
       }
       std::get<ReduceScatter>(scatter.kind).shares[1].dim = 0;
     }},
    {"class 1, collective 1: rank 1 has other shards than another member",
     [](Plan &p) {
       scatterTwo(p);
       p.tables.push_back(p.tables[2]);
       auto &scatter = std::get<Collective>(p.classes[1].step[7].body);
       std::get<ReduceScatter>(scatter.kind).shares[1].offset = 4;
     }},
};
INSTANTIATE_TEST_SUITE_P(Collectives, BadPlanEdit,
                         testing::ValuesIn(badCollectives));

TEST(PlanCheck, ShardsOfACollectiveAreChecked) {
  Plan plan = fullPlan();
  for (RankClass &rankClass : plan.classes) // the others have the same tables
    rankClass.step.erase(rankClass.step.begin() + 11, rankClass.step.end());
  std::string error;
  ASSERT_TRUE(check(plan, error)) << error;
  plan.tables[3].values = {3, 2};
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, "class 0, step 7 (collective, proj): shards: members "
                   "overlap at 2");
  plan.tables[3].values = {2, 3};
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, "class 0, step 7 (collective, proj): shards: member 1 has "
                   "[2, 5) of 4");
  plan.tables[3].values = {2, 1};
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, "class 1, step 7 (collective, proj): dst holds 2 of dim 1, "
                   "the table says 1 for rank 1");
}

TEST(PlanCheck, WritersHaveTheirOutputs) {
  Plan plan = samplePlan();
  plan.classes[0].buffers.pop_back();
  std::string error;
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, "class 0: has no buffer for the output 'y'");
}

TEST(PlanCheck, InputsAndOutputsLieInAnyDenseOrder) {
  Plan plan = samplePlan();
  Buffer &y = plan.classes[0].buffers.back();
  std::string error;
  y.strides = {1, 3}; // of [3, 6]
  EXPECT_TRUE(check(plan, error)) << error;
  y.strides = {1, 4};
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, "class 0, buffer 5: has strides that leave gaps in 'y'");
  y.strides = {};
  Buffer again = y;
  again.strides = {1, 3};
  plan.classes[0].buffers.push_back(again);
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error,
            "class 0, buffer 6: has other strides than an earlier buffer "
            "of its tensor");
  plan.classes[0].buffers.pop_back();
  plan.classes[0].buffers[0].strides = {1};
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, "class 0, buffer 0: has strides, which only inputs and "
                   "outputs have");
}

TEST(PlanCheck, GroupsMoveEqualShapes) {
  Plan plan = fullPlan();
  auto &send = std::get<Collective>(plan.classes[1].step[10].body);
  send.pairs[0].src.shape = send.pairs[0].dst.shape = {3};
  std::string error;
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, "class 1, collective 4: rank 1 moves f32 [3], another "
                   "member f32 [4]");
}

} // namespace
