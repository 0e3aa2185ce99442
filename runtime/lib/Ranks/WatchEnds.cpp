//===- WatchEnds.cpp - which process of a run ended first -----------------===//
//
// A launcher that sees a process end may kill the others before any of them can
// run again. So it is the kernel that notes the end: a thread waits in poll for
// all of them with an array that lies in the record. A call of poll that a
// signal breaks off, SIGKILL as well, looks at all descriptors once more and
// writes what it saw. Whom others saw end, and who saw nobody end, was the
// first.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Ranks/RecordFile.h"
#include "runtime/lib/Ranks/SignalsElsewhere.h"
#include "runtime/lib/Ranks/WatchedProcess.h"
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace hocket::runtime {

namespace {

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Before there is a record, and after it.
std::atomic<int32_t> unrecorded{0};
std::atomic<std::atomic<int32_t> *> asked{&unrecorded};
static_assert(std::atomic<int32_t>::is_always_lock_free, "used in a handler");

/// When the thread that watches has seen an end, or null.
std::atomic<std::atomic<int64_t> *> seenAt{nullptr};

/// An MPI library aborts when it cannot read the memory of a process that is
/// being ended. That one is the first, and is to be seen as it.
void onAbort(int number) {
  constexpr timespec pause = {0, 5000000};
  constexpr int pauses = 100; // half a second
  std::atomic<int64_t> *seen = seenAt.load();
  for (int i = 0; i < pauses && seen && seen->load() == 0; ++i)
    nanosleep(&pause, nullptr);
  signal(number, SIG_DFL);
  raise(number);
}

} // namespace

void noteAskedToEnd(int signal) { asked.load()->store(signal); }

/// Of Linux's abstract ones, which are no files.
static socklen_t socketAddress(const std::string &address,
                               sockaddr_un &socket) {
  socket = {};
  socket.sun_family = AF_UNIX;
  size_t size = std::min(address.size(), sizeof socket.sun_path - 1);
  std::memcpy(socket.sun_path + 1, address.data(), size);
  return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + size);
}

int openAddress(std::string &address) {
  constexpr int highNumber = 200, waiting = 4096;
  uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != sizeof random)
    return -1;
  char text[64];
  std::snprintf(text, sizeof text, "hocket-%016llx%016llx",
                static_cast<unsigned long long>(random[0]),
                static_cast<unsigned long long>(random[1]));
  address = text;
  int low = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int descriptor = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, highNumber);
  if (descriptor < 0)
    descriptor = low;
  else
    close(low);
  sockaddr_un own;
  socklen_t size = socketAddress(address, own);
  if (descriptor >= 0 &&
      bind(descriptor, reinterpret_cast<sockaddr *>(&own), size) == 0 &&
      listen(descriptor, waiting) == 0)
    return descriptor;
  if (descriptor >= 0)
    close(descriptor);
  return -1;
}

std::vector<WatchedProcess>
watchProcesses(const std::vector<std::pair<int64_t, std::string>> &others) {
  std::vector<WatchedProcess> watched;
  for (const auto &[process, address] : others) {
    if (address.empty())
      continue;
    // It never takes the connection: that there is one is enough.
    int descriptor =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un theirs;
    socklen_t size = socketAddress(address, theirs);
    if (descriptor >= 0 &&
        connect(descriptor, reinterpret_cast<sockaddr *>(&theirs), size) == 0)
      watched.push_back({process, descriptor});
    else if (descriptor >= 0)
      close(descriptor);
  }
  return watched;
}

std::string RunRecord::address() {
  std::string address;
  listening = openAddress(address);
  return listening < 0 ? "" : address;
}

void RunRecord::startWatching() {
  content->signal.store(unrecorded.load());
  asked.store(&content->signal);
  if (watchedCount > 0) {
    seenAt.store(&content->sawAt);
    signal(SIGABRT, onAbort);
  }
  if (beats)
    content->lastBeat = now();
  wake = eventfd(0, EFD_CLOEXEC);
  polled[watchedCount] = {wake, POLLIN, 0};
  // The thread does not leave the kernel for a signal.
  SignalsElsewhere none;
  watching = std::thread([this] { watch(); });
}

/// Of processes that nobody watches the one that died first has the oldest
/// time.
void RunRecord::watch() {
  constexpr int pauseOfBeats = 2; // milliseconds
  int pause = beats || wake < 0 ? pauseOfBeats : -1;
  pollfd onlyWake = polled[watchedCount], *waited = polled;
  nfds_t count = nfds_t(watchedCount) + 1;
  while (!ends.load()) {
    if (beats)
      content->lastBeat.store(now(), std::memory_order_relaxed);
    if (poll(waited, count, pause) <= 0 || ends.load())
      continue;
    // What was seen stays as it is.
    content->sawAt.store(now());
    waited = &onlyWake;
    count = 1;
  }
}

void RunRecord::stopWatching() {
  if (listening >= 0)
    close(listening);
  if (!watching.joinable())
    return;
  ends.store(true);
  if (wake >= 0)
    eventfd_write(wake, 1);
  watching.join();
  std::atomic<int32_t> *own = &content->signal;
  asked.compare_exchange_strong(own, &unrecorded);
  if (seenAt.exchange(nullptr))
    signal(SIGABRT, SIG_DFL);
  for (int64_t i = 0; i < watchedCount; ++i)
    close(polled[i].fd);
  if (wake >= 0)
    close(wake);
}

} // namespace hocket::runtime
