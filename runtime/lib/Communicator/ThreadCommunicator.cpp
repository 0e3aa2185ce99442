//===- ThreadCommunicator.cpp - ranks as threads of one process -----------===//

#include "hocket/Runtime/ThreadCommunicator.h"
#include "runtime/lib/Communicator/CollectiveSpec.h"
#include "runtime/lib/Communicator/Rendezvous.h"
#include "runtime/lib/Communicator/Transfers.h"
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

namespace hocket::runtime {

/// What all ranks share: the meeting place of each group, and the first error.
struct ThreadWorld::State {
  State(int64_t ranks, const ThreadCommunicatorOptions &options)
      : ranks(ranks), options(options) {}

  /// Where the members meet: for all that they run as a whole, -1, or for the
  /// n-th that each of them has prepared, which they start.
  Rendezvous &meetingOf(const std::vector<int64_t> &members, int64_t n) {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<Rendezvous> &meeting = meetings[{members, n}];
    if (!meeting)
      meeting =
          std::make_unique<Rendezvous>(members.size(), options.spin, aborted);
    return *meeting;
  }

  void abort(int64_t rank, const Status &why) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!aborted.load()) {
      culprit = rank;
      reason = why;
      aborted.store(true);
    }
    for (auto &meeting : meetings)
      meeting.second->wakeAll();
  }

  void recover() {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &meeting : meetings)
      meeting.second->forget();
    culprit = -1;
    reason = Status::success();
    aborted.store(false);
  }

  const int64_t ranks;
  const ThreadCommunicatorOptions options;
  std::atomic<bool> aborted{false};
  std::mutex mutex; // guards what follows
  std::map<std::pair<std::vector<int64_t>, int64_t>,
           std::unique_ptr<Rendezvous>>
      meetings;
  int64_t culprit = -1;
  Status reason;
};

namespace {

class ThreadCommunicator : public Communicator {
  static constexpr int phases = 3; // of one run: times that members meet

public:
  ThreadCommunicator(std::shared_ptr<ThreadWorld::State> world, int64_t rank,
                     Mover &mover)
      : world(std::move(world)), self(rank), mover(mover),
        random(this->world->options.delaySeed * 0x9e3779b97f4a7c15u + rank) {
    waits.reserve(phases);
  }

  int64_t rank() const override { return self; }
  int64_t size() const override { return world->ranks; }
  int64_t receivedBytes() const override { return received; }
  const std::vector<int64_t> &receivedFrom(int64_t handle) const override {
    return collectives[handle]->from;
  }
  const std::vector<WaitSpan> &lastWaits() const override { return waits; }
  void abort(const Status &why) override { world->abort(self, why); }
  Status prepare(const CollectiveSpec &spec, int64_t &handle) override;
  Status run(int64_t handle) override;
  Status start(int64_t handle) override;
  Status wait(int64_t handle) override;

private:
  struct Prepared {
    CollectiveSpec spec;
    int64_t number;                      // among those of these members
    Rendezvous *group;                   // where it is run as a whole
    Rendezvous *own = nullptr;           // where it is started, if it ever is
    bool isOpen = false;                 // started, and not yet ended
    std::vector<const Prepared *> peers; // of the last run, by member
    Transfers transfers;                 // for these peers
    std::vector<int64_t> from;           // bytes read so far, by member
    /// Where this rank stood when it came, by phase.
    std::unique_ptr<Mover::Mark> marks[phases];
  };

  Rendezvous &meetingOf(const Prepared &collective) const {
    return collective.isOpen ? *collective.own : *collective.group;
  }
  /// An error of the mover, with the collective that it is in.
  static Status named(const Prepared &collective, Status status) {
    if (!status.ok())
      status.message = collective.spec.describe() + ": " + status.message;
    return status;
  }
  Status arrive(Prepared &collective, int phase);
  Status waitForAll(Prepared &collective);
  Status follow(Prepared &collective, int phase);
  Status finish(Prepared &collective);
  Status meet(Prepared &collective, int phase);
  Status resolve(Prepared &collective);
  Status timeOut(const Prepared &collective);
  Status interrupted(const Prepared &collective);
  void delay();

