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

/// cudnnBackendDescriptorType_t.
enum DnnDescriptorType : int {
  DnnPointwise = 0,
  DnnConvolutionDescriptor = 1,
  DnnEngine = 2,
  DnnEngineConfig = 3,
  DnnHeuristics = 4,
  DnnPlan = 5,
  DnnOperationForward = 10,
  DnnOperationWeightGradient = 11,
  DnnOperationInputGradient = 12,
  DnnOperationPointwise = 13,
  DnnOperationGraph = 15,
  DnnVariantPack = 16,
  DnnTensorDescriptor = 17,
  DnnDeviceProperties = 38,
};

/// cudnnBackendAttributeName_t.
enum DnnAttribute : int {
  DnnPointwiseMode = 0,
  DnnPointwiseCompute = 1,
  DnnConvolutionCompute = 100,
  DnnConvolutionMode = 101,
  DnnConvolutionDilations = 102,
  DnnConvolutionStrides = 103,
  DnnConvolutionHighs = 104, // post-paddings
  DnnConvolutionLows = 105,  // pre-paddings
  DnnConvolutionDims = 106,
  DnnHeuristicsMode = 200,
  DnnHeuristicsGraph = 201,
  DnnHeuristicsResults = 202,
  DnnHeuristicsDevice = 204,
  DnnConfigEngine = 300,
  DnnPlanHandle = 400,
  DnnPlanConfig = 401,
  DnnPlanWorkspace = 402,
  DnnPlanText = 405, // JSON
  DnnPlanDevice = 407,
  DnnForwardAlpha = 700,
  DnnForwardBeta = 701,
  DnnForwardConvolution = 702,
  DnnForwardWeight = 703,
  DnnForwardX = 704,
  DnnForwardY = 705,
  DnnInputGradientAlpha = 706,
  DnnInputGradientBeta = 707,
  DnnInputGradientConvolution = 708,
  DnnInputGradientWeight = 709,
  DnnInputGradientX = 710,
  DnnInputGradientY = 711,
  DnnWeightGradientAlpha = 712,
  DnnWeightGradientBeta = 713,
  DnnWeightGradientConvolution = 714,
  DnnWeightGradientWeight = 715,
  DnnWeightGradientX = 716,
  DnnWeightGradientY = 717,
  DnnOperationPointwiseDescriptor = 750,
  DnnOperationPointwiseX = 751,
  DnnOperationPointwiseB = 752,
  DnnOperationPointwiseY = 753,
  DnnGraphHandle = 800,
  DnnGraphOperations = 801,
  DnnTensorAlignment = 900, // bytes
  DnnTensorType = 901,
  DnnTensorExtents = 902,
  DnnTensorStrides = 903, // elements
  DnnTensorId = 906,
  DnnTensorIsVirtual = 907,
  DnnPackIds = 1000,
  DnnPackPointers = 1001,
  DnnPackWorkspace = 1003,
  DnnEngineIndex = 1301,
  DnnEngineNotes = 1303,
  DnnDeviceText = 2702, // JSON
};

/// cudnnBackendAttributeType_t, with the type of an element.
enum DnnAttributeType : int {
  DnnTypeHandle = 0,      // DnnHandle
  DnnTypeDataType = 1,    // DnnType
  DnnTypeBoolean = 2,     // bool
  DnnTypeInt64 = 3,       // int64_t
  DnnTypeFloat = 4,       // float
  DnnTypeDouble = 5,      // double
  DnnTypePointer = 6,     // void *
  DnnTypeMode = 7,        // DnnMode
  DnnTypeHeuristics = 8,  // DnnHeuristicsKind
  DnnTypeNote = 11,       // DnnNote
  DnnTypePointwise = 14,  // DnnPointwiseKind
  DnnTypeDescriptor = 15, // DnnDescriptor
  DnnTypeChar = 24,       // char
};

/// cudnnDataType_t.
enum DnnType : int {
  DnnF32 = 0,
  DnnF64 = 1,
  DnnF16 = 2,
  DnnBF16 = 9,
};

/// cudnnConvolutionMode_t. Taps are not turned around.
enum DnnMode : int { DnnCrossCorrelation = 1 };

/// cudnnPointwiseMode_t.
enum DnnPointwiseKind : int { DnnAdd = 0 };

/// cudnnBackendHeurMode_t. The fallback lists engines that take nearly
/// everything and are slow.
enum DnnHeuristicsKind : int {
  DnnHeuristicsFallback = 2,
  DnnHeuristicsBest = 3,
};

/// cudnnBackendNumericalNote_t: what an engine does to numbers.
enum DnnNote : int {
  DnnNoteTensorCore = 0,
  DnnNoteRoundsInputs = 1,
  DnnNoteRoundsSums = 2,
  DnnNoteFft = 3,
  DnnNoteNondeterministic = 4,
  DnnNoteWinograd = 5,
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
