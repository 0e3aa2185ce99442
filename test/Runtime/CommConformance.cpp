//===- CommConformance.cpp - what every communicator must do --------------===//

#include "test/Runtime/CollectiveCase.h"
#include "test/Runtime/RankGroup.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::test;
using plan::CollectiveKind;
using plan::DType;

namespace {

const std::vector<CollectiveKind> allKinds = {
    CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
    CollectiveKind::AllGather, CollectiveKind::AllToAll,
    CollectiveKind::Broadcast};

/// Member lists, every rank in one of them.
using Groups = std::vector<std::vector<int64_t>>;

Groups everybody(int64_t ranks) {
  Groups groups(1);
  for (int64_t rank = 0; rank < ranks; ++rank)
    groups[0].push_back(rank);
  return groups;
}

struct Place {
  size_t group;
  int64_t member;
};

Place find(const Groups &groups, int64_t rank) {
  for (size_t group = 0; group < groups.size(); ++group)
    for (size_t member = 0; member < groups[group].size(); ++member)
      if (groups[group][member] == rank)
        return {group, static_cast<int64_t>(member)};
  return {0, 0};
}

class CommConformance : public testing::TestWithParam<Transport> {
protected:
  /// Runs `cases` one after the other, twice, on all groups at once.
  void check(const Groups &groups, const std::vector<CollectiveCase> &cases) {
    int64_t ranks = 0;
    for (const std::vector<int64_t> &members : groups)
      ranks += static_cast<int64_t>(members.size());
    GetParam().make()->run(
        ranks,
        [&](runtime::Communicator &comm) { checkOnRank(comm, groups, cases); },
        groups);
  }

  static void checkOnRank(runtime::Communicator &comm, const Groups &groups,
                          const std::vector<CollectiveCase> &cases) {
    Place place = find(groups, comm.rank());
    const std::vector<int64_t> &members = groups[place.group];
    int64_t me = place.member;
    std::vector<std::unique_ptr<TestWindow>> src, dst;
    std::vector<int64_t> handles;
    for (size_t i = 0; i < cases.size(); ++i) {
      const CollectiveCase &test = cases[i];
      src.push_back(std::make_unique<TestWindow>(test.type, srcShape(test, me),
                                                 test.layout));
      dst.push_back(std::make_unique<TestWindow>(test.type, dstShape(test, me),
                                                 test.layout));
      runtime::CollectiveSpec spec =
          makeSpec(test, members, me, *src[i], *dst[i]);
      spec.id = static_cast<int64_t>(i);
      handles.push_back(0);
      runtime::Status status = comm.prepare(spec, handles.back());
      ASSERT_TRUE(status.ok()) << status.message;
    }
    for (int repeat = 0; repeat < 2; ++repeat)
      for (size_t i = 0; i < cases.size(); ++i) {
        for (int64_t flat = 0; flat < src[i]->elements(); ++flat)
          src[i]->set(flat, sourceValue(cases[i].type, comm.rank(), flat));
        int64_t before = comm.receivedBytes();
        std::vector<int64_t> from = comm.receivedFrom(handles[i]);
        runtime::Status status = comm.run(handles[i]);
        ASSERT_TRUE(status.ok()) << status.message;
        EXPECT_EQ(comm.receivedBytes() - before, expectedBytes(cases[i], me));
        std::vector<int64_t> expected = expectedFrom(cases[i], me);
        for (size_t peer = 0; peer < from.size(); ++peer)
          EXPECT_EQ(comm.receivedFrom(handles[i])[peer] - from[peer],
                    expected[peer]);
        compare(cases[i], members, me, *dst[i], i);
        // src may be reused at once.
        for (int64_t flat = 0; flat < src[i]->elements(); ++flat)
          src[i]->set(flat, -1);
      }
  }

  /// How far a sum of numbers below 128 may be from the one in member order.
  static double slack(DType type, size_t members) {
    if (!GetParam().addsInOwnOrder)
      return 0;
    double unit = type == DType::F64    ? 1.0 / (int64_t(1) << 52)
                  : type == DType::F32  ? 1.0 / (1 << 23)
                  : type == DType::F16  ? 1.0 / (1 << 10)
                  : type == DType::BF16 ? 1.0 / (1 << 7)
                                        : 0;
    return unit * 128 * double(members * members);
  }

