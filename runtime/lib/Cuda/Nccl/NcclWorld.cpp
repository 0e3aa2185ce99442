//===- NcclWorld.cpp - ranks that are processes with a GPU each -----------===//

#include "runtime/lib/Cuda/Nccl/NcclWorld.h"
#include "runtime/lib/Cuda/Nccl/NcclCommunicator.h"
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>
#include <thread>

namespace hocket::runtime::cuda {

NcclWorld::~NcclWorld() {
  if (comms.empty())
    return;
  Status status = gpu.enter();
  // Where the GPU is lost, the others do not wait for this rank in closeComms.
  if (!status.ok() && !hasFailed())
    abort(rank(), status);
  else if (hasFailed())
    abortComms();
  else
    closeComms();
}

static std::string secondsText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", value);
  return text;
}

// ---- communicators of NCCL ------------------------------------------------

static NcclConfig withoutBlocking() {
  NcclConfig config;
  config.blocking = 0;
  config.splitShare = 1;
  return config;
}

Status NcclWorld::open() {
  Status status = processes.agree(library.load());
  if (!status.ok())
    return status;
  status = openComms();
  if (!status.ok()) {
    status.message = "rank " + std::to_string(rank()) + ": " + status.message;
    abort(rank(), status); // others may wait for this one in a call of NCCL
  }
  return status;
}

Status NcclWorld::openComms() {
  Status status = openAll();
  std::set<std::vector<std::vector<int64_t>>> sets;
  for (const std::vector<std::vector<int64_t>> &groups : options.groups)
    if (status.ok() && sets.insert(groups).second)
      status = openSet(groups);
  return status;
}

Status NcclWorld::openAll() {
  NcclUniqueId id = {};
  Status status = gpu.enter();
  if (status.ok() && processes.isFirst())
    if (NcclResult code = library.functions.getUniqueId(&id))
      status = library.failure("ncclGetUniqueId", code, "");
  status = processes.agree(status);
  std::string bytes(id.bytes, sizeof id.bytes);
  if (status.ok())
    status = processes.tell(bytes);
  if (!status.ok())
    return status;
  std::copy_n(bytes.begin(), std::min(bytes.size(), sizeof id.bytes), id.bytes);
  NcclConfig config = withoutBlocking();
  NcclComm comm = nullptr;
  NcclResult code = library.functions.commInitRankConfig(
      &comm, int(processes.count()), id, int(rank()), &config);
  if (comm)
    comms.push_back(comm);
  const char *where = "the start of NCCL";
  return settle(comm, code, "ncclCommInitRankConfig", where,
                "rank " + std::to_string(rank()) + " of " +
                    std::to_string(processes.count()));
}

static constexpr int noColor = -1; // NCCL_SPLIT_NOCOLOR

/// The groups of a set share no rank, and all processes split alike.
Status NcclWorld::openSet(const std::vector<std::vector<int64_t>> &groups) {
  std::vector<int64_t> everybody(size_t(processes.count()));
  std::iota(everybody.begin(), everybody.end(), 0);
  if (groups.front() == everybody)
    commOfMembers.emplace(everybody, comms.front());
  if (groups.front() == everybody || groups.front().size() == 1)
    return Status::success();
  int color = noColor, key = 0;
  for (size_t group = 0; group < groups.size(); ++group) {
    const std::vector<int64_t> &members = groups[group];
    auto me = std::find(members.begin(), members.end(), rank());
    if (me == members.end())
      continue;
    color = int(group);
    key = int(me - members.begin());
  }
  NcclConfig config = withoutBlocking();
  NcclComm made = nullptr;
  const char *function = "ncclCommSplit", *what = "a set of mesh axes";
  NcclResult code =
      library.functions.commSplit(comms.front(), color, key, &made, &config);
  Status status = settle(comms.front(), code, function, what, what);
  if (color == noColor)
    return status;
  if (status.ok())
    status = settle(made, NcclInProgress, function, what, what);
  comms.push_back(made);
  commOfMembers.emplace(groups[size_t(color)], made);
  return status;
}

Status NcclWorld::commOf(const std::vector<int64_t> &members,
                         NcclComm &comm) const {
  comm = nullptr;
  if (members.size() == 1)
    return Status::success();
  auto found = commOfMembers.find(members);
  if (found == commOfMembers.end())
    return Status::runtimeError("its members are no group of the run");
  comm = found->second;
  return Status::success();
}

Status NcclWorld::settle(NcclComm comm, NcclResult code, const char *function,
                         const std::string &where, const std::string &what) {
  auto deadline = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(options.deadlineSeconds));
  for (int i = 0; code == NcclInProgress && comm; ++i) {
    if (NcclResult asked = library.functions.commGetAsyncError(comm, &code))
      return library.failure("ncclCommGetAsyncError", asked, where);
    if (code != NcclInProgress)
      break;
    if (i < 1000)
      continue;
    if (Status status = isAlive(where); !status.ok())
      return status;
    if (Clock::now() > deadline)
      return Status::runtimeError(std::string(function) +
                                  " of NCCL did not end "
                                  "within " +
                                  secondsText(options.deadlineSeconds));
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return code ? library.failure(function, code, what) : Status::success();
}

