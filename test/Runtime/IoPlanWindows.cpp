//===- IoPlanWindows.cpp - convolutions and neighborhoods of bad plans ----===//

#include "BadPlan.h"
#include "hocket/Plan/Check.h"

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

const BadEdit badStrategies[] = {
    {"class 1, collective 6: strategy is all_to_all, in class 0 it is "
     "neighbors",
     [](Plan &p) {
       kind<HaloReduce>(p, 15).strategy = HaloStrategy::Neighbors;
     }},
};
INSTANTIATE_TEST_SUITE_P(Strategies, BadPlanEdit,
                         testing::ValuesIn(badStrategies));

/// Puts an instruction before number `at` of the step of class 0.
void insert(Plan &plan, size_t at, decltype(Instruction::body) body) {
  std::vector<Instruction> &list = plan.classes[0].step;
  list.insert(list.begin() + at, {-1, std::move(body)});
}

/// Starts collective `at` of both classes, and ends them before number `end`.
void open(Plan &plan, size_t at, size_t end) {
  for (RankClass &rankClass : plan.classes) {
    auto &one = std::get<Collective>(rankClass.step[at].body);
    one.isStarted = true;
    rankClass.step.insert(rankClass.step.begin() + end, {-1, Wait{one.id}});
  }
}

const BadEdit badStarts[] = {
    {STEP "0 (wait): waits for collective 0, which is not open",
     [](Plan &p) { insert(p, 0, Wait{0}); }},
    {STEP "3 (wait): waits for collective 0, which is not open",
     [](Plan &p) {
       open(p, 1, 2);
       insert(p, 3, Wait{0});
     }},
    {"class 0, step: collective 6 is started and not waited for",
     [](Plan &p) {
       p.classes[0].step.resize(16);
       step<Collective>(p, 15).isStarted = true;
     }},
    {STEP "2 (copy): reads what collective 0 receives before it is waited for, "
          "on rank 0",
     [](Plan &p) { open(p, 1, 3); }},
    {STEP "15 (collective, proj): writes where collective 5 receives before it "
          "is waited for, on rank 0",
     [](Plan &p) { open(p, 14, 16); }},
    {STEP "15 (fill): writes what collective 5 sends before it is waited for, "
          "on rank 0",
     [](Plan &p) {
       open(p, 14, 15);
       insert(p, 15, Fill{pair(p, 7).src, 0});
     }},
    {STEP "8 (collective, proj): there is another collective 1 before it",
     [](Plan &p) { step<Collective>(p, 8).id = 1; }},
    {STEP "14 (collective, proj): collective 5 is started, and has nobody to "
          "wait for",
     [](Plan &p) {
       p.tables.push_back({{}, {0}});
       p.tables.push_back({{}, {4}});
       Collective &alone = step<Collective>(p, 14);
       alone.axes = {}, alone.isStarted = true;
       alone.kind = HaloExchange{{{0}, 4, 5, 4, 5, 4}};
     }},
    {STEP "1 (collective, proj): collective 0 is started, and hook 'own' does "
          "it, which ends where it begins",
     [](Plan &p) {
       open(p, 1, 2);
       step<Collective>(p, 1).hook = "own";
     }},
};
INSTANTIATE_TEST_SUITE_P(Starts, BadPlanEdit, testing::ValuesIn(badStarts));

/// A halo whose 4 rows, or 1, lie in what it attaches margins of 2 rows to.
Plan halosInPlace(int64_t rows = 4) {
  Plan plan = fullPlan();
  plan.tables.push_back({{0}, {0, rows}}); // 4, 5: owned
  plan.tables.push_back({{0}, {rows, rows}});
  plan.tables.push_back({{0}, {-2, rows - 2}}); // 6, 7: held
  plan.tables.push_back({{0}, {rows + 4, rows + 4}});
  for (RankClass &rankClass : plan.classes) {
    View held{int(rankClass.buffers.size()) - 4, 0, {}, {rows + 4, 2}, {2, 1}};
    View own = held;
    own.offset = 4, own.shape = {rows, 2};
    HaloShares margins{{0}, 4, 5, 6, 7, 2 * rows};
    auto &exchange = std::get<Collective>(rankClass.step[14].body);
    auto &reduce = std::get<Collective>(rankClass.step[15].body);
    exchange.kind = HaloExchange{margins}, exchange.pairs = {{own, held}};
    reduce.kind = HaloReduce{margins}, reduce.pairs = {{held, own}};
  }
  open(plan, 14, 15);
  open(plan, 16, 17);
  return plan;
}

