//===- AgreementTest.cpp - what ranks must agree about --------------------===//

#include "test/Gpu/Libraries/Nccl/Ranks.h"

using namespace hocket::test;

using Floats = std::vector<float>;

namespace {

/// Two ranks whose calls differ: each is told, and its stream fails.
std::vector<std::string>
foundByBoth(const std::function<void(Rank &, NcclComm, void *)> &body) {
  std::vector<std::string> found;
  for (const Ended &ended : runRanks(2, [&](Rank &r) {
         NcclComm comm = r.init();
         void *data = r.upload(Floats(8, 1));
         body(r, comm, data);
         EXPECT_EQ(r.cu.streamSynchronize(r.s), LaunchFailed);
       }))
    found.push_back(ended.findings);
  return found;
}

NcclResult pass(Rank &r, NcclComm comm, void *data, size_t count,
                NcclType type = NcclFloat32) {
  return r.rank == 0 ? r.nccl.send(data, count, type, 1, comm, r.s)
                     : r.nccl.receive(data, count, type, 0, comm, r.s);
}

} // namespace

TEST(NcclAgreement, Collectives) {
  std::vector<std::string> found = foundByBoth([](Rank &r, NcclComm comm,
                                                  void *data) {
    EXPECT_EQ(r.nccl.broadcast(data, data, 1, NcclFloat32, 1, comm, r.s),
              NcclSuccess);
    NcclResult result =
        r.rank == 0
            ? r.nccl.allReduce(data, data, 4, NcclFloat32, NcclSum, comm, r.s)
            : r.nccl.broadcast(data, data, 4, NcclFloat32, 0, comm, r.s);
    EXPECT_EQ(result, NcclSuccess);
  });
  EXPECT_EQ(found[0], "the end of ncclAllReduce (operation 5 in stream 1) is "
                      "collective 2 of communicator 1 (rank 0 of 2), "
                      "ncclAllReduce of 4 float32, sum, where rank 1 calls "
                      "ncclBroadcast of 4 float32, root 0\n");
  EXPECT_EQ(found[1], "the end of ncclBroadcast (operation 5 in stream 1) is "
                      "collective 2 of communicator 1 (rank 1 of 2), "
                      "ncclBroadcast of 4 float32, root 0, where rank 0 calls "
                      "ncclAllReduce of 4 float32, sum\n");
}

/// Each of them differs in one thing.
TEST(NcclAgreement, CountsTypesOperatorsAndRoots) {
  auto differ = [](const std::function<void(Rank &, NcclComm, void *)> &body,
                   const std::string &other) {
    std::string found = foundByBoth(body)[0];
    EXPECT_NE(found.find(", where rank 1 calls " + other + "\n"),
              std::string::npos)
        << found;
  };
  differ(
      [](Rank &r, NcclComm comm, void *data) {
        r.nccl.allReduce(data, data, 4 + r.rank, NcclFloat32, NcclSum, comm,
                         r.s);
      },
      "ncclAllReduce of 5 float32, sum");
  differ(
      [](Rank &r, NcclComm comm, void *data) {
        r.nccl.allReduce(data, data, 4, r.rank ? NcclInt32 : NcclFloat32,
                         NcclSum, comm, r.s);
      },
      "ncclAllReduce of 4 int32, sum");
  differ(
      [](Rank &r, NcclComm comm, void *data) {
        r.nccl.reduceScatter(data, static_cast<float *>(data) + r.rank, 1,
                             NcclFloat32, r.rank ? NcclMax : NcclSum, comm,
                             r.s);
      },
      "ncclReduceScatter of 1 float32, maximum");
  differ(
      [](Rank &r, NcclComm comm, void *data) {
        r.nccl.broadcast(data, data, 4, NcclFloat32, r.rank, comm, r.s);
      },
      "ncclBroadcast of 4 float32, root 1");
}

TEST(NcclAgreement, CountsAndTypesOfMessages) {
  std::vector<std::string> found =
      foundByBoth([](Rank &r, NcclComm comm, void *data) {
        EXPECT_EQ(pass(r, comm, data, 4 - r.rank), NcclSuccess);
      });
  EXPECT_EQ(found[0], "the end of ncclSend (operation 3 in stream 1) sends 4 "
                      "float32 on communicator 1 (rank 0 of 2) where rank 1 "
                      "receives 3 float32\n");
  EXPECT_EQ(found[1], "the end of ncclRecv (operation 3 in stream 1) receives "
                      "3 float32 on communicator 1 (rank 1 of 2) where rank 0 "
                      "sends 4 float32\n");
  found = foundByBoth([](Rank &r, NcclComm comm, void *data) {
    EXPECT_EQ(pass(r, comm, data, 4, r.rank ? NcclInt32 : NcclFloat32),
              NcclSuccess);
  });
  EXPECT_NE(found[0].find("sends 4 float32 on communicator 1 (rank 0 of 2) "
                          "where rank 1 receives 4 int32\n"),
            std::string::npos)
      << found[0];
}

