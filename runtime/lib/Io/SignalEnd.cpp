//===- SignalEnd.cpp - what a signal that ends a program does -------------===//

#include "hocket/Io/SignalEnd.h"
#include "hocket/Runtime/RunRecord.h"
#include <atomic>
#include <csignal>
#include <mutex>
#include <unistd.h>

namespace hocket::runtime {

/// Lists that a handler may walk at any moment: entries are linked in and out
/// with one store each.
struct SignalState {
  static inline std::mutex mutex;
  static inline std::atomic<WatchedPages *> pages{nullptr};
  static inline std::atomic<TemporaryName *> names{nullptr};
  static inline std::atomic<bool> isEnding{false};
  static inline std::atomic<int> asked{0};

  template <typename T> static void link(std::atomic<T *> &head, T *entry) {
    std::lock_guard<std::mutex> lock(mutex);
    entry->next = head.load();
    head.store(entry);
  }

  template <typename T> static void unlink(std::atomic<T *> &head, T *entry) {
    std::lock_guard<std::mutex> lock(mutex);
    if (head.load() == entry) {
      head.store(entry->next);
      return;
    }
    for (T *at = head.load(); at; at = at->next)
      if (at->next == entry)
        at->next = entry->next;
  }

  /// The message for an address, or null.
  static const std::string *messageFor(const void *address) {
    auto *place = static_cast<const char *>(address);
    for (WatchedPages *at = pages.load(); at; at = at->next)
      if (place >= at->begin && place < at->begin + at->bytes)
        return &at->message;
    return nullptr;
  }

  static void removeNames() {
    for (TemporaryName *at = names.load(); at; at = at->next)
      ::unlink(at->path.c_str());
  }
};

// Handlers may call only what is safe in one: write, unlink, signal, raise,
// pause, _exit.

static void endLikeTheSignal(int number) {
  SignalState::removeNames();
  signal(number, SIG_DFL);
  raise(number);
}

static void onEnd(int number) {
  noteAskedToEnd(number);
  endLikeTheSignal(number);
}

static void onRequest(int number) {
  noteAskedToEnd(number);
  if (SignalState::asked.exchange(number) != 0)
    endLikeTheSignal(number);
}

static void onLostPage(int number, siginfo_t *info, void *) {
  constexpr int runtimeFailure = 3;
  const std::string *message = SignalState::messageFor(info->si_addr);
  if (!message)
    return endLikeTheSignal(number);
  if (SignalState::isEnding.exchange(true))
    while (true) // one rank says it
      pause();
  SignalState::removeNames();
  if (write(STDERR_FILENO, message->data(), message->size()) < 0)
    _exit(runtimeFailure);
  _exit(runtimeFailure);
}

void endCleanlyOnSignals() {
  struct sigaction lost = {};
  lost.sa_sigaction = onLostPage;
  lost.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &lost, nullptr);
  signal(SIGXFSZ, SIG_IGN);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old = {}, ending = {};
    ending.sa_handler = onEnd;
    // What the caller had ignored, as nohup does, stays ignored.
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction(number, &ending, nullptr);
  }
}

EndRequest::EndRequest(const std::vector<int> &signals) {
  SignalState::asked = 0;
  noteAskedToEnd(0);
  for (int number : signals) {
    struct sigaction old = {}, asking = {};
    asking.sa_handler = onRequest;
    asking.sa_flags = SA_RESTART; // what is being written is written whole
    if (sigaction(number, nullptr, &old) != 0 || old.sa_handler == SIG_IGN)
      continue;
    sigaction(number, &asking, nullptr);
    replaced.push_back({number, old});
  }
}

EndRequest::~EndRequest() {
  for (const auto &[number, old] : replaced)
    sigaction(number, &old, nullptr);
}

int EndRequest::signal() { return SignalState::asked; }

WatchedPages::~WatchedPages() {
  if (begin)
    SignalState::unlink(SignalState::pages, this);
}

void WatchedPages::watch(const void *memory, size_t size,
                         const std::string &title) {
  begin = static_cast<const char *>(memory);
  bytes = size;
  message = "error: " + title +
            ": cannot be read any more: the file was cut short, or its disk "
            "failed, since the program opened it\n";
  SignalState::link(SignalState::pages, this);
}

TemporaryName::~TemporaryName() { clear(); }

void TemporaryName::set(const std::string &name) {
  clear();
  path = name;
  SignalState::link(SignalState::names, this);
}

void TemporaryName::clear() {
  if (path.empty())
    return;
  SignalState::unlink(SignalState::names, this);
  path.clear();
}

} // namespace hocket::runtime
