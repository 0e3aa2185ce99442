//===- Api.h - what Hocket calls of NCCL -----------------------*- C++ -*-===//
//
// NCCL 2.18 and newer, declared here, so that Hocket builds where it is not
// installed, and found when a program starts (NcclLibrary.h). The names are
// those of the library; sizes, numbers and types equal nccl.h's, which test/Gpu
// compares.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_NCCL_API_H
#define HOCKET_RUNTIME_LIB_CUDA_NCCL_API_H

#include "runtime/lib/Cuda/Driver/Api.h"
#include <climits>

// As the header of the library has it, so that its own and this meet.
struct ncclComm;

namespace hocket::runtime::cuda {

using NcclComm = ncclComm *;

/// ncclResult_t.
enum NcclResult : int {
  NcclSuccess = 0,
  NcclUnhandledCudaError = 1,
  NcclSystemError = 2,
  NcclInternalError = 3,
  NcclInvalidArgument = 4,
  NcclInvalidUsage = 5,
  NcclRemoteError = 6,
  NcclInProgress = 7,
};

/// ncclDataType_t.
enum NcclType : int {
  NcclInt8 = 0,
  NcclUint8 = 1,
  NcclInt32 = 2,
  NcclUint32 = 3,
  NcclInt64 = 4,
  NcclUint64 = 5,
  NcclFloat16 = 6,
  NcclFloat32 = 7,
  NcclFloat64 = 8,
  NcclBfloat16 = 9,
};

/// ncclRedOp_t.
enum NcclOperator : int { NcclSum = 0, NcclProd = 1, NcclMax = 2, NcclMin = 3 };

/// ncclUniqueId.
struct NcclUniqueId {
  char bytes[128];
};

/// ncclConfig_t as it was in 2.18, by whose size and version newer libraries
/// know what it leaves out.
struct NcclConfig {
  static constexpr int undefined = INT_MIN;

  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int blocking = undefined;
  int cgaClusterSize = undefined;
  int minCTAs = undefined;
  int maxCTAs = undefined;
  const char *netName = nullptr;
  int splitShare = undefined;
};

/// The functions, X(name in the library, type of the result, name here,
/// parameters).
#define HOCKET_CUDA_NCCL_FUNCTIONS(X)                                          \
  X(ncclGetVersion, NcclResult, getVersion, (int *version))                    \
  X(ncclGetErrorString, const char *, getErrorString, (NcclResult result))     \
  X(ncclGetLastError, const char *, getLastError, (NcclComm comm))             \
  X(ncclGetUniqueId, NcclResult, getUniqueId, (NcclUniqueId * id))             \
  X(ncclCommInitRankConfig, NcclResult, commInitRankConfig,                    \
    (NcclComm * comm, int ranks, NcclUniqueId id, int rank,                    \
     NcclConfig *config))                                                      \
  X(ncclCommSplit, NcclResult, commSplit,                                      \
    (NcclComm comm, int color, int key, NcclComm *made, NcclConfig *config))   \
  X(ncclCommFinalize, NcclResult, commFinalize, (NcclComm comm))               \
  X(ncclCommDestroy, NcclResult, commDestroy, (NcclComm comm))                 \
  X(ncclCommAbort, NcclResult, commAbort, (NcclComm comm))                     \
  X(ncclCommGetAsyncError, NcclResult, commGetAsyncError,                      \
    (NcclComm comm, NcclResult * error))                                       \
  X(ncclCommRegister, NcclResult, commRegister,                                \
    (NcclComm comm, void *buffer, size_t bytes, void **handle))                \
  X(ncclCommDeregister, NcclResult, commDeregister,                            \
    (NcclComm comm, void *handle))                                             \
  X(ncclMemAlloc, NcclResult, memAlloc, (void **buffer, size_t bytes))         \
  X(ncclMemFree, NcclResult, memFree, (void *buffer))                          \
  X(ncclGroupStart, NcclResult, groupStart, ())                                \
  X(ncclGroupEnd, NcclResult, groupEnd, ())                                    \
  X(ncclSend, NcclResult, send,                                                \
    (const void *buffer, size_t count, NcclType type, int peer, NcclComm comm, \
     Stream stream))                                                           \
  X(ncclRecv, NcclResult, receive,                                             \
    (void *buffer, size_t count, NcclType type, int peer, NcclComm comm,       \
     Stream stream))                                                           \
  X(ncclBroadcast, NcclResult, broadcast,                                      \
    (const void *from, void *to, size_t count, NcclType type, int root,        \
     NcclComm comm, Stream stream))                                            \
  X(ncclAllGather, NcclResult, allGather,                                      \
    (const void *from, void *to, size_t count, NcclType type, NcclComm comm,   \
     Stream stream))                                                           \
  X(ncclAllReduce, NcclResult, allReduce,                                      \
    (const void *from, void *to, size_t count, NcclType type,                  \
     NcclOperator reduction, NcclComm comm, Stream stream))                    \
  X(ncclReduceScatter, NcclResult, reduceScatter,                              \
    (const void *from, void *to, size_t count, NcclType type,                  \
     NcclOperator reduction, NcclComm comm, Stream stream))

/// Where each function is.
struct NcclFunctions {
#define HOCKET_MEMBER(symbol, type, name, parameters) type(*name) parameters;
  HOCKET_CUDA_NCCL_FUNCTIONS(HOCKET_MEMBER)
#undef HOCKET_MEMBER
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_NCCL_API_H