/// If one rank's buffers are registered, the documents want all ranks' to be.
TEST(NcclAgreement, RegisteredBuffers) {
  std::vector<std::string> found = foundByBoth([](Rank &r, NcclComm comm,
                                                  void *data) {
    void *handle = nullptr;
    if (r.rank == 1)
      EXPECT_EQ(r.nccl.commRegister(comm, data, 32, &handle), NcclSuccess);
    EXPECT_EQ(r.nccl.allReduce(data, data, 4, NcclFloat32, NcclSum, comm, r.s),
              NcclSuccess);
  });
  EXPECT_EQ(found[0], "the end of ncclAllReduce (operation 3 in stream 1) has "
                      "no registered buffer on communicator 1 (rank 0 of 2), "
                      "where rank 1 has registered buffers alone\n");
  EXPECT_NE(found[1].find("has registered buffers alone on communicator 1 "
                          "(rank 1 of 2), where rank 0 has no registered "
                          "buffer\n"),
            std::string::npos)
      << found[1];
  found = foundByBoth([](Rank &r, NcclComm comm, void *data) {
    void *handle = nullptr, *to = r.fresh(4);
    EXPECT_EQ(r.nccl.commRegister(comm, data, 32, &handle), NcclSuccess);
    EXPECT_EQ(r.nccl.allReduce(data, r.rank ? data : to, 4, NcclFloat32,
                               NcclSum, comm, r.s),
              NcclSuccess);
  });
  EXPECT_NE(found[0].find("has some registered buffers on communicator 1 "
                          "(rank 0 of 2), where rank 1 has registered buffers "
                          "alone\n"),
            std::string::npos)
      << found[0];
}

namespace {

/// What rank 0 is told where rank 1 issues two calls in the other order.
std::string otherOrder(const std::string &first, const std::string &second,
                       int rank, int communicator) {
  return first + " is issued before " + second + ", but rank " +
         std::to_string(rank) + " of communicator " +
         std::to_string(communicator) +
         " issues their other sides in the other order, so that each may wait "
         "for the other\n";
}

/// Two ranks that issue all_reduce on A and all_gather on B, rank 1 the other
/// way around, in two streams; in a graph or not.
void issueBoth(Rank &r, bool inGraph) {
  NcclComm a = r.init(), b = r.split(a, 0, 0);
  void *x = r.upload(Floats{1}), *y = r.upload(Floats{2});
  void *z = r.fresh(2);
  Stream other = r.stream();
  Event event = nullptr;
  EXPECT_EQ(r.cu.eventCreate(&event, EventDisableTiming), Success);
  if (inGraph) {
    EXPECT_EQ(r.cu.streamBeginCapture(r.s, CaptureThread), Success);
    EXPECT_EQ(r.cu.eventRecord(event, r.s), Success);
    EXPECT_EQ(r.cu.streamWaitEvent(other, event, 0), Success);
  }
  for (bool onA : {r.rank == 0, r.rank != 0})
    EXPECT_EQ(onA ? r.nccl.allReduce(x, x, 1, NcclFloat32, NcclSum, a, r.s)
                  : r.nccl.allGather(y, z, 1, NcclFloat32, b, other),
              NcclSuccess);
  GraphExec exec = nullptr;
  if (inGraph) {
    Graph graph = nullptr;
    EXPECT_EQ(r.cu.eventRecord(event, other), Success);
    EXPECT_EQ(r.cu.streamWaitEvent(r.s, event, 0), Success);
    EXPECT_EQ(r.cu.streamEndCapture(r.s, &graph), Success);
    EXPECT_EQ(r.cu.graphInstantiate(&exec, graph, 0), Success);
    EXPECT_EQ(r.cu.graphDestroy(graph), Success);
    EXPECT_EQ(r.cu.graphLaunch(exec, r.s), Success);
  }
  EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
  EXPECT_EQ(r.cu.streamSynchronize(other), Success);
  if (exec)
    EXPECT_EQ(r.cu.graphExecDestroy(exec), Success);
  EXPECT_EQ(r.cu.eventDestroy(event), Success);
  r.destroy(b);
  r.destroy(a);
  r.release();
}

void findOtherOrder(bool inGraph) {
  std::string onA = "ncclAllReduce of 1 float32, sum on communicator 1 (rank ";
  std::string onB = "ncclAllGather of 1 float32 on communicator 2 (rank ";
  std::vector<Ended> ended =
      runRanks(2, [=](Rank &r) { issueBoth(r, inGraph); });
  // Which of the two pairs is found second differs.
  for (int rank : {0, 1}) {
    std::string a = onA + std::to_string(rank) + " of 2)";
    std::string b = onB + std::to_string(rank) + " of 2)";
    bool isTold = false;
    for (int communicator : {1, 2})
      isTold |= ended[rank].findings ==
                otherOrder(rank ? b : a, rank ? a : b, 1 - rank, communicator);
    EXPECT_TRUE(isTold) << ended[rank].findings;
  }
}

} // namespace

