//===- Convolutions.h - convolutions of ranks on one GPU -------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H

#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Dnn/DnnConvolution.h"
#include "runtime/lib/Device/Address.h"
#include <map>
#include <mutex>

namespace hocket::runtime::cuda {

/// What the ranks of a process share of cuDNN: the library, and which algorithm
/// computes a convolution, for equal values must not differ in their bits. For
/// any thread.
class SharedConvolutions {
public:
  /// Loads the library when it is first asked for.
  Status open(const DnnLibrary *&library);
  /// Has `convolution` use the algorithm that the first rank has chosen for one
  /// that is described so.
  Status decide(const std::string &description, DnnConvolution &convolution);

private:
  std::mutex mutex;
  bool isLoaded = false;
  Status loaded;
  DnnLibrary library;
  std::map<std::string, std::vector<uint8_t>> algorithms;
};

/// Those of one rank.
class Convolutions {
public:
  Convolutions(CudaStream &stream, SharedConvolutions &shared)
      : stream(stream), shared(shared) {}

  Status prepare(const plan::Convolution &convolution, const AddressBook &book,
                 std::unique_ptr<Call> &call);

private:
  Status open();

  CudaStream &stream;
  SharedConvolutions &shared;
  std::unique_ptr<Dnn> dnn; // once there is a convolution
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CONVOLUTIONS_H
