//===- BuffersTest.cpp - memory that is registered or allocated -----------===//

#include "test/Gpu/Libraries/Nccl/Ranks.h"

using namespace hocket::test;

using Floats = std::vector<float>;

namespace {

/// What a call on a communicator finds that fails alone.
std::string foundInCall(const std::function<void(Rank &, NcclComm)> &body) {
  return runRanks(1,
                  [&](Rank &r) {
                    NcclComm comm = r.init();
                    body(r, comm);
                    r.destroy(comm);
                    r.release();
                  })[0]
      .findings;
}

void *later(void *buffer, size_t floats) {
  return static_cast<float *>(buffer) + floats;
}

} // namespace

TEST(NcclBuffers, Registrations) {
  EXPECT_EQ(
      foundInCall([](Rank &r, NcclComm comm) {
        void *data = r.upload(Floats(4)), *handle = nullptr, *part = nullptr;
        EXPECT_EQ(r.nccl.commRegister(comm, data, 16, &handle), NcclSuccess);
        EXPECT_EQ(r.nccl.commRegister(comm, later(data, 1), 12, &part),
                  NcclSuccess);
        EXPECT_EQ(r.nccl.commRegister(comm, later(data, 1), 16, &part),
                  NcclInvalidArgument);
        EXPECT_EQ(r.nccl.commRegister(comm, data, 0, &part),
                  NcclInvalidArgument);
        EXPECT_EQ(r.nccl.commFinalize(comm), NcclInvalidUsage);
        EXPECT_EQ(r.nccl.commDestroy(comm), NcclInvalidUsage);
        EXPECT_EQ(
            r.nccl.allReduce(data, data, 4, NcclFloat32, NcclSum, comm, r.s),
            NcclSuccess);
        EXPECT_EQ(r.nccl.commDeregister(comm, part), NcclInvalidArgument);
        EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
        EXPECT_EQ(r.nccl.commDeregister(comm, handle), NcclSuccess);
        EXPECT_EQ(r.nccl.commDeregister(comm, handle), NcclInvalidArgument);
        EXPECT_EQ(r.nccl.commDeregister(comm, nullptr), NcclSuccess);
      }),
      "ncclCommRegister: 16 bytes of a buffer are not in one allocation\n"
      "ncclCommRegister: 0 bytes of a buffer are not in one allocation\n"
      "ncclCommFinalize: communicator 1 (rank 0 of 1) has 2 buffers that are "
      "not deregistered\n"
      "ncclCommDestroy: communicator 1 (rank 0 of 1) has 2 buffers that are "
      "not deregistered\n"
      "ncclCommDeregister: communicator 1 (rank 0 of 1) has 1 operations that "
      "are not over\n"
      "ncclCommDeregister: there is no such registration with communicator 1 "
      "(rank 0 of 1)\n");
  EXPECT_EQ(
      foundInCall([](Rank &r, NcclComm comm) {
        void *data = nullptr, *handle = nullptr;
        EXPECT_EQ(r.nccl.memAlloc(&data, 16), NcclSuccess);
        EXPECT_EQ(r.nccl.commRegister(comm, data, 16, &handle), NcclSuccess);
        EXPECT_EQ(r.nccl.memFree(data), NcclSuccess);
        EXPECT_EQ(r.nccl.commDeregister(comm, handle), NcclInvalidArgument);
      }),
      "ncclCommDeregister: the buffer was freed before\n");
}

TEST(NcclBuffers, AllocatedByNccl) {
  runCleanly(1, [](Rank &r) {
    NcclComm comm = r.init();
    void *data = nullptr;
    EXPECT_EQ(r.nccl.memAlloc(&data, 8), NcclSuccess);
    EXPECT_EQ(
        r.cu.memsetD8Async(reinterpret_cast<DeviceAddress>(data), 0, 8, r.s),
        Success);
    EXPECT_EQ(r.nccl.allReduce(data, data, 2, NcclFloat32, NcclSum, comm, r.s),
              NcclSuccess);
    EXPECT_EQ(r.download(data, 2, r.s), (Floats{0, 0}));
    EXPECT_EQ(r.nccl.memFree(data), NcclSuccess);
    EXPECT_EQ(r.nccl.memFree(nullptr), NcclSuccess);
    r.destroy(comm);
    r.release();
  });
}

TEST(NcclBuffers, NotFreedAsItWasAllocated) {
  std::string found =
      runRanks(1,
               [](Rank &r) {
                 void *none = nullptr, *left = nullptr, *wrong = nullptr;
                 EXPECT_EQ(r.nccl.memAlloc(&none, 0), NcclInvalidArgument);
                 EXPECT_EQ(r.nccl.memAlloc(&none, 1 << 20),
                           NcclUnhandledCudaError);
                 EXPECT_EQ(r.nccl.memFree(r.fresh(1)), NcclInvalidArgument);
                 EXPECT_EQ(r.nccl.memAlloc(&left, 8), NcclSuccess);
                 EXPECT_EQ(r.nccl.memAlloc(&wrong, 12), NcclSuccess);
                 EXPECT_EQ(r.cu.memFree(reinterpret_cast<DeviceAddress>(wrong)),
                           Success);
                 r.release();
               },
               {{"MEMORY", "65536"}})[0]
          .findings;
  EXPECT_EQ(found,
            "ncclMemAlloc: 0 bytes are asked for\n"
            "ncclMemFree: the buffer is not one of ncclMemAlloc\n"
            "NCCL: 12 bytes of ncclMemAlloc are not freed with ncclMemFree\n"
            "'allocation 2' of 8 bytes is not released when the process "
            "ends\n");
}

TEST(NcclBuffers, SplitWhileOperationsAreNotOver) {
  EXPECT_EQ(foundInCall([](Rank &r, NcclComm comm) {
              void *data = r.upload(Floats{1});
              NcclComm made = nullptr;
              EXPECT_EQ(r.nccl.allReduce(data, data, 1, NcclFloat32, NcclSum,
                                         comm, r.s),
                        NcclSuccess);
              EXPECT_EQ(r.nccl.commSplit(comm, 0, 0, &made, nullptr),
                        NcclInvalidArgument);
              EXPECT_EQ(r.cu.streamSynchronize(r.s), Success);
            }),
            "ncclCommSplit: communicator 1 (rank 0 of 1) has 1 operations "
            "that are not over\n");
}
