//===- NcclCommunicator.cpp - a rank's end of its collectives -------------===//

#include "runtime/lib/Cuda/Nccl/NcclCommunicator.h"
#include "runtime/lib/Communicator/CollectiveSpec.h"
#include <algorithm>

namespace hocket::runtime::cuda {

NcclCommunicator::NcclCommunicator(NcclWorld &world, int64_t rank,
                                   int64_t ranks, CudaMover &compute)
    : world(world), self(rank), ranks(ranks), compute(compute),
      stream(world.gpu) {}

NcclCommunicator::~NcclCommunicator() {
  world.forget(*this);
  if (!stream.get() || !world.gpu.enter().ok())
    return;
  if (world.hasFailed())
    world.abortComms(); // else what is left waits for others
  stream.api->streamSynchronize(stream.get());
  for (DeviceAddress region : regions)
    world.release(region);
}

Status NcclCommunicator::named(const Prepared &collective, Status status) {
  if (!status.ok())
    status.message = collective.spec.describe() + ": " + status.message;
  return status;
}

// ---- before the first step ------------------------------------------------

Status NcclCommunicator::prepare(const CollectiveSpec &spec, int64_t &handle) {
  Status status = checkSpec(spec);
  if (!status.ok())
    return status;
  if (spec.members[spec.me] != self)
    return Status::runtimeError(spec.describe() + ": rank " +
                                std::to_string(self) + " is not member " +
                                std::to_string(spec.me) + " of it");
  if (!stream.get())
    status = stream.open();
  auto collective = std::make_unique<Prepared>();
  collective->spec = spec;
  collective->from.assign(spec.members.size(), 0);
  if (status.ok())
    status = world.commOf(spec.members, collective->comm);
  if (status.ok())
    status = compute.makeMark(collective->begun);
  if (status.ok())
    status = moves.makeMark(collective->done);
  handle = static_cast<int64_t>(collectives.size());
  collectives.push_back(std::move(collective));
  return status;
}

Status NcclCommunicator::allocate(int64_t bytes, DeviceAddress &place) {
  Status status = world.allocate(bytes,
                                 std::to_string(bytes) + " bytes on GPU '" +
                                     world.gpu.name() + "' for staging",
                                 place);
  if (!status.ok())
    return status;
  regions.push_back(place);
  world.gpu.account().ofRanks += bytes;
  staged += bytes;
  return status;
}

static Exchange::Delivery deliveryOf(bool isStarted) {
  return isStarted ? Exchange::Delivery::Late : Exchange::Delivery::Direct;
}

int64_t NcclCommunicator::stagingOf(const CollectiveSpec &spec,
                                    bool isStarted) const {
  return Wholes::serves(spec, world.sumsAsLibrary())
             ? Wholes(spec, nullptr, isStarted).stagingBytes()
             : Exchange(spec, nullptr, deliveryOf(isStarted)).stagingBytes();
}

/// All that run as a whole share their staging, since one comes after the
/// other. What is started keeps its own.
Status NcclCommunicator::stage(Prepared &collective, bool isStarted,
                               char *&place) {
  Staging &staging = isStarted ? collective.ownStaging : shared;
  int64_t needed = stagingOf(collective.spec, isStarted), most = needed;
  if (!isStarted)
    for (const std::unique_ptr<Prepared> &other : collectives)
      most = std::max(most, stagingOf(other->spec, false));
  Status status;
  if (staging.bytes < needed) { // larger than all that had been prepared before
    status = allocate(most, staging.place);
    staging.bytes = most;
  }
  place = reinterpret_cast<char *>(staging.place);
  return status;
}

/// Gives it staging and moves when it first runs, for then it is known whether
/// it is started, and how much staging the largest needs.
Status NcclCommunicator::bind(Prepared &collective, bool isStarted) {
  const CollectiveSpec &spec = collective.spec;
  Status status = steps.reserve(int64_t(collectives.size()));
  char *place = nullptr;
  if (status.ok())
    status = stage(collective, isStarted, place);
  if (!status.ok())
    return status;
  collective.isBound = true;
  collective.isStarted = isStarted;
  collective.exchange.emplace(spec, place, deliveryOf(isStarted));
  collective.eachRun.assign(spec.members.size(), 0);
  for (const auto *messages :
       {&collective.exchange->receives, &collective.exchange->secondReceives})
    for (const Message &message : *messages)
      collective.eachRun[message.member] += message.bytes;
  Mover &late = isStarted ? compute : moves;
  if (!Wholes::serves(spec, world.sumsAsLibrary()))
    return collective.exchange->prepare(moves, late);
  collective.exchange.reset();
  collective.wholes.emplace(spec, place, isStarted);
  return collective.wholes->prepare(moves, late);
}

// ---- running --------------------------------------------------------------

Status
NcclCommunicator::group(const Prepared &collective,
                        const std::function<NcclResult(const char *&)> &issue) {
  const NcclFunctions &nccl = world.library.functions;
  const char *function = "ncclGroupStart";
  NcclResult code = nccl.groupStart();
  if (code == NcclSuccess) {
    code = issue(function);
    NcclResult ended = nccl.groupEnd();
    if (!code || code == NcclInProgress) {
      code = ended;
      function = "ncclGroupEnd";
    }
  }
  return world.settle(collective.comm, code, function,
                      collective.spec.describe(), "");
}

Status NcclCommunicator::transfer(const Prepared &collective,
                                  const std::vector<Message> &sends,
                                  const std::vector<Message> &receives) {
  if (sends.empty() && receives.empty())
    return Status::success();
  const NcclFunctions &nccl = world.library.functions;
  return group(collective, [&](const char *&function) {
    NcclResult code = NcclSuccess;
    auto goesOn = [&] { return !code || code == NcclInProgress; };
    for (const Message &message : receives)
      if (goesOn()) {
        function = "ncclRecv";
        code = nccl.receive(message.data, size_t(message.bytes), NcclInt8,
                            int(message.member), collective.comm, stream.get());
      }
    for (const Message &message : sends)
      if (goesOn()) {
        function = "ncclSend";
        code = nccl.send(message.data, size_t(message.bytes), NcclInt8,
                         int(message.member), collective.comm, stream.get());
      }
    return code;
  });
}

NcclResult NcclCommunicator::call(const Prepared &collective,
                                  const WholeCall &one, const char *&function) {
  const NcclFunctions &nccl = world.library.functions;
  const Wholes &wholes = *collective.wholes;
  size_t count = size_t(one.bytes / wholes.elementBytes);
  NcclComm comm = collective.comm;
  switch (one.kind) {
  case WholeCall::AllGather:
    function = "ncclAllGather";
    return nccl.allGather(one.from, one.to, count, wholes.type, comm,
                          stream.get());
  case WholeCall::Broadcast:
    function = "ncclBroadcast";
    return nccl.broadcast(one.from, one.to, count, wholes.type, int(one.root),
                          comm, stream.get());
  case WholeCall::AllReduce:
    function = "ncclAllReduce";
    return nccl.allReduce(one.from, one.to, count, wholes.type,
                          wholes.reduction, comm, stream.get());
  case WholeCall::ReduceScatter:
    function = "ncclReduceScatter";
    return nccl.reduceScatter(one.from, one.to, count, wholes.type,
                              wholes.reduction, comm, stream.get());
  }
  return NcclInternalError;
}

Status NcclCommunicator::beginWholes(Prepared &collective) {
  Wholes &wholes = *collective.wholes;
  Status status = wholes.pack();
  if (status.ok() && !wholes.calls.empty())
    status = group(collective, [&](const char *&function) {
      NcclResult code = NcclSuccess;
      for (const WholeCall &one : wholes.calls)
        if (!code || code == NcclInProgress)
          code = call(collective, one, function);
      return code;
    });
  return status.ok() && !collective.isStarted ? wholes.unpack() : status;
}

Status NcclCommunicator::beginExchange(Prepared &collective) {
  Exchange &exchange = *collective.exchange;
  Status status = exchange.pack();
  if (status.ok())
    status = transfer(collective, exchange.sends, exchange.receives);
  if (status.ok() && (exchange.hasSecond() || !collective.isStarted))
    status = exchange.combine();
  if (status.ok())
    status =
        transfer(collective, exchange.secondSends, exchange.secondReceives);
  return status.ok() && !collective.isStarted ? exchange.unpack() : status;
}

void NcclCommunicator::count(Prepared &collective) {
  for (size_t member = 0; member < collective.eachRun.size(); ++member) {
    collective.from[member] += collective.eachRun[member];
    received += collective.eachRun[member];
  }
}

/// All that comes before dst of a started one is written.
Status NcclCommunicator::begin(int64_t handle) {
  Prepared &collective = *collectives[handle];
  count(collective);
  Status status = compute.set(collective.begun.get());
  if (status.ok())
    status = moves.follow(collective.begun.get());
  if (status.ok())
    status = steps.enter(handle);
  if (status.ok())
    status =
        collective.wholes ? beginWholes(collective) : beginExchange(collective);
  if (status.ok())
    status = steps.leave(handle);
  return status.ok() ? moves.set(collective.done.get()) : status;
}

Status NcclCommunicator::run(int64_t handle) {
  Prepared &collective = *collectives[handle];
  if (world.hasFailed())
    return world.interrupted(collective.spec.describe());
  Status status;
  if (!collective.isBound || collective.isStarted)
    status = bind(collective, false);
  if (status.ok())
    status = begin(handle);
  if (status.ok())
    status = compute.follow(collective.done.get());
  return named(collective, status);
}

Status NcclCommunicator::start(int64_t handle) {
  Prepared &collective = *collectives[handle];
  if (world.hasFailed())
    return world.interrupted(collective.spec.describe());
  Status status;
  if (!collective.isBound || !collective.isStarted)
    status = bind(collective, true);
  if (status.ok())
    status = begin(handle);
  return named(collective, status);
}

Status NcclCommunicator::wait(int64_t handle) {
  Prepared &collective = *collectives[handle];
  Status status = compute.follow(collective.done.get());
  if (status.ok() && collective.wholes)
    status = collective.wholes->unpack();
  if (status.ok() && collective.exchange && !collective.exchange->hasSecond())
    status = collective.exchange->combine();
  if (status.ok() && collective.exchange)
    status = collective.exchange->unpack();
  return named(collective, status);
}

// ---- where it is ----------------------------------------------------------

const NcclCommunicator::Prepared *NcclCommunicator::current() const {
  int64_t number = steps.number();
  return number < 0 ? nullptr : collectives[size_t(number)].get();
}

std::string NcclCommunicator::placeText() const {
  const Prepared *collective = current();
  if (!collective)
    return "what comes before the first collective";
  return (isInside() ? "" : "what comes after ") + collective->spec.describe();
}

std::string NcclCommunicator::othersText() const {
  std::string text;
  const Prepared *collective = current();
  if (!collective)
    return text;
  for (int64_t member : collective->spec.members)
    if (member != self)
      text += (text.empty() ? "" : ", ") + std::to_string(member);
  return (collective->spec.members.size() > 2 ? "ranks " : "rank ") + text;
}

} // namespace hocket::runtime::cuda
