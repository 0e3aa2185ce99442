//===- FailureTest.cpp - ranks that end, errors and aborts ----------------===//

#include "test/Gpu/Libraries/Nccl/Ranks.h"
#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace hocket::test;

using Floats = std::vector<float>;

namespace {

NcclResult reduce(Rank &r, void *data, NcclComm comm) {
  return r.nccl.allReduce(data, data, 1, NcclFloat32, NcclSum, comm, r.s);
}

/// A communicator whose operation never ends is aborted.
void abortAndRelease(Rank &r, NcclComm comm) {
  EXPECT_FALSE(r.isOverSoon(r.s));
  EXPECT_EQ(r.nccl.commAbort(comm), NcclSuccess);
  EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
  r.release();
}

/// Sockets of the look-alike that processes of this test listen on.
std::vector<std::string> listening() {
  const std::string own = "@hocket-nccl-" + std::to_string(getpgrp()) + "-";
  std::vector<std::string> names;
  std::ifstream file("/proc/net/unix");
  for (std::string line; std::getline(file, line);) {
    size_t at = line.find(own);
    if (at != std::string::npos)
      names.push_back(line.substr(at));
  }
  return names;
}

} // namespace

TEST(NcclFailure, ARankIsKilled) {
  std::vector<std::string> before = listening();
  std::vector<Ended> ended = runRanks(4, [](Rank &r) {
    NcclComm comm = r.init();
    NcclComm pair = r.split(comm, r.rank / 2, 0);
    void *data = r.upload(Floats{1});
    r.barrier();
    if (r.rank == 0) // which has made the id
      kill(getpid(), SIGKILL);
    NcclResult error = NcclSuccess;
    if (r.rank == 1) {
      EXPECT_EQ(reduce(r, data, pair), NcclSuccess);
      EXPECT_FALSE(r.isOverSoon(r.s));
      EXPECT_EQ(r.nccl.commGetAsyncError(pair, &error), NcclSuccess);
      EXPECT_EQ(error, NcclSuccess); // it need not be noticed
    } else {                         // what does not wait for it goes on
      EXPECT_EQ(reduce(r, data, pair), NcclSuccess);
      EXPECT_EQ(r.download(data, 1, r.s), Floats{2});
    }
    EXPECT_EQ(r.nccl.commAbort(pair), NcclSuccess);
    EXPECT_EQ(r.nccl.commAbort(comm), NcclSuccess);
    EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
    r.release();
  });
  EXPECT_TRUE(WIFSIGNALED(ended[0].status));
  for (const Ended &each : ended)
    EXPECT_EQ(each.findings, "");
  EXPECT_EQ(listening(), before);
}

TEST(NcclFailure, AKilledRankIsNoticedWhereATestWantsIt) {
  std::vector<Ended> ended = runRanks(
      2,
      [](Rank &r) {
        NcclComm comm = r.init();
        void *data = r.upload(Floats{1});
        r.barrier();
        if (r.rank == 1)
          kill(getpid(), SIGKILL);
        EXPECT_EQ(reduce(r, data, comm), NcclSuccess);
        EXPECT_EQ(r.untilError(comm), NcclRemoteError);
        EXPECT_EQ(reduce(r, data, comm), NcclRemoteError);
        EXPECT_STREQ(r.nccl.getLastError(comm),
                     "rank 1 of communicator 1 (rank 0 of 2) has ended or "
                     "aborted");
        EXPECT_EQ(r.nccl.commDestroy(comm), NcclRemoteError);
        abortAndRelease(r, comm);
      },
      {{"NCCL_NOTICE", "20"}});
  EXPECT_EQ(ended[0].findings, "");
}

TEST(NcclFailure, AnAbortIsNoticedToo) {
  runCleanly(2,
             [](Rank &r) {
               NcclComm comm = r.init();
               void *data = r.upload(Floats{1});
               if (r.rank == 1) {
                 EXPECT_EQ(r.nccl.commAbort(comm), NcclSuccess);
                 r.release();
                 return;
               }
               EXPECT_EQ(reduce(r, data, comm), NcclSuccess);
               EXPECT_EQ(r.untilError(comm), NcclRemoteError);
               abortAndRelease(r, comm);
             },
             {{"NCCL_NOTICE", "20"}});
}

/// The stream goes on, and what it should have brought has no values.
TEST(NcclFailure, WhatIsAbortedHasNoValues) {
  std::vector<Ended> ended = runRanks(
      2,
      [](Rank &r) {
        NcclComm comm = r.init();
        void *data = r.upload(Floats{1}), *copy = r.fresh(1);
        if (r.rank == 0)
          EXPECT_EQ(reduce(r, data, comm), NcclSuccess);
        r.barrier();
        EXPECT_EQ(r.nccl.commAbort(comm), NcclSuccess);
        EXPECT_EQ(r.cu.memcpyDtoDAsync(reinterpret_cast<DeviceAddress>(copy),
                                       reinterpret_cast<DeviceAddress>(data), 4,
                                       r.s),
                  Success);
        EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
        float value = 0;
        EXPECT_EQ(r.cu.memcpyDtoHAsync(
                      &value, reinterpret_cast<DeviceAddress>(copy), 4, r.s),
                  Success);
        EXPECT_EQ(r.cu.streamSynchronize(r.s), r.rank ? Success : LaunchFailed);
        if (r.rank)
          r.release();
      },
      {{"UNDEFINED", "1"}});
  EXPECT_NE(ended[0].findings.find("have no value"), std::string::npos)
      << ended[0].findings;
  EXPECT_EQ(ended[1].findings, "");
}

