//===- Convolutions.h - convolutions of ranks on one GPU -------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H

#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Device/RankDnn.h"
#include "runtime/lib/Cuda/Device/Workspace.h"
#include "runtime/lib/Cuda/Dnn/DnnConvolution.h"

namespace hocket::runtime::cuda {

/// Convolutions of one rank.
class Convolutions {
public:
  Convolutions(CudaStream &stream, RankDnn &dnn) : stream(stream), dnn(dnn) {}

  /// Chooses an algorithm for it, unless a rank has.
  Status propose(const plan::Convolution &convolution,
                 const Workspace &workspace, const AddressBook &book);
  Status prepare(const plan::Convolution &convolution,
                 const Workspace &workspace, const AddressBook &book,
                 std::unique_ptr<Call> &call);

private:
  Status make(const plan::Convolution &convolution, const Workspace &workspace,
              const AddressBook &book, std::unique_ptr<DnnConvolution> &made,
              std::string &description);

  CudaStream &stream;
  RankDnn &dnn;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H
