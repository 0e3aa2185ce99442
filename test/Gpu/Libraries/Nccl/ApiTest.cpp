//===- ApiTest.cpp - our declarations are those of nccl.h -----------------===//

#include "runtime/lib/Cuda/Nccl/Api.h"
#include <gtest/gtest.h>

#ifndef HOCKET_NCCL_HEADER

TEST(NcclApi, IsTheHeaders) {
  GTEST_SKIP() << "nccl.h was not found when this was built";
}

#else

#include "test/Gpu/Libraries/SameCall.h"
#include <nccl.h>

using namespace hocket::runtime::cuda;
using hocket::test::SameCall;

namespace {

#define HOCKET_CHECK(symbol, type, name, parameters)                           \
  static_assert(                                                               \
      SameCall<decltype(NcclFunctions::name), decltype(&::symbol)>::value,     \
      #symbol " has other parameters");
HOCKET_CUDA_NCCL_FUNCTIONS(HOCKET_CHECK)
#undef HOCKET_CHECK

#define HOCKET_SAME(ours, theirs)                                              \
  static_assert(static_cast<long long>(ours) ==                                \
                    static_cast<long long>(theirs),                            \
                #ours " is another number")
HOCKET_SAME(NcclSuccess, ncclSuccess);
HOCKET_SAME(NcclUnhandledCudaError, ncclUnhandledCudaError);
HOCKET_SAME(NcclSystemError, ncclSystemError);
HOCKET_SAME(NcclInternalError, ncclInternalError);
HOCKET_SAME(NcclInvalidArgument, ncclInvalidArgument);
HOCKET_SAME(NcclInvalidUsage, ncclInvalidUsage);
HOCKET_SAME(NcclRemoteError, ncclRemoteError);
HOCKET_SAME(NcclInProgress, ncclInProgress);
HOCKET_SAME(NcclInt8, ncclInt8);
HOCKET_SAME(NcclUint8, ncclUint8);
HOCKET_SAME(NcclInt32, ncclInt32);
HOCKET_SAME(NcclUint32, ncclUint32);
HOCKET_SAME(NcclInt64, ncclInt64);
HOCKET_SAME(NcclUint64, ncclUint64);
HOCKET_SAME(NcclFloat16, ncclFloat16);
HOCKET_SAME(NcclFloat32, ncclFloat32);
HOCKET_SAME(NcclFloat64, ncclFloat64);
HOCKET_SAME(NcclBfloat16, ncclBfloat16);
HOCKET_SAME(NcclSum, ncclSum);
HOCKET_SAME(NcclProd, ncclProd);
HOCKET_SAME(NcclMax, ncclMax);
HOCKET_SAME(NcclMin, ncclMin);
HOCKET_SAME(NcclConfig::undefined, NCCL_CONFIG_UNDEF_INT);
HOCKET_SAME(sizeof(NcclUniqueId), sizeof(ncclUniqueId));
HOCKET_SAME(alignof(NcclUniqueId), alignof(ncclUniqueId));
// What is left of a configuration behind ours is as NCCL would set it.
HOCKET_SAME(offsetof(NcclConfig, size), offsetof(ncclConfig_t, size));
HOCKET_SAME(offsetof(NcclConfig, magic), offsetof(ncclConfig_t, magic));
HOCKET_SAME(offsetof(NcclConfig, version), offsetof(ncclConfig_t, version));
HOCKET_SAME(offsetof(NcclConfig, blocking), offsetof(ncclConfig_t, blocking));
HOCKET_SAME(offsetof(NcclConfig, cgaClusterSize),
            offsetof(ncclConfig_t, cgaClusterSize));
HOCKET_SAME(offsetof(NcclConfig, minCTAs), offsetof(ncclConfig_t, minCTAs));
HOCKET_SAME(offsetof(NcclConfig, maxCTAs), offsetof(ncclConfig_t, maxCTAs));
HOCKET_SAME(offsetof(NcclConfig, netName), offsetof(ncclConfig_t, netName));
HOCKET_SAME(offsetof(NcclConfig, splitShare),
            offsetof(ncclConfig_t, splitShare));
static_assert(sizeof(NcclConfig) <= sizeof(ncclConfig_t));
static_assert(std::is_same_v<NcclComm, ncclComm_t>);

} // namespace

// The comparisons above are made when this is compiled; the default values of
// a configuration when it runs.
TEST(NcclApi, IsTheHeaders) {
  NcclConfig ours;
  ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(ours.magic, theirs.magic);
  EXPECT_EQ(ours.blocking, theirs.blocking);
  EXPECT_EQ(ours.cgaClusterSize, theirs.cgaClusterSize);
  EXPECT_EQ(ours.minCTAs, theirs.minCTAs);
  EXPECT_EQ(ours.maxCTAs, theirs.maxCTAs);
  EXPECT_EQ(ours.netName, theirs.netName);
  EXPECT_EQ(ours.splitShare, theirs.splitShare);
  EXPECT_LE(ours.version, theirs.version);
}

#endif