TEST(NcclFailure, AnOperationEndsInAnError) {
  runCleanly(2,
             [](Rank &r) {
               NcclComm comm = r.init();
               NcclComm other = r.split(comm, 0, 0);
               void *data = r.upload(Floats{1});
               NcclResult error = NcclSuccess;
               EXPECT_EQ(reduce(r, data, comm), NcclSuccess);
               EXPECT_EQ(reduce(r, data, comm), NcclSuccess);
               EXPECT_FALSE(r.isOverSoon(r.s));
               EXPECT_EQ(r.nccl.commGetAsyncError(comm, &error), NcclSuccess);
               EXPECT_EQ(error, NcclSystemError);
               EXPECT_EQ(r.nccl.commGetAsyncError(other, &error), NcclSuccess);
               EXPECT_EQ(error, NcclSuccess);
               EXPECT_EQ(reduce(r, data, comm), NcclSystemError);
               EXPECT_STREQ(r.nccl.getLastError(comm),
                            "operation 2 is made to fail");
               r.barrier();
               EXPECT_EQ(r.nccl.commAbort(other), NcclSuccess);
               abortAndRelease(r, comm);
             },
             {{"FAIL", "ncclRemote:2=2"}});
}

TEST(NcclFailure, CallsFailWhereTestsWantIt) {
  runCleanly(1,
             [](Rank &r) {
               NcclUniqueId id{};
               EXPECT_EQ(r.nccl.getUniqueId(&id), NcclSystemError);
               EXPECT_STREQ(r.nccl.getLastError(nullptr),
                            "ncclGetUniqueId is made to fail");
               NcclComm comm = r.init();
               void *from = r.upload(Floats{1}), *to = r.fresh(1);
               EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
               EXPECT_EQ(r.nccl.send(from, 1, NcclFloat32, 0, comm, r.s),
                         NcclInternalError);
               EXPECT_EQ(r.nccl.receive(to, 1, NcclFloat32, 0, comm, r.s),
                         NcclSuccess);
               EXPECT_EQ(r.nccl.groupEnd(), NcclInternalError);
               EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
               EXPECT_EQ(r.nccl.send(from, 1, NcclFloat32, 0, comm, r.s),
                         NcclSuccess);
               EXPECT_EQ(r.nccl.groupEnd(), NcclSystemError);
               EXPECT_EQ(reduce(r, from, comm), NcclSuccess);
               EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
               EXPECT_EQ(r.nccl.commFinalize(comm), NcclRemoteError);
               r.destroy(comm);
               r.release();
             },
             {{"FAIL", "ncclGetUniqueId:1=2,ncclSend:1=3,ncclGroupEnd:2=2,"
                       "ncclCommFinalize:1=6"}});
}

TEST(NcclFailure, TheMakerOfTheIdHasEnded) {
  std::vector<Ended> ended = runRanks(2, [](Rank &r) {
    NcclUniqueId id = r.id();
    if (r.rank == 0)
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    // Also where that is known.
    for (int i = 0; i < 2; ++i) {
      NcclComm comm = nullptr;
      EXPECT_EQ(r.nccl.commInitRankConfig(&comm, 2, id, 1, nullptr),
                NcclSystemError);
      EXPECT_STREQ(r.nccl.getLastError(nullptr),
                   "the process that has made the unique id has ended");
      EXPECT_EQ(comm, nullptr);
    }
    r.release();
  });
  EXPECT_EQ(ended[1].findings, "");
}

/// A device goes on though its program waits elsewhere.
TEST(NcclFailure, ADeviceGoesOnByItself) {
  runCleanly(2, [](Rank &r) {
    NcclComm comm = r.init();
    void *data = r.upload(Floats{1});
    EXPECT_EQ(reduce(r, data, comm), NcclSuccess);
    if (r.rank == 0) {
      EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
      r.leave(0, 1);
    }
    while (!r.left(0)) // without a call of the driver
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(r.download(data, 1, r.s), Floats{2});
    r.destroy(comm);
    r.release();
  });
}

TEST(NcclFailure, WhatIsLeft) {
  std::vector<Ended> ended = runRanks(1, [](Rank &r) {
    r.init();
    EXPECT_EQ(r.nccl.groupStart(), NcclSuccess);
    r.release();
  });
  EXPECT_EQ(ended[0].findings,
            "NCCL: communicator 1 (rank 0 of 1) is neither destroyed nor "
            "aborted\nNCCL: 1 groups have no ncclGroupEnd\n");
}

TEST(NcclFailure, ANoticeThatIsNoNumber) {
  std::vector<Ended> ended =
      runRanks(1, [](Rank &r) { r.id(); }, {{"NCCL_NOTICE", "soon"}}, 70);
  EXPECT_EQ(WEXITSTATUS(ended[0].status), 70);
}
