//===- ApiTest.cpp - our declarations are those of cublasLt.h -------------===//

#include "runtime/lib/Cuda/Blas/Api.h"
#include <gtest/gtest.h>

#ifndef HOCKET_CUBLASLT_HEADER

TEST(BlasApi, IsTheHeaders) {
  GTEST_SKIP() << "cublasLt.h was not found when this was built";
}

#else

#include "test/Gpu/Libraries/SameCall.h"
#include <cublasLt.h>

using namespace hocket::runtime::cuda;
using hocket::test::SameCall;

namespace {

#define HOCKET_CHECK(symbol, type, name, parameters)                           \
  static_assert(                                                               \
      SameCall<decltype(BlasFunctions::name), decltype(&::symbol)>::value,     \
      #symbol " has other parameters");
HOCKET_CUDA_BLAS_FUNCTIONS(HOCKET_CHECK)
#undef HOCKET_CHECK

#define HOCKET_SAME(ours, theirs)                                              \
  static_assert(static_cast<long long>(ours) ==                                \
                    static_cast<long long>(theirs),                            \
                #ours " is another number")
HOCKET_SAME(BlasSuccess, CUBLAS_STATUS_SUCCESS);
HOCKET_SAME(BlasNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED);
HOCKET_SAME(BlasAllocFailed, CUBLAS_STATUS_ALLOC_FAILED);
HOCKET_SAME(BlasInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
HOCKET_SAME(BlasArchMismatch, CUBLAS_STATUS_ARCH_MISMATCH);
HOCKET_SAME(BlasExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
HOCKET_SAME(BlasNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
HOCKET_SAME(BlasF32, CUDA_R_32F);
HOCKET_SAME(BlasF64, CUDA_R_64F);
HOCKET_SAME(BlasF16, CUDA_R_16F);
HOCKET_SAME(BlasBF16, CUDA_R_16BF);
HOCKET_SAME(BlasCompute32F, CUBLAS_COMPUTE_32F);
HOCKET_SAME(BlasCompute64F, CUBLAS_COMPUTE_64F);
HOCKET_SAME(BlasCompute32FastTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
HOCKET_SAME(BlasPlain, CUBLAS_OP_N);
HOCKET_SAME(BlasTransposed, CUBLAS_OP_T);
HOCKET_SAME(0, CUBLASLT_ORDER_COL);
HOCKET_SAME(0, CUBLASLT_POINTER_MODE_HOST);
HOCKET_SAME(BlasLayoutType, CUBLASLT_MATRIX_LAYOUT_TYPE);
HOCKET_SAME(BlasLayoutOrder, CUBLASLT_MATRIX_LAYOUT_ORDER);
HOCKET_SAME(BlasLayoutRows, CUBLASLT_MATRIX_LAYOUT_ROWS);
HOCKET_SAME(BlasLayoutColumns, CUBLASLT_MATRIX_LAYOUT_COLS);
HOCKET_SAME(BlasLayoutLeading, CUBLASLT_MATRIX_LAYOUT_LD);
HOCKET_SAME(BlasLayoutBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
HOCKET_SAME(BlasLayoutBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
HOCKET_SAME(BlasDescriptionCompute, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
HOCKET_SAME(BlasDescriptionScale, CUBLASLT_MATMUL_DESC_SCALE_TYPE);
HOCKET_SAME(BlasDescriptionPointerMode, CUBLASLT_MATMUL_DESC_POINTER_MODE);
HOCKET_SAME(BlasDescriptionTransposesA, CUBLASLT_MATMUL_DESC_TRANSA);
HOCKET_SAME(BlasDescriptionTransposesB, CUBLASLT_MATMUL_DESC_TRANSB);
HOCKET_SAME(BlasDescriptionTransposesC, CUBLASLT_MATMUL_DESC_TRANSC);
HOCKET_SAME(BlasDescriptionEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
HOCKET_SAME(BlasDescriptionBias, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
HOCKET_SAME(BlasDescriptionBiasStride, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
HOCKET_SAME(BlasDescriptionBiasType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
HOCKET_SAME(BlasDefault, CUBLASLT_EPILOGUE_DEFAULT);
HOCKET_SAME(BlasRelu, CUBLASLT_EPILOGUE_RELU);
HOCKET_SAME(BlasBias, CUBLASLT_EPILOGUE_BIAS);
HOCKET_SAME(BlasReluBias, CUBLASLT_EPILOGUE_RELU_BIAS);
HOCKET_SAME(BlasGelu, CUBLASLT_EPILOGUE_GELU);
HOCKET_SAME(BlasGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS);
HOCKET_SAME(BlasPreferenceWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
HOCKET_SAME(BlasPreferenceReduction,
            CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
HOCKET_SAME(BlasPreferenceAlignmentA,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
HOCKET_SAME(BlasPreferenceAlignmentB,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
HOCKET_SAME(BlasPreferenceAlignmentC,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
HOCKET_SAME(BlasPreferenceAlignmentD,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
HOCKET_SAME(BlasReductionNone, CUBLASLT_REDUCTION_SCHEME_NONE);
HOCKET_SAME(BlasReductionInPlace, CUBLASLT_REDUCTION_SCHEME_INPLACE);
HOCKET_SAME(BlasReductionComputeType, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
HOCKET_SAME(BlasReductionOutputType, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE);
HOCKET_SAME(sizeof(BlasAlgorithm), sizeof(cublasLtMatmulAlgo_t));
HOCKET_SAME(sizeof(BlasResult), sizeof(cublasLtMatmulHeuristicResult_t));
HOCKET_SAME(offsetof(BlasResult, algorithm),
            offsetof(cublasLtMatmulHeuristicResult_t, algo));
HOCKET_SAME(offsetof(BlasResult, workspaceBytes),
            offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
HOCKET_SAME(offsetof(BlasResult, state),
            offsetof(cublasLtMatmulHeuristicResult_t, state));
HOCKET_SAME(offsetof(BlasResult, waves),
            offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
static_assert(std::is_same_v<BlasHandle, cublasLtHandle_t>);

} // namespace

// The comparisons above are made when this is compiled.
TEST(BlasApi, IsTheHeaders) { EXPECT_GE(CUBLAS_VERSION, 120000); }

#endif
