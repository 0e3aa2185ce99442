//===- CollectivesTest.cpp - what collectives compute ---------------------===//

#include "hocket/Runtime/Half.h"
#include "test/Gpu/Libraries/Nccl/NcclTest.h"
#include <cmath>
#include <cstring>

using namespace hocket::test;
using hocket::runtime::BFloat16;
using hocket::runtime::Float16;

namespace {

class NcclCollectivesTest : public NcclTest {
protected:
  /// A sum of 1 and many small numbers, by the order in which they are added.
  static float added(const std::vector<float> &values,
                     const std::vector<int> &order) {
    float sum = values[order[0]];
    for (size_t i = 1; i < order.size(); ++i)
      sum += values[order[i]];
    return sum;
  }

  /// All operators on integers of one type, against 64-bit numbers.
  template <typename T> void checkIntegers(NcclType type) {
    run(3, [&](int rank, NcclComm comm) {
      T from[2] = {T(rank + 2), T(100 - 90 * rank)}, to[2];
      const int64_t seconds[] = {100, 10, -80};
      auto check = [&](NcclOperator reduction, T first, T second) {
        EXPECT_EQ(nccl.allReduce(from, to, 2, type, reduction, comm, nullptr),
                  NcclSuccess);
        EXPECT_EQ(to[0], first) << type << " " << reduction;
        EXPECT_EQ(to[1], second) << type << " " << reduction;
      };
      check(NcclSum, 9, T(30));
      check(NcclProd, 24, T(100 * 10 * uint64_t(-80)));
      T least = T(seconds[0]), most = T(seconds[0]);
      for (int64_t each : seconds) {
        least = std::min(least, T(each));
        most = std::max(most, T(each));
      }
      check(NcclMax, 4, most);
      check(NcclMin, 2, least);
    });
  }

  /// All operators on floats of one type; all results are exact.
  template <typename T> void checkFloats(NcclType type) {
    run(3, [&](int rank, NcclComm comm) {
      T from[2] = {T(float(rank + 2)), T(0.5f - rank)}, to[2];
      auto check = [&](NcclOperator reduction, float first, float second) {
        EXPECT_EQ(nccl.allReduce(from, to, 2, type, reduction, comm, nullptr),
                  NcclSuccess);
        EXPECT_EQ(float(to[0]), first) << type << " " << reduction;
        EXPECT_EQ(float(to[1]), second) << type << " " << reduction;
      };
      check(NcclSum, 9, -1.5);
      check(NcclProd, 24, 0.375);
      check(NcclMax, 4, 0.5);
      check(NcclMin, 2, -1.5);
    });
  }
};

} // namespace

TEST_F(NcclCollectivesTest, AllTypes) {
  checkIntegers<int8_t>(NcclInt8);
  checkIntegers<uint8_t>(NcclUint8);
  checkIntegers<int32_t>(NcclInt32);
  checkIntegers<uint32_t>(NcclUint32);
  checkIntegers<int64_t>(NcclInt64);
  checkIntegers<uint64_t>(NcclUint64);
  checkFloats<Float16>(NcclFloat16);
  checkFloats<BFloat16>(NcclBfloat16);
  checkFloats<float>(NcclFloat32);
  checkFloats<double>(NcclFloat64);
}

TEST_F(NcclCollectivesTest, TheLargerOfANumberAndNoNumberIsTheNumber) {
  run(2, [&](int rank, NcclComm comm) {
    float value = rank == 0 ? NAN : 3;
    EXPECT_EQ(
        nccl.allReduce(&value, &value, 1, NcclFloat32, NcclMax, comm, nullptr),
        NcclSuccess);
    EXPECT_EQ(value, 3);
  });
}

