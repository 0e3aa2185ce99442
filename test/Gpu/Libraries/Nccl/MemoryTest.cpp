//===- MemoryTest.cpp - memory and streams that NCCL is given -------------===//

#include "test/Gpu/Libraries/Nccl/Ranks.h"

using namespace hocket::test;

using Floats = std::vector<float>;

namespace {

/// What the only rank finds, whose stream fails.
std::string foundAlone(const std::function<void(Rank &, NcclComm)> &body) {
  return runRanks(1,
                  [&](Rank &r) {
                    NcclComm comm = r.init();
                    body(r, comm);
                    EXPECT_EQ(r.cu.streamSynchronize(r.s), LaunchFailed);
                  })[0]
      .findings;
}

} // namespace

TEST(NcclMemory, BytesWithoutValues) {
  EXPECT_EQ(foundAlone([](Rank &r, NcclComm comm) {
              void *data = r.fresh(4);
              EXPECT_EQ(r.nccl.allReduce(data, data, 4, NcclFloat32, NcclSum,
                                         comm, r.s),
                        NcclSuccess);
            }),
            "ncclAllReduce (operation 1 in stream 1) reads 16 bytes at "
            "'allocation 1' + 0, where some have no value\n");
}

TEST(NcclMemory, BytesOfNoAllocation) {
  EXPECT_EQ(foundAlone([](Rank &r, NcclComm comm) {
              void *from = r.upload(Floats(4)), *to = r.fresh(3);
              EXPECT_EQ(r.nccl.allReduce(from, to, 4, NcclFloat32, NcclSum,
                                         comm, r.s),
                        NcclSuccess);
            }),
            "the end of ncclAllReduce (operation 3 in stream 1) writes 16 "
            "bytes at 'allocation 2', which has 12 bytes\n");
}

/// All ranks' parts of a gather, and all blocks of a scatter.
TEST(NcclMemory, BytesOfAllRanks) {
  auto run = [](const std::function<void(Rank &, NcclComm)> &body) {
    return runRanks(2,
                    [&](Rank &r) {
                      NcclComm comm = r.init();
                      body(r, comm);
                      if (r.rank == 1)
                        EXPECT_EQ(r.cu.streamSynchronize(r.s), LaunchFailed);
                    })[1]
        .findings;
  };
  EXPECT_EQ(run([](Rank &r, NcclComm comm) {
              void *from = r.upload(Floats(2)), *to = r.fresh(3);
              EXPECT_EQ(r.nccl.allGather(from, to, 2, NcclFloat32, comm, r.s),
                        NcclSuccess);
              if (r.rank == 0)
                r.isOverSoon(r.s);
            }),
            "the end of ncclAllGather (operation 3 in stream 1) writes 16 "
            "bytes at 'allocation 2', which has 12 bytes\n");
  EXPECT_EQ(run([](Rank &r, NcclComm comm) {
              void *from = r.upload(Floats(3)), *to = r.fresh(2);
              EXPECT_EQ(r.nccl.reduceScatter(from, to, 2, NcclFloat32, NcclSum,
                                             comm, r.s),
                        NcclSuccess);
            }),
            "ncclReduceScatter (operation 2 in stream 1) reads 16 bytes at "
            "'allocation 1', which has 12 bytes\n");
}

TEST(NcclMemory, ARaceOfBuffers) {
  std::string found = foundAlone([](Rank &r, NcclComm comm) {
    void *data = r.upload(Floats(4));
    Stream other = r.stream();
    EXPECT_EQ(
        r.cu.memsetD8Async(reinterpret_cast<DeviceAddress>(data), 0, 16, other),
        Success);
    EXPECT_EQ(r.nccl.allReduce(data, data, 4, NcclFloat32, NcclSum, comm, r.s),
              NcclSuccess);
    EXPECT_EQ(r.cu.streamSynchronize(other), LaunchFailed);
  });
  EXPECT_NE(found.find("a memset of 16 bytes (operation 2 in stream 2) writes "
                       "'allocation 1' from byte 0 to 16, which the end of "
                       "ncclAllReduce (operation 4 in stream 1) writes, and "
                       "nothing orders the two\n"),
            std::string::npos)
      << found;
}

