//===- PrepareCall.h - instructions of a plan as calls ---------*- C++ -*-===//

#ifndef HOCKET_LIB_EXECUTOR_PREPARECALL_H
#define HOCKET_LIB_EXECUTOR_PREPARECALL_H

#include "hocket/Runtime/Communicator.h"
#include "hocket/Runtime/Device.h"
#include "hocket/Runtime/Tensors.h"
#include "runtime/lib/Device/Address.h"
#include <map>

namespace hocket::runtime {

/// What the calls of one rank refer to; outlives them.
struct CallContext {
  const AddressBook &book;
  Device &device;
  Communicator &comm;
  const TensorSource *const &weights;  // set while load runs
  std::map<int64_t, int64_t> &handles; // of a list's collectives, by id
};

/// Parameters are read and collectives run in one way on every device; it
/// prepares all else itself.
Status prepareCall(const plan::Instruction &instruction,
                   const CallContext &context, std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_PREPARECALL_H