TEST(NcclAgreement, TheOrderOfTwoCommunicators) { findOtherOrder(false); }

TEST(NcclAgreement, TheOrderOfTwoCommunicatorsInAGraph) {
  findOtherOrder(true);
}

/// In one stream they wait for each other and never end.
TEST(NcclAgreement, TheOrderOfTwoCommunicatorsInAStream) {
  for (const Ended &ended : runRanks(2, [](Rank &r) {
         NcclComm a = r.init(), b = r.split(a, 0, 0);
         void *x = r.upload(Floats{1}), *y = r.upload(Floats{2});
         for (bool onA : {r.rank == 0, r.rank != 0})
           EXPECT_EQ(r.nccl.allReduce(onA ? x : y, onA ? x : y, 1, NcclFloat32,
                                      NcclSum, onA ? a : b, r.s),
                     NcclSuccess);
         EXPECT_FALSE(r.isOverSoon(r.s));
         r.barrier();
         EXPECT_EQ(r.nccl.commAbort(a), NcclSuccess);
         EXPECT_EQ(r.nccl.commAbort(b), NcclSuccess);
         EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
         r.release();
       }))
    EXPECT_NE(ended.findings.find("issues their other sides in the other "
                                  "order, so that each may wait"),
              std::string::npos)
        << ended.findings;
}

/// Without a group neither of two sends goes on.
TEST(NcclAgreement, BothSendFirst) {
  for (const Ended &ended : runRanks(2, [](Rank &r) {
         NcclComm comm = r.init();
         void *from = r.upload(Floats{1}), *to = r.fresh(1);
         int peer = 1 - r.rank;
         EXPECT_EQ(r.nccl.send(from, 1, NcclFloat32, peer, comm, r.s),
                   NcclSuccess);
         EXPECT_EQ(r.nccl.receive(to, 1, NcclFloat32, peer, comm, r.s),
                   NcclSuccess);
         EXPECT_FALSE(r.isOverSoon(r.s));
         r.barrier();
         EXPECT_EQ(r.nccl.commAbort(comm), NcclSuccess);
         EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
         r.release();
       }))
    EXPECT_NE(ended.findings.find("is issued before ncclRecv of 1 float32 from "
                                  "rank "),
              std::string::npos)
        << ended.findings;
}

TEST(NcclAgreement, ASendWaitsForItsReceive) {
  runCleanly(2, [](Rank &r) {
    NcclComm comm = r.init();
    void *data = r.upload(Floats{float(r.rank)});
    if (r.rank == 0) {
      EXPECT_EQ(pass(r, comm, data, 1), NcclSuccess);
      EXPECT_FALSE(r.isOverSoon(r.s));
    }
    r.barrier();
    if (r.rank == 1)
      EXPECT_EQ(pass(r, comm, data, 1), NcclSuccess);
    EXPECT_EQ(r.download(data, 1, r.s), Floats{0});
    r.destroy(comm);
    r.release();
  });
}

/// Calls of one group have one place, whatever their order in it.
TEST(NcclAgreement, TheOrderWithinAGroupIsFree) {
  runCleanly(2, [](Rank &r) {
    NcclComm comm = r.init();
    void *from = r.upload(Floats{1}), *to = r.fresh(1);
    int peer = 1 - r.rank;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
      for (bool sends : {r.rank == 0, r.rank != 0})
        EXPECT_EQ(sends ? r.nccl.send(from, 1, NcclFloat32, peer, comm, r.s)
                        : r.nccl.receive(to, 1, NcclFloat32, peer, comm, r.s),
                  NcclSuccess);
      EXPECT_EQ(r.nccl.groupEnd(), NcclSuccess);
    }
    EXPECT_EQ(r.download(to, 1, r.s), Floats{1});
    r.destroy(comm);
    r.release();
  });
}
