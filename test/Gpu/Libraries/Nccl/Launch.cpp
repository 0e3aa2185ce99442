//===- Launch.cpp - what a group runs on one communicator -----------------===//

#include "test/Gpu/Libraries/Nccl/Launch.h"
#include "test/Gpu/Libraries/Nccl/Progress.h"
#include "test/Gpu/Libraries/Nccl/Ring.h"
#include "test/Gpu/Libraries/Nccl/State.h"

namespace hocket::lookalike {

using Lock = std::lock_guard<std::mutex>;

Launch::Launch(Communicator comm, Stream stream,
               std::vector<Operation> operations)
    : comm(std::move(comm)), stream(stream), operations(std::move(operations)),
      function(this->operations.front().function) {}

Launch::~Launch() {
  if (isCaptured)
    --comm->captured;
}

/// "ncclSend", "4 calls from ncclSend to ncclRecv".
std::string Launch::title() const {
  if (operations.size() == 1)
    return function;
  return std::to_string(operations.size()) + " calls from " + function +
         " to " + operations.back().function;
}

int Launch::issue() {
  isCaptured = isCapturing(stream);
  if (isCaptured)
    ++comm->captured;
  Work first, second;
  auto self = shared_from_this();
  first.name = title();
  second.name = "the end of " + title();
  first.isOfAnyContext = second.isOfAnyContext = true;
  for (const Operation &operation : operations) {
    HocketLookalikeRange reads = operation.reads(*comm);
    HocketLookalikeRange writes = operation.writes(*comm);
    if (reads.bytes)
      first.reads.push_back(reads);
    if (writes.bytes)
      second.writes.push_back(writes);
  }
  if (comm->state) {
    first.writes.push_back({comm->state, 1});
    second.writes.push_back({comm->state, 1});
  }
  first.issued = [self] { self->addIssue(); };
  first.run = [self](DeviceMemory &memory) { self->give(memory); };
  second.isReady = [self] { return self->isReady(); };
  second.run = [self](DeviceMemory &memory) { self->take(memory); };
  if (int code = submit(function, stream, std::move(first)))
    return code;
  return submit(function, stream, std::move(second));
}

void Launch::addIssue() {
  Lock lock(nccl().mutex);
  runs.emplace_back();
  if (comm->phase == Phase::Destroyed || comm->isAborted()) {
    runs.back().isLate = true;
    return;
  }
  ++comm->outstanding;
  uint64_t place = ++nccl().issued;
  // Without streams calls are over when they return, in one order.
  for (const Operation &operation : operations)
    if (comm->state)
      noteIssue(*comm, operation, place);
}

/// Whether the run that is next gives anything.
bool Launch::beginRun(Run &run) {
  if (run.isLate || comm->isAborted())
    return false;
  auto error = nccl().settings.remoteErrors.find(++nccl().running);
  if (error == nccl().settings.remoteErrors.end())
    return true;
  comm->fail(static_cast<NcclResult>(error->second),
             "operation " + std::to_string(error->first) + " is made to fail");
  return false;
}

/// Reads all before anything is sent, then sends.
void Launch::give(DeviceMemory &memory) {
  {
    Lock lock(nccl().mutex);
    bool isLate = runs.front().isLate;
    if (!beginRun(runs.front())) {
      if (isLate)
        find(memory, "runs on " + comm->title() +
                         ", which was over when it was put into the stream");
      return;
    }
  }
  std::vector<std::vector<char>> own;
  for (const Operation &operation : operations) {
    HocketLookalikeRange range = operation.reads(*comm);
    own.emplace_back(range.bytes);
    if (range.bytes &&
        !memory.read(range.address, range.bytes, own.back().data()))
      return;
  }
  Lock lock(nccl().mutex);
  Run &run = runs.front();
  run.hasGiven = true;
  for (size_t i = 0; i < operations.size(); ++i)
    run.steps.push_back(begin(operations[i], std::move(own[i])));
  run.nudged = std::chrono::steady_clock::now();
}

Launch::Step Launch::begin(const Operation &operation, std::vector<char> own) {
  Message message;
  message.text =
      operation.isCollective() ? operation.text() : operation.elements();
  message.flags = static_cast<uint32_t>(operation.registered);
  if (!operation.isCollective()) {
    bool isSend = operation.kind == Kind::Send;
    message.topic = isSend ? Topic::Data : Topic::Want;
    message.index = (isSend ? comm->sends : comm->receives)[operation.peer]++;
    message.bytes = std::move(own);
    uint64_t index = message.index;
    sendTo(*comm, operation.peer, std::move(message));
    return {index, {}};
  }
  message.topic = Topic::Arrival;
  message.index = comm->collectives++;
  for (int rank = 0; rank < comm->ranks; ++rank) {
    if (rank == comm->rank)
      continue;
    message.bytes = own;
    if (operation.kind == Kind::ReduceScatter)
      message.bytes.assign(own.begin() + rank * operation.bytes(),
                           own.begin() + (rank + 1) * operation.bytes());
    sendTo(*comm, rank, message);
  }
  return {message.index, std::move(own)};
}

std::vector<Launch::Wanted> Launch::wanted(size_t call, const Run &run) const {
  const Operation &operation = operations[call];
  uint64_t index = run.steps[call].index;
  if (operation.kind == Kind::Send)
    return {{Topic::Want, operation.peer, index}};
  if (operation.kind == Kind::Receive)
    return {{Topic::Data, operation.peer, index}};
  std::vector<Wanted> all;
  for (int rank = 0; rank < comm->ranks; ++rank)
    if (rank != comm->rank)
      all.push_back({Topic::Arrival, rank, index});
  return all;
}

bool Launch::isReady() {
  Lock lock(nccl().mutex);
  Run &run = runs.front();
  if (run.isLate || comm->isAborted())
    return true;
  if (!run.hasGiven)
    return false; // it has failed
  for (size_t i = 0; i < operations.size(); ++i)
    for (const Wanted &each : wanted(i, run))
      if (!comm->packets.count({each.topic, uint32_t(each.from), each.index})) {
        nudge(run, each);
        return false;
      }
  return true;
}

/// The device of a rank that is waited for goes on, whatever its program does.
void Launch::nudge(Run &run, const Wanted &missing) {
  auto now = std::chrono::steady_clock::now();
  if (now - run.nudged < patience)
    return;
  run.nudged = now;
  sendTo(*comm, missing.from, {Topic::Nudge});
}

void Launch::take(DeviceMemory &memory) {
  std::vector<std::vector<char>> results;
  std::vector<std::string> problems;
  bool isAborted;
  {
    Lock lock(nccl().mutex);
    Run run = std::move(runs.front());
    runs.pop_front();
    if (run.isLate)
      return;
    --comm->outstanding;
    isAborted = comm->isAborted();
    for (size_t i = 0; !isAborted && i < operations.size(); ++i) {
      std::vector<Packet> packets;
      for (const Wanted &each : wanted(i, run)) {
        auto found =
            comm->packets.find({each.topic, uint32_t(each.from), each.index});
        std::string wrong = problemWith(operations[i], each, found->second);
        if (!wrong.empty())
          problems.push_back(wrong);
        packets.push_back(std::move(found->second));
        comm->packets.erase(found);
      }
      if (problems.empty())
        results.push_back(resultOf(operations[i], run.steps[i], packets));
    }
  }
  if (isAborted)
    return forget(memory);
  for (const std::string &problem : problems) {
    Lock lock(nccl().mutex);
    find(memory, problem);
  }
  for (size_t i = 0; problems.empty() && i < operations.size(); ++i)
    if (!results[i].empty())
      memory.write(operations[i].to, results[i].size(), results[i].data());
}

void Launch::find(DeviceMemory &memory, const std::string &problem) const {
  nccl().findings += title() + " " + problem + "\n";
  memory.find(problem);
}

/// What an operation would have written that was aborted has no values.
void Launch::forget(DeviceMemory &memory) {
  for (const Operation &operation : operations) {
    HocketLookalikeRange range = operation.writes(*comm);
    if (range.bytes)
      memory.forget(range.address, range.bytes);
  }
}

static const char *textOf(Registered registered) {
  return registered == Registered::All    ? "registered buffers alone"
         : registered == Registered::Some ? "some registered buffers"
                                          : "no registered buffer";
}

/// How another rank's call differs from ours.
std::string Launch::problemWith(const Operation &operation,
                                const Wanted &wanted,
                                const Packet &packet) const {
  std::string rank = "rank " + std::to_string(wanted.from);
  std::string ours =
      operation.isCollective() ? operation.text() : operation.elements();
  if (packet.text != ours && operation.isCollective())
    return "is collective " + std::to_string(wanted.index + 1) + " of " +
           comm->title() + ", " + ours + ", where " + rank + " calls " +
           packet.text;
  if (packet.text != ours)
    return std::string(operation.kind == Kind::Send ? "sends " : "receives ") +
           ours + " on " + comm->title() + " where " + rank +
           (operation.kind == Kind::Send ? " receives " : " sends ") +
           packet.text;
  auto theirs = static_cast<Registered>(packet.flags);
  if (operation.registered == theirs || theirs == Registered::Any ||
      operation.registered == Registered::Any)
    return "";
  return "has " + std::string(textOf(operation.registered)) + " on " +
         comm->title() + ", where " + rank + " has " + textOf(theirs);
}

std::vector<char> Launch::resultOf(const Operation &operation, Step &step,
                                   std::vector<Packet> &packets) const {
  if (operation.kind == Kind::Send)
    return {};
  if (operation.kind == Kind::Receive)
    return std::move(packets.front().bytes);
  std::vector<std::vector<char>> parts;
  for (int rank = 0; rank < comm->ranks; ++rank)
    parts.push_back(rank == comm->rank
                        ? std::move(step.own)
                        : std::move(packets[rank - (rank > comm->rank)].bytes));
  if (operation.kind == Kind::Broadcast)
    return std::move(parts[operation.peer]);
  if (operation.kind == Kind::AllReduce)
    return reduceAll(*comm, operation, parts);
  std::vector<char> &own = parts[comm->rank];
  if (operation.kind == Kind::ReduceScatter) {
    auto begin = own.begin() + comm->rank * operation.bytes();
    own = std::vector<char>(begin, begin + operation.bytes());
    return reducePart(*comm, operation, parts, comm->rank, 0, operation.count);
  }
  std::vector<char> gathered;
  for (const std::vector<char> &part : parts)
    gathered.insert(gathered.end(), part.begin(), part.end());
  return gathered;
}

} // namespace hocket::lookalike
