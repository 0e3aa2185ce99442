//===- IoPlanWindows.cpp - convolutions and neighborhoods of bad plans ----===//

#include "BadPlan.h"

using namespace hocket::plan;

namespace {

const BadEdit badConvolutions[] = {
    {STEP "16 (convolution, proj): x has 2 dims and weight 3, expected 3 to 5, "
          "equally",
     [](Plan &p) { step<Convolution>(p, 16).x = step<Matmul>(p, 3).a; }},
    {STEP "16 (convolution, proj): strides has 2 entries, x has 1 spatial dims",
     [](Plan &p) { step<Convolution>(p, 16).strides = {1, 1}; }},
    {STEP "16 (convolution, proj): dilations has 0, expected 1 or more",
     [](Plan &p) { step<Convolution>(p, 16).dilations = {0}; }},
    {STEP "16 (convolution, proj): highs has -1, expected 0 or more",
     [](Plan &p) { step<Convolution>(p, 16).highs = {-1}; }},
    {STEP "16 (convolution, proj): weight has shape [2, 1, 2], which 1 groups "
          "of 2 channels have not",
     [](Plan &p) { step<Convolution>(p, 16).groups = 1; }},
    {STEP "16 (convolution, proj): weight has shape [2, 1, 0], expected a tap "
          "in every dim",
     [](Plan &p) { step<Convolution>(p, 16).weight.shape[2] = 0; }},
    {STEP "16 (convolution, proj): y has shape [1, 2, 2], expected [1, 2, 1]",
     [](Plan &p) { step<Convolution>(p, 16).lows = {0}; }},
    {STEP "16 (convolution, proj): y has shape [1, 2, 2], expected [1, 2, 0]",
     [](Plan &p) { step<Convolution>(p, 16).dilations = {9}; }},
    {STEP "16 (convolution, proj): bias has shape [1], expected [2]",
     [](Plan &p) { step<Convolution>(p, 16).bias.shape = {1}; }},
    {STEP "17 (convolution, proj): has a bias, which a gradient does not read",
     [](Plan &p) {
       step<Convolution>(p, 17).bias = step<Convolution>(p, 16).bias;
     }},
    {STEP "17 (convolution, proj): is of i32, expected a type of floats",
     [](Plan &p) {
       View ids = step<Embedding>(p, 5).ids;
       View &y = step<Convolution>(p, 17).y;
       y.buffer = ids.buffer;
     }},
    {STEP "17 (convolution, proj): x is i32, expected f32",
     [](Plan &p) {
       step<Convolution>(p, 17).x.buffer = step<Embedding>(p, 5).ids.buffer;
     }},
    {STEP "17 (convolution, proj): its result is i32, expected f32",
     [](Plan &p) {
       step<Convolution>(p, 17).weight.buffer =
           step<Embedding>(p, 5).ids.buffer;
     }},
    {STEP "16 (convolution, proj): bias is i32, expected f32",
     [](Plan &p) {
       step<Convolution>(p, 16).bias.buffer = step<Embedding>(p, 5).ids.buffer;
     }},
};
const BadEdit badRows[] = {
    {STEP "14 (collective, proj): rows: a member's are not rising, not of the "
          "dim, or without what it owns",
     [](Plan &p) {
       p.rowLists = {{{0, 1}, {1, 2}}};
       kind<HaloExchange>(p, 14).rows = 0;
     }},
    {STEP "14 (collective, proj): rows: list 1 does not exist, there are 1",
     [](Plan &p) {
       p.rowLists = {{{0, 1}, {2, 3}}};
       kind<HaloExchange>(p, 14).rows = 1;
     }},
};
INSTANTIATE_TEST_SUITE_P(Rows, BadPlanEdit, testing::ValuesIn(badRows));

INSTANTIATE_TEST_SUITE_P(Convolutions, BadPlanEdit,
                         testing::ValuesIn(badConvolutions));

const BadEdit badPhases[] = {
    {"class 1, collective 6: strategy is all_to_all, in class 0 it is "
     "neighbors",
     [](Plan &p) {
       kind<HaloReduce>(p, 15).strategy = HaloStrategy::Neighbors;
     }},
    {"class 0, step: collective 0 is started, which only halos over axes are",
     [](Plan &p) { step<Collective>(p, 1).phase = CollectivePhase::Start; }},
    {"class 0, step: collective 5 is waited for, and was not started",
     [](Plan &p) { step<Collective>(p, 14).phase = CollectivePhase::Wait; }},
    {"class 0, step: collective 6 comes where collective 5, which was started, "
     "should be waited for",
     [](Plan &p) { step<Collective>(p, 14).phase = CollectivePhase::Start; }},
    {"class 0, step: collective 6 is started and not waited for",
     [](Plan &p) { step<Collective>(p, 15).phase = CollectivePhase::Start; }},
    // What is waited for is what was started, to the last stride.
    {"class 0, step: collective 5 comes where collective 5, which was started, "
     "should be waited for",
     [](Plan &p) {
       Instruction wait = p.classes[0].step[14];
       step<Collective>(p, 14).phase = CollectivePhase::Start;
       auto &ended = std::get<Collective>(wait.body);
       ended.phase = CollectivePhase::Wait;
       ended.pairs[0].src.strides = {1, 4};
       for (RankClass &rankClass : p.classes)
         rankClass.step.insert(rankClass.step.begin() + 15, wait);
     }},
};
INSTANTIATE_TEST_SUITE_P(Phases, BadPlanEdit, testing::ValuesIn(badPhases));

// What one rank sends is what the other receives, at the same moment: rank 0
// runs something else than rank 1.
const BadEdit badMatches[] = {
    {"class 1, collective 5: lists other rows than in class 0",
     [](Plan &p) {
       p.rowLists = {{{0, 1}, {2, 3}}};
       kind<HaloExchange>(p, 14).rows = 0;
     }},
    {"class 1, collective 5: comes where class 0 has collective 6",
     [](Plan &p) { std::swap(p.classes[0].step[14], p.classes[0].step[15]); }},
    {"class 1, collective 5: phase is start, in class 0 it is whole",
     [](Plan &p) {
       std::vector<Instruction> &other = p.classes[1].step;
       auto &start = std::get<Collective>(other[14].body);
       start.phase = CollectivePhase::Start;
       Collective wait = start;
       wait.phase = CollectivePhase::Wait;
       other[15].body = wait;
     }},
    // Rank 1 believes that rank 0 wants a row of it.
    {"class 1, collective 5: rank 1 has other shards than another member",
     [](Plan &p) {
       p.tables.push_back(p.tables[3]);
       p.tables.back().values = {3, 2};
       auto &halo = std::get<Collective>(p.classes[1].step[14].body);
       std::get<HaloExchange>(halo.kind).heldSize = 4;
     }},
    {"class 1, collective 5: rank 1 moves f32 [2, 4], another member f32 [4, "
     "4]",
     [](Plan &p) {
       auto &halo = std::get<Collective>(p.classes[1].step[14].body);
       halo.pairs[0].src.shape[0] = halo.pairs[0].dst.shape[0] = 2;
     }},
    {"class 1, step: has 6 collectives, class 0 has 7",
     [](Plan &p) {
       auto &other = p.classes[1].step;
       other.erase(other.begin() + 14);
     }},
};
INSTANTIATE_TEST_SUITE_P(Matches, BadPlanEdit, testing::ValuesIn(badMatches));

const BadEdit badNeighborhoods[] = {
    {STEP "20 (neighborhood_attention, proj): q, k and v have 4, 3 and 4 dims, "
          "expected 3 and its windows of 1, of 1 to 3",
     [](Plan &p) {
       View &k = step<NeighborhoodAttention>(p, 20).k;
       k.shape.pop_back();
       k.strides.pop_back();
     }},
    {STEP "20 (neighborhood_attention, proj): q, k and v have 4, 4 and 4 dims, "
          "expected 3 and its windows of 0, of 1 to 3",
     [](Plan &p) { step<NeighborhoodAttention>(p, 20).dims.clear(); }},
    {STEP "20 (neighborhood_attention, proj): k has shape [1, 1, 4, 3], "
          "expected [1, 1, 4, 4]",
     [](Plan &p) { step<NeighborhoodAttention>(p, 20).k.shape[3] = 3; }},
    {STEP "20 (neighborhood_attention, proj): v has shape [1, 1, 3, 4], "
          "expected [1, 1, 4, 4]",
     [](Plan &p) { step<NeighborhoodAttention>(p, 20).v.shape[2] = 3; }},
    {STEP "20 (neighborhood_attention, proj): group is 0, expected 1 or more",
     [](Plan &p) { step<NeighborhoodAttention>(p, 20).group = 0; }},
    {STEP "20 (neighborhood_attention, proj): the query heads of rank 0 need "
          "key heads that it does not hold",
     [](Plan &p) { step<NeighborhoodAttention>(p, 20).group = 1; }},
    {STEP "20 (neighborhood_attention, proj): a window of 5 keys, 1 apart, "
          "shared by 2 queries, has no place in 4",
     [](Plan &p) {
       step<NeighborhoodAttention>(p, 20).dims[0].window.kernel = 5;
     }},
    {STEP "20 (neighborhood_attention, proj): the windows of rank 0 in dim 2 "
          "show keys that it does not hold",
     [](Plan &p) {
       step<NeighborhoodAttention>(p, 20).dims[0].keyOffset = Scalar{1};
     }},
    {STEP "20 (neighborhood_attention, proj): the windows of rank 0 in dim 2 "
          "show keys that it does not hold",
     [](Plan &p) {
       step<NeighborhoodAttention>(p, 20).dims[0].queryOffset.constant = 3;
     }},
    {STEP "21 (neighborhood_attention_grad, proj): dq has shape [1, 2, 2, 3], "
          "expected [1, 2, 2, 4]",
     [](Plan &p) { step<NeighborhoodAttentionGrad>(p, 21).dq.shape[3] = 3; }},
};
INSTANTIATE_TEST_SUITE_P(Neighborhoods, BadPlanEdit,
                         testing::ValuesIn(badNeighborhoods));

} // namespace
