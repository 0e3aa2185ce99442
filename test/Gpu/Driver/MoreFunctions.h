//===- MoreFunctions.h - what tests alone call of the driver ---*- C++ -*-===//
//
// Functions of the library that Hocket does not call, but programs of its tests
// do, as Api.h has those that it does.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_DRIVER_MOREFUNCTIONS_H
#define HOCKET_TEST_GPU_DRIVER_MOREFUNCTIONS_H

#include "runtime/lib/Cuda/Driver/Api.h"

namespace hocket::runtime::cuda {

using HostFunction = void (*)(void *userData);

/// X(name in the library, name here, parameters). All return a Result.
#define HOCKET_CUDA_MORE_FUNCTIONS(X)                                          \
  X(cuDeviceTotalMem_v2, deviceTotalMem, (size_t *bytes, DeviceNumber device)) \
  X(cuFuncGetAttribute, funcGetAttribute,                                      \
    (int *value, FunctionAttribute attribute, Function function))              \
  X(cuLaunchHostFunc, launchHostFunc,                                          \
    (Stream stream, HostFunction function, void *userData))

/// Where each function is, of Api.h and these.
struct AllFunctions : DriverFunctions {
#define HOCKET_MEMBER(symbol, name, parameters) Result(*name) parameters;
  HOCKET_CUDA_MORE_FUNCTIONS(HOCKET_MEMBER)
#undef HOCKET_MEMBER
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_TEST_GPU_DRIVER_MOREFUNCTIONS_H