  static void compare(const CollectiveCase &test,
                      const std::vector<int64_t> &members, int64_t me,
                      const TestWindow &dst, size_t index) {
    EXPECT_TRUE(dst.marginsIntact()) << "case " << index;
    int wrong = 0;
    for (int64_t flat = 0; flat < dst.elements() && wrong < 3; ++flat) {
      double expected = expectedValue(test, members, me, flat);
      if (std::abs(dst.get(flat) - expected) <=
          slack(test.type, members.size()))
        continue;
      ++wrong;
      ADD_FAILURE() << "case " << index << " " << runtime::toString(test.kind)
                    << " of " << members.size() << " members, member " << me
                    << ", element " << flat << ": " << dst.get(flat)
                    << ", expected " << expected;
    }
  }
};

/// Sizes that differ from member to member; some are 0.
std::vector<int64_t> unevenSizes(int64_t members, int64_t seed) {
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < members; ++i)
    sizes.push_back((i * 5 + seed) % 4);
  sizes.back() += 2; // at least something in all
  return sizes;
}

int64_t sum(const std::vector<int64_t> &sizes) {
  int64_t total = 0;
  for (int64_t size : sizes)
    total += size;
  return total;
}

CollectiveCase makeCase(CollectiveKind kind, int64_t members, bool even,
                        Layout layout, int dim) {
  CollectiveCase test{kind};
  test.layout = layout;
  test.dim = dim;
  test.toDim = dim == 0 ? 2 : 0;
  test.size = even ? std::vector<int64_t>(members, 3) : unevenSizes(members, 1);
  test.toSize =
      even ? std::vector<int64_t>(members, 2) : unevenSizes(members, 2);
  test.whole = {4, 5, 7};
  test.whole[dim] = sum(test.size);
  if (kind == CollectiveKind::AllToAll)
    test.whole[test.toDim] = sum(test.toSize);
  test.root = members - 1;
  return test;
}

std::vector<CollectiveCase> casesFor(int64_t members) {
  std::vector<CollectiveCase> cases;
  for (CollectiveKind kind : allKinds)
    for (bool even : {true, false})
      for (Layout layout : {Layout::Dense, Layout::Padded, Layout::Reversed})
        for (int dim : {0, 1, 2})
          cases.push_back(makeCase(kind, members, even, layout, dim));
  return cases;
}

} // namespace

TEST_P(CommConformance, AllKindsAllLayouts) {
  for (int64_t ranks : {1, 2, 3, 4, 6, 8})
    check(everybody(ranks), casesFor(ranks));
}

TEST_P(CommConformance, AxesOfTwoByTwo) {
  for (const Groups &groups : {Groups{{0, 1}, {2, 3}}, Groups{{0, 2}, {1, 3}}})
    check(groups, casesFor(2));
}

TEST_P(CommConformance, AxesOfTwoByThree) {
  check(Groups{{0, 1, 2}, {3, 4, 5}}, casesFor(3));
  check(Groups{{0, 3}, {1, 4}, {2, 5}}, casesFor(2));
  // Both axes, minor first: the order of members is not that of ranks.
  check(Groups{{0, 3, 1, 4, 2, 5}}, casesFor(6));
}

TEST_P(CommConformance, TypesAndReductions) {
  for (int64_t ranks : {2, 3, 5, 6}) {
    std::vector<CollectiveCase> cases;
    for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16,
                       DType::I32, DType::I64})
      for (plan::Reduction reduction :
           {plan::Reduction::Sum, plan::Reduction::Max, plan::Reduction::Min})
        for (CollectiveKind kind :
             {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter}) {
          cases.push_back(makeCase(kind, ranks, false, Layout::Dense, 1));
          cases.back().type = type;
          cases.back().reduction = reduction;
        }
    check(everybody(ranks), cases);
  }
}

TEST_P(CommConformance, EmptyShards) {
  for (int64_t ranks : {2, 3, 4}) {
    std::vector<CollectiveCase> cases;
    for (CollectiveKind kind : allKinds)
      for (int64_t owner : {int64_t(0), ranks - 1, int64_t(-1)}) {
        CollectiveCase test = makeCase(kind, ranks, true, Layout::Dense, 1);
        test.size.assign(ranks, 0);
        if (owner >= 0)
          test.size[owner] = 6;
        test.whole[1] = owner >= 0 ? 6 : 0;
        cases.push_back(test);
      }
    check(everybody(ranks), cases);
  }
}

