//===- Operations.cpp - sends, receives and collectives -------------------===//

#include "test/Gpu/Libraries/Nccl/Group.h"

using namespace hocket::lookalike;

namespace {

uint64_t addressOf(const void *buffer) {
  return reinterpret_cast<uint64_t>(buffer);
}

NcclResult run(Operation operation, NcclComm handle, Stream stream) {
  Call call(operation.function);
  Communicator comm;
  if (!call.code)
    comm = call.use(handle);
  if (comm) {
    std::string wrong = problemOf(operation, *comm);
    operation.registered = registrationOf(operation, *comm);
    if (!wrong.empty())
      call.find(wrong);
    else
      add(call, comm, stream, operation);
  }
  return failGroup(call.code);
}

} // namespace

extern "C" {

NcclResult ncclSend(const void *buffer, size_t count, NcclType type, int peer,
                    NcclComm comm, Stream stream) {
  return run({Kind::Send, "ncclSend", addressOf(buffer), 0, count, type, peer},
             comm, stream);
}

NcclResult ncclRecv(void *buffer, size_t count, NcclType type, int peer,
                    NcclComm comm, Stream stream) {
  return run(
      {Kind::Receive, "ncclRecv", 0, addressOf(buffer), count, type, peer},
      comm, stream);
}

NcclResult ncclBroadcast(const void *from, void *to, size_t count,
                         NcclType type, int root, NcclComm comm,
                         Stream stream) {
  return run({Kind::Broadcast, "ncclBroadcast", addressOf(from), addressOf(to),
              count, type, root},
             comm, stream);
}

NcclResult ncclAllGather(const void *from, void *to, size_t count,
                         NcclType type, NcclComm comm, Stream stream) {
  return run({Kind::AllGather, "ncclAllGather", addressOf(from), addressOf(to),
              count, type},
             comm, stream);
}

NcclResult ncclAllReduce(const void *from, void *to, size_t count,
                         NcclType type, NcclOperator reduction, NcclComm comm,
                         Stream stream) {
  return run({Kind::AllReduce, "ncclAllReduce", addressOf(from), addressOf(to),
              count, type, 0, reduction},
             comm, stream);
}

NcclResult ncclReduceScatter(const void *from, void *to, size_t count,
                             NcclType type, NcclOperator reduction,
                             NcclComm comm, Stream stream) {
  return run({Kind::ReduceScatter, "ncclReduceScatter", addressOf(from),
              addressOf(to), count, type, 0, reduction},
             comm, stream);
}
}
