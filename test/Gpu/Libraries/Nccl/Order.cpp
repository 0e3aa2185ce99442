//===- Order.cpp - do two ranks issue their calls in one order ------------===//

#include "test/Gpu/Libraries/Nccl/Order.h"
#include "test/Gpu/Libraries/Nccl/Operation.h"
#include "test/Gpu/Libraries/Nccl/State.h"

namespace hocket::lookalike {

namespace {

/// Pairs that are remembered; older ones are over.
constexpr size_t mostPairs = 4096;

IssueKey::Kind kindOf(const Operation &operation) {
  if (operation.isCollective())
    return IssueKey::Collective;
  return operation.kind == Kind::Send ? IssueKey::Send : IssueKey::Receive;
}

IssueKey::Kind otherSide(IssueKey::Kind kind) {
  if (kind == IssueKey::Collective)
    return kind;
  return kind == IssueKey::Send ? IssueKey::Receive : IssueKey::Send;
}

void tellOrder(const std::string &first, const std::string &second,
               const ncclComm &comm, uint32_t rank) {
  nccl().tellLater(first + " is issued before " + second + ", but rank " +
                   std::to_string(rank) + " of communicator " +
                   std::to_string(comm.number) +
                   " issues their other sides in the other order, so that "
                   "each may wait for the other");
}

void addPair(const ncclComm &comm, uint32_t rank, const Issue &ours,
             uint64_t theirPlace) {
  const Member &member = comm.members[rank];
  Pairs &pairs = nccl().pairs[{member.process, member.device, comm.device}];
  std::pair<uint64_t, uint64_t> places(ours.place, theirPlace);
  std::string text = ours.text + " on " + comm.title();
  auto next = pairs.lower_bound(places);
  if (next != pairs.end() && next->first.second < theirPlace)
    return tellOrder(text, next->second, comm, rank);
  if (next != pairs.begin() && std::prev(next)->first.second > theirPlace)
    return tellOrder(std::prev(next)->second, text, comm, rank);
  pairs.emplace(places, text);
  if (pairs.size() > mostPairs)
    pairs.erase(pairs.begin());
}

void match(ncclComm &comm, const IssueKey &key) {
  auto ours = comm.issues.ours.find(key);
  auto theirs = comm.issues.theirs.find(key);
  if (ours == comm.issues.ours.end() || theirs == comm.issues.theirs.end())
    return;
  addPair(comm, key.rank, ours->second, theirs->second.place);
  comm.issues.ours.erase(ours);
  comm.issues.theirs.erase(theirs);
}

} // namespace

void noteIssue(ncclComm &comm, const Operation &operation, uint64_t place) {
  IssueKey::Kind kind = kindOf(operation);
  for (int rank = 0; rank < comm.ranks; ++rank) {
    bool isFor = kind == IssueKey::Collective || rank == operation.peer;
    if (!isFor || rank == comm.rank)
      continue;
    uint64_t index = comm.issues.counts[{kind, rank}]++;
    Message message{Topic::Issue};
    message.index = index;
    message.flags = otherSide(kind);
    Packer packer;
    packer.number(place);
    message.bytes = packer.bytes;
    sendTo(comm, rank, std::move(message));
    IssueKey key{kind, uint32_t(rank), index};
    comm.issues.ours[key] = {place, operation.text()};
    match(comm, key);
  }
}

void takeIssue(ncclComm &comm, const Message &message) {
  IssueKey key{static_cast<IssueKey::Kind>(message.flags), message.from,
               message.index};
  Unpacker unpacker(message.bytes);
  comm.issues.theirs[key] = {unpacker.number<uint64_t>(), ""};
  match(comm, key);
}

} // namespace hocket::lookalike
