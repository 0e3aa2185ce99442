//===- Destroy.cpp - communicators end, and how they are ------------------===//

#include "test/Gpu/Libraries/Nccl/Group.h"

using namespace hocket::lookalike;

namespace {

std::string problemOfEnd(const ncclComm &comm) {
  if (comm.captured)
    return comm.title() + " has " + std::to_string(comm.captured) +
           " calls in graphs that are not destroyed";
  if (!comm.registrations.empty())
    return comm.title() + " has " + std::to_string(comm.registrations.size()) +
           " buffers that are not deregistered";
  return "";
}

/// All operations are over, here and on all other ranks.
std::shared_ptr<Pending> finalization(const Communicator &comm) {
  comm->phase = Phase::Finalizing;
  auto pending = std::make_shared<Pending>();
  auto isTold = std::make_shared<bool>(false);
  pending->isDone = [=] {
    if (comm->outstanding)
      return false;
    for (int rank = 0; !*isTold && rank < comm->ranks; ++rank)
      sendTo(*comm, rank, {Topic::Finalized});
    *isTold = true;
    return int(comm->finalized.size()) == comm->ranks;
  };
  pending->finish = [=] {
    std::lock_guard<std::mutex> lock(nccl().mutex);
    comm->phase = Phase::Finalized;
    return NcclSuccess;
  };
  return pending;
}

/// Destroys one that can be destroyed, after what ncclCommFinalize does.
NcclResult destroy(Call &call, const Communicator &comm) {
  if (comm->phase == Phase::Ready && !comm->family->isAborted) {
    auto pending = finalization(comm);
    if (NcclResult code = call.waitFor(*comm, *pending))
      return code;
  }
  comm->phase = Phase::Destroyed;
  nccl().communicators.erase(comm->endpoint);
  call.unlocked([] {
    nccl().transport().flush();
    return true;
  });
  return NcclSuccess;
}

/// Whether a member has been gone for as long as a test wants it to take until
/// that is noticed.
void notice(ncclComm &comm) {
  if (!nccl().settings.notice || comm.phase == Phase::Finalized)
    return;
  auto now = std::chrono::steady_clock::now();
  for (const auto &[rank, since] : comm.gone)
    if (!comm.finalized.count(rank) && now - since >= *nccl().settings.notice)
      comm.fail(NcclRemoteError, "rank " + std::to_string(rank) + " of " +
                                     comm.title() + " has ended or aborted");
}

/// The state of a communicator, and what its call waits for goes on.
NcclResult poll(Call &call, const Communicator &comm) {
  notice(*comm);
  if (comm->error || !comm->isBusy())
    return comm->error;
  std::shared_ptr<Pending> pending = comm->pending;
  if (!pending->isDone()) {
    call.unlocked(stepDriver);
    return NcclInProgress;
  }
  if (pending->polls-- > 0)
    return NcclInProgress;
  pending->isOver = true;
  if (NcclResult result = call.unlocked(pending->finish))
    comm->fail(result, "a call on the communicator has failed");
  return comm->error;
}

} // namespace

extern "C" {

NcclResult ncclCommFinalize(NcclComm handle) {
  Call call("ncclCommFinalize");
  Communicator comm;
  if (!call.code && isOutsideGroup(call))
    comm = call.use(handle);
  if (!comm)
    return call.code;
  std::string wrong = problemOfEnd(*comm);
  return wrong.empty() ? call.complete(comm, finalization(comm))
                       : call.find(wrong, NcclInvalidUsage);
}

NcclResult ncclCommDestroy(NcclComm handle) {
  Call call("ncclCommDestroy");
  Communicator comm;
  if (!call.code && handle && isOutsideGroup(call))
    comm = call.known(handle);
  if (!comm)
    return call.code;
  std::string wrong = problemOfEnd(*comm);
  if (comm->isBusy())
    return call.find(comm->title() +
                     " is destroyed while a call on it is in progress");
  if (!wrong.empty())
    return call.find(wrong, NcclInvalidUsage);
  if (comm->error)
    return call.refuse(comm->errorText, comm->error);
  return destroy(call, comm);
}

NcclResult ncclCommAbort(NcclComm handle) {
  Call call("ncclCommAbort");
  Communicator comm;
  if (!call.code && handle && isOutsideGroup(call))
    comm = call.known(handle);
  if (!comm)
    return call.code;
  for (size_t rank = 0; rank < comm->members.size(); ++rank)
    if (int(rank) != comm->rank)
      sendTo(*comm, rank, {Topic::Aborted});
  comm->phase = Phase::Aborted;
  comm->family->isAborted = true;
  nccl().communicators.erase(comm->endpoint);
  call.unlocked([] {
    tellWaiting();
    return true;
  });
  return NcclSuccess;
}

NcclResult ncclCommGetAsyncError(NcclComm handle, NcclResult *error) {
  Call call("ncclCommGetAsyncError");
  Communicator comm;
  if (!call.code && call.has(error, "the place for the error"))
    comm = call.known(handle);
  if (comm)
    *error = poll(call, comm);
  return call.code;
}
}
