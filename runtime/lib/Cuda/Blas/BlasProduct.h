//===- BlasProduct.h - a prepared product through cuBLASLt -----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASPRODUCT_H
#define HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASPRODUCT_H

#include "runtime/lib/Cuda/Blas/BlasObjects.h"

namespace hocket::runtime::cuda {

struct ProductOptions {
  /// f32 inputs may be rounded to 10 bits of mantissa.
  bool tf32 = false;
  /// Of this rank's addresses, if nothing else is given.
  std::optional<ProductAlignment> alignment;
  /// That run() is given.
  int64_t workspaceBytes = productWorkspaceBytes;
};

/// What whyNotBlas takes. Ranks whose bits have to agree use one algorithm:
/// one of them chooses, all use it. They need equal arguments except the
/// addresses, equal options, one version of the library and GPUs of one kind;
/// use() says so otherwise.
class BlasProduct {
public:
  /// Describes the product to the library. `blas` outlives it.
  static Status make(const Blas &blas, const ProductArguments &arguments,
                     const ProductOptions &options,
                     std::unique_ptr<BlasProduct> &product);

  /// An algorithm as bytes, which use() takes on any rank. Always of the same
  /// length, 0 if there is nothing to compute. Where the library refuses a
  /// batch, each product of it is a call; the bytes say so.
  Status choose(std::vector<uint8_t> &algorithm);
  /// Before the first run.
  Status use(const std::vector<uint8_t> &algorithm);

  /// Puts the product on `stream`; allocates nothing and does not wait. The
  /// workspace lies on the device, aligned to 256 bytes, and is the stream's
  /// alone until the product has ended.
  Status run(Stream stream, void *workspace);

private:
  BlasProduct(const Blas &blas, const ProductArguments &arguments,
              const ProductOptions &options);
  Status prepare();
  Status describeForm();
  void loopOverBatch();
  /// What is left of the workspace for the library.
  int64_t libraryBytes() const {
    return options.workspaceBytes - form.zeroBytes();
  }
  Status chooseForForm(std::optional<BlasAlgorithm> &algorithm);
  Status checkAddresses() const;
  const Operand &ofA() const;
  const Operand &ofB() const;
  Status runOne(Stream stream, char *workspace, int64_t index);

  const Blas &blas;
  ProductArguments arguments;
  ProductForm form;
  ProductOptions options;
  ProductAlignment alignment;
  std::string text;
  std::unique_ptr<BlasObjects> objects;
  BlasAlgorithm algorithm = {};
  bool hasAlgorithm = false, loopsOverBatch = false;
  double one64 = 1, zero64 = 0;
  float one32 = 1, zero32 = 0;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASPRODUCT_H
