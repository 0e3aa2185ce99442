//===- Api.h - what Hocket calls of cuBLASLt -------------------*- C++ -*-===//
//
// Declared here, so that Hocket builds where there is no CUDA toolkit, and
// found when a program starts (BlasLibrary.h). The names are those of the
// library; sizes, numbers and types equal cublasLt.h's, which test/Gpu
// compares. They are the same in cuBLASLt 12 and 13.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_BLAS_API_H
#define HOCKET_RUNTIME_LIB_CUDA_BLAS_API_H

#include "runtime/lib/Cuda/Driver/Api.h"

// As the header of the library has it, so that its own and this meet.
struct cublasLtContext;

namespace hocket::runtime::cuda {

using BlasStatus = int; // cublasStatus_t; 0 is success
using BlasHandle = cublasLtContext *;
// The library makes these and destroys them; nothing here looks into them.
struct BlasLayoutStruct;
struct BlasProductStruct;
struct BlasPreferenceStruct;
using BlasLayout = BlasLayoutStruct *;         // cublasLtMatrixLayout_t
using BlasDescription = BlasProductStruct *;   // cublasLtMatmulDesc_t
using BlasPreference = BlasPreferenceStruct *; // cublasLtMatmulPreference_t

/// cublasStatus_t, as far as Hocket tells them apart.
enum BlasStatusCode : BlasStatus {
  BlasSuccess = 0,
  BlasNotInitialized = 1,
  BlasAllocFailed = 3,
  BlasInvalidValue = 7,
  BlasArchMismatch = 8,
  BlasExecutionFailed = 13,
  BlasNotSupported = 15,
};

/// cudaDataType.
enum BlasType : int {
  BlasF32 = 0,
  BlasF64 = 1,
  BlasF16 = 2,
  BlasBF16 = 14,
};

/// cublasComputeType_t.
enum BlasCompute : int {
  BlasCompute32F = 68,
  BlasCompute64F = 70,
  BlasCompute32FastTF32 = 77,
};

/// cublasOperation_t.
enum BlasOperation : int { BlasPlain = 0, BlasTransposed = 1 };

/// cublasLtMatrixLayoutAttribute_t, each with the type of its value.
enum BlasLayoutAttribute : int {
  BlasLayoutType = 0,        // uint32_t
  BlasLayoutOrder = 1,       // int32_t; 0: column-major
  BlasLayoutRows = 2,        // uint64_t
  BlasLayoutColumns = 3,     // uint64_t
  BlasLayoutLeading = 4,     // int64_t
  BlasLayoutBatchCount = 5,  // int32_t
  BlasLayoutBatchStride = 6, // int64_t, in elements
};

/// cublasLtMatmulDescAttributes_t.
enum BlasDescriptionAttribute : int {
  BlasDescriptionCompute = 0,     // int32_t
  BlasDescriptionScale = 1,       // int32_t
  BlasDescriptionPointerMode = 2, // int32_t; 0: alpha and beta on the host
  BlasDescriptionTransposesA = 3, // int32_t
  BlasDescriptionTransposesB = 4, // int32_t
  BlasDescriptionTransposesC = 5, // int32_t
  BlasDescriptionEpilogue = 7,    // uint32_t
  BlasDescriptionBias = 8,        // const void *
  BlasDescriptionBiasStride = 10, // int64_t, from batch entry to batch entry
  BlasDescriptionBiasType = 26,   // int32_t
};

/// cublasLtEpilogue_t. Gelu is the one with tanh.
enum BlasEpilogue : uint32_t {
  BlasDefault = 1,
  BlasRelu = 2,
  BlasBias = 4,
  BlasReluBias = 6,
  BlasGelu = 32,
  BlasGeluBias = 36,
};

/// cublasLtMatmulPreferenceAttributes_t.
enum BlasPreferenceAttribute : int {
  BlasPreferenceWorkspace = 1,  // uint64_t, bytes
  BlasPreferenceReduction = 3,  // uint32_t, a mask of BlasReduction
  BlasPreferenceAlignmentA = 5, // uint32_t, bytes
  BlasPreferenceAlignmentB = 6, // uint32_t, bytes
  BlasPreferenceAlignmentC = 7, // uint32_t, bytes
  BlasPreferenceAlignmentD = 8, // uint32_t, bytes
};

/// cublasLtReductionScheme_t: how the parts of a sum that are computed side by
/// side become one.
enum BlasReduction : uint32_t {
  BlasReductionNone = 0,
  BlasReductionInPlace = 1,
  BlasReductionComputeType = 2,
  BlasReductionOutputType = 4,
};

/// cublasLtMatmulAlgo_t. It may be copied byte by byte, also to another process
/// with the same version of the library.
struct BlasAlgorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct BlasResult {
  BlasAlgorithm algorithm;
  size_t workspaceBytes;
  BlasStatus state;
  float waves;
  int reserved[4];
};

/// The functions, X(name in the library, type of the result, name here,
/// parameters).
#define HOCKET_CUDA_BLAS_FUNCTIONS(X)                                          \
  X(cublasLtGetVersion, size_t, getVersion, ())                                \
  X(cublasLtGetStatusString, const char *, getStatusString,                    \
    (BlasStatus status))                                                       \
  X(cublasLtCreate, BlasStatus, create, (BlasHandle * handle))                 \
  X(cublasLtDestroy, BlasStatus, destroy, (BlasHandle handle))                 \
  X(cublasLtMatrixLayoutCreate, BlasStatus, layoutCreate,                      \
    (BlasLayout * layout, BlasType type, uint64_t rows, uint64_t columns,      \
     int64_t leading))                                                         \
  X(cublasLtMatrixLayoutDestroy, BlasStatus, layoutDestroy,                    \
    (BlasLayout layout))                                                       \
  X(cublasLtMatrixLayoutSetAttribute, BlasStatus, layoutSet,                   \
    (BlasLayout layout, BlasLayoutAttribute attribute, const void *value,      \
     size_t bytes))                                                            \
  X(cublasLtMatmulDescCreate, BlasStatus, descriptionCreate,                   \
    (BlasDescription * description, BlasCompute compute, BlasType scale))      \
  X(cublasLtMatmulDescDestroy, BlasStatus, descriptionDestroy,                 \
    (BlasDescription description))                                             \
  X(cublasLtMatmulDescSetAttribute, BlasStatus, descriptionSet,                \
    (BlasDescription description, BlasDescriptionAttribute attribute,          \
     const void *value, size_t bytes))                                         \
  X(cublasLtMatmulPreferenceCreate, BlasStatus, preferenceCreate,              \
    (BlasPreference * preference))                                             \
  X(cublasLtMatmulPreferenceDestroy, BlasStatus, preferenceDestroy,            \
    (BlasPreference preference))                                               \
  X(cublasLtMatmulPreferenceSetAttribute, BlasStatus, preferenceSet,           \
    (BlasPreference preference, BlasPreferenceAttribute attribute,             \
     const void *value, size_t bytes))                                         \
  X(cublasLtMatmulAlgoGetHeuristic, BlasStatus, algorithmsFor,                 \
    (BlasHandle handle, BlasDescription description, BlasLayout a,             \
     BlasLayout b, BlasLayout c, BlasLayout d, BlasPreference preference,      \
     int most, BlasResult results[], int *count))                              \
  X(cublasLtMatmulAlgoCheck, BlasStatus, algorithmCheck,                       \
    (BlasHandle handle, BlasDescription description, BlasLayout a,             \
     BlasLayout b, BlasLayout c, BlasLayout d, const BlasAlgorithm *algorithm, \
     BlasResult *result))                                                      \
  X(cublasLtMatmul, BlasStatus, matmul,                                        \
    (BlasHandle handle, BlasDescription description, const void *alpha,        \
     const void *aData, BlasLayout a, const void *bData, BlasLayout b,         \
     const void *beta, const void *cData, BlasLayout c, void *dData,           \
     BlasLayout d, const BlasAlgorithm *algorithm, void *workspace,            \
     size_t workspaceBytes, Stream stream))

/// Where each function is.
struct BlasFunctions {
#define HOCKET_MEMBER(symbol, type, name, parameters) type(*name) parameters;
  HOCKET_CUDA_BLAS_FUNCTIONS(HOCKET_MEMBER)
#undef HOCKET_MEMBER
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_BLAS_API_H
