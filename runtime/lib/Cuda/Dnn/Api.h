//===- Api.h - what Hocket calls of cuDNN ----------------------*- C++ -*-===//
//
// The backend API of cuDNN 9, declared here, so that Hocket builds where there
// is no CUDA toolkit, and found when a program starts (DnnLibrary.h). The names
// are those of the library; sizes, numbers and types equal cudnn.h's, which
// test/Gpu compares.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_API_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_API_H

#include "runtime/lib/Cuda/Dnn/Numbers.h"
#include "runtime/lib/Cuda/Driver/Api.h"

// As the header of the library has it, so that its own and this meet.
struct cudnnContext;

namespace hocket::runtime::cuda {

using DnnStatus = int; // cudnnStatus_t; 0 is success
using DnnHandle = cudnnContext *;
using DnnDescriptor = void *; // cudnnBackendDescriptor_t

/// cudnnStatus_t, as far as Hocket tells them apart.
enum DnnStatusCode : DnnStatus {
  DnnSuccess = 0,
  DnnNotInitialized = 1001,
  DnnBadParam = 2000,
  DnnBadParamNotFinalized = 2004,
  DnnBadParamAttributeType = 2010,
  DnnNotSupported = 3000,
  DnnExecutionFailed = 5000,
};

/// The functions, X(name in the library, type of the result, name here,
/// parameters).
#define HOCKET_CUDA_DNN_FUNCTIONS(X)                                           \
  X(cudnnGetVersion, size_t, getVersion, ())                                   \
  X(cudnnGetErrorString, const char *, getErrorString, (DnnStatus status))     \
  X(cudnnGetLastErrorString, void, getLastErrorString,                         \
    (char *message, size_t bytes))                                             \
  X(cudnnCreate, DnnStatus, create, (DnnHandle * handle))                      \
  X(cudnnDestroy, DnnStatus, destroy, (DnnHandle handle))                      \
  X(cudnnSetStream, DnnStatus, setStream, (DnnHandle handle, Stream stream))   \
  X(cudnnBackendCreateDescriptor, DnnStatus, descriptorCreate,                 \
    (DnnDescriptorType type, DnnDescriptor * descriptor))                      \
  X(cudnnBackendDestroyDescriptor, DnnStatus, descriptorDestroy,               \
    (DnnDescriptor descriptor))                                                \
  X(cudnnBackendFinalize, DnnStatus, finalize, (DnnDescriptor descriptor))     \
  X(cudnnBackendSetAttribute, DnnStatus, setAttribute,                         \
    (DnnDescriptor descriptor, DnnAttribute attribute, DnnAttributeType type,  \
     int64_t count, const void *elements))                                     \
  X(cudnnBackendGetAttribute, DnnStatus, getAttribute,                         \
    (DnnDescriptor descriptor, DnnAttribute attribute, DnnAttributeType type,  \
     int64_t most, int64_t *count, void *elements))                            \
  X(cudnnBackendExecute, DnnStatus, execute,                                   \
    (DnnHandle handle, DnnDescriptor plan, DnnDescriptor pack))

/// Where each function is.
struct DnnFunctions {
#define HOCKET_MEMBER(symbol, type, name, parameters) type(*name) parameters;
  HOCKET_CUDA_DNN_FUNCTIONS(HOCKET_MEMBER)
#undef HOCKET_MEMBER
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_API_H
