//===- Products.h - products of ranks on one GPU ---------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_PRODUCTS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_PRODUCTS_H

#include "runtime/lib/Cuda/Blas/BlasProduct.h"
#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Device/SharedAlgorithms.h"
#include "runtime/lib/Cuda/Device/Workspace.h"

namespace hocket::runtime::cuda {

using SharedProducts = SharedAlgorithms<BlasLibrary>;

/// Products of one rank.
class Products {
public:
  Products(CudaStream &stream, SharedProducts &shared)
      : stream(stream), shared(shared) {}

  /// Chooses an algorithm for it, unless a rank has.
  Status propose(const plan::Matmul &matmul, const Workspace &workspace,
                 const AddressBook &book);
  Status prepare(const plan::Matmul &matmul, const Workspace &workspace,
                 const AddressBook &book, std::unique_ptr<Call> &call);

private:
  Status open();
  Status make(const plan::Matmul &matmul, const Workspace &workspace,
              const AddressBook &book, std::unique_ptr<BlasProduct> &product,
              std::string &description);

  CudaStream &stream;
  SharedProducts &shared;
  std::unique_ptr<Blas> blas; // once there is a product
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_PRODUCTS_H
