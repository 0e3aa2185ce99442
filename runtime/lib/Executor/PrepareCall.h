//===- PrepareCall.h - instructions of a plan as calls ---------*- C++ -*-===//

#ifndef HOCKET_LIB_EXECUTOR_PREPARECALL_H
#define HOCKET_LIB_EXECUTOR_PREPARECALL_H

#include "hocket/Cpu/Matmul.h"
#include "hocket/Runtime/Communicator.h"
#include "hocket/Runtime/Executor.h"
#include "runtime/lib/Executor/Address.h"

namespace hocket::runtime {

/// What the calls of one rank refer to; outlives them.
struct CallContext {
  const AddressBook &book;
  const KernelTable &kernels;
  Communicator &comm;
  std::vector<std::unique_ptr<PackedWeight>> &packs;
  const TensorSource *const &weights; // set while load runs
  int threads;
  int64_t &lastHandle; // of a collective
};

/// Decides everything that does not depend on the tensors' values. The thread
/// that prepares a call is the one that runs it.
Status prepareCall(const plan::Instruction &instruction,
                   const CallContext &context, std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_PREPARECALL_H
