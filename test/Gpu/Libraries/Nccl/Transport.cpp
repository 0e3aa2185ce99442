//===- Transport.cpp - messages between processes of one machine ----------===//

#include "test/Gpu/Libraries/Nccl/Transport.h"
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <poll.h>
#include <random>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace hocket::lookalike {

namespace {

/// With the process group, so that a test tells its own from others'.
std::string drawName() {
  std::random_device random;
  char text[64];
  std::snprintf(text, sizeof text, "hocket-nccl-%d-%08x%08x%08x", getpgrp(),
                random(), random(), random());
  return text;
}

/// The abstract namespace: the path begins with a null byte.
socklen_t addressOf(const std::string &name, sockaddr_un &address) {
  address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return offsetof(sockaddr_un, sun_path) + 1 + name.size();
}

int makeSocket() {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::perror(what);
  _exit(70);
}

} // namespace

Transport::Transport(Events events)
    : events(std::move(events)), ownName(drawName()) {
  wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  listener = makeSocket();
  require(wakeup >= 0 && listener >= 0, "the look-alike of NCCL has no socket");
  sockaddr_un address;
  socklen_t bytes = addressOf(ownName, address);
  require(bind(listener, reinterpret_cast<sockaddr *>(&address), bytes) == 0 &&
              listen(listener, SOMAXCONN) == 0,
          "the look-alike of NCCL cannot listen");
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] { loop(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Transport::wake() {
  uint64_t one = 1;
  (void)!::write(wakeup, &one, sizeof one);
}

void Transport::send(const std::string &process, Message message) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (process == ownName)
      own.push_back(std::move(message));
    else if (goneProcesses.count(process))
      missed.insert(process);
    else
      outgoing[process].queue.push_back(encode(message));
  }
  wake();
}

void Transport::flush() {
  std::unique_lock<std::mutex> lock(mutex);
  flushed.wait_for(lock, std::chrono::seconds(1), [&] {
    for (const auto &[process, connection] : outgoing)
      if (!connection.queue.empty())
        return false;
    return true;
  });
}

void Transport::loop() {
  while (true) {
    wait();
    accept();
    for (size_t i = 0; i < incoming.size();) {
      if (read(incoming[i])) {
        ++i;
        continue;
      }
      std::string process = incoming[i].process;
      close(incoming[i].file);
      incoming.erase(incoming.begin() + i);
      if (!process.empty())
        end(process);
    }
    deliverOwn();
    writeAll();
  }
}

/// Until a socket can go on or something is to be sent.
void Transport::wait() {
  std::vector<pollfd> files = {{wakeup, POLLIN, 0}, {listener, POLLIN, 0}};
  for (const Incoming &from : incoming)
    files.push_back({from.file, POLLIN, 0});
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[process, to] : outgoing)
      if (to.file >= 0 && !to.queue.empty())
        files.push_back({to.file, POLLOUT, 0});
  }
  poll(files.data(), files.size(), -1);
  uint64_t count;
  (void)!::read(wakeup, &count, sizeof count);
}

void Transport::accept() {
  int file;
  while ((file = accept4(listener, nullptr, nullptr,
                         SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
    incoming.push_back({file, "", {}});
}

/// False when the other end is closed.
bool Transport::read(Incoming &from) {
  static thread_local std::vector<char> buffer(1 << 18);
  while (true) {
    ssize_t count = ::read(from.file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK;
    if (count == 0)
      return false;
    from.bytes.insert(from.bytes.end(), buffer.begin(), buffer.begin() + count);
    size_t at = 0;
    for (Message message; decode(from.bytes, at, message);) {
      if (message.topic == Topic::Hello)
        from.process = message.text;
      else
        events.received(std::move(message));
    }
    from.bytes.erase(from.bytes.begin(), from.bytes.begin() + at);
  }
}

void Transport::deliverOwn() {
  std::deque<Message> taken;
  std::set<std::string> ended;
  {
    std::lock_guard<std::mutex> lock(mutex);
    taken.swap(own);
    ended.swap(missed);
  }
  for (Message &message : taken)
    events.received(std::move(message));
  for (const std::string &process : ended)
    events.ended(process);
}

void Transport::writeAll() {
  std::vector<std::string> gone;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[process, to] : outgoing) {
      write(process, to);
      if (to.isGone)
        gone.push_back(process);
    }
    flushed.notify_all();
  }
  for (const std::string &process : gone)
    end(process);
}

/// As much as the connection takes.
void Transport::write(const std::string &process, Outgoing &to) {
  if (to.queue.empty())
    return;
  if (to.file < 0) {
    to.file = makeSocket();
    sockaddr_un address;
    socklen_t bytes = addressOf(process, address);
    if (connect(to.file, reinterpret_cast<sockaddr *>(&address), bytes)) {
      to.isGone = true;
      return;
    }
    Message hello;
    hello.text = ownName;
    to.queue.push_front(encode(hello));
  }
  while (!to.queue.empty()) {
    const std::vector<char> &first = to.queue.front();
    ssize_t count = ::send(to.file, first.data() + to.at, first.size() - to.at,
                           MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      to.isGone = errno != EAGAIN && errno != EWOULDBLOCK;
      return;
    }
    to.at += count;
    if (to.at == first.size()) {
      to.queue.pop_front();
      to.at = 0;
    }
  }
}

void Transport::end(const std::string &process) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!goneProcesses.insert(process).second)
      return;
    auto found = outgoing.find(process);
    if (found != outgoing.end()) {
      close(found->second.file);
      outgoing.erase(found);
    }
    flushed.notify_all();
  }
  events.ended(process);
}

} // namespace hocket::lookalike
