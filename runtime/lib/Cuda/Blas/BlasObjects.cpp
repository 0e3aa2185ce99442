//===- BlasObjects.cpp - what describes a product to cuBLASLt -------------===//

#include "runtime/lib/Cuda/Blas/BlasObjects.h"
#include <algorithm>

namespace hocket::runtime::cuda {

/// The largest power of two that divides an address, at most 256.
static int64_t alignmentOf(const Operand &operand) {
  int64_t address = reinterpret_cast<intptr_t>(operand.data) | 256;
  return address & -address;
}

ProductAlignment ProductAlignment::of(const ProductArguments &arguments) {
  ProductAlignment alignment;
  alignment.a = alignmentOf(arguments.a);
  alignment.b = alignmentOf(arguments.b);
  alignment.c = alignmentOf(arguments.c);
  if (arguments.bias)
    alignment.bias = alignmentOf(*arguments.bias);
  for (const ProductPost &post : arguments.post)
    if (post.op == plan::PostOp::Add)
      alignment.added = alignmentOf(post.operand);
  return alignment;
}

void ProductAlignment::meet(const ProductAlignment &other) {
  a = std::min(a, other.a);
  b = std::min(b, other.b);
  c = std::min(c, other.c);
  bias = std::min(bias, other.bias);
  added = std::min(added, other.added);
}

BlasObjects::~BlasObjects() {
  if (description)
    functions().descriptionDestroy(description);
  for (BlasLayout layout : {a, b, d, added})
    if (layout)
      functions().layoutDestroy(layout);
}

Status BlasObjects::makeLayout(BlasLayout &layout, BlasType type,
                               const BlasMatrix &matrix, int64_t batchCount) {
  const BlasLibrary &library = blas.library;
  BlasStatus code = functions().layoutCreate(&layout, type, matrix.rows,
                                             matrix.columns, matrix.leading);
  if (code)
    return library.failure("cublasLtMatrixLayoutCreate", code, product);
  if (batchCount == 1)
    return Status::success();
  int32_t count = static_cast<int32_t>(batchCount);
  code =
      functions().layoutSet(layout, BlasLayoutBatchCount, &count, sizeof count);
  if (!code)
    code =
        functions().layoutSet(layout, BlasLayoutBatchStride,
                              &matrix.batchStride, sizeof matrix.batchStride);
  if (code)
    return library.failure("cublasLtMatrixLayoutSetAttribute", code, product);
  return Status::success();
}

Status BlasObjects::make(const ProductForm &form, BlasCompute compute,
                         BlasType scale) {
  Status status = makeLayout(a, form.inputs, form.a, form.batchCount);
  if (status.ok())
    status = makeLayout(b, form.inputs, form.b, form.batchCount);
  if (status.ok())
    status = makeLayout(d, form.result, form.d, form.batchCount);
  if (status.ok() && form.added)
    status = makeLayout(added, form.result, form.c, form.batchCount);
  if (!status.ok())
    return status;
  const BlasLibrary &library = blas.library;
  BlasStatus code = functions().descriptionCreate(&description, compute, scale);
  if (code)
    return library.failure("cublasLtMatmulDescCreate", code, product);
  int32_t transposesA = form.a.isTransposed ? BlasTransposed : BlasPlain;
  int32_t transposesB = form.b.isTransposed ? BlasTransposed : BlasPlain;
  uint32_t epilogue = form.epilogue;
  code = functions().descriptionSet(description, BlasDescriptionTransposesA,
                                    &transposesA, sizeof transposesA);
  if (!code)
    code = functions().descriptionSet(description, BlasDescriptionTransposesB,
                                      &transposesB, sizeof transposesB);
  if (!code)
    code = functions().descriptionSet(description, BlasDescriptionEpilogue,
                                      &epilogue, sizeof epilogue);
  if (code)
    return library.failure("cublasLtMatmulDescSetAttribute", code, product);
  return Status::success();
}

Status BlasObjects::setBias(const void *address) {
  BlasStatus code = functions().descriptionSet(description, BlasDescriptionBias,
                                               &address, sizeof address);
  if (code)
    return blas.library.failure("cublasLtMatmulDescSetAttribute", code,
                                product);
  return Status::success();
}

Status BlasObjects::choose(const int64_t (&alignment)[4], int64_t workspace,
                           std::optional<BlasAlgorithm> &algorithm) const {
  const BlasLibrary &library = blas.library;
  algorithm.reset();
  BlasPreference preference = nullptr;
  if (BlasStatus code = functions().preferenceCreate(&preference))
    return library.failure("cublasLtMatmulPreferenceCreate", code, product);
  uint64_t bytes = workspace;
  // One sum, or parts of it that are added up in a fixed order at the end:
  // the same bits each time.
  uint32_t reduction = BlasReductionComputeType;
  BlasStatus code = functions().preferenceSet(
      preference, BlasPreferenceWorkspace, &bytes, sizeof bytes);
  if (!code)
    code = functions().preferenceSet(preference, BlasPreferenceReduction,
                                     &reduction, sizeof reduction);
  for (int i = 0; i < 4 && !code; ++i) {
    uint32_t aligned = static_cast<uint32_t>(alignment[i]);
    auto attribute = BlasPreferenceAttribute(BlasPreferenceAlignmentA + i);
    code = functions().preferenceSet(preference, attribute, &aligned,
                                     sizeof aligned);
  }
  const char *function = "cublasLtMatmulPreferenceSetAttribute";
  BlasResult result = {};
  int count = 0;
  if (!code) {
    function = "cublasLtMatmulAlgoGetHeuristic";
    code = functions().algorithmsFor(blas.handle, description, a, b, c(), d,
                                     preference, 1, &result, &count);
    if (!code)
      code = count == 0 ? BlasNotSupported : result.state;
  }
  functions().preferenceDestroy(preference);
  if (code && code != BlasNotSupported)
    return library.failure(function, code, product);
  if (!code)
    algorithm = result.algorithm;
  return Status::success();
}

Status BlasObjects::check(const BlasAlgorithm &algorithm,
                          int64_t &workspace) const {
  BlasResult result = {};
  BlasStatus code = functions().algorithmCheck(blas.handle, description, a, b,
                                               c(), d, &algorithm, &result);
  if (!code)
    code = result.state;
  if (code)
    return blas.library.failure("cublasLtMatmulAlgoCheck", code, product);
  workspace = static_cast<int64_t>(result.workspaceBytes);
  return Status::success();
}

} // namespace hocket::runtime::cuda