/// Chunks begin at other ranks, and none has the order of the ranks.
TEST_F(NcclCollectivesTest, SumsAreNotInTheOrderOfTheRanks) {
  const std::vector<float> values = {1, 0x1p-24f, 0x1p-24f, -1 + 0x1p-10f};
  run(4, [&](int rank, NcclComm comm) {
    std::vector<float> all(8, values[rank]);
    EXPECT_EQ(nccl.allReduce(all.data(), all.data(), 8, NcclFloat32, NcclSum,
                             comm, nullptr),
              NcclSuccess);
    // Two elements a chunk; the sum of the world's ranks, 6, moves the begin.
    const std::vector<int> orders[] = {
        {0, 3, 2, 1}, {1, 0, 3, 2}, {3, 2, 1, 0}, {0, 3, 2, 1}};
    float inOrder = added(values, {0, 1, 2, 3});
    for (int chunk = 0; chunk < 4; ++chunk) {
      float expected = added(values, orders[chunk]);
      EXPECT_EQ(all[2 * chunk], expected) << chunk;
      EXPECT_EQ(all[2 * chunk + 1], expected) << chunk;
      EXPECT_NE(expected, inOrder) << chunk;
    }
    // A chunk of reduce_scatter is that of its rank.
    std::vector<float> each(4, values[rank]);
    float own = 0;
    EXPECT_EQ(nccl.reduceScatter(each.data(), &own, 1, NcclFloat32, NcclSum,
                                 comm, nullptr),
              NcclSuccess);
    EXPECT_EQ(own, added(values, orders[rank]));
  });
}

/// A bf16 sum of 256 and three times 1: each 1 is lost in its rounding.
TEST_F(NcclCollectivesTest, SumsAreRoundedAtEachRank) {
  run(4, [&](int rank, NcclComm comm) {
    BFloat16 value(rank == 0 ? 256.0f : 1.0f);
    EXPECT_EQ(
        nccl.allReduce(&value, &value, 1, NcclBfloat16, NcclSum, comm, nullptr),
        NcclSuccess);
    EXPECT_EQ(float(value), 256);
  });
}

TEST_F(NcclCollectivesTest, InPlace) {
  run(3, [&](int rank, NcclComm comm) {
    int32_t all[3] = {-1, -1, -1};
    all[rank] = 10 * rank;
    EXPECT_EQ(nccl.allGather(all + rank, all, 1, NcclInt32, comm, nullptr),
              NcclSuccess);
    EXPECT_EQ(std::vector<int32_t>(all, all + 3),
              (std::vector<int32_t>{0, 10, 20}));
    EXPECT_EQ(nccl.reduceScatter(all, all + rank, 1, NcclInt32, NcclSum, comm,
                                 nullptr),
              NcclSuccess);
    EXPECT_EQ(all[rank], 30 * rank);
    EXPECT_EQ(nccl.broadcast(all + 2, all + 2, 1, NcclInt32, 2, comm, nullptr),
              NcclSuccess);
    EXPECT_EQ(all[2], 60);
  });
}

/// What is not the root's need not be there.
TEST_F(NcclCollectivesTest, ABroadcastReadsTheRootsAlone) {
  run(3, [&](int rank, NcclComm comm) {
    int32_t from = 7, to = 0;
    EXPECT_EQ(nccl.broadcast(rank == 1 ? &from : nullptr, &to, 1, NcclInt32, 1,
                             comm, nullptr),
              NcclSuccess);
    EXPECT_EQ(to, 7);
  });
}

TEST_F(NcclCollectivesTest, OneRankOrNoElement) {
  NcclComm comm = alone();
  int32_t from = 3, to[2] = {0, 5};
  EXPECT_EQ(nccl.allReduce(&from, to, 1, NcclInt32, NcclProd, comm, nullptr),
            NcclSuccess);
  EXPECT_EQ(to[0], 3);
  EXPECT_EQ(nccl.allGather(nullptr, nullptr, 0, NcclInt32, comm, nullptr),
            NcclSuccess);
  EXPECT_EQ(
      nccl.reduceScatter(&from, to + 1, 1, NcclInt32, NcclSum, comm, nullptr),
      NcclSuccess);
  EXPECT_EQ(to[1], 3);
  destroy(comm);
}

/// Large enough that a message does not fit into a connection at once.
TEST_F(NcclCollectivesTest, ManyElements) {
  const size_t count = 1000003;
  run(2, [&](int rank, NcclComm comm) {
    std::vector<int64_t> values(count), all(2 * count);
    for (size_t i = 0; i < count; ++i)
      values[i] = 2 * i + rank;
    EXPECT_EQ(nccl.allGather(values.data(), all.data(), count, NcclInt64, comm,
                             nullptr),
              NcclSuccess);
    for (size_t i = 0; i < 2 * count; ++i)
      if (all[i] != int64_t(2 * (i % count) + i / count)) {
        ADD_FAILURE() << i << ": " << all[i];
        break;
      }
  });
}
