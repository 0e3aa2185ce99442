//===- GroupTest.cpp - groups, and calls that are wrong -------------------===//

#include "test/Gpu/Libraries/Nccl/NcclTest.h"

using namespace hocket::test;

namespace {

/// A communicator of one rank.
class NcclGroupTest : public NcclTest {
protected:
  void SetUp() override {
    NcclTest::SetUp();
    comm = alone();
    name = title();
  }
  void TearDown() override {
    destroy(comm);
    NcclTest::TearDown();
  }
  /// What is found of a call that is wrong.
  std::string foundAfter(NcclResult result,
                         NcclResult expected = NcclInvalidArgument) {
    EXPECT_EQ(result, expected);
    return found();
  }

  NcclComm comm = nullptr;
  std::string name;
  int32_t numbers[4] = {1, 2, 3, 4};
};

} // namespace

TEST_F(NcclGroupTest, OneEndsWhereItBegan) {
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  EXPECT_EQ(nccl.send(numbers, 2, NcclInt32, 0, comm, nullptr), NcclSuccess);
  EXPECT_EQ(nccl.groupEnd(), NcclSuccess);
  EXPECT_EQ(nccl.receive(numbers + 2, 2, NcclInt32, 0, comm, nullptr),
            NcclSuccess);
  EXPECT_EQ(numbers[2], 3);
  EXPECT_EQ(left(), name + " is neither destroyed nor aborted\n"
                           "1 groups have no ncclGroupEnd\n");
  EXPECT_EQ(nccl.groupEnd(), NcclSuccess);
  EXPECT_EQ(numbers[2], 1);
  EXPECT_EQ(numbers[3], 2);
  EXPECT_EQ(foundAfter(nccl.groupEnd(), NcclInvalidUsage),
            "ncclGroupEnd: there is no ncclGroupStart before it\n");
}

TEST_F(NcclGroupTest, WhatIsSentToOneselfIsReceivedInTheGroup) {
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  EXPECT_EQ(nccl.send(numbers, 2, NcclInt32, 0, comm, nullptr), NcclSuccess);
  EXPECT_EQ(foundAfter(nccl.groupEnd(), NcclInvalidUsage),
            "ncclGroupEnd: " + name +
                " sends 1 times to itself in a group in which it receives 0 "
                "times from itself\n");
  EXPECT_EQ(foundAfter(nccl.receive(numbers, 2, NcclInt32, 0, comm, nullptr),
                       NcclInvalidUsage),
            "ncclRecv: " + name +
                " sends 0 times to itself in a group in which it receives 1 "
                "times from itself\n");
}

TEST_F(NcclGroupTest, CallsThatUseWhatAnotherWrites) {
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  EXPECT_EQ(nccl.send(numbers, 2, NcclInt32, 0, comm, nullptr), NcclSuccess);
  EXPECT_EQ(nccl.receive(numbers + 1, 2, NcclInt32, 0, comm, nullptr),
            NcclSuccess);
  EXPECT_EQ(foundAfter(nccl.groupEnd(), NcclInvalidUsage),
            "ncclGroupEnd: ncclRecv of 2 int32 from rank 0 writes what "
            "ncclSend of 2 int32 to rank 0 of the same group uses\n");
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(nccl.allReduce(numbers + 2 * i, numbers + 1, 1, NcclInt32,
                             NcclSum, comm, nullptr),
              NcclSuccess);
  EXPECT_EQ(foundAfter(nccl.groupEnd(), NcclInvalidUsage),
            "ncclGroupEnd: ncclAllReduce of 1 int32, sum writes what "
            "ncclAllReduce of 1 int32, sum of the same group uses\n");
}

TEST_F(NcclGroupTest, ACallThatFailsFailsTheGroup) {
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  EXPECT_EQ(nccl.send(numbers, 2, NcclInt32, 0, comm, nullptr), NcclSuccess);
  EXPECT_EQ(
      foundAfter(nccl.receive(numbers + 2, 2, NcclInt32, 1, comm, nullptr)),
      "ncclRecv: " + name + " has no rank 1\n");
  EXPECT_EQ(nccl.groupEnd(), NcclInvalidArgument);
  EXPECT_STREQ(nccl.getLastError(nullptr), "a call of the group has failed");
  EXPECT_EQ(numbers[2], 3);
}

TEST_F(NcclGroupTest, CommunicatorsThatBlockAndOthers) {
  NcclConfig config;
  config.blocking = 0;
  NcclComm other = alone(config);
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  for (NcclComm each : {comm, other})
    EXPECT_EQ(
        nccl.allReduce(numbers, numbers, 1, NcclInt32, NcclSum, each, nullptr),
        NcclSuccess);
  EXPECT_EQ(foundAfter(nccl.groupEnd(), NcclInvalidUsage),
            "ncclGroupEnd: communicators that block and others that do not "
            "are in one group\n");
  destroy(other);
}

TEST_F(NcclGroupTest, CommunicatorsAreMadeInAGroupOfTheirOwn) {
  NcclComm made = nullptr;
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  EXPECT_EQ(
      nccl.allReduce(numbers, numbers, 1, NcclInt32, NcclSum, comm, nullptr),
      NcclSuccess);
  EXPECT_EQ(nccl.commInitRankConfig(&made, 1, id(), 0, nullptr), NcclSuccess);
  EXPECT_EQ(foundAfter(nccl.groupEnd(), NcclInvalidUsage),
            "ncclGroupEnd: communicators are made or split in a group that "
            "also communicates\n");
  EXPECT_EQ(nccl.commAbort(made), NcclSuccess);
}

