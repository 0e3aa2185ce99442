//===- CommunicatorsTest.cpp - communicators of threads of one process ----===//

#include "test/Gpu/Libraries/Nccl/Control.h"
#include "test/Gpu/Libraries/Nccl/NcclTest.h"

using namespace hocket::test;

namespace {

class NcclCommunicatorsTest : public NcclTest {
protected:
  /// What is found where a communicator of one rank is made so.
  std::string foundFor(NcclConfig config) {
    NcclComm comm = nullptr;
    EXPECT_EQ(nccl.commInitRankConfig(&comm, 1, id(), 0, &config),
              NcclInvalidArgument);
    EXPECT_EQ(comm, nullptr);
    return found();
  }

  /// What each of two ranks finds where they are told other things.
  void refuseBoth(int firstRank, int firstRanks, int secondRank,
                  int secondRanks, const std::string &why) {
    NcclUniqueId all = id();
    runThreads(2, [&](int thread) {
      NcclComm comm = nullptr;
      EXPECT_EQ(
          nccl.commInitRankConfig(&comm, thread ? secondRanks : firstRanks, all,
                                  thread ? secondRank : firstRank, nullptr),
          NcclInvalidArgument);
      EXPECT_EQ(comm, nullptr);
      EXPECT_EQ(nccl.getLastError(nullptr), why);
    });
    std::string text = found();
    for (size_t at = 0, times = 0; times < 2; ++times, ++at) {
      at = text.find(why + "\n", at);
      EXPECT_NE(at, std::string::npos) << text;
    }
  }
};

} // namespace

TEST_F(NcclCommunicatorsTest, TheVersion) {
  int version = 0;
  EXPECT_EQ(nccl.getVersion(&version), NcclSuccess);
  EXPECT_EQ(version, 22809);
  auto set = reinterpret_cast<decltype(&hocketNcclSetVersion)>(
      find("hocketNcclSetVersion"));
  set(21804);
  EXPECT_EQ(nccl.getVersion(&version), NcclSuccess);
  EXPECT_EQ(version, 21804);
  set(22809);
}

TEST_F(NcclCommunicatorsTest, PlacesForResults) {
  NcclComm comm = alone();
  EXPECT_EQ(nccl.getVersion(nullptr), NcclInvalidArgument);
  EXPECT_EQ(nccl.getUniqueId(nullptr), NcclInvalidArgument);
  EXPECT_EQ(nccl.commInitRankConfig(nullptr, 1, id(), 0, nullptr),
            NcclInvalidArgument);
  EXPECT_EQ(nccl.commSplit(comm, 0, 0, nullptr, nullptr), NcclInvalidArgument);
  EXPECT_EQ(nccl.commGetAsyncError(comm, nullptr), NcclInvalidArgument);
  EXPECT_EQ(nccl.commRegister(comm, &comm, 1, nullptr), NcclInvalidArgument);
  EXPECT_EQ(nccl.memAlloc(nullptr, 1), NcclInvalidArgument);
  EXPECT_EQ(found(),
            "ncclGetVersion: the place for the version is null\n"
            "ncclGetUniqueId: the place for the id is null\n"
            "ncclCommInitRankConfig: the place for the communicator is null\n"
            "ncclCommSplit: the place for the communicator is null\n"
            "ncclCommGetAsyncError: the place for the error is null\n"
            "ncclCommRegister: the place for the registration is null\n"
            "ncclMemAlloc: the place for the buffer is null\n");
  destroy(comm);
}