  std::vector<WaitSpan> waits; // of the last one
  std::shared_ptr<ThreadWorld::State> world;
  const int64_t self;
  Mover &mover;
  uint64_t random;
  int64_t received = 0;
  std::vector<std::unique_ptr<Prepared>> collectives;
  std::map<std::vector<int64_t>, int64_t> counts; // of these, by members
};

} // namespace

Status ThreadCommunicator::prepare(const CollectiveSpec &spec,
                                   int64_t &handle) {
  Status status = checkSpec(spec);
  if (!status.ok())
    return status;
  if (spec.members[spec.me] != self)
    return Status::runtimeError(spec.describe() + ": rank " +
                                std::to_string(self) + " is not member " +
                                std::to_string(spec.me) + " of it");
  auto collective = std::make_unique<Prepared>();
  collective->spec = spec;
  collective->from.assign(spec.members.size(), 0);
  collective->number = counts[spec.members]++;
  collective->group = &world->meetingOf(spec.members, -1);
  for (std::unique_ptr<Mover::Mark> &mark : collective->marks)
    if (status.ok())
      status = mover.makeMark(mark);
  handle = static_cast<int64_t>(collectives.size());
  collectives.push_back(std::move(collective));
  return status;
}

Status ThreadCommunicator::run(int64_t handle) {
  Prepared &collective = *collectives[handle];
  waits.clear();
  if (world->aborted.load(std::memory_order_relaxed))
    return interrupted(collective);
  Status status = arrive(collective, 0);
  return status.ok() ? finish(collective) : status;
}

Status ThreadCommunicator::start(int64_t handle) {
  Prepared &collective = *collectives[handle];
  if (world->aborted.load(std::memory_order_relaxed))
    return interrupted(collective);
  if (!collective.own)
    collective.own =
        &world->meetingOf(collective.spec.members, collective.number);
  collective.isOpen = true;
  return arrive(collective, 0);
}

Status ThreadCommunicator::wait(int64_t handle) {
  Prepared &collective = *collectives[handle];
  waits.clear();
  Status status = finish(collective);
  collective.isOpen = false;
  return status;
}

/// All that comes after this member's arrival.
Status ThreadCommunicator::finish(Prepared &collective) {
  Status status = waitForAll(collective);
  if (status.ok())
    status = resolve(collective);
  if (status.ok())
    status = follow(collective, 0);
  Transfers &transfers = collective.transfers;
  if (status.ok())
    status = named(collective, transfers.first(collective.from, received));
  if (status.ok() && transfers.hasSecond()) {
    status = meet(collective, 1);
    if (status.ok())
      status = named(collective, transfers.second(collective.from, received));
  }
  // Nobody may write src or dst again while another still reads it.
  return status.ok() ? meet(collective, 2) : status;
}

Status ThreadCommunicator::meet(Prepared &collective, int phase) {
  Status status = arrive(collective, phase);
  if (status.ok())
    status = waitForAll(collective);
  return status.ok() ? follow(collective, phase) : status;
}

Status ThreadCommunicator::arrive(Prepared &collective, int phase) {
  if (world->options.delaySeed)
    delay();
  Status status = named(collective, mover.set(collective.marks[phase].get()));
  if (status.ok())
    meetingOf(collective).arrive(collective.spec.me, &collective);
  return status;
}

/// All members have come; their marks of this phase are set.
Status ThreadCommunicator::follow(Prepared &collective, int phase) {
  Status status;
  for (const Prepared *peer : collective.peers)
    if (status.ok() && peer != &collective)
      status = mover.follow(peer->marks[phase].get());
  return named(collective, status);
}