/// What several members have is summed in their order, and what several are to
/// get comes to each.
TEST_P(CommConformance, AllToAllOfPartsThatOverlap) {
  struct Parts {
    std::vector<int64_t> offset, size, toOffset, toSize;
  };
  const Parts all[] = {
      {{0, 0, 1, 1}, {1, 1, 1, 1}, {0, 2, 5, 5}, {2, 3, 0, 1}},
      {{0, 1, 3}, {2, 3, 2}, {0, 2, 3}, {4, 2, 3}},
      {{0, 0, 0}, {3, 0, 3}, {1, 0, 0}, {2, 2, 3}},
      {{2, 0}, {1, 3}, {0, 0}, {2, 2}},
  };
  auto extentOf = [](const std::vector<int64_t> &offset,
                     const std::vector<int64_t> &size) {
    int64_t extent = 0;
    for (size_t i = 0; i < size.size(); ++i)
      extent = std::max(extent, offset[i] + size[i]);
    return extent;
  };
  for (const Parts &parts : all) {
    int64_t ranks = int64_t(parts.size.size());
    std::vector<CollectiveCase> cases;
    for (Layout layout : {Layout::Dense, Layout::Padded, Layout::Reversed})
      for (DType type : {DType::F32, DType::BF16, DType::I32})
        for (int dim : {0, 1, 2}) {
          CollectiveCase test =
              makeCase(CollectiveKind::AllToAll, ranks, true, layout, dim);
          test.type = type;
          test.offset = parts.offset;
          test.size = parts.size;
          test.toOffset = parts.toOffset;
          test.toSize = parts.toSize;
          test.whole[dim] = extentOf(parts.offset, parts.size);
          test.whole[test.toDim] = extentOf(parts.toOffset, parts.toSize);
          cases.push_back(test);
        }
    check(everybody(ranks), cases);
  }
}

// More elements than one block of the vector loops.
TEST_P(CommConformance, LargeAndOdd) {
  for (int64_t ranks : {2, 3, 6}) {
    std::vector<CollectiveCase> cases;
    for (CollectiveKind kind : allKinds) {
      CollectiveCase test = makeCase(kind, ranks, false, Layout::Dense, 0);
      test.whole[1] = 131;
      if (kind != CollectiveKind::AllToAll)
        test.whole[2] = 37;
      cases.push_back(test);
    }
    check(everybody(ranks), cases);
  }
}

TEST_P(CommConformance, InPlaceAllReduce) {
  for (int64_t ranks : {1, 2, 3, 5, 8})
    GetParam().make()->run(ranks, [&](runtime::Communicator &comm) {
      CollectiveCase test =
          makeCase(CollectiveKind::AllReduce, ranks, true, Layout::Dense, 0);
      test.whole = {101, 29};
      std::vector<int64_t> members = everybody(ranks)[0];
      TestWindow both(test.type, test.whole, Layout::Dense);
      int64_t handle;
      ASSERT_TRUE(
          comm.prepare(makeSpec(test, members, comm.rank(), both, both), handle)
              .ok());
      for (int64_t flat = 0; flat < both.elements(); ++flat)
        both.set(flat, sourceValue(test.type, comm.rank(), flat));
      ASSERT_TRUE(comm.run(handle).ok());
      compare(test, members, comm.rank(), both, 0);
    });
}

/// Three tensors in one all_reduce: a number, a strided one and one of 0
/// elements. Received is what three collectives would have received.
TEST_P(CommConformance, SeveralTensorsInOneAllReduce) {
  for (int64_t ranks : {1, 2, 3, 5})
    GetParam().make()->run(ranks, [&](runtime::Communicator &comm) {
      std::vector<int64_t> members = everybody(ranks)[0];
      std::vector<CollectiveCase> cases(
          3,
          makeCase(CollectiveKind::AllReduce, ranks, true, Layout::Dense, 0));
      cases[0].whole = {};
      cases[1].whole = {7, 3};
      cases[1].layout = Layout::Reversed;
      cases[2].whole = {0, 4};
      std::vector<std::unique_ptr<TestWindow>> src, dst;
      runtime::CollectiveSpec spec;
      int64_t bytes = 0;
      for (const CollectiveCase &test : cases) {
        src.push_back(
            std::make_unique<TestWindow>(test.type, test.whole, test.layout));
        dst.push_back(
            std::make_unique<TestWindow>(test.type, test.whole, test.layout));
        for (int64_t flat = 0; flat < src.back()->elements(); ++flat)
          src.back()->set(flat, sourceValue(test.type, comm.rank(), flat));
        runtime::CollectiveSpec one =
            makeSpec(test, members, comm.rank(), *src.back(), *dst.back());
        if (src.size() == 1)
          spec = one;
        else
          addTensors(spec, one);
        bytes += expectedBytes(test, comm.rank());
      }
      int64_t handle;
      runtime::Status status = comm.prepare(spec, handle);
      ASSERT_TRUE(status.ok()) << status.message;
      ASSERT_TRUE(comm.run(handle).ok());
      EXPECT_EQ(comm.receivedBytes(), bytes);
      for (size_t i = 0; i < cases.size(); ++i)
        compare(cases[i], members, comm.rank(), *dst[i], i);
    });
}

