//===- BlasObjects.h - what describes a product to cuBLASLt ----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASOBJECTS_H
#define HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASOBJECTS_H

#include "runtime/lib/Cuda/Blas/BlasLibrary.h"
#include "runtime/lib/Cuda/Blas/ProductForm.h"

namespace hocket::runtime::cuda {

/// Bytes to which the addresses of a product's operands are aligned: powers of
/// two. Where ranks share an algorithm it is the least of all their addresses.
struct ProductAlignment {
  int64_t a = 256, b = 256, c = 256, bias = 256, added = 256;

  static ProductAlignment of(const ProductArguments &arguments);
  void meet(const ProductAlignment &other);
};

/// The descriptors of one product; they end with this.
class BlasObjects {
public:
  BlasObjects(const Blas &blas, std::string product)
      : blas(blas), product(std::move(product)) {}
  ~BlasObjects();
  BlasObjects(const BlasObjects &) = delete;
  BlasObjects &operator=(const BlasObjects &) = delete;

  Status make(const ProductForm &form, BlasCompute compute, BlasType scale);
  Status setBias(const void *address);
  /// The best algorithm for addresses aligned like this (`alignment` in the
  /// order of the library's A, B, C, D) and `workspace` bytes, or none if the
  /// library has no product like this.
  Status choose(const int64_t (&alignment)[4], int64_t workspace,
                std::optional<BlasAlgorithm> &algorithm) const;
  /// Whether the algorithm computes this product here, and its workspace.
  Status check(const BlasAlgorithm &algorithm, int64_t &workspace) const;

  BlasDescription description = nullptr;
  BlasLayout a = nullptr, b = nullptr, d = nullptr;
  BlasLayout c() const { return added ? added : d; }

private:
  Status makeLayout(BlasLayout &layout, BlasType type, const BlasMatrix &matrix,
                    int64_t batchCount);
  const BlasFunctions &functions() const { return blas.library.functions; }

  const Blas &blas;
  std::string product; // for errors
  BlasLayout added = nullptr;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASOBJECTS_H