Status ThreadCommunicator::waitForAll(Prepared &collective) {
  int64_t me = collective.spec.me;
  auto limit = std::chrono::duration<double>(world->options.deadlineSeconds);
  auto begin = Rendezvous::Clock::now();
  auto deadline =
      begin + std::chrono::duration_cast<Rendezvous::Clock::duration>(limit);
  WaitResult result = meetingOf(collective).wait(me, deadline);
  waits.push_back({begin, Rendezvous::Clock::now()});
  switch (result) {
  case WaitResult::Arrived:
    if (world->options.delaySeed)
      delay();
    return Status::success();
  case WaitResult::Aborted:
    return interrupted(collective);
  case WaitResult::TimedOut:
    break;
  }
  return timeOut(collective);
}

/// Reads what the others came for, and if that is new, checks it and works out
/// the transfers. Every member compares in the same order, so all give the
/// same error.
Status ThreadCommunicator::resolve(Prepared &collective) {
  size_t members = collective.spec.members.size();
  bool known = collective.peers.size() == members;
  for (size_t i = 0; known && i < members; ++i)
    known = collective.peers[i] == meetingOf(collective).note(i);
  if (known)
    return Status::success();
  std::vector<const CollectiveSpec *> specs;
  collective.peers.clear();
  for (size_t i = 0; i < members; ++i) {
    collective.peers.push_back(
        static_cast<const Prepared *>(meetingOf(collective).note(i)));
    specs.push_back(&collective.peers[i]->spec);
  }
  for (size_t i = 1; i < members; ++i) {
    std::string text = difference(*specs[0], *specs[i]);
    if (text.empty())
      continue;
    Status status = Status::runtimeError(
        "ranks disagree: rank " + std::to_string(specs[0]->members[0]) +
        " runs " + specs[0]->describe() + ", rank " +
        std::to_string(specs[0]->members[i]) + " runs " + specs[i]->describe() +
        "; " + text);
    world->abort(self, status);
    return status;
  }
  return named(collective,
               collective.transfers.prepare(collective.spec, specs, mover));
}

static std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", value);
  return text;
}

Status ThreadCommunicator::timeOut(const Prepared &collective) {
  std::string late;
  int64_t count = 0, first = self;
  for (size_t i = 0; i < collective.spec.members.size(); ++i) {
    if (meetingOf(collective).hasArrived(collective.spec.me, i))
      continue;
    if (count++ == 0)
      first = collective.spec.members[i];
    late +=
        (late.empty() ? "" : ", ") + std::to_string(collective.spec.members[i]);
  }
  Status status = Status::runtimeError((count > 1 ? "ranks " : "rank ") + late +
                                       " did not reach " +
                                       collective.spec.describe() + " within " +
                                       seconds(world->options.deadlineSeconds) +
                                       " of rank " + std::to_string(self));
  world->abort(first, status);
  return status;
}

Status ThreadCommunicator::interrupted(const Prepared &collective) {
  std::lock_guard<std::mutex> lock(world->mutex);
  return Status::runtimeError("rank " + std::to_string(self) + " stopped at " +
                              collective.spec.describe() + " because of rank " +
                              std::to_string(world->culprit) + ": " +
                              world->reason.message);
}

/// Up to 200 microseconds, or none, from a xorshift generator.
void ThreadCommunicator::delay() {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  if (random & 1)
    std::this_thread::sleep_for(std::chrono::microseconds((random >> 8) % 200));
}

ThreadWorld::ThreadWorld(int64_t ranks,
                         const ThreadCommunicatorOptions &options)
    : state(std::make_shared<State>(ranks, options)) {}

ThreadWorld::~ThreadWorld() = default;

std::unique_ptr<Communicator> ThreadWorld::communicator(int64_t rank,
                                                        Mover &mover) {
  return std::make_unique<ThreadCommunicator>(state, rank, mover);
}

void ThreadWorld::abort(int64_t rank, const Status &why) {
  state->abort(rank, why);
}

Status ThreadWorld::failure() const {
  std::lock_guard<std::mutex> lock(state->mutex);
  return state->reason;
}

bool ThreadWorld::recover() {
  state->recover();
  return true;
}

} // namespace hocket::runtime