/// One communicator in two streams: an event must order them.
TEST(NcclMemory, StreamsOfOneCommunicator) {
  auto run = [](bool hasOrder) {
    return [hasOrder](Rank &r) {
      NcclComm comm = r.init();
      void *x = r.upload(Floats{1}), *y = r.upload(Floats{2});
      Stream other = r.stream();
      Event event = nullptr;
      EXPECT_EQ(r.cu.eventCreate(&event, EventDisableTiming), Success);
      EXPECT_EQ(r.nccl.allReduce(x, x, 1, NcclFloat32, NcclSum, comm, r.s),
                NcclSuccess);
      if (hasOrder) {
        EXPECT_EQ(r.cu.eventRecord(event, r.s), Success);
        EXPECT_EQ(r.cu.streamWaitEvent(other, event, 0), Success);
      }
      EXPECT_EQ(r.nccl.allReduce(y, y, 1, NcclFloat32, NcclSum, comm, other),
                NcclSuccess);
      EXPECT_EQ(r.cu.streamSynchronize(other), Success);
      EXPECT_EQ(r.cu.streamSynchronize(r.s), hasOrder ? Success : LaunchFailed);
      if (!hasOrder)
        return;
      EXPECT_EQ(r.cu.eventDestroy(event), Success);
      r.destroy(comm);
      r.release();
    };
  };
  runCleanly(1, run(true));
  EXPECT_EQ(runRanks(1, run(false))[0].findings,
            "ncclAllReduce (operation 3 in stream 1) writes 'the state of "
            "communicator 1 (rank 0 of 1)' from byte 0 to 1, which the end of "
            "ncclAllReduce (operation 6 in stream 2) writes, and nothing "
            "orders the two\n");
}

/// A communicator knows its device; only making one asks for the current one.
TEST(NcclMemory, TheDeviceIsTheCommunicators) {
  auto role = [](Rank &r) {
    NcclComm comm = r.init(), none = nullptr;
    void *data = r.upload(Floats{1});
    Context second = nullptr;
    EXPECT_EQ(r.cu.devicePrimaryCtxRetain(&second, 1), Success);
    for (Context other : {second, Context()}) {
      EXPECT_EQ(r.cu.ctxSetCurrent(other), Success);
      EXPECT_EQ(
          r.nccl.allReduce(data, data, 1, NcclFloat32, NcclSum, comm, r.s),
          NcclSuccess);
    }
    NcclUniqueId id = r.id();
    EXPECT_EQ(r.nccl.commInitRankConfig(&none, 1, id, 0, nullptr),
              NcclInvalidArgument);
    r.useContext();
    EXPECT_EQ(r.download(data, 1, r.s), Floats{1});
    Stream other = nullptr;
    EXPECT_EQ(r.cu.ctxSetCurrent(second), Success);
    EXPECT_EQ(r.cu.streamCreate(&other, StreamNonBlocking), Success);
    EXPECT_EQ(
        r.nccl.allReduce(data, data, 1, NcclFloat32, NcclSum, comm, other),
        NcclSuccess);
    EXPECT_EQ(r.cu.streamSynchronize(other), LaunchFailed);
  };
  EXPECT_EQ(runRanks(1, role, {{"DEVICES", "2"}})[0].findings,
            "ncclCommInitRankConfig: there is no current context\n"
            "ncclAllReduce (operation 7 in stream 2) reads 'allocation 1' of "
            "device 0, which device 1 cannot reach\n");
}

