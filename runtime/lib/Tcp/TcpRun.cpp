//===- TcpRun.cpp - this process among those that met by a port -----------===//

#include "runtime/lib/Tcp/TcpRun.h"
#include "runtime/lib/Ranks/SeparateWorld.h"
#include "runtime/lib/Ranks/ThreadRanks.h"
#include <sys/resource.h>
#include <unistd.h>

namespace hocket::runtime {

TcpRun::~TcpRun() { stopReading(); }

/// Process 0 has a socket for each of the others.
static void allowFiles(int64_t count) {
  constexpr rlim_t beside = 256;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
      limit.rlim_cur >= rlim_t(count) + beside)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Status TcpRun::start(const TcpOptions &options) {
  ownIndex = options.index;
  processes = options.count;
  deadlineSeconds = options.deadlineSeconds;
  if (processes == 1) {
    if (options.listener >= 0)
      close(options.listener);
    return cores.gather(*this);
  }
  if (isFirst())
    allowFiles(processes);
  Meeting meeting(options);
  Status status = meeting.meet();
  for (Met &one : meeting.met)
    peers.push_back(std::make_unique<Peer>(std::move(one)));
  if (!status.ok()) {
    if (isFirst())
      fail(0, status);
    return status;
  }
  if (!meeting.word.empty()) {
    std::lock_guard<std::mutex> lock(mutex);
    takeWord(meeting.word);
  }
  if (hasFailed())
    return interrupted();
  startReading();
  return cores.gather(*this);
}

std::unique_ptr<World> TcpRun::makeWorld(const RankOptions &options,
                                         bool spins) {
  if (count() > 1)
    return separateWorld(*this, options.ranks);
  return threadWorld(options, spins);
}

// ---- what processes give each other -----------------------------------------

TcpRun::Peer &TcpRun::peerOf(int64_t process) {
  size_t at = 0;
  while (peers[at]->process != process)
    ++at;
  return *peers[at];
}

template <typename Done>
bool TcpRun::waitUntil(Clock::time_point deadline, const Done &isDone) {
  std::unique_lock<std::mutex> lock(arriving);
  return arrived.wait_until(lock, deadline, isDone);
}

Status TcpRun::send(const std::vector<int64_t> &to, const std::string &bytes,
                    Clock::time_point deadline) {
  for (int64_t process : to) {
    Peer &peer = peerOf(process);
    auto sent = say(peer, FrameKind::Content, bytes, deadline);
    if (sent == Connection::Sent::All)
      continue; // also after a failure: these are what was gathered before
    if (sent == Connection::Sent::TooLate)
      return hasFailed() ? interrupted() : tellLate(nameOf(process));
    if (sent == Connection::Sent::Ended) {
      // What it has said before is read first.
      waitUntil(after(1), [&] { return !peer.isOpen || hasFailed(); });
      tellEnd(peer);
      return interrupted();
    }
  }
  return Status::success();
}

Status TcpRun::receive(int64_t from, std::string &bytes,
                       Clock::time_point deadline) {
  Peer &peer = peerOf(from);
  bool isThere = waitUntil(
      deadline, [&] { return !peer.contents.empty() || hasFailed(); });
  if (!isThere)
    return tellLate(nameOf(from));
  {
    std::lock_guard<std::mutex> lock(arriving);
    if (!peer.contents.empty()) {
      bytes = std::move(peer.contents.front());
      peer.contents.pop_front();
      return Status::success();
    }
  }
  // Not under the lock: who tells a failure holds another one, and takes this.
  return interrupted();
}

// ---- the end ----------------------------------------------------------------

/// All is written and all know it: nobody's end is a failure any more. Process
/// 0 ends last, so that the others read what it has sent.
void TcpRun::leave() {
  isLeaving.store(true);
  auto until = after(deadlineSeconds);
  auto haveLeft = [&] {
    bool all = true;
    for (const std::unique_ptr<Peer> &peer : peers)
      all &= peer->hasLeft || !peer->isOpen;
    return all;
  };
  if (isFirst())
    waitUntil(until, haveLeft);
  for (const std::unique_ptr<Peer> &peer : peers)
    say(*peer, FrameKind::Leave, "", until);
  if (!isFirst())
    waitUntil(until, haveLeft);
  stopReading();
}

void TcpRun::end(int status) {
  std::vector<std::string> all;
  if (!hasFailed() && gather("", all).ok())
    return leave();
  std::fflush(nullptr);
  for (const std::unique_ptr<Peer> &peer : peers)
    peer->line->sendNoMore();
  // A launcher may end the others when the first is gone: who has something to
  // say goes first.
  usleep(wasTold() ? 600000 : 300000);
  _exit(status);
}

Status startTcp(const TcpOptions &options,
                std::unique_ptr<LaunchedProcesses> &processes) {
  auto run = std::make_unique<TcpRun>();
  Status status = run->start(options);
  processes = std::move(run);
  return status;
}

} // namespace hocket::runtime
