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
#include "runtime/lib/Ranks/WatchedProcess.h"
#include <csignal>
#include <ctime>
#include <fstream>
#include <sys/eventfd.h>
#include <sys/syscall.h>
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

} // namespace

void noteAskedToEnd(int signal) { asked.load()->store(signal); }

std::string spaceOfProcessIds() {
  char host[256] = "", name[64] = "";
  gethostname(host, sizeof host - 1);
  // Containers of one host may have its name, and ids of their own.
  if (readlink("/proc/self/ns/pid", name, sizeof name - 1) < 0)
    name[0] = 0;
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return std::string(host) + " " + boot + " " + name;
}

std::vector<WatchedProcess>
openProcesses(const std::vector<std::pair<int64_t, int64_t>> &pids) {
  std::vector<WatchedProcess> opened;
  for (auto [process, pid] : pids) {
    int descriptor = int(syscall(SYS_pidfd_open, pid_t(pid), 0));
    if (descriptor >= 0)
      opened.push_back({process, descriptor});
  }
  return opened;
}

void RunRecord::startWatching() {
  content->signal.store(unrecorded.load());
  asked.store(&content->signal);
  if (beats)
    content->lastBeat = now();
  wake = eventfd(0, EFD_CLOEXEC);
  polled[watchedCount] = {wake, POLLIN, 0};
  // Signals are for other threads: this one does not leave the kernel for them.
  sigset_t all, before;
  sigfillset(&all);
  for (int ownFault : {SIGBUS, SIGSEGV, SIGILL, SIGFPE})
    sigdelset(&all, ownFault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watching = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
  if (!watching.joinable())
    return;
  ends.store(true);
  if (wake >= 0)
    eventfd_write(wake, 1);
  watching.join();
  std::atomic<int32_t> *own = &content->signal;
  asked.compare_exchange_strong(own, &unrecorded);
  for (int64_t i = 0; i < watchedCount; ++i)
    close(polled[i].fd);
  if (wake >= 0)
    close(wake);
}

} // namespace hocket::runtime
