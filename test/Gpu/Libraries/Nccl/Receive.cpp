//===- Receive.cpp - what is done with messages ---------------------------===//

#include "test/Gpu/Libraries/Nccl/Receive.h"
#include "test/Gpu/Libraries/Nccl/Progress.h"
#include "test/Gpu/Libraries/Nccl/State.h"

namespace hocket::lookalike {

using Lock = std::lock_guard<std::mutex>;

void pack(Packer &packer, const Member &member) {
  packer.text(member.process);
  packer.number(member.endpoint);
  packer.number(member.world);
  packer.number(member.device);
}

Member unpackMember(Unpacker &unpacker) {
  Member member;
  member.process = unpacker.text();
  member.endpoint = unpacker.number<uint64_t>();
  member.world = unpacker.number<uint64_t>();
  member.device = unpacker.number<int>();
  return member;
}

namespace {

void takeMembers(ncclComm &comm, const Message &message) {
  Unpacker unpacker(message.bytes);
  for (int rank = 0; rank < comm.ranks; ++rank)
    comm.members.push_back(unpackMember(unpacker));
  comm.phase = Phase::Ready;
}

void refuse(ncclComm &comm, const Message &message) {
  comm.fail(NcclInvalidArgument, message.text);
  nccl().tellLater("ncclCommInitRankConfig: " + comm.title() + ": " +
                   message.text);
}

void takeOffer(ncclComm &comm, const Message &message) {
  Unpacker unpacker(message.bytes);
  SplitOffer offer;
  offer.color = unpacker.number<int>();
  offer.key = unpacker.number<int>();
  offer.member = unpackMember(unpacker);
  comm.offers[message.index][message.from] = offer;
}

void take(ncclComm &comm, Message message) {
  switch (message.topic) {
  case Topic::Members:
    return takeMembers(comm, message);
  case Topic::Refusal:
    return refuse(comm, message);
  case Topic::Split:
    return takeOffer(comm, message);
  case Topic::Issue:
    return takeIssue(comm, message);
  case Topic::Finalized:
    comm.finalized.insert(message.from);
    return;
  case Topic::Aborted:
    comm.gone.emplace(message.from, std::chrono::steady_clock::now());
    return;
  default:
    comm.packets[{message.topic, message.from, message.index}] = {
        std::move(message.text), message.flags, std::move(message.bytes)};
  }
}

} // namespace

void received(Message message) {
  if (message.topic == Topic::Nudge)
    return goOn();
  {
    Lock lock(nccl().mutex);
    auto found = nccl().communicators.find(message.to);
    if (message.topic == Topic::Join)
      join(message);
    else if (found != nccl().communicators.end())
      take(*found->second, std::move(message));
  }
  nccl().tellNow();
  tellWaiting();
}

void processEnded(const std::string &process) {
  {
    Lock lock(nccl().mutex);
    for (auto &[endpoint, comm] : nccl().communicators) {
      if (comm->phase == Phase::Made && comm->idProcess == process)
        comm->fail(NcclSystemError,
                   "the process that has made the unique id has ended");
      for (size_t rank = 0; rank < comm->members.size(); ++rank)
        if (comm->members[rank].process == process)
          comm->gone.emplace(rank, std::chrono::steady_clock::now());
    }
  }
  tellWaiting();
}

} // namespace hocket::lookalike
