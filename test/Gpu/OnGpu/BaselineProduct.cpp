//===- BaselineProduct.cpp - cuBLASLt's product alone ---------------------===//
//
// The library counts by columns: our result [m, n] is its [n, m], the weight
// [n, k] its [k, n] transposed.
//
//===----------------------------------------------------------------------===//

#include "BaselineProduct.h"
#include "hocket/Cuda/Product.h"
#include "runtime/lib/Cuda/Blas/BlasLibrary.h"
#include <algorithm>

using namespace hocket::baseline;
using namespace hocket::runtime::cuda;
using hocket::runtime::Status;

namespace {

/// How many algorithms are asked for.
constexpr int mostAlgorithms = 16;

BlasType blasType(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return BlasF32;
  case ElementType::BF16:
    return BlasBF16;
  case ElementType::F16:
    break;
  }
  return BlasF16;
}

/// One product with its operands and descriptors.
class Product {
public:
  Product(Gpu &gpu, const BlasLibrary &library)
      : gpu(gpu), library(library), blas(library, gpu.functions()) {}
  ~Product();
  Status make(const ProductShape &shape);
  Status findAlgorithms(std::vector<BlasResult> &results);
  Status run(const BlasResult &result);

private:
  Status check(BlasStatus code, const char *function) const {
    return code ? library.failure(function, code, "the product alone")
                : Status::success();
  }
  Status allocate(const ProductShape &shape);
  Status describe(const ProductShape &shape);

  Gpu &gpu;
  const BlasLibrary &library;
  Blas blas;
  BlasDescription description = nullptr;
  BlasLayout weight = nullptr, x = nullptr, result = nullptr;
  DeviceAddress weightData = 0, xData = 0, resultData = 0, workspace = 0;
};

} // namespace

Product::~Product() {
  const BlasFunctions &lt = library.functions;
  for (BlasLayout layout : {weight, x, result})
    if (layout)
      lt.layoutDestroy(layout);
  if (description)
    lt.descriptionDestroy(description);
}

Status Product::allocate(const ProductShape &shape) {
  int64_t width = bytesOf(shape.in);
  Status status =
      gpu.allocateRandom(shape.n * shape.k * width, shape.in, weightData);
  if (status.ok())
    status = gpu.allocateRandom(shape.m * shape.k * width, shape.in, xData);
  if (status.ok())
    status = gpu.allocate(shape.m * shape.n * bytesOf(shape.out), resultData);
  return status.ok() ? gpu.allocate(productWorkspaceBytes, workspace) : status;
}

Status Product::describe(const ProductShape &shape) {
  const BlasFunctions &lt = library.functions;
  BlasType in = blasType(shape.in);
  int32_t transposed = BlasTransposed;
  Status status =
      check(lt.descriptionCreate(&description, BlasCompute32F, BlasF32),
            "cublasLtMatmulDescCreate");
  if (status.ok())
    status = check(lt.descriptionSet(description, BlasDescriptionTransposesA,
                                     &transposed, sizeof transposed),
                   "cublasLtMatmulDescSetAttribute");
  if (status.ok())
    status = check(lt.layoutCreate(&weight, in, shape.k, shape.n, shape.k),
                   "cublasLtMatrixLayoutCreate");
  if (status.ok())
    status = check(lt.layoutCreate(&x, in, shape.k, shape.m, shape.k),
                   "cublasLtMatrixLayoutCreate");
  if (status.ok())
    status = check(lt.layoutCreate(&result, blasType(shape.out), shape.n,
                                   shape.m, shape.n),
                   "cublasLtMatrixLayoutCreate");
  return status;
}

Status Product::make(const ProductShape &shape) {
  Status status = blas.open();
  if (status.ok())
    status = describe(shape);
  return status.ok() ? allocate(shape) : status;
}

Status Product::findAlgorithms(std::vector<BlasResult> &results) {
  const BlasFunctions &lt = library.functions;
  BlasPreference preference = nullptr;
  Status status =
      check(lt.preferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  if (!status.ok())
    return status;
  uint64_t bytes = productWorkspaceBytes;
  int count = 0;
  results.resize(mostAlgorithms);
  status = check(lt.preferenceSet(preference, BlasPreferenceWorkspace, &bytes,
                                  sizeof bytes),
                 "cublasLtMatmulPreferenceSetAttribute");
  if (status.ok())
    status = check(lt.algorithmsFor(blas.handle, description, weight, x, result,
                                    result, preference, mostAlgorithms,
                                    results.data(), &count),
                   "cublasLtMatmulAlgoGetHeuristic");
  lt.preferenceDestroy(preference);
  results.resize(count);
  results.erase(
      std::remove_if(results.begin(), results.end(),
                     [](const BlasResult &each) { return each.state != 0; }),
      results.end());
  return status;
}

Status Product::run(const BlasResult &chosen) {
  auto place = [](DeviceAddress address) {
    return reinterpret_cast<void *>(address);
  };
  float one = 1, zero = 0;
  return check(library.functions.matmul(
                   blas.handle, description, &one, place(weightData), weight,
                   place(xData), x, &zero, place(resultData), result,
                   place(resultData), result, &chosen.algorithm,
                   place(workspace), productWorkspaceBytes, gpu.stream()),
               "cublasLtMatmul");
}

static double medianOf(Times times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[times.size() / 2];
}

Status hocket::baseline::timeProduct(Gpu &gpu, const ProductShape &shape,
                                     int64_t runs, ProductTimes &times) {
  BlasLibrary library;
  Status status = library.load();
  if (!status.ok())
    return status;
  Product product(gpu, library);
  std::vector<BlasResult> results;
  status = product.make(shape);
  if (status.ok())
    status = product.findAlgorithms(results);
  times.offered = static_cast<int>(results.size());
  for (const BlasResult &result : results) {
    Times each;
    if (status.ok())
      status = gpu.time([&] { return product.run(result); }, runs, each);
    if (times.first.empty())
      times.first = each;
    if (status.ok() &&
        (times.fastest.empty() || medianOf(each) < medianOf(times.fastest)))
      times.fastest = each;
  }
  return status;
}
