//===- Group.cpp - calls between ncclGroupStart and ncclGroupEnd ----------===//

#include "test/Gpu/Libraries/Nccl/Group.h"

namespace hocket::lookalike {

Group &group() {
  static thread_local Group group;
  return group;
}

namespace {

using Launches = std::vector<std::shared_ptr<Launch>>;

/// Puts all into their streams.
NcclResult issueAll(Launches &launches) {
  NcclResult result = NcclSuccess;
  for (const auto &launch : launches)
    if (!result && launch->issue())
      result = NcclUnhandledCudaError;
  launches.clear();
  return result;
}

/// A call on several communicators is over on all of them together.
NcclResult launch(Call &call, std::vector<GroupPart> parts) {
  auto launches = std::make_shared<Launches>();
  for (GroupPart &part : parts)
    launches->push_back(std::make_shared<Launch>(part.comm, part.stream,
                                                 std::move(part.operations)));
  auto pending = std::make_shared<Pending>();
  pending->isDone = [] { return true; };
  pending->finish = [launches] { return issueAll(*launches); };
  NcclResult result = call.complete(parts.front().comm, pending);
  if (result == NcclInProgress)
    for (GroupPart &part : parts)
      part.comm->pending = pending;
  return result;
}

/// What is wrong with calls that are each right, or nothing.
std::string problemOf(const Group &ended) {
  int blocking = 0, others = 0;
  for (const GroupPart &part : ended.parts)
    ++(part.comm->isBlocking ? blocking : others);
  for (const auto &[comm, pending] : ended.waits)
    ++(comm->isBlocking ? blocking : others);
  if (blocking && others)
    return "communicators that block and others that do not are in one group";
  if (!ended.parts.empty() && !ended.waits.empty())
    return "communicators are made or split in a group that also communicates";
  for (const GroupPart &part : ended.parts) {
    std::string wrong = problemOf(part.operations, *part.comm);
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

NcclResult end(Call &call) {
  Group ended = std::move(group());
  group() = Group();
  if (ended.error)
    return call.refuse("a call of the group has failed", ended.error);
  std::string wrong = problemOf(ended);
  if (!wrong.empty())
    return call.find(wrong, NcclInvalidUsage);
  if (!ended.parts.empty())
    return launch(call, std::move(ended.parts));
  NcclResult result = NcclSuccess;
  for (auto &[comm, pending] : ended.waits)
    if (NcclResult each = call.complete(comm, pending))
      result = result && each == NcclInProgress ? result : each;
  return call.code = result;
}

} // namespace

NcclResult add(Call &call, const Communicator &comm, Stream stream,
               const Operation &operation) {
  Group &open = group();
  GroupPart *part = nullptr;
  for (GroupPart &each : open.parts)
    if (each.comm == comm)
      part = &each;
  if (part && part->stream != stream)
    return call.find("a group has calls on " + comm->title() +
                         " in two streams, which the look-alike does not "
                         "support",
                     NcclInvalidUsage);
  if (!part)
    part = &open.parts.emplace_back(GroupPart{comm, stream, {}});
  part->operations.push_back(operation);
  return open.depth ? NcclSuccess : end(call);
}

NcclResult completeOrAdd(Call &call, const Communicator &comm,
                         std::shared_ptr<Pending> pending) {
  if (!group().depth)
    return call.complete(comm, std::move(pending));
  group().waits.emplace_back(comm, std::move(pending));
  return NcclSuccess;
}

NcclResult failGroup(NcclResult code) {
  if (code && code != NcclInProgress && group().depth && !group().error)
    group().error = code;
  return code;
}

bool isOutsideGroup(Call &call) {
  if (group().depth)
    failGroup(call.find("the look-alike does not support it in a group",
                        NcclInvalidUsage));
  return !call.code;
}

} // namespace hocket::lookalike

using namespace hocket::lookalike;

extern "C" {

NcclResult ncclGroupStart() {
  Call call("ncclGroupStart");
  if (call.code)
    return call.code;
  nccl().openGroups += group().depth++ == 0;
  return NcclSuccess;
}

NcclResult ncclGroupEnd() {
  Call call("ncclGroupEnd");
  if (!call.code && !group().depth)
    call.find("there is no ncclGroupStart before it", NcclInvalidUsage);
  if (!group().depth || --group().depth)
    return failGroup(call.code);
  --nccl().openGroups;
  if (call.code) // it is made to fail
    group() = Group();
  return call.code ? call.code : end(call);
}
}
