//===- StatesTest.cpp - calls in progress, and aborted communicators ------===//

#include "test/Gpu/Libraries/Nccl/NcclTest.h"
#include <thread>

using namespace hocket::test;

namespace {

class NcclStatesTest : public NcclTest {};

} // namespace

TEST_F(NcclStatesTest, CommunicatorsThatDoNotBlock) {
  NcclConfig config;
  config.blocking = 0;
  NcclUniqueId all = id();
  runThreads(2, [&](int rank) {
    NcclComm comm = nullptr;
    NcclConfig own = config;
    EXPECT_EQ(nccl.commInitRankConfig(&comm, 2, all, rank, &own),
              NcclInProgress);
    EXPECT_NE(comm, nullptr);
    EXPECT_EQ(poll(comm), NcclSuccess);
    int32_t value = 1, inProgress = 0;
    for (int i = 0; i < 6; ++i) {
      inProgress += nccl.allReduce(&value, &value, 1, NcclInt32, NcclSum, comm,
                                   nullptr) == NcclInProgress;
      EXPECT_EQ(poll(comm), NcclSuccess);
    }
    EXPECT_EQ(value, 64);
    EXPECT_EQ(inProgress, 4);
    destroy(comm);
  });
}

TEST_F(NcclStatesTest, UsedWhileACallIsInProgress) {
  NcclConfig config;
  config.blocking = 0;
  NcclComm comm = nullptr;
  EXPECT_EQ(nccl.commInitRankConfig(&comm, 1, id(), 0, &config),
            NcclInProgress);
  int32_t value = 1;
  EXPECT_EQ(
      nccl.allReduce(&value, &value, 1, NcclInt32, NcclSum, comm, nullptr),
      NcclInvalidArgument);
  EXPECT_NE(found().find("is used while a call on it is in progress\n"),
            std::string::npos);
  EXPECT_EQ(nccl.commDestroy(comm), NcclInvalidArgument);
  EXPECT_NE(found().find("is destroyed while a call on it is in progress\n"),
            std::string::npos);
  EXPECT_EQ(poll(comm), NcclSuccess);
  NcclComm made = comm;
  NcclResult result = nccl.commSplit(comm, 0, 0, &made, nullptr);
  EXPECT_EQ(result, NcclInProgress);
  EXPECT_EQ(made, nullptr); // until its parent is done
  EXPECT_EQ(poll(comm), NcclSuccess);
  EXPECT_EQ(nccl.commFinalize(made), NcclInvalidArgument);
  EXPECT_NE(found().find("is used while a call on it is in progress\n"),
            std::string::npos);
  EXPECT_EQ(poll(made), NcclSuccess);
  destroy(made);
  destroy(comm);
}

TEST_F(NcclStatesTest, AbortedWithTheirFamily) {
  NcclConfig config;
  config.splitShare = 1;
  NcclComm comm = alone(config), made = nullptr;
  EXPECT_EQ(nccl.commSplit(comm, 0, 0, &made, nullptr), NcclSuccess);
  EXPECT_EQ(nccl.commAbort(made), NcclSuccess);
  int32_t value = 1;
  EXPECT_EQ(
      nccl.allReduce(&value, &value, 1, NcclInt32, NcclSum, comm, nullptr),
      NcclInvalidUsage);
  EXPECT_NE(found().find("shares resources with one that is aborted\n"),
            std::string::npos);
  EXPECT_EQ(nccl.commAbort(comm), NcclSuccess);
  // Without splitShare the parent goes on.
  comm = alone();
  EXPECT_EQ(nccl.commSplit(comm, 0, 0, &made, nullptr), NcclSuccess);
  EXPECT_EQ(nccl.commAbort(made), NcclSuccess);
  EXPECT_EQ(
      nccl.allReduce(&value, &value, 1, NcclInt32, NcclSum, comm, nullptr),
      NcclSuccess);
  destroy(comm);
}

/// By another thread, while a call waits for a rank that never comes.
TEST_F(NcclStatesTest, AbortedDuringACall) {
  NcclUniqueId all = id();
  NcclComm comms[2] = {};
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  for (int rank : {0, 1})
    EXPECT_EQ(nccl.commInitRankConfig(&comms[rank], 2, all, rank, nullptr),
              NcclSuccess);
  EXPECT_EQ(nccl.groupEnd(), NcclSuccess);
  std::thread waiting(
      [&] { EXPECT_EQ(nccl.commFinalize(comms[0]), NcclInternalError); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (NcclComm comm : comms)
    EXPECT_EQ(nccl.commAbort(comm), NcclSuccess);
  waiting.join();
  std::string error = nccl.getLastError(nullptr);
  EXPECT_NE(error.find("(rank 0 of 2) is aborted"), std::string::npos) << error;
}
