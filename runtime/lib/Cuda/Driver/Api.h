//===- Api.h - what Hocket calls of the CUDA driver ------------*- C++ -*-===//
//
// Declared here, so that Hocket builds where there is no CUDA toolkit, and
// found when a program starts (Driver.h). The names are those of the library;
// sizes, numbers and types equal cuda.h's, which test/Gpu compares. A driver
// of CUDA 12.0 has all of them.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DRIVER_API_H
#define HOCKET_RUNTIME_LIB_CUDA_DRIVER_API_H

#include <cstddef>
#include <cstdint>

// As the headers of the libraries have them, so that theirs and these meet.
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUlib_st;
struct CUkern_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;

namespace hocket::runtime::cuda {

using Result = int; // CUresult; 0 is success
using DeviceNumber = int;
using DeviceAddress = unsigned long long;
using Context = CUctx_st *;
using Stream = CUstream_st *;
using Event = CUevent_st *;
using Library = CUlib_st *;
using Kernel = CUkern_st *;
using Function = CUfunc_st *;
using Graph = CUgraph_st *;
using GraphExec = CUgraphExec_st *;
using GraphNode = CUgraphNode_st *;

/// CUuuid.
struct DeviceUuid {
  char bytes[16];
};

/// CUresult, as far as Hocket tells them apart.
enum ResultCode : Result {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  UnsupportedPtxVersion = 222,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  Assert = 710,
  HardwareStackError = 714,
  MisalignedAddress = 716,
  LaunchFailed = 719,
  StreamCaptureUnsupported = 900,
  StreamCaptureInvalidated = 901,
  StreamCaptureUnjoined = 904,
  StreamCaptureIsolation = 905,
  StreamCaptureImplicit = 906,
  StreamCaptureWrongThread = 908,
};

/// CUdevice_attribute.
enum Attribute : int {
  MaxThreadsPerBlock = 1,
  MaxGridDimX = 5,
  MultiprocessorCount = 16,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
};

/// CUfunction_attribute.
enum FunctionAttribute : int {
  SharedSizeBytes = 1,
  LocalSizeBytes = 3,
  NumRegs = 4,
  MaxDynamicSharedSizeBytes = 8,
};

enum StreamFlags : unsigned { StreamNonBlocking = 1 };
enum EventFlags : unsigned { EventDefault = 0, EventDisableTiming = 2 };
enum EventRecordFlags : unsigned {
  EventRecordDefault = 0,
  EventRecordExternal = 1 // in a capture: a node, passed in each launch
};
enum HostAllocFlags : unsigned { HostAllocPortable = 1 };
enum CaptureMode : int {
  CaptureGlobal = 0,
  CaptureThread = 1,
  CaptureRelaxed = 2
};

/// The functions, X(name in the library, name here, parameters). All return a
/// Result.
#define HOCKET_CUDA_DRIVER_FUNCTIONS(X)                                        \
  X(cuInit, init, (unsigned flags))                                            \
  X(cuDriverGetVersion, driverGetVersion, (int *version))                      \
  X(cuGetErrorName, getErrorName, (Result code, const char **name))            \
  X(cuGetErrorString, getErrorString, (Result code, const char **text))        \
  X(cuDeviceGetCount, deviceGetCount, (int *count))                            \
  X(cuDeviceGet, deviceGet, (DeviceNumber * device, int ordinal))              \
  X(cuDeviceGetName, deviceGetName,                                            \
    (char *name, int bytes, DeviceNumber device))                              \
  X(cuDeviceGetUuid_v2, deviceGetUuid,                                         \
    (DeviceUuid * uuid, DeviceNumber device))                                  \
  X(cuDeviceGetPCIBusId, deviceGetPciBusId,                                    \
    (char *text, int bytes, DeviceNumber device))                              \
  X(cuDeviceGetAttribute, deviceGetAttribute,                                  \
    (int *value, Attribute attribute, DeviceNumber device))                    \
  X(cuDevicePrimaryCtxRetain, devicePrimaryCtxRetain,                          \
    (Context * context, DeviceNumber device))                                  \
  X(cuDevicePrimaryCtxRelease_v2, devicePrimaryCtxRelease,                     \
    (DeviceNumber device))                                                     \
  X(cuCtxSetCurrent, ctxSetCurrent, (Context context))                         \
  X(cuMemGetInfo_v2, memGetInfo, (size_t *available, size_t *total))           \
  X(cuMemAlloc_v2, memAlloc, (DeviceAddress * address, size_t bytes))          \
  X(cuMemFree_v2, memFree, (DeviceAddress address))                            \
  X(cuMemHostAlloc, memHostAlloc,                                              \
    (void **place, size_t bytes, unsigned flags))                              \
  X(cuMemFreeHost, memFreeHost, (void *place))                                 \
  X(cuMemcpyHtoDAsync_v2, memcpyHtoDAsync,                                     \
    (DeviceAddress to, const void *from, size_t bytes, Stream stream))         \
  X(cuMemcpyDtoHAsync_v2, memcpyDtoHAsync,                                     \
    (void *to, DeviceAddress from, size_t bytes, Stream stream))               \
  X(cuMemcpyDtoDAsync_v2, memcpyDtoDAsync,                                     \
    (DeviceAddress to, DeviceAddress from, size_t bytes, Stream stream))       \
  X(cuMemsetD8Async, memsetD8Async,                                            \
    (DeviceAddress to, unsigned char value, size_t bytes, Stream stream))      \
  X(cuStreamCreate, streamCreate, (Stream * stream, unsigned flags))           \
  X(cuStreamDestroy_v2, streamDestroy, (Stream stream))                        \
  X(cuStreamSynchronize, streamSynchronize, (Stream stream))                   \
  X(cuStreamQuery, streamQuery, (Stream stream))                               \
  X(cuStreamWaitEvent, streamWaitEvent,                                        \
    (Stream stream, Event event, unsigned flags))                              \
  X(cuEventCreate, eventCreate, (Event * event, unsigned flags))               \
  X(cuEventDestroy_v2, eventDestroy, (Event event))                            \
  X(cuEventRecord, eventRecord, (Event event, Stream stream))                  \
  X(cuEventRecordWithFlags, eventRecordWithFlags,                              \
    (Event event, Stream stream, unsigned flags))                              \
  X(cuEventSynchronize, eventSynchronize, (Event event))                       \
  X(cuEventElapsedTime, eventElapsedTime,                                      \
    (float *milliseconds, Event begin, Event end))                             \
  X(cuLibraryLoadData, libraryLoadData,                                        \
    (Library * library, const void *code, int *jitOptions, void **jitValues,   \
     unsigned jitCount, int *options, void **values, unsigned count))          \
  X(cuLibraryUnload, libraryUnload, (Library library))                         \
  X(cuLibraryGetKernel, libraryGetKernel,                                      \
    (Kernel * kernel, Library library, const char *name))                      \
  X(cuKernelGetFunction, kernelGetFunction,                                    \
    (Function * function, Kernel kernel))                                      \
  X(cuFuncSetAttribute, funcSetAttribute,                                      \
    (Function function, FunctionAttribute attribute, int value))               \
  X(cuLaunchKernel, launchKernel,                                              \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ,        \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     Stream stream, void **parameters, void **extra))                          \
  X(cuStreamBeginCapture_v2, streamBeginCapture,                               \
    (Stream stream, CaptureMode mode))                                         \
  X(cuStreamEndCapture, streamEndCapture, (Stream stream, Graph * graph))      \
  X(cuGraphInstantiateWithFlags, graphInstantiate,                             \
    (GraphExec * exec, Graph graph, unsigned long long flags))                 \
  X(cuGraphLaunch, graphLaunch, (GraphExec exec, Stream stream))               \
  X(cuGraphExecDestroy, graphExecDestroy, (GraphExec exec))                    \
  X(cuGraphDestroy, graphDestroy, (Graph graph))

/// Where each function is.
struct DriverFunctions {
#define HOCKET_MEMBER(symbol, name, parameters) Result(*name) parameters;
  HOCKET_CUDA_DRIVER_FUNCTIONS(HOCKET_MEMBER)
#undef HOCKET_MEMBER
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DRIVER_API_H
