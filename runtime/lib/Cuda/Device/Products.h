//===- Products.h - products of ranks on one GPU ---------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_PRODUCTS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_PRODUCTS_H

#include "runtime/lib/Cuda/Blas/BlasProduct.h"
#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Device/Address.h"
#include <map>
#include <mutex>

namespace hocket::runtime::cuda {

/// What the ranks of a process share of cuBLASLt: the library, and which
/// algorithm computes a product, for equal values must not differ in their
/// bits. For any thread.
class SharedProducts {
public:
  /// Loads the library when it is first asked for.
  Status open(const BlasLibrary *&library);
  /// Has `product` use the algorithm that the first rank has chosen for one
  /// that is described so.
  Status decide(const std::string &description, BlasProduct &product);

private:
  std::mutex mutex;
  bool isLoaded = false;
  Status loaded;
  BlasLibrary library;
  std::map<std::string, std::vector<uint8_t>> algorithms;
};

/// Those of one rank.
class Products {
public:
  Products(CudaStream &stream, SharedProducts &shared)
      : stream(stream), shared(shared) {}

  Status prepare(const plan::Matmul &matmul, const AddressBook &book,
                 std::unique_ptr<Call> &call);

private:
  Status open();

  CudaStream &stream;
  SharedProducts &shared;
  std::unique_ptr<Blas> blas; // once there is a product
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_PRODUCTS_H
