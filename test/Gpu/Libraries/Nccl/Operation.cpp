//===- Operation.cpp - a send, a receive or a collective ------------------===//

#include "test/Gpu/Libraries/Nccl/Operation.h"

namespace hocket::lookalike {

std::string Operation::elements() const {
  return std::to_string(count) + " " + nameOf(type);
}

std::string Operation::text() const {
  std::string text = std::string(function) + " of " + elements();
  if (kind == Kind::Send)
    text += " to rank " + std::to_string(peer);
  if (kind == Kind::Receive)
    text += " from rank " + std::to_string(peer);
  if (kind == Kind::Broadcast)
    text += ", root " + std::to_string(peer);
  if (kind == Kind::AllReduce || kind == Kind::ReduceScatter)
    text += std::string(", ") + nameOf(reduction);
  return text;
}

HocketLookalikeRange Operation::reads(const ncclComm &comm) const {
  if (kind == Kind::Receive || (kind == Kind::Broadcast && peer != comm.rank))
    return {0, 0};
  return {from, bytes() * (kind == Kind::ReduceScatter ? comm.ranks : 1)};
}

HocketLookalikeRange Operation::writes(const ncclComm &comm) const {
  if (kind == Kind::Send)
    return {0, 0};
  return {to, bytes() * (kind == Kind::AllGather ? comm.ranks : 1)};
}

bool overlap(const HocketLookalikeRange &a, const HocketLookalikeRange &b) {
  return a.bytes && b.bytes && a.address < b.address + b.bytes &&
         b.address < a.address + a.bytes;
}

namespace {

std::string problemOfNumbers(const Operation &operation, const ncclComm &comm) {
  if (!sizeOf(operation.type))
    return "the look-alike has no type " + std::to_string(operation.type);
  if (!nameOf(operation.reduction))
    return "the look-alike has no operator " +
           std::to_string(operation.reduction);
  if (operation.peer < 0 || operation.peer >= comm.ranks)
    return comm.title() + " has no rank " + std::to_string(operation.peer);
  return "";
}

std::string problemOfBuffer(const HocketLookalikeRange &range, const char *name,
                            const Operation &operation) {
  size_t size = sizeOf(operation.type);
  if (!range.bytes)
    return "";
  if (!range.address)
    return std::string("the buffer ") + name + " is null";
  if (range.address % size == 0)
    return "";
  return std::string("the buffer ") + name + " is not aligned to the " +
         std::to_string(size) + " bytes of a " + nameOf(operation.type);
}

/// Where the documents let a rank's part of one buffer lie in the other.
bool isInPlace(const Operation &operation, const ncclComm &comm) {
  uint64_t part = comm.rank * operation.bytes();
  if (operation.kind == Kind::AllGather)
    return operation.from == operation.to + part;
  if (operation.kind == Kind::ReduceScatter)
    return operation.to == operation.from + part;
  return operation.from == operation.to;
}

} // namespace

std::string problemOf(const Operation &operation, const ncclComm &comm) {
  std::string wrong = problemOfNumbers(operation, comm);
  HocketLookalikeRange reads = operation.reads(comm);
  HocketLookalikeRange writes = operation.writes(comm);
  if (wrong.empty())
    wrong = problemOfBuffer(reads, "that it sends from", operation);
  if (wrong.empty())
    wrong = problemOfBuffer(writes, "that it receives into", operation);
  if (wrong.empty() && overlap(reads, writes) && !isInPlace(operation, comm))
    wrong = operation.text() + ": the two buffers overlap otherwise than an "
                               "operation in place has them";
  return wrong;
}

static std::string problemOfOwnMessages(const std::vector<Operation> &all,
                                        const ncclComm &comm) {
  size_t sends = 0, receives = 0;
  for (const Operation &operation : all)
    if (!operation.isCollective() && operation.peer == comm.rank)
      ++(operation.kind == Kind::Send ? sends : receives);
  if (sends == receives)
    return "";
  return comm.title() + " sends " + std::to_string(sends) +
         " times to itself in a group in which it receives " +
         std::to_string(receives) + " times from itself";
}

std::string problemOf(const std::vector<Operation> &all, const ncclComm &comm) {
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < all.size(); ++j)
      if (i != j &&
          (overlap(all[i].writes(comm), all[j].reads(comm)) ||
           (i < j && overlap(all[i].writes(comm), all[j].writes(comm)))))
        return all[i].text() + " writes what " + all[j].text() +
               " of the same group uses";
  return problemOfOwnMessages(all, comm);
}

Registered registrationOf(const Operation &operation, const ncclComm &comm) {
  int buffers = 0, registered = 0;
  for (const HocketLookalikeRange &range :
       {operation.reads(comm), operation.writes(comm)}) {
    if (!range.bytes)
      continue;
    ++buffers;
    for (const auto &[handle, each] : comm.registrations)
      if (range.address >= each.address &&
          range.address + range.bytes <= each.address + each.bytes) {
        ++registered;
        break;
      }
  }
  if (!buffers)
    return Registered::Any;
  return registered == 0         ? Registered::None
         : registered == buffers ? Registered::All
                                 : Registered::Some;
}

} // namespace hocket::lookalike
