//===- DeviceTest.cpp - what ranks compute in processes of their own ------===//

#include "test/Gpu/Libraries/Nccl/Ranks.h"

using namespace hocket::test;

using Floats = std::vector<float>;

static float *at(void *buffer, size_t element) {
  return static_cast<float *>(buffer) + element;
}

TEST(NcclDevice, SendsAndReceivesOfAGroupGoTogether) {
  runCleanly(4, [](Rank &r) {
    NcclComm comm = r.init();
    void *from = r.upload(Floats{float(r.rank), 10});
    void *to = r.fresh(4);
    int next = (r.rank + 1) % 4, before = (r.rank + 3) % 4;
    EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
    for (int peer : {next, before}) {
      int place = peer == next ? 0 : 2;
      EXPECT_EQ(r.nccl.send(from, 2, NcclFloat32, peer, comm, r.s),
                NcclSuccess);
      EXPECT_EQ(r.nccl.receive(at(to, place), 2, NcclFloat32, peer, comm, r.s),
                NcclSuccess);
    }
    EXPECT_EQ(r.nccl.groupEnd(), NcclSuccess);
    EXPECT_EQ(r.download(to, 4, r.s),
              (Floats{float(next), 10, float(before), 10}));
    r.destroy(comm);
    r.release();
  });
}

TEST(NcclDevice, Collectives) {
  runCleanly(3, [](Rank &r) {
    NcclComm comm = r.init();
    float own = r.rank + 1;
    void *from = r.upload(Floats{own, 10 * own, 100 * own});
    void *to = r.fresh(9);
    EXPECT_EQ(r.nccl.allGather(from, to, 3, NcclFloat32, comm, r.s),
              NcclSuccess);
    EXPECT_EQ(r.download(to, 9, r.s),
              (Floats{1, 10, 100, 2, 20, 200, 3, 30, 300}));
    EXPECT_EQ(r.nccl.broadcast(from, to, 3, NcclFloat32, 1, comm, r.s),
              NcclSuccess);
    EXPECT_EQ(r.download(to, 3, r.s), (Floats{2, 20, 200}));
    EXPECT_EQ(r.nccl.allReduce(from, to, 3, NcclFloat32, NcclSum, comm, r.s),
              NcclSuccess);
    EXPECT_EQ(r.download(to, 3, r.s), (Floats{6, 60, 600}));
    EXPECT_EQ(
        r.nccl.reduceScatter(from, to, 1, NcclFloat32, NcclMax, comm, r.s),
        NcclSuccess);
    EXPECT_EQ(r.download(to, 1, r.s), (Floats{Floats{3, 30, 300}[r.rank]}));
    r.destroy(comm);
    r.release();
  });
}

TEST(NcclDevice, AGraphCommunicatesAgain) {
  runCleanly(2, [](Rank &r) {
    NcclComm comm = r.init();
    void *data = r.upload(Floats{float(r.rank + 1)});
    Graph graph = nullptr;
    GraphExec exec = nullptr;
    EXPECT_EQ(r.cu.streamBeginCapture(r.s, CaptureThread), Success);
    EXPECT_EQ(r.nccl.allReduce(data, data, 1, NcclFloat32, NcclSum, comm, r.s),
              NcclSuccess);
    EXPECT_EQ(r.cu.streamEndCapture(r.s, &graph), Success);
    EXPECT_EQ(r.cu.graphInstantiate(&exec, graph, 0), Success);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(r.cu.graphLaunch(exec, r.s), Success);
    EXPECT_EQ(r.download(data, 1, r.s), (Floats{24}));
    EXPECT_EQ(r.cu.graphExecDestroy(exec), Success);
    EXPECT_EQ(r.cu.graphDestroy(graph), Success);
    r.destroy(comm);
    r.release();
  });
}

TEST(NcclDevice, SplitsByColorAndKey) {
  runCleanly(8, [](Rank &r) {
    NcclComm comm = r.init();
    // The even ranks, backwards; three of the odd ones.
    bool isEven = r.rank % 2 == 0;
    NcclComm part =
        r.split(comm, r.rank == 5 ? -1 : r.rank % 2, isEven ? -r.rank : 0);
    EXPECT_EQ(part == nullptr, r.rank == 5);
    if (part) {
      void *from = r.upload(Floats{float(r.rank)});
      void *to = r.fresh(4);
      EXPECT_EQ(r.nccl.allGather(from, to, 1, NcclFloat32, part, r.s),
                NcclSuccess);
      Floats ranks = isEven ? Floats{6, 4, 2, 0} : Floats{1, 3, 7};
      EXPECT_EQ(r.download(to, ranks.size(), r.s), ranks);
      r.destroy(part);
    }
    r.destroy(comm);
    r.release();
  });
}

/// Whatever the order of streams; each rank has more than one.
TEST(NcclDevice, EightRanksInAnyOrder) {
  for (const char *seed : {"0", "1", "2", "3"})
    runCleanly(
        8,
        [](Rank &r) {
          NcclComm comm = r.init();
          NcclComm row = r.split(comm, r.rank / 4, 0);
          NcclComm column = r.split(comm, r.rank % 4, 0);
          void *x = r.upload(Floats{1}), *y = r.upload(Floats{float(r.rank)});
          void *all = r.fresh(2);
          Stream other = r.stream();
          for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(r.nccl.allReduce(x, x, 1, NcclFloat32, NcclSum, row, r.s),
                      NcclSuccess);
            EXPECT_EQ(r.nccl.allGather(y, all, 1, NcclFloat32, column, other),
                      NcclSuccess);
          }
          EXPECT_EQ(r.download(x, 1, r.s), Floats{64});
          float above = r.rank % 4;
          EXPECT_EQ(r.download(all, 2, other), (Floats{above, above + 4}));
          for (NcclComm each : {row, column, comm})
            r.destroy(each);
          r.release();
        },
        {{"SEED", seed}});
}
