//===- Create.cpp - communicators are made and split ----------------------===//

#include "test/Gpu/Libraries/Nccl/Config.h"
#include "test/Gpu/Libraries/Nccl/Group.h"
#include "test/Gpu/Libraries/Nccl/Receive.h"
#include "test/Gpu/Libraries/Nccl/UniqueIds.h"
#include <algorithm>

using namespace hocket::lookalike;

namespace {

Member here(const ncclComm &comm, uint64_t world) {
  // Without a driver no two ranks have one device.
  int device = comm.state ? comm.device : -int(comm.endpoint);
  return {nccl().transport().name(), comm.endpoint, world, device};
}

/// All operations write the byte, so that the driver finds two of them that
/// nothing orders. Without the lock.
bool keepState(ncclComm &comm) {
  comm.state = keepByte(comm.device, "the state of " + comm.title());
  return true;
}

/// Where a communicator that blocks cannot be made there is none.
NcclResult completeMade(Call &call, const Communicator &comm, NcclComm *made) {
  auto pending = std::make_shared<Pending>();
  pending->isDone = [comm] { return comm->phase != Phase::Made; };
  pending->finish = [] { return NcclSuccess; };
  completeOrAdd(call, comm, pending);
  if (call.code && call.code != NcclInProgress) {
    nccl().communicators.erase(comm->endpoint);
    *made = nullptr;
  }
  return call.code;
}

NcclResult init(Call &call, NcclComm *made, int ranks, const NcclUniqueId &id,
                int rank, const NcclConfig *config) {
  std::string process;
  uint64_t number;
  if (!readId(id, process, number))
    return call.find("the unique id is not one of ncclGetUniqueId");
  Communicator comm = nccl().make(call.device);
  comm->ranks = ranks;
  comm->rank = rank;
  comm->idProcess = process;
  configure(*comm, config);
  call.unlocked([&] { return keepState(*comm); });
  Message message{Topic::Join, number, uint32_t(rank), uint64_t(ranks)};
  Packer packer;
  pack(packer, here(*comm, rank));
  message.bytes = packer.bytes;
  nccl().transport().send(process, std::move(message));
  *made = comm.get();
  return completeMade(call, comm, made);
}

/// The members of a color, by key and then by rank.
void gather(ncclComm &child, const ncclComm &parent, uint64_t split,
            int color) {
  std::vector<std::tuple<int, int, Member>> chosen;
  for (const auto &[rank, offer] : parent.offers.at(split))
    if (offer.color == color)
      chosen.emplace_back(offer.key, rank, offer.member);
  std::sort(chosen.begin(), chosen.end(), [](const auto &a, const auto &b) {
    return std::pair(std::get<0>(a), std::get<1>(a)) <
           std::pair(std::get<0>(b), std::get<1>(b));
  });
  child.ranks = chosen.size();
  for (const auto &[key, rank, member] : chosen) {
    if (rank == parent.rank)
      child.rank = child.members.size();
    child.members.push_back(member);
  }
  child.phase = Phase::Ready;
  if (child.isBlocking)
    return;
  // It is there when its parent is no longer in progress, but not done.
  child.pending = std::make_shared<Pending>();
  child.pending->polls = 2;
  child.pending->isDone = [] { return true; };
  child.pending->finish = [] { return NcclSuccess; };
}

/// Null for no color.
Communicator makeChild(const ncclComm &parent, int color,
                       const NcclConfig *config) {
  if (color < 0)
    return nullptr;
  Communicator child = nccl().make(parent.device);
  child->isBlocking = parent.isBlocking;
  child->sharesWithSplits = parent.sharesWithSplits;
  if (parent.sharesWithSplits)
    child->family = parent.family;
  configure(*child, config);
  return child;
}

NcclResult split(Call &call, const Communicator &parent, int color, int key,
                 NcclComm *made, const NcclConfig *config) {
  Communicator child = makeChild(*parent, color, config);
  Packer packer;
  packer.number(color);
  packer.number(key);
  Member member = parent->members[parent->rank];
  member.endpoint = child ? child->endpoint : 0;
  pack(packer, member);
  uint64_t number = parent->splits++;
  Message message{Topic::Split};
  message.index = number;
  message.bytes = packer.bytes;
  for (int rank = 0; rank < parent->ranks; ++rank)
    sendTo(*parent, rank, message);
  *made = nullptr;
  auto pending = std::make_shared<Pending>();
  pending->isDone = [=] {
    return int(parent->offers[number].size()) == parent->ranks;
  };
  pending->finish = [=] {
    std::unique_lock<std::mutex> lock(nccl().mutex);
    if (child)
      gather(*child, *parent, number, color);
    lock.unlock();
    if (child)
      keepState(*child);
    *made = child.get();
    return NcclSuccess;
  };
  return completeOrAdd(call, parent, pending);
}

std::string problemOfRank(int ranks, int rank) {
  if (ranks < 1)
    return "a communicator of " + std::to_string(ranks) + " ranks";
  if (rank < 0 || rank >= ranks)
    return "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
  return "";
}

std::string problemOfSplit(const ncclComm &comm, int color) {
  if (color < -1)
    return "the color " + std::to_string(color) +
           " is neither NCCL_SPLIT_NOCOLOR (-1) nor at least 0";
  if (comm.outstanding)
    return comm.title() + " has " + std::to_string(comm.outstanding) +
           " operations that are not over";
  return "";
}

} // namespace

extern "C" {

NcclResult ncclGetUniqueId(NcclUniqueId *id) {
  Call call("ncclGetUniqueId");
  if (!call.code && call.has(id, "the place for the id"))
    *id = makeId(nccl());
  return call.code;
}

NcclResult ncclCommInitRankConfig(NcclComm *comm, int ranks, NcclUniqueId id,
                                  int rank, NcclConfig *config) {
  Call call("ncclCommInitRankConfig");
  if (call.code || !call.has(comm, "the place for the communicator"))
    return failGroup(call.code);
  std::string wrong = problemOfRank(ranks, rank);
  if (wrong.empty() && call.device < 0)
    wrong = "there is no current context";
  if (wrong.empty())
    wrong = problemOf(config);
  if (!wrong.empty())
    call.find(wrong);
  else
    init(call, comm, ranks, id, rank, config);
  return failGroup(call.code);
}

NcclResult ncclCommSplit(NcclComm handle, int color, int key, NcclComm *made,
                         NcclConfig *config) {
  Call call("ncclCommSplit");
  Communicator comm;
  if (!call.code && call.has(made, "the place for the communicator"))
    comm = call.use(handle);
  if (!comm)
    return failGroup(call.code);
  std::string wrong = problemOfSplit(*comm, color);
  if (wrong.empty())
    wrong = problemOf(config);
  if (!wrong.empty())
    call.find(wrong);
  else
    split(call, comm, color, key, made, config);
  return failGroup(call.code);
}
}
