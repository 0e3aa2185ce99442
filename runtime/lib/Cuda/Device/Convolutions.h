//===- Convolutions.h - convolutions of ranks on one GPU -------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H

#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Device/SharedAlgorithms.h"
#include "runtime/lib/Cuda/Dnn/DnnConvolution.h"
#include "runtime/lib/Device/Address.h"

namespace hocket::runtime::cuda {

using SharedConvolutions = SharedAlgorithms<DnnLibrary>;

/// Convolutions of one rank.
class Convolutions {
public:
  Convolutions(CudaStream &stream, SharedConvolutions &shared)
      : stream(stream), shared(shared) {}

  /// Chooses an algorithm for it, unless a rank has.
  Status propose(const plan::Convolution &convolution, const AddressBook &book);
  Status prepare(const plan::Convolution &convolution, const AddressBook &book,
                 std::unique_ptr<Call> &call);

private:
  Status open();
  Status make(const plan::Convolution &convolution, const AddressBook &book,
              std::unique_ptr<DnnConvolution> &made, std::string &description);

  CudaStream &stream;
  SharedConvolutions &shared;
  std::unique_ptr<Dnn> dnn; // once there is a convolution
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H
