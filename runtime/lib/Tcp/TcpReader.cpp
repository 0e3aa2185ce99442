//===- TcpReader.cpp - what comes from other processes --------------------===//

#include "runtime/lib/Ranks/SignalsElsewhere.h"
#include "runtime/lib/Tcp/TcpRun.h"
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace hocket::runtime {

/// How long a word is waited for to be taken, or answered.
static constexpr double soon = 0.2;

void TcpRun::startReading() {
  wake = eventfd(0, EFD_CLOEXEC);
  SignalsElsewhere none;
  reader = std::thread([this] { read(); });
}

void TcpRun::stopReading() {
  if (!reader.joinable())
    return;
  isEnding.store(true);
  eventfd_write(wake, 1);
  reader.join();
  close(wake);
}

void TcpRun::read() {
  while (!isEnding.load()) {
    std::vector<pollfd> polled = {{wake, POLLIN, 0}};
    std::vector<Peer *> open;
    for (const std::unique_ptr<Peer> &peer : peers)
      if (peer->isOpen) { // only this thread closes it
        polled.push_back({peer->line->descriptor(), POLLIN, 0});
        open.push_back(peer.get());
      }
    poll(polled.data(), polled.size(), -1);
    for (size_t i = 0; i < open.size(); ++i)
      if (polled[i + 1].revents)
        readFrom(*open[i]);
  }
}

void TcpRun::readFrom(Peer &peer) {
  Frame frame;
  Connection::Got got;
  while ((got = peer.line->receive(frame)) == Connection::Got::Frame)
    take(peer, std::move(frame));
  if (got != Connection::Got::Nothing)
    takeEnd(peer);
}

void TcpRun::take(Peer &peer, Frame frame) {
  bool isWord = frame.kind == FrameKind::Word;
  {
    std::lock_guard<std::mutex> lock(arriving);
    if (frame.kind == FrameKind::Content)
      peer.contents.push_back(std::move(frame.content));
    else if (frame.kind == FrameKind::Leave)
      peer.hasLeft = true;
    else if (isWord)
      counted = frame.content;
  }
  arrived.notify_all();
  if (!isWord)
    return;
  // The first word counts that process 0 hears of: it tells all.
  std::lock_guard<std::mutex> lock(mutex);
  if (!hasFailed())
    takeWord(isFirst() ? spread(frame.content) : frame.content);
}

void TcpRun::takeEnd(Peer &peer) {
  bool isFailure;
  {
    std::lock_guard<std::mutex> lock(arriving);
    peer.isOpen = false;
    isFailure = !peer.hasLeft && !isLeaving.load();
  }
  arrived.notify_all();
  if (isFailure)
    tellEnd(peer);
}

void TcpRun::tellEnd(const Peer &peer) {
  int64_t rank = firstRankOf(peer.process);
  Status why = Status::runtimeError(
      nameOf(peer.process) + " has ended in the middle of the run: it was "
                             "killed, it crashed, or its machine went away");
  // That of process 0 all others see: one of each machine says it.
  if (isFirst() || ownIndex == 1 || localIndex() == 0)
    return fail(rank, why);
  std::lock_guard<std::mutex> lock(mutex);
  takeWord(packWord(/*teller=*/1, rank, why));
}

// ---- a failure --------------------------------------------------------------

Connection::Sent TcpRun::say(Peer &peer, FrameKind kind,
                             const std::string &content,
                             Clock::time_point deadline) {
  std::unique_lock<std::timed_mutex> lock(peer.sending, deadline);
  return lock ? peer.line->send(kind, content, deadline)
              : Connection::Sent::TooLate;
}

std::string TcpRun::spread(const std::string &word) {
  auto until = after(soon);
  for (const std::unique_ptr<Peer> &peer : peers)
    (void)say(*peer, FrameKind::Word, word, until);
  if (isFirst() || !reader.joinable())
    return word;
  // Process 0 may have heard of another failure before.
  std::unique_lock<std::mutex> lock(arriving);
  arrived.wait_until(
      lock, until, [&] { return !counted.empty() || !peers.front()->isOpen; });
  return counted.empty() ? word : counted;
}

void TcpRun::wakeWaiting() {
  {
    std::lock_guard<std::mutex> lock(arriving);
  }
  arrived.notify_all();
}

} // namespace hocket::runtime