TEST_F(NcclCommunicatorsTest, Configurations) {
  auto with = [&](auto change) {
    NcclConfig config;
    change(config);
    return foundFor(config);
  };
  std::string begin = "ncclCommInitRankConfig: the configuration";
  EXPECT_EQ(with([](NcclConfig &c) { c.magic = 1; }),
            begin + " does not begin as NCCL_CONFIG_INITIALIZER does\n");
  EXPECT_EQ(with([](NcclConfig &c) { c.size = 40; }),
            "ncclCommInitRankConfig: the look-alike knows configurations of "
            "2.18 with 48 bytes, not of 21800 with 40\n");
  EXPECT_EQ(with([](NcclConfig &c) { c.version = 22800; }),
            "ncclCommInitRankConfig: the look-alike knows configurations of "
            "2.18 with 48 bytes, not of 22800 with 48\n");
  EXPECT_EQ(with([](NcclConfig &c) { c.blocking = 2; }),
            begin + "'s blocking is 2, not 0 or 1\n");
  EXPECT_EQ(with([](NcclConfig &c) { c.splitShare = -1; }),
            begin + "'s splitShare is -1, not 0 or 1\n");
  EXPECT_EQ(with([](NcclConfig &c) { c.cgaClusterSize = 9; }),
            begin + "'s cgaClusterSize is 9, not from 0 to 8\n");
  EXPECT_EQ(with([](NcclConfig &c) { c.minCTAs = 0; }),
            begin + "'s minCTAs is 0, not at least 1\n");
  EXPECT_EQ(with([](NcclConfig &c) {
              c.minCTAs = 4;
              c.maxCTAs = 2;
            }),
            begin + "'s maxCTAs is 2, not at least 1 and minCTAs\n");
  NcclComm comm = alone(), made = nullptr;
  NcclConfig wrong;
  wrong.blocking = 3;
  EXPECT_EQ(nccl.commSplit(comm, 0, 0, &made, &wrong), NcclInvalidArgument);
  EXPECT_EQ(found(), "ncclCommSplit: the configuration's blocking is 3, not 0 "
                     "or 1\n");
  destroy(comm);
}

TEST_F(NcclCommunicatorsTest, RanksThatAreNone) {
  NcclComm comm = nullptr;
  NcclUniqueId all = id();
  EXPECT_EQ(nccl.commInitRankConfig(&comm, 0, all, 0, nullptr),
            NcclInvalidArgument);
  EXPECT_EQ(nccl.commInitRankConfig(&comm, 2, all, 2, nullptr),
            NcclInvalidArgument);
  EXPECT_EQ(nccl.commInitRankConfig(&comm, 2, all, -1, nullptr),
            NcclInvalidArgument);
  EXPECT_EQ(found(), "ncclCommInitRankConfig: a communicator of 0 ranks\n"
                     "ncclCommInitRankConfig: rank 2 of 2\n"
                     "ncclCommInitRankConfig: rank -1 of 2\n");
}

TEST_F(NcclCommunicatorsTest, RanksThatDisagree) {
  refuseBoth(1, 3, 1, 3, "two ranks of one unique id are rank 1");
  // Which one comes first is not known; both are told the same.
  NcclUniqueId other = id();
  runThreads(2, [&](int rank) {
    NcclComm comm = nullptr;
    EXPECT_EQ(nccl.commInitRankConfig(&comm, 2 + rank, other, rank, nullptr),
              NcclInvalidArgument);
  });
  std::string text = found();
  bool isEither = text.find("rank 1 is told of 3 ranks, and rank 0 of 2\n") !=
                      std::string::npos ||
                  text.find("rank 0 is told of 2 ranks, and rank 1 of 3\n") !=
                      std::string::npos;
  EXPECT_TRUE(isEither) << text;
}

TEST_F(NcclCommunicatorsTest, IdsThatAreNoneOrUsed) {
  NcclComm comm = nullptr;
  EXPECT_EQ(nccl.commInitRankConfig(&comm, 1, NcclUniqueId{}, 0, nullptr),
            NcclInvalidArgument);
  EXPECT_EQ(found(), "ncclCommInitRankConfig: the unique id is not one of "
                     "ncclGetUniqueId\n");
  NcclUniqueId once = id();
  EXPECT_EQ(nccl.commInitRankConfig(&comm, 1, once, 0, nullptr), NcclSuccess);
  NcclComm again = nullptr;
  EXPECT_EQ(nccl.commInitRankConfig(&again, 1, once, 0, nullptr),
            NcclInvalidArgument);
  EXPECT_NE(found().find("the unique id already has a communicator\n"),
            std::string::npos);
  destroy(comm);
}

