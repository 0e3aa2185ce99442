//===- Buffers.cpp - memory that is allocated or registered ---------------===//

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Nccl/Call.h"

using namespace hocket::lookalike;

namespace {

bool isThere(Call &call, const Registration &registration) {
  return call.unlocked(
      [&] { return isAllocated(registration.address, registration.bytes); });
}

void deregister(Call &call, ncclComm &comm, void *handle) {
  auto found = comm.registrations.find(handle);
  if (found == comm.registrations.end()) {
    call.find("there is no such registration with " + comm.title());
    return;
  }
  if (comm.outstanding)
    call.find(comm.title() + " has " + std::to_string(comm.outstanding) +
              " operations that are not over");
  if (!isThere(call, found->second))
    call.find("the buffer was freed before");
  comm.registrations.erase(handle);
}

} // namespace

extern "C" {

NcclResult ncclCommRegister(NcclComm handle, void *buffer, size_t bytes,
                            void **made) {
  Call call("ncclCommRegister");
  Communicator comm;
  if (!call.code && call.has(made, "the place for the registration"))
    comm = call.use(handle);
  if (!comm)
    return call.code;
  Registration registration{reinterpret_cast<uint64_t>(buffer), bytes};
  if (!bytes || !isThere(call, registration))
    return call.find(std::to_string(bytes) +
                     " bytes of a buffer are not in one allocation");
  *made = reinterpret_cast<void *>(++nccl().registrations);
  comm->registrations[*made] = registration;
  return NcclSuccess;
}

/// Null is what NCCL gives where it registers nothing.
NcclResult ncclCommDeregister(NcclComm handle, void *registration) {
  Call call("ncclCommDeregister");
  Communicator comm;
  if (!call.code)
    comm = call.known(handle);
  if (comm && registration)
    deregister(call, *comm, registration);
  return call.code;
}

NcclResult ncclMemAlloc(void **buffer, size_t bytes) {
  Call call("ncclMemAlloc");
  if (call.code || !call.has(buffer, "the place for the buffer"))
    return call.code;
  if (!bytes)
    return call.find("0 bytes are asked for");
  *buffer = call.unlocked([&] { return allocateMemory(bytes); });
  if (!*buffer)
    return call.refuse("there is no memory", NcclUnhandledCudaError);
  nccl().allocations[*buffer] = bytes;
  return NcclSuccess;
}

NcclResult ncclMemFree(void *buffer) {
  Call call("ncclMemFree");
  if (call.code || !buffer)
    return call.code;
  if (!nccl().allocations.erase(buffer))
    return call.find("the buffer is not one of ncclMemAlloc");
  if (!call.unlocked([&] { return freeMemory(buffer); }))
    return call.refuse("the buffer cannot be freed", NcclUnhandledCudaError);
  return NcclSuccess;
}
}
