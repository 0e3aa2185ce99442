//===- HookCall.h - calling a user's own function --------------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_DEVICE_HOOKCALL_H
#define HOCKET_LIB_CPU_DEVICE_HOOKCALL_H

#include "hocket/Runtime/Call.h"
#include "hocket/Runtime/Communicator.h"
#include "hocket/Runtime/Kernels.h"

namespace hocket::runtime {

struct HookArguments {
  std::vector<Operand> inputs, outputs;
  int64_t rank = 0, ranks = 1;
  int threads = 1;
  Communicator *comm = nullptr; // of a collective
  CollectiveSpec collective;    // which it does
};

/// The call of hook `name`, whose address is in `kernels`.
Status makeHook(const std::string &name, const KernelTable &kernels,
                HookArguments arguments, std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_DEVICE_HOOKCALL_H