void NcclWorld::abortComms() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isAborted || !gpu.enter().ok())
    return;
  isAborted = true;
  // Those that were split off first.
  for (size_t i = comms.size(); i-- > 0;)
    if (comms[i])
      library.functions.commAbort(comms[i]);
}

/// All processes come here, and in one order.
void NcclWorld::closeComms() {
  for (size_t i = comms.size(); i-- > 0;) {
    NcclResult code = library.functions.commFinalize(comms[i]);
    Status status = settle(comms[i], code, "ncclCommFinalize", "the end", "");
    if (!status.ok())
      return abort(rank(), status);
    library.functions.commDestroy(comms[i]);
    comms.pop_back();
  }
}

// ---- memory ---------------------------------------------------------------

Status NcclWorld::allocate(int64_t bytes, const std::string &what,
                           DeviceAddress &address) {
  const NcclFunctions &nccl = library.functions;
  void *place = nullptr;
  NcclResult code = nccl.memAlloc(&place, size_t(bytes));
  if (code)
    return gpu.withFreeMemory(library.failure("ncclMemAlloc", code, what));
  address = reinterpret_cast<DeviceAddress>(place);
  std::vector<void *> &handles = registered[address];
  for (NcclComm comm : comms) {
    code = nccl.commRegister(comm, place, size_t(bytes),
                             &handles.emplace_back(nullptr));
    if (code)
      return library.failure("ncclCommRegister", code, what);
  }
  return Status::success();
}

void NcclWorld::release(DeviceAddress address) {
  const std::vector<void *> &handles = registered[address];
  for (size_t i = 0; i < handles.size() && !isAborted; ++i)
    if (handles[i])
      library.functions.commDeregister(comms[i], handles[i]);
  registered.erase(address);
  library.functions.memFree(reinterpret_cast<void *>(address));
}

// ---- failures -------------------------------------------------------------

std::unique_ptr<Communicator> NcclWorld::communicator(int64_t, Mover &mover) {
  auto &compute = static_cast<CudaMover &>(mover);
  compute.stream.setWatch(this);
  auto made = std::make_unique<NcclCommunicator>(*this, rank(),
                                                 processes.count(), compute);
  own = made.get();
  return made;
}

void NcclWorld::abort(int64_t rank, const Status &why) {
  processes.fail(rank, why);
  abortComms();
}

Status NcclWorld::failure() const {
  int64_t rank;
  return processes.failure(rank);
}

/// An error if a rank has failed, or NCCL has.
Status NcclWorld::isAlive(const std::string &where) {
  processes.listen();
  if (hasFailed())
    return interrupted(where);
  for (NcclComm comm : comms) {
    NcclResult error = NcclSuccess;
    NcclResult code = library.functions.commGetAsyncError(comm, &error);
    if (code == NcclSuccess &&
        (error == NcclSuccess || error == NcclInProgress))
      continue;
    Status status = code ? library.failure("ncclCommGetAsyncError", code, where)
                         : library.failure("a collective", error, where);
    abort(rank(), status);
    return status;
  }
  return Status::success();
}

/// Which rank made it fail where nobody knows: one that waits for others does
/// not see which of them are late.
static constexpr int64_t nobody = -1;

/// ThreadRanks says of which rank the error is.
Status NcclWorld::interrupted(const std::string &where) {
  abortComms();
  int64_t culprit;
  Status reason = processes.failure(culprit);
  if (culprit == rank())
    return reason;
  std::string text = "stopped at " + where + " because ";
  text += culprit == nobody
              ? reason.message
              : "of rank " + std::to_string(culprit) + ": " + reason.message;
  Status status = Status::runtimeError(text);
  bool isElsewhere = reason.message.find(where) == std::string::npos;
  if (culprit == nobody && isElsewhere)
    processes.answer(status);
  return status;
}

Status NcclWorld::giveUp(const std::string &where) {
  std::string text = "waited " + secondsText(options.deadlineSeconds) + " in " +
                     where + " for " + own->othersText();
  abort(nobody,
        Status::runtimeError("rank " + std::to_string(rank()) + " " + text));
  return Status::runtimeError(text);
}

Status NcclWorld::wait(CudaStream &stream) {
  constexpr auto patience = std::chrono::microseconds(500);
  constexpr auto nap = std::chrono::microseconds(50);
  auto limit = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options.deadlineSeconds));
  auto begin = Clock::now(), since = begin;
  for (int64_t place = -1;;) {
    Result result = stream.api->streamQuery(stream.get());
    if (result != NotReady)
      return stream.api.status(result, "cuStreamQuery", whatIsWaitedFor);
    auto now = Clock::now();
    if (now - begin < patience)
      continue;
    if (int64_t reached = own->place(); reached != place) {
      place = reached;
      since = now;
    }
    std::string where = own->placeText();
    if (Status status = isAlive(where); !status.ok())
      return status;
    if (own->isInside() && now - since >= limit)
      return giveUp(where);
    std::this_thread::sleep_for(nap);
  }
}

} // namespace hocket::runtime::cuda
