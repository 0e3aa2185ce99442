//===- Sample.h - operands of products and their reference -----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_BLAS_SAMPLE_H
#define HOCKET_TEST_GPU_LIBRARIES_BLAS_SAMPLE_H

#include "hocket/Cuda/Product.h"
#include "runtime/lib/Cuda/Blas/BlasProduct.h"
#include "test/Gpu/Libraries/Tensor.h"
#include <gtest/gtest.h>

namespace hocket::test {

using plan::PostOp;
using runtime::Status;
using runtime::cuda::ProductArguments;

struct Sample {
  Tensor a, b, c;
  std::optional<Tensor> bias;
  struct Post {
    PostOp op;
    Tensor operand;
  };
  std::vector<Post> post;

  ProductArguments arguments() const;
};

/// Plain products [batch..., m, k] x [batch..., k, n], row-major.
Sample sample(DType in, DType out, std::vector<int64_t> batch, int64_t m,
              int64_t n, int64_t k);

/// Runs samples in the look-alike; a failure of the test where it finds
/// anything.
class BlasTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// A handle of a device that offers other algorithms first.
  std::unique_ptr<runtime::cuda::Blas> openOn(int device);
  /// Chooses, uses and runs; then compares with the reference in f64.
  void check(const Sample &sample,
             const runtime::cuda::ProductOptions &options = {});
  Status run(runtime::cuda::Blas &blas, const Sample &sample,
             const runtime::cuda::ProductOptions &options,
             const std::vector<uint8_t> *algorithm = nullptr);
  std::string takeFindings();
  void *find(const char *symbol);

  runtime::cuda::BlasLibrary library;
  runtime::cuda::DriverFunctions driver = {};
  std::unique_ptr<runtime::cuda::Blas> blas;
  std::vector<uint8_t> workspaceBytes;
  void *workspace = nullptr;
};

/// Of libcublasLt.so.13 that looks alike.
std::string lookalikePath();

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_LIBRARIES_BLAS_SAMPLE_H