// While margins travel the middle is this rank's own to read, and of a
// reduction to write.
TEST(PlanCheck, MarginsAloneAreReserved) {
  struct Touch {
    size_t at;
    int64_t row;
    bool writes;
    const char *sentence;
  };
  const Touch touches[] = {
      {15, 2, false, ""},
      {15, 5, false, ""},
      {15, 1, false, "reads what collective 5 receives"},
      {15, 6, false, "reads what collective 5 receives"},
      {15, 2, true, "writes what collective 5 sends"},
      {15, 1, true, "writes where collective 5 receives"},
      {17, 2, true, ""},
      {17, 5, true, ""},
      {17, 1, false, ""},
      {17, 1, true, "writes what collective 6 sends"},
      {17, 6, true, "writes what collective 6 sends"},
  };
  for (const Touch &touch : touches) {
    Plan plan = halosInPlace();
    View row = pair(plan, 14).dst, other = row;
    row.offset = touch.row * 2, row.shape = {1, 2};
    other.buffer += 1, other.offset = 0, other.shape = {1, 2};
    insert(plan, touch.at, touch.writes ? Copy{other, row} : Copy{row, other});
    std::string error, expected = touch.sentence;
    if (!expected.empty())
      expected = "class 0, step " + std::to_string(touch.at) +
                 " (copy): " + expected + " before it is waited for, on rank 0";
    EXPECT_EQ(check(plan, error), expected.empty()) << error;
    EXPECT_EQ(error, expected);
  }
  // A single row is found in its place whatever its stride is said to be.
  Plan plan = halosInPlace(1);
  pair(plan, 14).src.strides[0] = pair(plan, 16).dst.strides[0] = 1;
  View row = pair(plan, 14).src, other = row;
  other.buffer += 1, other.offset = 0;
  insert(plan, 17, Copy{other, row});
  insert(plan, 15, Copy{row, other});
  std::string error;
  EXPECT_TRUE(check(plan, error)) << error;
}

// What one rank sends is what the other receives, at the same moment: rank 0
// runs something else than rank 1.
const BadEdit badMatches[] = {
    {"class 1, collective 5: lists other rows than in class 0",
     [](Plan &p) {
       p.rowLists = {{{0, 1}, {2, 3}}};
       kind<HaloExchange>(p, 14).rows = 0;
     }},
    {"step: class 1 begins collective 5 before 6, class 0 begins collective 6 "
     "before 5, so that their ranks wait for each other for ever",
     [](Plan &p) { std::swap(p.classes[0].step[14], p.classes[0].step[15]); }},
    {"class 1, collective 5: is started, in class 0 it is run as a whole",
     [](Plan &p) {
       std::vector<Instruction> &other = p.classes[1].step;
       std::get<Collective>(other[14].body).isStarted = true;
       other.insert(other.begin() + 15, {-1, Wait{5}});
     }},
    {"class 1, collective 5: is run as a whole, in class 0 it is started",
     [](Plan &p) {
       step<Collective>(p, 14).isStarted = true;
       insert(p, 15, Wait{5});
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
    {"class 1, step: does not run collective 5, in which ranks of class 0 "
     "would "
     "wait for it",
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
    {STEP "21 (neighborhood_attention_grad, proj): lse is missing",
     [](Plan &p) { step<NeighborhoodAttentionGrad>(p, 21).forward.lse = {}; }},
    {STEP "21 (neighborhood_attention_grad, proj): lse has shape [1, 2, 1], "
          "expected [1, 2, 2]",
     [](Plan &p) {
       step<NeighborhoodAttentionGrad>(p, 21).forward.lse.shape[2] = 1;
     }},
};
INSTANTIATE_TEST_SUITE_P(Neighborhoods, BadPlanEdit,
                         testing::ValuesIn(badNeighborhoods));

} // namespace