TEST_F(NcclGroupTest, TwoStreamsOfOneCommunicator) {
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  Stream first = nullptr, second = reinterpret_cast<Stream>(numbers);
  EXPECT_EQ(nccl.send(numbers, 2, NcclInt32, 0, comm, first), NcclSuccess);
  EXPECT_EQ(foundAfter(nccl.receive(numbers + 2, 2, NcclInt32, 0, comm, second),
                       NcclInvalidUsage),
            "ncclRecv: a group has calls on " + name +
                " in two streams, which the look-alike does not support\n");
  EXPECT_EQ(nccl.groupEnd(), NcclInvalidUsage);
}

TEST_F(NcclGroupTest, NothingEndsInAGroup) {
  for (auto end : {nccl.commFinalize, nccl.commDestroy, nccl.commAbort}) {
    EXPECT_EQ(nccl.groupStart(), NcclSuccess);
    EXPECT_EQ(end(comm), NcclInvalidUsage);
    EXPECT_EQ(nccl.groupEnd(), NcclInvalidUsage);
  }
  std::string text = ": the look-alike does not support it in a group\n";
  EXPECT_EQ(found(), "ncclCommFinalize" + text + "ncclCommDestroy" + text +
                         "ncclCommAbort" + text);
}

TEST_F(NcclGroupTest, TypesOperatorsAndRanksThatAreNone) {
  auto type = static_cast<NcclType>(10);
  auto average = static_cast<NcclOperator>(4);
  EXPECT_EQ(foundAfter(nccl.send(numbers, 1, type, 0, comm, nullptr)),
            "ncclSend: the look-alike has no type 10\n");
  EXPECT_EQ(foundAfter(nccl.reduceScatter(numbers, numbers, 1, NcclInt32,
                                          average, comm, nullptr)),
            "ncclReduceScatter: the look-alike has no operator 4\n");
  EXPECT_EQ(foundAfter(nccl.broadcast(numbers, numbers, 1, NcclInt32, -1, comm,
                                      nullptr)),
            "ncclBroadcast: " + name + " has no rank -1\n");
  EXPECT_EQ(foundAfter(nccl.allGather(numbers, numbers, 1, NcclInt32, nullptr,
                                      nullptr)),
            "ncclAllGather: there is no such communicator\n");
}

TEST_F(NcclGroupTest, BuffersThatAreNullOrNotAligned) {
  EXPECT_EQ(foundAfter(nccl.send(nullptr, 1, NcclInt32, 0, comm, nullptr)),
            "ncclSend: the buffer that it sends from is null\n");
  EXPECT_EQ(foundAfter(nccl.allReduce(numbers, nullptr, 1, NcclInt32, NcclSum,
                                      comm, nullptr)),
            "ncclAllReduce: the buffer that it receives into is null\n");
  char *odd = reinterpret_cast<char *>(numbers) + 2;
  EXPECT_EQ(foundAfter(nccl.receive(odd, 1, NcclFloat32, 0, comm, nullptr)),
            "ncclRecv: the buffer that it receives into is not aligned to the "
            "4 bytes of a float32\n");
}

/// In place is what the documents say; else buffers lie apart.
TEST_F(NcclGroupTest, BuffersThatOverlap) {
  std::string end = ": the two buffers overlap otherwise than an operation in "
                    "place has them\n";
  EXPECT_EQ(foundAfter(nccl.allReduce(numbers, numbers + 1, 2, NcclInt32,
                                      NcclSum, comm, nullptr)),
            "ncclAllReduce: ncclAllReduce of 2 int32, sum" + end);
  EXPECT_EQ(foundAfter(nccl.broadcast(numbers + 1, numbers, 2, NcclInt32, 0,
                                      comm, nullptr)),
            "ncclBroadcast: ncclBroadcast of 2 int32, root 0" + end);
  EXPECT_EQ(foundAfter(nccl.allGather(numbers + 1, numbers, 2, NcclInt32, comm,
                                      nullptr)),
            "ncclAllGather: ncclAllGather of 2 int32" + end);
  EXPECT_EQ(foundAfter(nccl.reduceScatter(numbers, numbers + 1, 2, NcclInt32,
                                          NcclSum, comm, nullptr)),
            "ncclReduceScatter: ncclReduceScatter of 2 int32, sum" + end);
}

/// The second of two ranks: its part is not at the beginning.
TEST_F(NcclGroupTest, BuffersInPlaceOfAnotherRank) {
  run(2, [&](int rank, NcclComm pair) {
    int32_t own[4] = {1, 2, 3, 4};
    int32_t *other = own + 2 * (1 - rank);
    EXPECT_EQ(nccl.allGather(other, own, 2, NcclInt32, pair, nullptr),
              NcclInvalidArgument);
    EXPECT_EQ(
        nccl.reduceScatter(own, other, 2, NcclInt32, NcclSum, pair, nullptr),
        NcclInvalidArgument);
  });
  std::string text = found();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}