/// Two devices of one process, one thread.
TEST(NcclMemory, TwoDevicesOfOneProcess) {
  auto role = [](Rank &r) {
    NcclUniqueId id = r.id();
    NcclComm comms[2] = {};
    Context contexts[2] = {};
    Stream streams[2] = {};
    DeviceAddress data[2] = {};
    EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
    for (int device : {0, 1}) {
      EXPECT_EQ(r.cu.devicePrimaryCtxRetain(&contexts[device], device),
                Success);
      EXPECT_EQ(r.cu.ctxSetCurrent(contexts[device]), Success);
      EXPECT_EQ(r.cu.streamCreate(&streams[device], StreamNonBlocking),
                Success);
      EXPECT_EQ(r.cu.memAlloc(&data[device], 8), Success);
      EXPECT_EQ(
          r.cu.memsetD8Async(data[device], device + 1, 4, streams[device]),
          Success);
      EXPECT_EQ(
          r.nccl.commInitRankConfig(&comms[device], 2, id, device, nullptr),
          NcclSuccess);
    }
    EXPECT_EQ(r.nccl.groupEnd(), NcclSuccess);
    EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
    for (int device : {0, 1}) {
      auto *from = reinterpret_cast<char *>(data[device]);
      EXPECT_EQ(r.nccl.send(from, 4, NcclInt8, 1 - device, comms[device],
                            streams[device]),
                NcclSuccess);
      EXPECT_EQ(r.nccl.receive(from + 4, 4, NcclInt8, 1 - device, comms[device],
                               streams[device]),
                NcclSuccess);
    }
    EXPECT_EQ(r.nccl.groupEnd(), NcclSuccess);
    for (int device : {0, 1}) {
      EXPECT_EQ(r.cu.ctxSetCurrent(contexts[device]), Success);
      auto *to = reinterpret_cast<void *>(data[device]);
      std::vector<int8_t> bytes = r.download<int8_t>(to, 8, streams[device]);
      EXPECT_EQ(bytes[0], 1 + device);
      EXPECT_EQ(bytes[4], 2 - device);
      EXPECT_EQ(r.cu.memFree(data[device]), Success);
      EXPECT_EQ(r.cu.streamDestroy(streams[device]), Success);
    }
    r.destroyTogether({comms[0], comms[1]});
    for (int device : {0, 1})
      EXPECT_EQ(r.cu.devicePrimaryCtxRelease(device), Success);
    r.useContext();
    r.release();
  };
  runCleanly(1, role, {{"DEVICES", "2"}});
}

TEST(NcclMemory, TwoRanksOfOneDevice) {
  std::string found =
      runRanks(1,
               [](Rank &r) {
                 NcclUniqueId id = r.id();
                 NcclComm comms[2] = {};
                 EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
                 for (int rank : {0, 1})
                   EXPECT_EQ(r.nccl.commInitRankConfig(&comms[rank], 2, id,
                                                       rank, nullptr),
                             NcclSuccess);
                 EXPECT_EQ(r.nccl.groupEnd(), NcclInvalidArgument);
                 for (NcclComm comm : comms)
                   EXPECT_EQ(r.nccl.commAbort(comm), NcclSuccess);
                 r.release();
               })[0]
          .findings;
  EXPECT_EQ(found, "ncclCommInitRankConfig: communicator 1 (rank 0 of 2): "
                   "ranks 0 and 1 have one device\n"
                   "ncclCommInitRankConfig: communicator 2 (rank 1 of 2): "
                   "ranks 0 and 1 have one device\n");
}

TEST(NcclMemory, GraphsOfACommunicatorThatEnds) {
  std::string found =
      runRanks(1,
               [](Rank &r) {
                 NcclComm comm = r.init();
                 void *data = r.upload(Floats{1});
                 Graph graph = nullptr;
                 GraphExec exec = nullptr;
                 r.cu.streamBeginCapture(r.s, CaptureThread);
                 EXPECT_EQ(r.nccl.allReduce(data, data, 1, NcclFloat32, NcclSum,
                                            comm, r.s),
                           NcclSuccess);
                 r.cu.streamEndCapture(r.s, &graph);
                 r.cu.graphInstantiate(&exec, graph, 0);
                 EXPECT_EQ(r.nccl.commFinalize(comm), NcclInvalidUsage);
                 EXPECT_EQ(r.nccl.commDestroy(comm), NcclInvalidUsage);
                 EXPECT_EQ(r.nccl.commAbort(comm), NcclSuccess);
                 EXPECT_EQ(r.cu.graphLaunch(exec, r.s), Success);
                 EXPECT_EQ(r.cu.streamSynchronize(r.s), LaunchFailed);
               })[0]
          .findings;
  std::string ends = ": communicator 1 (rank 0 of 1) has 1 calls in graphs "
                     "that are not destroyed\n";
  EXPECT_EQ(found,
            "ncclCommFinalize" + ends + "ncclCommDestroy" + ends +
                "ncclAllReduce (node 1 of graph 1, operation 2 in stream 1) "
                "runs on communicator 1 (rank 0 of 1), which was over when it "
                "was put into the stream\n");
}
