//===- NonblockingTest.cpp - calls that are over when they are polled -----===//

#include "test/Gpu/Libraries/Nccl/Ranks.h"
#include <thread>

using namespace hocket::test;

using Floats = std::vector<float>;

namespace {

NcclConfig nonblocking() {
  NcclConfig config;
  config.blocking = 0;
  return config;
}

/// The first of three calls is over at once, the others are in progress.
NcclResult reduce(Rank &r, void *data, NcclComm comm) {
  return r.nccl.allReduce(data, data, 1, NcclFloat32, NcclSum, comm, r.s);
}

} // namespace

TEST(NcclNonblocking, SomeCallsAreInProgress) {
  runCleanly(2, [](Rank &r) {
    NcclComm comm = r.init(nonblocking());
    void *data = r.upload(Floats{1});
    int inProgress = 0;
    for (int i = 0; i < 6; ++i) {
      inProgress += reduce(r, data, comm) == NcclInProgress;
      EXPECT_EQ(r.poll(comm), NcclSuccess);
    }
    EXPECT_EQ(inProgress, 4);
    EXPECT_EQ(r.download(data, 1, r.s), Floats{64});
    NcclComm all = r.split(comm, 0, -r.rank);
    EXPECT_EQ(r.nccl.broadcast(data, data, 1, NcclFloat32, 0, all, r.s),
              NcclSuccess);
    EXPECT_EQ(r.download(data, 1, r.s), Floats{64});
    r.destroy(all);
    r.destroy(comm);
    r.release();
  });
}

/// What is put into the stream before that comes first.
TEST(NcclNonblocking, NothingIsInTheStreamUntilACallIsOver) {
  runCleanly(2, [](Rank &r) {
    NcclComm comm = r.init(nonblocking());
    void *data = r.upload(Floats{1});
    auto address = reinterpret_cast<DeviceAddress>(data);
    NcclResult result = reduce(r, data, comm);
    for (int calls = 1; result != NcclInProgress; ++calls) {
      ASSERT_LT(calls, 3);
      result = reduce(r, data, comm);
    }
    EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
    EXPECT_EQ(r.cu.memsetD8Async(address, 0, 4, r.s), Success);
    EXPECT_EQ(r.poll(comm), NcclSuccess);
    EXPECT_EQ(r.download(data, 1, r.s), Floats{0});
    r.destroy(comm);
    r.release();
  });
}

/// A thread that watches has no context.
TEST(NcclNonblocking, AnotherThreadPolls) {
  runCleanly(2, [](Rank &r) {
    NcclComm comm = r.init(nonblocking());
    void *data = r.upload(Floats{1});
    for (int i = 0; i < 3; ++i) {
      NcclResult result = reduce(r, data, comm);
      if (result == NcclInProgress)
        std::thread([&] { result = r.poll(comm); }).join();
      EXPECT_EQ(result, NcclSuccess);
    }
    EXPECT_EQ(r.download(data, 1, r.s), Floats{8});
    NcclComm part = nullptr;
    if (r.nccl.commSplit(comm, 0, 0, &part, nullptr) == NcclInProgress)
      std::thread([&] { EXPECT_EQ(r.poll(comm), NcclSuccess); }).join();
    EXPECT_EQ(r.poll(part), NcclSuccess);
    r.destroy(part);
    r.destroy(comm);
    r.release();
  });
}

TEST(NcclNonblocking, Captured) {
  runCleanly(2, [](Rank &r) {
    NcclComm comm = r.init(nonblocking());
    void *data = r.upload(Floats{1});
    Graph graph = nullptr;
    GraphExec exec = nullptr;
    EXPECT_EQ(r.cu.streamBeginCapture(r.s, CaptureThread), Success);
    for (int i = 0; i < 3; ++i)
      if (reduce(r, data, comm) == NcclInProgress)
        EXPECT_EQ(r.poll(comm), NcclSuccess);
    EXPECT_EQ(r.cu.streamEndCapture(r.s, &graph), Success);
    EXPECT_EQ(r.cu.graphInstantiate(&exec, graph, 0), Success);
    EXPECT_EQ(r.cu.graphLaunch(exec, r.s), Success);
    EXPECT_EQ(r.cu.graphLaunch(exec, r.s), Success);
    EXPECT_EQ(r.download(data, 1, r.s), Floats{64});
    EXPECT_EQ(r.cu.graphExecDestroy(exec), Success);
    EXPECT_EQ(r.cu.graphDestroy(graph), Success);
    r.destroy(comm);
    r.release();
  });
}

/// All communicators of a group are in progress until all its calls are over.
TEST(NcclNonblocking, AGroupOnTwoCommunicators) {
  std::vector<Ended> ended = runRanks(2, [](Rank &r) {
    NcclComm a = r.init(nonblocking()), b = r.split(a, 0, 0);
    void *x = r.upload(Floats{1}), *y = r.upload(Floats{2});
    NcclResult result = NcclSuccess;
    for (int times = 0; result == NcclSuccess; ++times) {
      ASSERT_LT(times, 3);
      EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
      for (NcclComm comm : {a, b})
        EXPECT_EQ(reduce(r, comm == a ? x : y, comm), NcclSuccess);
      result = r.nccl.groupEnd();
    }
    EXPECT_EQ(result, NcclInProgress);
    EXPECT_EQ(reduce(r, y, b), NcclInvalidArgument);
    EXPECT_EQ(r.poll(b), NcclSuccess);
    EXPECT_EQ(r.poll(a), NcclSuccess);
    EXPECT_GT(r.download(y, 1, r.s)[0], 2);
    r.destroy(b);
    r.destroy(a);
    r.release();
  });
  EXPECT_EQ(ended[0].findings,
            "ncclAllReduce: communicator 2 (rank 0 of 2) is used while a call "
            "on it is in progress\n");
}

/// An error of the driver is one of the communicator.
TEST(NcclNonblocking, AStreamThatIsNone) {
  std::vector<Ended> ended = runRanks(1, [](Rank &r) {
    NcclComm comm = r.init(nonblocking());
    void *data = r.upload(Floats{1});
    NcclResult result = NcclSuccess;
    r.s = nullptr;
    for (int i = 0; i < 3 && result != NcclInProgress; ++i)
      result = reduce(r, data, comm);
    EXPECT_EQ(result, NcclInProgress);
    EXPECT_EQ(r.poll(comm), NcclUnhandledCudaError);
    EXPECT_EQ(reduce(r, data, comm), NcclUnhandledCudaError);
    EXPECT_STREQ(r.nccl.getLastError(comm),
                 "a call on the communicator has failed");
    EXPECT_EQ(r.nccl.commAbort(comm), NcclSuccess);
    r.release();
  });
  std::string line = "ncclAllReduce is given the default stream; all work "
                     "belongs into streams that the program has made\n";
  EXPECT_TRUE(ended[0].findings == line || ended[0].findings == line + line)
      << ended[0].findings;
}
