//===- MpiCommunicator.cpp - a rank's end of its messages -----------------===//

#include "runtime/lib/Mpi/MpiCommunicator.h"
#include "runtime/lib/Communicator/CollectiveSpec.h"
#include <thread>

namespace hocket::runtime {

MpiCommunicator::MpiCommunicator(MpiWorld &world, int64_t rank)
    : world(world), self(rank),
      random(world.options.delaySeed * 0x9e3779b97f4a7c15u + rank),
      counts(world.options.groups.size(), 0) {
  waits.reserve(mostWaits);
}

/// What is open belongs to a run that has failed, which ends without MPI.
MpiCommunicator::~MpiCommunicator() {
  for (const std::unique_ptr<Prepared> &collective : collectives)
    if (!world.run.hasFailed())
      release(*collective);
}

void MpiCommunicator::release(Prepared &collective) {
  for (std::vector<Line> *lines : {&collective.first, &collective.second}) {
    for (Line &line : *lines)
      if (!line.isOpen && !line.local)
        world.run.library.call([&](const MpiFunctions &mpi) {
          return mpi.release(&line.request);
        });
    lines->clear();
  }
}

Status MpiCommunicator::prepare(const CollectiveSpec &spec, int64_t &handle) {
  Status status = world.made.ok() ? checkSpec(spec) : world.made;
  if (!status.ok())
    return status;
  if (spec.members[spec.me] != self)
    return Status::runtimeError(spec.describe() + ": rank " +
                                std::to_string(self) + " is not member " +
                                std::to_string(spec.me) + " of it");
  auto collective = std::make_unique<Prepared>();
  collective->spec = spec;
  collective->context = world.contextOf(spec.members);
  if (!collective->context)
    return Status::runtimeError(spec.describe() +
                                ": its members are no group of the run");
  collective->number = counts[collective->context->set]++;
  collective->from.assign(spec.members.size(), 0);
  handle = static_cast<int64_t>(collectives.size());
  collectives.push_back(std::move(collective));
  return Status::success();
}

// ---- places and messages --------------------------------------------------

/// Gives it staging and messages when it first runs, for then it is known how
/// much staging the largest needs: all that end before the next one begins
/// share theirs. What is started keeps its own and leaves dst alone until it
/// ends.
Status MpiCommunicator::bind(Prepared &collective, bool isStarted) {
  auto delivery =
      isStarted ? Exchange::Delivery::Combined : Exchange::Delivery::Direct;
  int64_t own = Exchange(collective.spec, nullptr, delivery).stagingBytes();
  constexpr int64_t alignment = 64;
  std::vector<char> *staging = &collective.ownStaging;
  int64_t bytes = own;
  if (!isStarted) {
    if (sharedStaging.empty())
      for (const std::unique_ptr<Prepared> &other : collectives)
        bytes = std::max(
            bytes, Exchange(other->spec, nullptr, delivery).stagingBytes());
    if (sharedStaging.empty() ||
        int64_t(sharedStaging.back().size()) < own + alignment)
      sharedStaging.emplace_back();
    staging = &sharedStaging.back();
  }
  if (staging->empty()) {
    staging->resize(size_t(bytes + alignment));
    staged += bytes;
  }
  char *place = staging->data();
  place += -reinterpret_cast<uintptr_t>(place) % alignment;
  collective.exchange.emplace(collective.spec, place, delivery);
  collective.isStarted = isStarted;
  Exchange &exchange = *collective.exchange;
  release(collective);
  Status status = exchange.prepare(hostMover());
  if (status.ok())
    status = makeLines(collective, {1, exchange.receives, exchange.sends},
                       collective.first);
  if (status.ok())
    status = makeLines(collective,
                       {2, exchange.secondReceives, exchange.secondSends},
                       collective.second);
  return status;
}

/// Ranks of one process need no MPI between them.
Status MpiCommunicator::makeLines(Prepared &collective,
                                  const Exchanged &exchanged,
                                  std::vector<Line> &lines) {
  for (bool isReceive : {true, false}) {
    std::map<int64_t, int> counts; // of messages, by the other one
    for (const Message &message :
         isReceive ? exchanged.receives : exchanged.sends) {
      Line line{message, isReceive};
      int64_t other = collective.spec.members[message.member];
      Status status;
      if (world.isLocal(other))
        line.local = &world.localMessage(
            {collective.context->set, collective.number, exchanged.number,
             counts[other]++, isReceive ? other : self,
             isReceive ? self : other});
      else
        status = makeLine(collective, line);
      if (!status.ok())
        return status;
      lines.push_back(line);
    }
  }
  return Status::success();
}

Status MpiCommunicator::makeLine(Prepared &collective, Line &line) {
  MpiLibrary &library = world.run.library;
  const Message &message = line.message;
  int64_t other = collective.spec.members[message.member];
  int tag = line.isReceive ? world.tagOf(collective.number, other, self)
                           : world.tagOf(collective.number, self, other);
  if (tag < 0)
    return Status::runtimeError(
        collective.spec.describe() + ": " + library.version +
        " has tags up to " + std::to_string(world.run.tagLimit()) +
        ", too few for so many collectives; start more processes, of fewer "
        "ranks each");
  MpiComm comm = collective.context->comm;
  int process = world.processOf(other);
  int code = library.call([&](const MpiFunctions &mpi) {
    return line.isReceive
               ? mpi.prepareReceive(message.data, message.bytes,
                                    library.mostBytes, process, tag, comm,
                                    &line.request)
               : mpi.prepareSend(message.data, message.bytes, library.mostBytes,
                                 process, tag, comm, &line.request);
  });
  return code ? failed(collective,
                       line.isReceive ? "MPI_Recv_init" : "MPI_Send_init", code)
              : Status::success();
}

// ---- running --------------------------------------------------------------

Status MpiCommunicator::start(int64_t handle) {
  Prepared &collective = *collectives[handle];
  if (world.run.hasFailed())
    return interrupted(collective);
  Status status;
  if (!collective.exchange || !collective.isStarted)
    status = bind(collective, true);
  if (!status.ok())
    return status;
  status = collective.exchange->pack();
  return status.ok() ? begin(collective, collective.first) : status;
}

Status MpiCommunicator::run(int64_t handle) {
  Prepared &collective = *collectives[handle];
  waits.clear();
  if (world.run.hasFailed())
    return interrupted(collective);
  Status status;
  if (!collective.exchange || collective.isStarted)
    status = bind(collective, false);
  if (!status.ok())
    return status;
  status = collective.exchange->pack();
  if (status.ok())
    status = begin(collective, collective.first);
  return status.ok() ? finish(collective) : status;
}

Status MpiCommunicator::wait(int64_t handle) {
  Prepared &collective = *collectives[handle];
  waits.clear();
  if (world.run.hasFailed())
    return interrupted(collective);
  return finish(collective);
}

/// All that comes after its first messages have begun.
Status MpiCommunicator::finish(Prepared &collective) {
  Exchange &exchange = *collective.exchange;
  Status status = end(collective, collective.first);
  if (status.ok())
    status = exchange.combine();
  if (status.ok() && !collective.second.empty()) {
    status = begin(collective, collective.second);
    if (status.ok())
      status = end(collective, collective.second);
  }
  return status.ok() ? exchange.unpack() : status;
}

Status MpiCommunicator::begin(const Prepared &collective,
                              std::vector<Line> &lines) {
  for (Line &line : lines) {
    if (world.options.delaySeed)
      delay();
    int code = 0;
    if (!line.local)
      code = world.run.library.call(
          [&](const MpiFunctions &mpi) { return mpi.begin(&line.request); });
    else if (!line.isReceive)
      line.local->send(line.message.data, line.message.bytes);
    if (code)
      return failed(collective, "MPI_Start", code);
    line.isOpen = true;
  }
  return Status::success();
}

bool MpiCommunicator::test(Line &line, int64_t &bytes, int &code) {
  int isDone = 0;
  if (!line.local)
    code = world.run.library.call([&](const MpiFunctions &mpi) {
      return mpi.test(&line.request, &isDone, &bytes);
    });
  else
    isDone = line.isReceive ? line.local->take(line.message.data,
                                               line.message.bytes, bytes)
                            : line.local->isTaken();
  if (!code && isDone)
    line.isOpen = false;
  return !code && isDone;
}

Status MpiCommunicator::end(Prepared &collective, std::vector<Line> &lines) {
  auto limit = std::chrono::duration_cast<MpiRun::Clock::duration>(
      std::chrono::duration<double>(world.options.deadlineSeconds));
  auto begun = MpiRun::Clock::now();
  Status status;
  WaitResult result = world.run.wait(world.spins, begun + limit, [&] {
    bool all = true;
    for (Line &line : lines) {
      int64_t bytes = 0;
      int code = 0;
      if (line.isOpen && test(line, bytes, code))
        status = count(collective, line, bytes);
      else if (code)
        status = failed(collective, "MPI_Test", code);
      if (!status.ok())
        return true;
      all &= !line.isOpen;
    }
    return all;
  });
  waits.push_back({begun, MpiRun::Clock::now()});
  if (!status.ok())
    return status;
  if (result == WaitResult::Aborted)
    return toldOf(collective, lines);
  return result == WaitResult::TimedOut ? timeOut(collective, lines) : status;
}

/// What has come must be as long as what is expected, or ranks do not run the
/// same collective.
Status MpiCommunicator::count(Prepared &collective, const Line &line,
                              int64_t bytes) {
  if (!line.isReceive)
    return Status::success();
  collective.from[line.message.member] += bytes;
  received += bytes;
  if (bytes == line.message.bytes)
    return Status::success();
  int64_t other = collective.spec.members[line.message.member];
  Status status = Status::runtimeError(
      "ranks disagree: rank " + std::to_string(self) + " runs " +
      collective.spec.describe() + " and expects " +
      std::to_string(line.message.bytes) + " bytes from rank " +
      std::to_string(other) + ", which sent " + std::to_string(bytes));
  world.abort(self, status);
  return status;
}

/// As a communicator of threads is delayed.
void MpiCommunicator::delay() {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  if (random & 1)
    std::this_thread::sleep_for(std::chrono::microseconds((random >> 8) % 200));
}

} // namespace hocket::runtime
