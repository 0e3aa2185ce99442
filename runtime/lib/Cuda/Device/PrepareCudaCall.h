//===- PrepareCudaCall.h - instructions as calls of a GPU ------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_PREPARECUDACALL_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_PREPARECUDACALL_H

#include "runtime/lib/Cuda/Device/Attentions.h"
#include "runtime/lib/Cuda/Device/Convolutions.h"
#include "runtime/lib/Cuda/Device/HookMemory.h"
#include "runtime/lib/Cuda/Device/Launches.h"
#include "runtime/lib/Cuda/Device/Lookups.h"
#include "runtime/lib/Cuda/Device/Products.h"
#include "runtime/lib/Device/Address.h"

namespace hocket::runtime::cuda {

/// What the calls of one rank refer to: all of it outlives them.
struct CudaCallContext {
  const AddressBook &book;
  Communicator &comm; // for hooks
  CudaStream &stream;
  Lookups &lookups;
  Products &products;
  Convolutions &convolutions;
  Attentions &attentions;
  HookMemory &hooks;
};

Status prepareCudaCall(const plan::Instruction &instruction,
                       const CudaCallContext &context,
                       std::unique_ptr<Call> &call);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_PREPARECUDACALL_H
