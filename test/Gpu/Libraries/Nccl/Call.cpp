//===- Call.cpp - what every function begins with -------------------------===//

#include "test/Gpu/Libraries/Nccl/Call.h"
#include "test/Gpu/Libraries/Device.h"

namespace hocket::lookalike {

Call::Call(const char *function)
    : function(function), code(static_cast<NcclResult>(countCall(function))),
      device(currentDevice(0)), lock(nccl().mutex) {
  if (code)
    nccl().lastError = std::string(function) + " is made to fail";
}

Call::~Call() {
  lock.unlock();
  for (const std::string &sentence : sentences)
    tell(sentence);
}

NcclResult Call::find(const std::string &sentence, NcclResult result) {
  std::string line = std::string(function) + ": " + sentence;
  nccl().findings += line + "\n";
  sentences.push_back(std::move(line));
  return refuse(sentence, result);
}

NcclResult Call::refuse(const std::string &reason, NcclResult result) {
  nccl().lastError = reason;
  return code = result;
}

bool Call::has(const void *place, const char *name) {
  if (!place)
    find(std::string(name) + " is null");
  return place;
}

Communicator Call::known(NcclComm handle) {
  Communicator comm = nccl().find(handle);
  if (!comm)
    find("there is no such communicator");
  return comm;
}

Communicator Call::use(NcclComm handle) {
  Communicator comm = known(handle);
  if (!comm)
    return nullptr;
  if (comm->isBusy())
    find(comm->title() + " is used while a call on it is in progress");
  else if (comm->family->isAborted)
    find(comm->title() + " shares resources with one that is aborted",
         NcclInvalidUsage);
  else if (comm->error)
    refuse(comm->errorText, comm->error);
  else if (comm->phase != Phase::Ready)
    find(comm->title() + " is finalized", NcclInvalidUsage);
  return code ? nullptr : comm;
}

NcclResult Call::waitFor(const ncclComm &comm, const Pending &pending) {
  while (!comm.error && !comm.isAborted() && !pending.isDone()) {
    if (unlocked(stepDriver) == Step::Failed)
      return refuse("the device has failed", NcclUnhandledCudaError);
    nccl().changed.wait_for(lock, std::chrono::milliseconds(1));
  }
  if (comm.isAborted())
    return refuse(comm.title() + " is aborted", NcclInternalError);
  return comm.error ? refuse(comm.errorText, comm.error) : NcclSuccess;
}

NcclResult Call::complete(const Communicator &comm,
                          std::shared_ptr<Pending> pending) {
  if (comm->isBlocking) {
    if (waitFor(*comm, *pending))
      return code;
  } else if (comm->callsInProgress++ % 3 || !pending->isDone()) {
    pending->polls = 1 + comm->callsInProgress % 3;
    comm->pending = std::move(pending);
    return code = NcclInProgress;
  }
  return code = unlocked(pending->finish);
}

} // namespace hocket::lookalike
