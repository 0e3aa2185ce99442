//===- RingTest.cpp - which parts travel around a ring --------------------===//

#include "dialects/Nn/Ring.h"
#include "NnProgram.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

namespace {

using Positions = std::set<int64_t>;

Positions positionsOf(ArrayRef<Interval> runs) {
  Positions positions;
  for (Interval run : runs)
    for (int64_t i = 0; i < run.size; ++i)
      positions.insert(run.offset + i);
  return positions;
}

/// One by one.
bool seesOne(const RingMask &mask, const Positions &queries,
             const Positions &keys) {
  for (int64_t i : queries)
    for (int64_t j : keys)
      if ((!mask.before || j >= i - *mask.before) &&
          (!mask.after || j <= i + *mask.after))
        return true;
  return false;
}

std::vector<RingMask> masks() {
  std::vector<RingMask> list;
  for (std::optional<int64_t> before :
       {std::optional<int64_t>(), std::optional<int64_t>(0),
        std::optional<int64_t>(1), std::optional<int64_t>(4)})
    for (std::optional<int64_t> after :
         {std::optional<int64_t>(), std::optional<int64_t>(0),
          std::optional<int64_t>(2)})
      list.push_back({before, after});
  return list;
}

/// The axis of `parts` that splits a factor in an order, and one of 2 inside.
struct Cut {
  MLIRContext context;
  MeshAttr mesh;
  SmallVector<SplitAttr> splits;

  Cut(int64_t parts, Order order, int64_t block, bool isNested) {
    context.loadDialect<NnDialect>();
    auto axis = [&](StringRef name) { return StringAttr::get(&context, name); };
    mesh =
        MeshAttr::get(&context, {MeshAxisAttr::get(&context, axis("r"), parts),
                                 MeshAxisAttr::get(&context, axis("u"), 2)});
    splits.push_back(
        SplitAttr::get(&context, axis("r"), 0, 0, {}, {}, 1, order, block));
    if (isNested)
      splits.push_back(SplitAttr::get(&context, axis("u"), 0, 0));
  }
};

TEST(Ring, HopsAreThoseInWhichAQuerySeesAKey) {
  for (Order order : {Order::Contiguous, Order::Zigzag, Order::Striped})
    for (int64_t members : {1, 2, 3, 5}) {
      Cut cut(members, order, 2, /*isNested=*/false);
      for (int64_t extent : {0, 3, 10, 17}) {
        auto parts = runsOfParts(extent, cut.splits, cut.mesh);
        ASSERT_EQ(int64_t(parts.size()), members);
        for (const RingMask &mask : masks()) {
          std::map<int64_t, std::vector<bool>> hops;
          for (const RingHop &hop : ringHops(mask, parts))
            hops[hop.distance].assign(hop.receives.begin(), hop.receives.end());
          for (int64_t distance = 1; distance < members; ++distance) {
            std::vector<bool> expected;
            for (int64_t member = 0; member < members; ++member)
              expected.push_back(seesOne(
                  mask, positionsOf(parts[member]),
                  positionsOf(parts[(member + members - distance) % members])));
            bool isSome = llvm::is_contained(expected, true);
            EXPECT_EQ(hops.count(distance), size_t(isSome));
            if (isSome)
              EXPECT_EQ(hops[distance], expected);
          }
        }
      }
    }
}

/// Of blocks of 2 tokens, without and with limits besides.
std::vector<RingMask> layoutMasks(int64_t extent) {
  std::vector<RingMask> list;
  for (plan::LayoutKind kind :
       {plan::LayoutKind::Fixed, plan::LayoutKind::BigBird,
        plan::LayoutKind::LocalSlidingWindow})
    for (bool isPerHead : {false, true})
      for (bool isCausal : {false, true}) {
        RingMask mask;
        mask.layout.emplace();
        mask.layout->kind = kind;
        mask.layout->block = 2;
        mask.layout->perHead = isPerHead;
        mask.layout->local = 3;
        mask.layout->patterns = isPerHead ? 3 : 1;
        mask.layout->random = 1;
        mask.extent = extent, mask.heads = 3;
        if (isCausal)
          mask.after = 0, mask.before = 9;
        list.push_back(mask);
      }
  return list;
}

/// One by one, in any head.
bool seesOneOfLayout(const RingMask &mask, const Positions &queries,
                     const Positions &keys) {
  for (int64_t head = 0; head < (mask.layout->perHead ? mask.heads : 1); ++head)
    for (int64_t i : queries)
      for (plan::BlockRun run :
           visitedBlocks(*mask.layout, mask.extent / 2, head, i / 2))
        for (int64_t j : keys)
          if (j / 2 >= run.begin && j / 2 < run.end && seesOne(mask, {i}, {j}))
            return true;
  return false;
}

TEST(Ring, HopsOfALayoutAreThoseInWhichABlockIsVisited) {
  int64_t pruned = 0;
  for (Order order : {Order::Contiguous, Order::Zigzag, Order::Striped})
    for (int64_t members : {2, 3, 5}) {
      Cut cut(members, order, 3, /*isNested=*/false); // stripes cut blocks
      for (int64_t extent : {4, 24, 40}) {
        auto parts = runsOfParts(extent, cut.splits, cut.mesh);
        for (const RingMask &mask : layoutMasks(extent)) {
          std::map<int64_t, RingHop> hops;
          for (const RingHop &hop : ringHops(mask, parts))
            hops.insert({hop.distance, hop});
          for (int64_t distance = 1; distance < members; ++distance) {
            SmallVector<bool> expected;
            for (int64_t member = 0; member < members; ++member)
              expected.push_back(seesOneOfLayout(
                  mask, positionsOf(parts[member]),
                  positionsOf(parts[(member + members - distance) % members])));
            pruned += llvm::count(expected, false);
            bool isSome = llvm::is_contained(expected, true);
            ASSERT_EQ(hops.count(distance), size_t(isSome));
            if (isSome)
              EXPECT_EQ(hops.at(distance).receives, expected);
          }
        }
      }
    }
  EXPECT_GT(pruned, 0);
}

/// Every position is in one part; what nests cuts the list of the outer part.
TEST(Ring, RunsOfPartsHoldEveryPositionOnce) {
  for (Order order : {Order::Contiguous, Order::Zigzag, Order::Striped})
    for (bool isNested : {false, true})
      for (int64_t parts : {1, 2, 3}) {
        Cut cut(parts, order, 3, isNested);
        Cut outer(parts, order, 3, /*isNested=*/false);
        for (int64_t extent = 0; extent < 20; ++extent) {
          auto runs = runsOfParts(extent, cut.splits, cut.mesh);
          auto whole = runsOfParts(extent, outer.splits, outer.mesh);
          int64_t inner = isNested ? 2 : 1;
          for (int64_t part = 0; part < parts; ++part) {
            std::vector<int64_t> list;
            for (int64_t i = 0; i < inner; ++i) {
              Positions held = positionsOf(runs[part * inner + i]);
              list.insert(list.end(), held.begin(), held.end());
            }
            Positions all = positionsOf(whole[part]);
            EXPECT_EQ(list, std::vector<int64_t>(all.begin(), all.end()));
          }
        }
      }
}

} // namespace
