//===- Attentions.h - attention of ranks on one GPU by cuDNN ---*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_ATTENTIONS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_ATTENTIONS_H

#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Device/RankDnn.h"
#include "runtime/lib/Cuda/Device/Workspace.h"
#include "runtime/lib/Cuda/Dnn/DnnAttention.h"

namespace hocket::runtime::cuda {

/// Attentions of one rank, and their gradients, whose engine is cuDNN.
class Attentions {
public:
  Attentions(CudaStream &stream, RankDnn &dnn) : stream(stream), dnn(dnn) {}

  /// Chooses a plan for it, unless a rank has. `Instruction` is an Attention or
  /// an AttentionGrad.
  template <class Instruction>
  Status propose(const Instruction &attention, const Workspace &workspace,
                 const AddressBook &book);
  /// `record` is where a run tells of padding that the library does not take.
  template <class Instruction>
  Status prepare(const Instruction &attention, const Workspace &workspace,
                 const AddressBook &book, DeviceAddress record,
                 std::unique_ptr<Call> &call);

private:
  Status open();
  template <class Instruction>
  Status make(const Instruction &attention, const Workspace &workspace,
              const AddressBook &book, std::unique_ptr<DnnAttention> &made,
              std::string &description);

  CudaStream &stream;
  RankDnn &dnn;
  /// The first that was prepared of each description: a plan of the library
  /// takes up to a second to make.
  std::map<std::string, std::shared_ptr<DnnAttention>> prepared;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_ATTENTIONS_H
