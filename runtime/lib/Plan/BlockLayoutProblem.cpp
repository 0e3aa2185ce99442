//===- BlockLayoutProblem.cpp - which layouts there are -------------------===//

#include "hocket/Plan/BlockLayout.h"
#include <initializer_list>

namespace hocket::plan {
namespace {

/// The first thing that is wrong is kept.
class Problem {
public:
  explicit Problem(const BlockLayout &layout) : layout(layout) {}

  void findInRule();
  void findAtSize(int64_t tokens, int64_t heads);

  std::string text;

private:
  using Kind = LayoutKind;
  bool isOneOf(std::initializer_list<Kind> kinds) const {
    for (Kind kind : kinds)
      if (layout.kind == kind)
        return true;
    return false;
  }
  void say(const std::string &sentence) {
    if (text.empty())
      text = std::string(toString(layout.kind)) + ": " + sentence;
  }
  void expectAtLeast(const char *name, int64_t value, int64_t least) {
    if (value < least || value > largest)
      say(std::string(name) + " is " + std::to_string(value) +
          ", expected at least " + std::to_string(least) + " and at most " +
          std::to_string(largest));
  }
  void findInFixed();
  void findInGlobals();
  void findInRows(int64_t blocks, int64_t heads);
  void expectFits(const char *name, int64_t value, int64_t blocks);

  static constexpr int64_t largest = int64_t(1) << 30;
  const BlockLayout &layout;
};

} // namespace

void Problem::findInFixed() {
  expectAtLeast("local", layout.local, 1);
  expectAtLeast("global", layout.global, 1);
  expectAtLeast("patterns", layout.patterns, 1);
  if (!text.empty())
    return;
  std::string local = "local = " + std::to_string(layout.local);
  std::string global = "global = " + std::to_string(layout.global);
  if (layout.local % layout.global != 0)
    say(local + " is not a multiple of " + global);
  int64_t places = layout.local / layout.global;
  if (layout.patterns > places)
    say("patterns = " + std::to_string(layout.patterns) + ", but " + local +
        " has " + std::to_string(places) + " places for " + global);
  if (layout.patterns > 1 && !layout.perHead)
    say("patterns = " + std::to_string(layout.patterns) +
        " are those of different heads; they need per_head = true");
}

void Problem::findInGlobals() {
  bool hasEnds = !layout.globalEnds.empty();
  if (hasEnds && layout.globals.size() != layout.globalEnds.size())
    say("global has " + std::to_string(layout.globals.size()) +
        " blocks and global_end " + std::to_string(layout.globalEnds.size()) +
        ", expected as many");
  for (size_t i = 0; text.empty() && i < layout.globals.size(); ++i) {
    expectAtLeast("a block of global", layout.globals[i], 0);
    if (hasEnds && layout.globalEnds[i] <= layout.globals[i])
      say("the global range from block " + std::to_string(layout.globals[i]) +
          " to " + std::to_string(layout.globalEnds[i]) + " is empty");
    if (hasEnds)
      expectAtLeast("a block of global_end", layout.globalEnds[i], 1);
  }
}

void Problem::findInRule() {
  expectAtLeast("block", layout.block, 1);
  if (layout.horizontal && layout.unidirectional)
    say("horizontal = true needs attention = bidirectional");
  if (isOneOf({Kind::Fixed}))
    findInFixed();
  if (isOneOf({Kind::Variable, Kind::BigBird}))
    expectAtLeast("random", layout.random, 0);
  if (isOneOf({Kind::BigBird}))
    expectAtLeast("global", layout.global, 0);
  if (isOneOf({Kind::BigBird, Kind::BSLongformer, Kind::LocalSlidingWindow}))
    expectAtLeast("window", layout.window, 1);
  if (isOneOf({Kind::Variable})) {
    if (layout.locals.empty())
      say("local has no sizes, expected at least one");
    for (int64_t size : layout.locals)
      expectAtLeast("a size of local", size, 1);
  }
  if (isOneOf({Kind::Variable, Kind::BSLongformer}))
    findInGlobals();
}

void Problem::expectFits(const char *name, int64_t value, int64_t blocks) {
  if (value > blocks)
    say(std::string(name) + " = " + std::to_string(value) +
        " blocks, but the sequence has " + std::to_string(blocks));
}

void Problem::findInRows(int64_t blocks, int64_t heads) {
  int64_t lists = layout.perHead ? heads : 1;
  if (int64_t(layout.rows.size()) != lists * blocks)
    return say("it has " + std::to_string(layout.rows.size()) + " rows, but " +
               std::to_string(lists) + " x " + std::to_string(blocks) +
               " are needed");
  for (const std::vector<int64_t> &row : layout.rows) {
    int64_t last = -1;
    for (size_t i = 0; i < row.size(); ++i) {
      bool rises = i % 2 == 0 ? row[i] > last : row[i] > row[i - 1];
      if (row.size() % 2 != 0 || !rises || row[i] > blocks)
        return say("a row is not ascending runs of its " +
                   std::to_string(blocks) + " blocks");
      last = row[i];
    }
  }
}

void Problem::findAtSize(int64_t tokens, int64_t heads) {
  int64_t blocks = tokens / layout.block;
  if (tokens % layout.block != 0)
    say("a sequence of " + std::to_string(tokens) +
        " tokens is not a multiple of block = " + std::to_string(layout.block));
  if (blocks > largest)
    say("a sequence of " + std::to_string(blocks) + " blocks is longer than " +
        std::to_string(largest));
  if (!text.empty())
    return;
  if (isOneOf({Kind::Variable, Kind::BigBird}))
    expectFits("random", layout.random, blocks);
  if (isOneOf({Kind::BigBird, Kind::BSLongformer, Kind::LocalSlidingWindow}))
    expectFits("window", layout.window, blocks);
  if (isOneOf({Kind::Fixed, Kind::BigBird}))
    expectFits("global", layout.global, blocks);
  if (isOneOf({Kind::Listed}))
    findInRows(blocks, heads);
}

std::string layoutProblem(const BlockLayout &layout) {
  Problem problem(layout);
  problem.findInRule();
  return problem.text;
}

std::string layoutProblem(const BlockLayout &layout, int64_t tokens,
                          int64_t heads) {
  Problem problem(layout);
  problem.findInRule();
  if (problem.text.empty())
    problem.findAtSize(tokens, heads);
  return problem.text;
}

} // namespace hocket::plan
