//===- BlockLayoutProblems.cpp - which layouts there are not --------------===//

#include "FullPlan.h"
#include "hocket/Plan/Check.h"
#include <functional>
#include <gtest/gtest.h>

using namespace hocket::plan;

namespace {
struct Case {
  LayoutKind kind;
  std::function<void(BlockLayout &)> change;
  int64_t blocks;
  const char *sentence;
};
} // namespace

TEST(BlockLayoutProblems, Sentences) {
  using K = LayoutKind;
  const Case cases[] = {
      {K::Dense, [](auto &l) { l.block = 0; }, 8,
       "dense: block is 0, expected at least 1 and at most 1073741824"},
      {K::Fixed, [](auto &l) { l.global = 3; }, 8,
       "fixed: local = 4 is not a multiple of global = 3"},
      {K::Fixed, [](auto &l) { l.global = 0; }, 8,
       "fixed: global is 0, expected at least 1 and at most 1073741824"},
      {K::Fixed, [](auto &l) { l.local = 0; }, 8,
       "fixed: local is 0, expected at least 1 and at most 1073741824"},
      {K::Fixed, [](auto &l) { l.patterns = 0; }, 8,
       "fixed: patterns is 0, expected at least 1 and at most 1073741824"},
      {K::Fixed, [](auto &l) { l.horizontal = l.unidirectional = true; }, 8,
       "fixed: horizontal = true needs attention = bidirectional"},
      {K::Fixed, [](auto &l) { l.patterns = 2; }, 8,
       "fixed: patterns = 2 are those of different heads; they need per_head = "
       "true"},
      {K::Fixed,
       [](auto &l) {
         l.perHead = true;
         l.global = 2;
         l.patterns = 3;
       },
       8, "fixed: patterns = 3, but local = 4 has 2 places for global = 2"},
      {K::Fixed, [](auto &l) { l.global = 2; }, 1,
       "fixed: global = 2 blocks, but the sequence has 1"},
      {K::Variable, [](auto &l) { l.locals = {}; }, 8,
       "variable: local has no sizes, expected at least one"},
      {K::Variable, [](auto &l) { l.locals = {3, 0}; }, 8,
       "variable: a size of local is 0, expected at least 1 and at most "
       "1073741824"},
      {K::Variable, [](auto &l) { l.random = -1; }, 8,
       "variable: random is -1, expected at least 0 and at most 1073741824"},
      {K::Variable, [](auto &l) { l.random = 9; }, 8,
       "variable: random = 9 blocks, but the sequence has 8"},
      {K::Variable, [](auto &l) { l.horizontal = l.unidirectional = true; }, 8,
       "variable: horizontal = true needs attention = bidirectional"},
      {K::Variable, [](auto &l) { l.globalEnds = {1, 2}; }, 8,
       "variable: global has 1 blocks and global_end 2, expected as many"},
      {K::Variable,
       [](auto &l) {
         l.globals = {3};
         l.globalEnds = {3};
       },
       8, "variable: the global range from block 3 to 3 is empty"},
      {K::Variable, [](auto &l) { l.globals = {-1}; }, 8,
       "variable: a block of global is -1, expected at least 0 and at most "
       "1073741824"},
      {K::BigBird, [](auto &l) { l.window = 0; }, 8,
       "bigbird: window is 0, expected at least 1 and at most 1073741824"},
      {K::BigBird, [](auto &l) { l.global = -1; }, 8,
       "bigbird: global is -1, expected at least 0 and at most 1073741824"},
      {K::BigBird, [](auto &l) { l.window = 9; }, 8,
       "bigbird: window = 9 blocks, but the sequence has 8"},
      {K::BigBird, [](auto &l) { l.global = 9; }, 8,
       "bigbird: global = 9 blocks, but the sequence has 8"},
      {K::BigBird, [](auto &l) { l.random = 9; }, 8,
       "bigbird: random = 9 blocks, but the sequence has 8"},
      {K::BSLongformer, [](auto &l) { l.window = 9; }, 8,
       "bslongformer: window = 9 blocks, but the sequence has 8"},
      {K::BSLongformer, [](auto &l) { l.globalEnds = {0}; }, 8,
       "bslongformer: the global range from block 0 to 0 is empty"},
      {K::LocalSlidingWindow, [](auto &) {}, 2,
       "local_sliding_window: window = 3 blocks, but the sequence has 2"},
      {K::Listed, [](auto &l) { l.rows = {{0, 1}}; }, 2,
       "layout: it has 1 rows, but 1 x 2 are needed"},
      {K::Listed,
       [](auto &l) {
         l.rows = {{0, 1}, {0, 1}};
         l.perHead = true;
       },
       2, "layout: it has 2 rows, but 4 x 2 are needed"},
      {K::Listed, [](auto &l) { l.rows = {{0, 1}, {1, 1}}; }, 2,
       "layout: a row is not ascending runs of its 2 blocks"},
      {K::Listed, [](auto &l) { l.rows = {{0, 3}, {1, 2}}; }, 2,
       "layout: a row is not ascending runs of its 2 blocks"},
      {K::Listed, [](auto &l) { l.rows = {{0}, {1, 2}}; }, 2,
       "layout: a row is not ascending runs of its 2 blocks"},
  };
  for (const Case &c : cases) {
    BlockLayout layout;
    layout.kind = c.kind;
    c.change(layout);
    EXPECT_EQ(layoutProblem(layout, c.blocks * layout.block, 4), c.sentence);
  }
}

TEST(BlockLayoutProblems, LengthThatIsNotOfBlocks) {
  EXPECT_EQ(layoutProblem(BlockLayout(), 40, 1),
            "dense: a sequence of 40 tokens is not a multiple of block = 16");
  EXPECT_EQ(layoutProblem(BlockLayout(), 48, 1), "");
}

//===-- In a plan ---------------------------------------------------------===//

TEST(BlockLayoutProblems, LayoutsOfPlans) {
  struct PlanCase {
    std::function<void(Attention &)> change;
    const char *sentence;
  };
  const PlanCase cases[] = {
      {[](auto &a) { a.layout.reset(); },
       "has blocks of a layout, but no layout"},
      {[](auto &a) { a.layout->locals = {}; },
       "its layout is wrong: variable: local has no sizes, expected at least "
       "one"},
      {[](auto &a) { a.layoutBlocks = 2; },
       "rank 0 holds positions outside of its layout"},
      {[](auto &a) { a.layoutBlocks = -1; },
       "its layout has -1 blocks, expected at least 0"},
      {[](auto &a) {
         a.layout = BlockLayout{LayoutKind::Listed, 2};
         a.layout->rows = {{0, 1}};
       },
       "its layout is wrong: layout: it has 1 rows, but 1 x 16 are needed"},
      {[](auto &a) { a.layout->random = 17; },
       "its layout is wrong: variable: random = 17 blocks, but the sequence "
       "has 16"},
  };
  for (const PlanCase &c : cases) {
    Plan plan = fullPlan(), other = plan;
    std::string error;
    c.change(std::get<Attention>(plan.classes[0].step[4].body));
    EXPECT_FALSE(check(plan, error));
    EXPECT_EQ(error,
              std::string("class 0, step 4 (attention, proj): ") + c.sentence);
    c.change(std::get<AttentionGrad>(other.classes[0].step[11].body).forward);
    EXPECT_FALSE(check(other, error));
    EXPECT_EQ(error, std::string("class 0, step 11 (attention_grad, proj): ") +
                         c.sentence);
  }
}
