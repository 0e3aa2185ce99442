//===- UniqueIds.cpp - how ranks find each other --------------------------===//
//
// The process that makes an id waits for all ranks of it and then tells each
// of all others. An id names that process.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Libraries/Nccl/UniqueIds.h"
#include "test/Gpu/Libraries/Nccl/Receive.h"
#include "test/Gpu/Libraries/Nccl/State.h"

namespace hocket::lookalike {

namespace {

constexpr char mark[16] = "look-alike id";

struct Content {
  char mark[16];
  char process[64];
  uint64_t number;
};
static_assert(sizeof(Content) <= sizeof(NcclUniqueId));

/// All that have come and the one that comes.
void refuse(Gathering &gathering, const Member &comes, const std::string &why) {
  gathering.refused = why;
  gathering.joined.emplace(INT_MAX, comes);
  for (const auto &[rank, member] : gathering.joined)
    nccl().transport().send(
        member.process, {Topic::Refusal, member.endpoint, 0, 0, 0, why, {}});
  gathering.joined.clear();
}

std::string problemOf(const Gathering &gathering, const Message &message,
                      const Member &comes) {
  int rank = message.from, ranks = message.index;
  if (!gathering.refused.empty())
    return gathering.refused;
  if (gathering.isOver)
    return "the unique id already has a communicator";
  if (gathering.joined.count(rank))
    return "two ranks of one unique id are rank " + std::to_string(rank);
  if (gathering.ranks && gathering.ranks != ranks)
    return "rank " + std::to_string(rank) + " is told of " +
           std::to_string(ranks) + " ranks, and rank " +
           std::to_string(gathering.joined.begin()->first) + " of " +
           std::to_string(gathering.ranks);
  for (const auto &[other, member] : gathering.joined)
    if (member.process == comes.process && member.device == comes.device)
      return "ranks " + std::to_string(other) + " and " + std::to_string(rank) +
             " have one device";
  return "";
}

} // namespace

NcclUniqueId makeId(Nccl &nccl) {
  Content content{};
  std::memcpy(content.mark, mark, sizeof mark);
  const std::string &process = nccl.transport().name();
  std::memcpy(content.process, process.data(), process.size());
  content.number = ++nccl.ids;
  nccl.gatherings[content.number];
  NcclUniqueId id{};
  std::memcpy(&id, &content, sizeof content);
  return id;
}

bool readId(const NcclUniqueId &id, std::string &process, uint64_t &number) {
  Content content;
  std::memcpy(&content, &id, sizeof content);
  process = content.process;
  number = content.number;
  return std::memcmp(content.mark, mark, sizeof mark) == 0;
}

void join(const Message &message) {
  Gathering &gathering = nccl().gatherings[message.to];
  Unpacker unpacker(message.bytes);
  Member comes = unpackMember(unpacker);
  std::string problem = problemOf(gathering, message, comes);
  if (!problem.empty() && gathering.isOver) {
    Gathering late;
    return refuse(late, comes, problem);
  }
  if (!problem.empty())
    return refuse(gathering, comes, problem);
  gathering.ranks = message.index;
  gathering.joined[message.from] = comes;
  if (int(gathering.joined.size()) < gathering.ranks)
    return;
  gathering.isOver = true;
  Packer packer;
  for (const auto &[rank, member] : gathering.joined)
    pack(packer, member);
  Message members{Topic::Members};
  members.bytes = packer.bytes;
  for (const auto &[rank, member] : gathering.joined) {
    members.to = member.endpoint;
    nccl().transport().send(member.process, members);
  }
}

} // namespace hocket::lookalike