TEST_F(NcclCommunicatorsTest, OneThreadMakesAGroupOfThem) {
  NcclUniqueId all = id();
  NcclComm comms[3] = {};
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(nccl.commInitRankConfig(&comms[rank], 3, all, rank, nullptr),
              NcclSuccess);
  EXPECT_EQ(nccl.groupEnd(), NcclSuccess);
  runThreads(3, [&](int rank) {
    int32_t value = rank;
    EXPECT_EQ(nccl.allReduce(&value, &value, 1, NcclInt32, NcclSum, comms[rank],
                             nullptr),
              NcclSuccess);
    EXPECT_EQ(value, 3);
    destroy(comms[rank]);
  });
}

TEST_F(NcclCommunicatorsTest, Splits) {
  run(4, [&](int rank, NcclComm comm) {
    auto gathered = [&](NcclComm part, int count) {
      std::vector<int32_t> all(count);
      EXPECT_EQ(nccl.allGather(&rank, all.data(), 1, NcclInt32, part, nullptr),
                NcclSuccess);
      return all;
    };
    NcclComm part = nullptr, none = &*comm;
    // Equal keys are in the order of the ranks.
    EXPECT_EQ(nccl.commSplit(comm, 7, rank == 0 ? 1 : 0, &part, nullptr),
              NcclSuccess);
    EXPECT_EQ(gathered(part, 4), (std::vector<int32_t>{1, 2, 3, 0}));
    EXPECT_EQ(nccl.commSplit(comm, -1, 0, &none, nullptr), NcclSuccess);
    EXPECT_EQ(none, nullptr);
    // A split of a split.
    NcclComm pair = nullptr;
    EXPECT_EQ(nccl.commSplit(part, rank / 2, -rank, &pair, nullptr),
              NcclSuccess);
    EXPECT_EQ(gathered(pair, 2), rank / 2 ? (std::vector<int32_t>{3, 2})
                                          : (std::vector<int32_t>{1, 0}));
    destroy(pair);
    destroy(part);
  });
}

TEST_F(NcclCommunicatorsTest, ColorsThatAreNone) {
  NcclComm comm = alone(), made = nullptr;
  EXPECT_EQ(nccl.commSplit(comm, -2, 0, &made, nullptr), NcclInvalidArgument);
  EXPECT_EQ(found(), "ncclCommSplit: the color -2 is neither "
                     "NCCL_SPLIT_NOCOLOR (-1) nor at least 0\n");
  destroy(comm);
}

TEST_F(NcclCommunicatorsTest, TheyEndOnce) {
  NcclComm comm = alone();
  std::string name = title();
  EXPECT_EQ(nccl.commFinalize(comm), NcclSuccess);
  EXPECT_EQ(nccl.commFinalize(comm), NcclInvalidUsage);
  int32_t value = 0;
  EXPECT_EQ(
      nccl.allReduce(&value, &value, 1, NcclInt32, NcclSum, comm, nullptr),
      NcclInvalidUsage);
  EXPECT_EQ(found(), "ncclCommFinalize: " + name +
                         " is finalized\nncclAllReduce: " + name +
                         " is finalized\n");
  EXPECT_EQ(nccl.commDestroy(comm), NcclSuccess);
  EXPECT_EQ(nccl.commDestroy(comm), NcclInvalidArgument);
  EXPECT_EQ(nccl.commAbort(comm), NcclInvalidArgument);
  NcclResult error = NcclSuccess;
  EXPECT_EQ(nccl.commGetAsyncError(comm, &error), NcclInvalidArgument);
  EXPECT_EQ(found(), "ncclCommDestroy: there is no such communicator\n"
                     "ncclCommAbort: there is no such communicator\n"
                     "ncclCommGetAsyncError: there is no such communicator\n");
  EXPECT_STREQ(nccl.getLastError(nullptr), "there is no such communicator");
}

TEST_F(NcclCommunicatorsTest, NothingIsDestroyedOrAborted) {
  EXPECT_EQ(nccl.commDestroy(nullptr), NcclSuccess);
  EXPECT_EQ(nccl.commAbort(nullptr), NcclSuccess);
}

/// Without a call of ncclCommFinalize, which is then part of it.
TEST_F(NcclCommunicatorsTest, DestroyedAtOnce) {
  NcclComm comm = alone();
  EXPECT_EQ(left(), title() + " is neither destroyed nor aborted\n");
  EXPECT_EQ(nccl.commDestroy(comm), NcclSuccess);
}