/// Tensors of one collective are cut along dims of their own.
TEST_P(CommConformance, SeveralTensorsCutEachInItsWay) {
  for (CollectiveKind kind : allKinds)
    for (int64_t ranks : {1, 2, 3, 4})
      GetParam().make()->run(ranks, [&](runtime::Communicator &comm) {
        std::vector<int64_t> members = everybody(ranks)[0];
        std::vector<CollectiveCase> cases = {
            makeCase(kind, ranks, true, Layout::Dense, 0),
            makeCase(kind, ranks, true, Layout::Reversed, 1),
            makeCase(kind, ranks, false, Layout::Padded, 2)};
        std::vector<std::unique_ptr<TestWindow>> src, dst;
        std::vector<runtime::CollectiveSpec> specs;
        int64_t bytes = 0;
        for (const CollectiveCase &test : cases) {
          src.push_back(std::make_unique<TestWindow>(
              test.type, srcShape(test, comm.rank()), test.layout));
          dst.push_back(std::make_unique<TestWindow>(
              test.type, dstShape(test, comm.rank()), test.layout));
          for (int64_t flat = 0; flat < src.back()->elements(); ++flat)
            src.back()->set(flat, sourceValue(test.type, comm.rank(), flat));
          specs.push_back(
              makeSpec(test, members, comm.rank(), *src.back(), *dst.back()));
          bytes += expectedBytes(test, comm.rank());
        }
        runtime::CollectiveSpec spec = specs[0];
        for (size_t i = 1; i < specs.size(); ++i)
          addTensors(spec, specs[i]);
        int64_t handle;
        runtime::Status status = comm.prepare(spec, handle);
        ASSERT_TRUE(status.ok()) << status.message;
        for (int64_t run = 1; run < 3; ++run) {
          ASSERT_TRUE(comm.run(handle).ok());
          EXPECT_EQ(comm.receivedBytes(), run * bytes);
        }
        for (size_t i = 0; i < cases.size(); ++i)
          compare(cases[i], members, comm.rank(), *dst[i], i);
      });
}

/// Two groups in turn, all kinds, several of one group open at once, ended in
/// another order than begun; one is run as a whole while others are open.
TEST_P(CommConformance, SeveralAreOpenAtOnce) {
  GetParam().make()->run(
      4,
      [&](runtime::Communicator &comm) {
        std::vector<std::vector<int64_t>> groups = {
            {0, 1, 2, 3},
            comm.rank() < 2 ? std::vector<int64_t>{0, 1}
                            : std::vector<int64_t>{2, 3}};
        struct Open {
          CollectiveCase test;
          std::vector<int64_t> members;
          int64_t me, handle = 0;
          std::unique_ptr<TestWindow> src = nullptr, dst = nullptr;
        };
        std::vector<Open> all;
        for (size_t i = 0; i < 11; ++i) {
          const std::vector<int64_t> &members = groups[i % 2];
          CollectiveCase test = makeCase(allKinds[i % 5], members.size(), i < 5,
                                         Layout(i % 3), int(i % 3));
          int64_t me = comm.rank() % int64_t(members.size());
          all.push_back({test, members, me});
          Open &one = all.back();
          one.src = std::make_unique<TestWindow>(test.type, srcShape(test, me),
                                                 test.layout);
          one.dst = std::make_unique<TestWindow>(test.type, dstShape(test, me),
                                                 test.layout);
          auto spec = makeSpec(test, members, me, *one.src, *one.dst);
          spec.id = int64_t(i);
          ASSERT_TRUE(comm.prepare(spec, one.handle).ok());
        }
        for (int repeat = 0; repeat < 3; ++repeat) {
          int64_t before = comm.receivedBytes(), bytes = 0;
          for (Open &one : all)
            for (int64_t flat = 0; flat < one.src->elements(); ++flat)
              one.src->set(flat, sourceValue(one.test.type, comm.rank(), flat));
          for (size_t i = 0; i < 10; ++i)
            ASSERT_TRUE(comm.start(all[i].handle).ok());
          ASSERT_TRUE(comm.run(all[10].handle).ok());
          for (size_t i : {3, 9, 0, 1, 2, 8, 7, 6, 5, 4})
            ASSERT_TRUE(comm.wait(all[i].handle).ok());
          for (size_t i = 0; i < all.size(); ++i) {
            compare(all[i].test, all[i].members, all[i].me, *all[i].dst, i);
            bytes += expectedBytes(all[i].test, all[i].me);
          }
          EXPECT_EQ(comm.receivedBytes() - before, bytes);
        }
      },
      {{0, 1}, {2, 3}});
}

INSTANTIATE_TEST_SUITE_P(Transports, CommConformance,
                         testing::ValuesIn(transports()),
                         [](const auto &info) { return info.param.name; });
