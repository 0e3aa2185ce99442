//===- PrepareCpuCall.h - instructions as calls of a CPU -------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_DEVICE_PREPARECPUCALL_H
#define HOCKET_LIB_CPU_DEVICE_PREPARECPUCALL_H

#include "hocket/Cpu/Matmul.h"
#include "hocket/Runtime/Communicator.h"
#include "hocket/Runtime/Kernels.h"
#include "runtime/lib/Device/Address.h"

namespace hocket::runtime {

/// What the calls of one rank refer to; outlives them.
struct CpuCallContext {
  const AddressBook &book;
  const KernelTable &kernels;
  Communicator &comm; // of hooks
  std::vector<std::unique_ptr<PackedWeight>> &packs;
  int threads;
};

/// The thread that prepares a call is the one that runs it.
Status prepareCpuCall(const plan::Instruction &instruction,
                      const CpuCallContext &context,
                      std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_DEVICE_PREPARECPUCALL_H
