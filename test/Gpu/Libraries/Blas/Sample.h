//===- Sample.h - operands of products and their reference -----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_BLAS_SAMPLE_H
#define HOCKET_TEST_GPU_LIBRARIES_BLAS_SAMPLE_H

#include "hocket/Cuda/Product.h"
#include "runtime/lib/Cuda/Blas/BlasProduct.h"
#include <functional>
#include <gtest/gtest.h>

namespace hocket::test {

using plan::DType;
using plan::PostOp;
using runtime::Operand;
using runtime::Status;
using runtime::cuda::ProductArguments;

/// An operand in memory of its own. Bytes that belong to no element are all
/// ones, a NaN in each type.
class Tensor {
public:
  Tensor() = default;
  /// Elements in [-1, 1). `strides` empty: row-major. `shift` elements stand
  /// before the first, which else is at a multiple of 256 bytes.
  Tensor(DType type, std::vector<int64_t> shape,
         std::vector<int64_t> strides = {}, int64_t shift = 0);

  Operand operand() const;
  double get(const std::vector<int64_t> &index) const;
  void set(const std::vector<int64_t> &index, double value);
  /// Sets all elements to a NaN.
  void forget();
  /// Whether the bytes that belong to no element are as they were.
  bool isCleanOutside() const;
  /// The bits of all elements, row-major.
  std::vector<uint8_t> bits() const;

  DType type = DType::F32;
  std::vector<int64_t> shape, strides;

private:
  int64_t place(const std::vector<int64_t> &index) const; // bytes
  std::shared_ptr<std::vector<uint8_t>> bytes;
  int64_t first = 0; // bytes
};

/// Calls visit(index) for all indices in the box, row-major.
void forEachIndex(const std::vector<int64_t> &shape,
                  const std::function<void(const std::vector<int64_t> &)> &);

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
