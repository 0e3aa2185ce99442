//===- Objects.h - handles and descriptors of the look-alike ---*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_BLAS_OBJECTS_H
#define HOCKET_TEST_GPU_LIBRARIES_BLAS_OBJECTS_H

#include "runtime/lib/Cuda/Blas/Api.h"
#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Living.h"
#include <mutex>
#include <string>

struct cublasLtContext {
  int device = 0;
};

namespace hocket::runtime::cuda {

struct BlasLayoutStruct {
  int type = 0;
  int32_t order = 0;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  int32_t batchCount = 1;
  int64_t batchStride = 0;
};

struct BlasProductStruct {
  int32_t compute = 0, scale = 0, pointerMode = 0;
  int32_t transposesA = 0, transposesB = 0, transposesC = 0;
  uint32_t epilogue = BlasDefault;
  const void *bias = nullptr;
  int64_t biasStride = 0;
  int32_t biasType = -1;
};

struct BlasPreferenceStruct {
  uint64_t workspace = 0;
  uint32_t reduction = 7;
  uint32_t alignment[4] = {256, 256, 256, 256};
};

} // namespace hocket::runtime::cuda

namespace hocket::lookalike {

using namespace hocket::runtime::cuda;

/// All state of the library; calls hold its mutex.
struct Blas {
  std::mutex mutex;
  Living<cublasLtContext> handles;
  Living<BlasLayoutStruct> layouts;
  Living<BlasProductStruct> descriptions;
  Living<BlasPreferenceStruct> preferences;
  std::string findings;
  size_t version = versionOf("CUBLASLT", 130100);
  int device = 0;

  /// Tells of misuse; returns `code`.
  BlasStatus find(const char *function, const std::string &sentence,
                  BlasStatus code = BlasInvalidValue);
  /// What is left, as a sentence, or nothing.
  std::string left() const;
};

Blas &blas();

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_BLAS_OBJECTS_H
