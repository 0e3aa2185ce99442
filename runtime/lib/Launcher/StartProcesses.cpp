//===- StartProcesses.cpp - the program starts itself, once a rank --------===//

#include "StartProcesses.h"
#include "Messages.h"
#include "Place.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace hocket::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// How long processes have to end by themselves once one has ended badly, and
/// then after they were asked to.
constexpr auto patience = std::chrono::seconds(3),
               lastPatience = std::chrono::seconds(2);

/// Texts as exec takes them.
class Texts {
public:
  explicit Texts(std::vector<std::string> given) : texts(std::move(given)) {
    for (std::string &text : texts)
      pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }
  Texts(const Texts &) = delete;
  Texts &operator=(const Texts &) = delete;
  char *const *get() { return pointers.data(); }

private:
  std::vector<std::string> texts;
  std::vector<char *> pointers;
};

/// What this process was called with, its name included.
std::vector<std::string> ownArguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string one; std::getline(file, one, '\0');)
    arguments.push_back(one);
  return arguments;
}

std::vector<std::string> ownEnvironment() {
  std::vector<std::string> all;
  for (char **at = environ; *at; ++at)
    all.push_back(*at);
  return all;
}

std::string randomText() {
  uint64_t number = uint64_t(getpid());
  (void)!getrandom(&number, sizeof number, GRND_NONBLOCK);
  char text[32];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(number));
  return text;
}

struct Child {
  int64_t index;
  pid_t pid;
  bool isHere = true, isStopped = false;
};

class Children {
public:
  Children();
  ~Children() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

  Status start(const TcpOptions &process, bool speaks);
  /// Until all have ended; the exit status.
  int wait();
  /// The same where not all could be started.
  void abandon();

private:
  [[noreturn]] void become(bool speaks, char *const *environment);
  bool areSome() const;
  void send(int signal) const;
  void passOn(int signal);
  void collect();
  void noteEnd(const Child &child, int code);
  void endInTime();

  Texts arguments{ownArguments()};
  const pid_t self = getpid();
  sigset_t taken, before;
  std::vector<Child> children;
  int passed = 0; // the last signal that was passed on
  int result = 0; // of the first that ended badly
  int endedBy = 0;
  bool wasAsked = false; // those that are left, to end
  Clock::time_point limit = Clock::time_point::max();
};

Children::Children() {
  sigemptyset(&taken);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1,
                     SIGUSR2, SIGTSTP, SIGCONT})
    sigaddset(&taken, signal);
  signal(SIGCHLD, SIG_DFL); // who ignores it has no status of them
  pthread_sigmask(SIG_BLOCK, &taken, &before);
}

Status Children::start(const TcpOptions &process, bool speaks) {
  std::vector<std::string> all = ownEnvironment();
  all.push_back(std::string(ownVariable) + "=" + ownPlace(process, speaks));
  Texts environment(std::move(all));
  pid_t pid = fork();
  if (pid == 0)
    become(speaks, environment.get());
  if (pid < 0)
    return Status::runtimeError(
        "cannot start process " + std::to_string(process.index) + " of " +
        std::to_string(process.count) + ": " + std::strerror(errno) +
        "; see the limits of processes and memory");
  children.push_back({process.index, pid});
  return Status::success();
}

/// In the process that was made. Other threads of the one that made it may have
/// held any lock: until it is another program only system calls are right.
void Children::become(bool speaks, char *const *environment) {
  // It ends with the one that started it, even where that is killed.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != self)
    _exit(int(ErrorKind::Runtime));
  // A terminal's signals go to the one that started it, which passes them on;
  // and it may write there all the same.
  setpgid(0, 0);
  signal(SIGTTOU, SIG_IGN);
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0)
    dup2(nothing, STDIN_FILENO);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  execve("/proc/self/exe", arguments.get(), environment);
  const char text[] = "error: the program cannot start itself again\n";
  if (speaks)
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(int(ErrorKind::Runtime));
}

bool Children::areSome() const {
  return std::any_of(children.begin(), children.end(),
                     [](const Child &child) { return child.isHere; });
}

void Children::send(int signal) const {
  for (const Child &child : children)
    if (child.isHere)
      kill(child.pid, signal);
}

void Children::passOn(int signal) {
  send(signal);
  if (signal == SIGTSTP) {
    raise(SIGSTOP);
    send(SIGCONT);
  } else if (signal != SIGCONT) {
    passed = signal;
  }
}

void Children::noteEnd(const Child &child, int code) {
  bool isGood = WIFEXITED(code) && WEXITSTATUS(code) == 0;
  if (isGood || result != 0)
    return;
  limit = Clock::now() + patience;
  if (WIFEXITED(code)) {
    result = WEXITSTATUS(code);
    return;
  }
  endedBy = WTERMSIG(code);
  constexpr int ofSignals = 128; // as a shell says it
  result = ofSignals + endedBy;
  if (endedBy != passed)
    std::fprintf(stderr, "note: process %lld was ended by signal %d (%s)\n",
                 static_cast<long long>(child.index), endedBy,
                 strsignal(endedBy));
}

void Children::collect() {
  constexpr int all = WNOHANG | WUNTRACED | WCONTINUED;
  for (Child &child : children)
    for (int code = 0; child.isHere && waitpid(child.pid, &code, all) != 0;) {
      child.isStopped = WIFSTOPPED(code);
      if (WIFSTOPPED(code) || WIFCONTINUED(code))
        continue;
      child.isHere = false;
      noteEnd(child, code);
    }
}

void Children::endInTime() {
  // One that is stopped takes no notice of anything but this.
  for (const Child &child : children)
    if (result != 0 && child.isHere && child.isStopped)
      kill(child.pid, SIGKILL);
  if (Clock::now() < limit)
    return;
  send(wasAsked ? SIGKILL : SIGTERM);
  wasAsked = true;
  limit = Clock::now() + lastPatience;
}

void Children::abandon() {
  result = int(ErrorKind::Runtime);
  send(SIGKILL);
  (void)wait();
}

int Children::wait() {
  while (areSome()) {
    timespec pause = {0, 200000000};
    int signal = sigtimedwait(&taken, nullptr, &pause);
    if (signal > 0 && signal != SIGCHLD)
      passOn(signal);
    collect();
    endInTime();
  }
  // As it would have ended alone.
  if (endedBy != 0 && endedBy == passed) {
    signal(endedBy, SIG_DFL);
    raise(endedBy);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  return result;
}

} // namespace

int startProcesses(const StartedHere &started) {
  TcpOptions process;
  process.count = started.count;
  Status status;
  if (started.meet)
    process.place = *started.meet;
  else {
    process.run = randomText();
    status = listenToThisMachine(process.listener, process.place);
  }
  Children children;
  for (int64_t local = 0; status.ok() && local < started.here; ++local) {
    process.index = started.first + local;
    status = children.start(process, local == 0);
    if (process.listener >= 0) // it is the first one's alone
      close(process.listener);
    process.listener = -1;
  }
  if (status.ok())
    return children.wait();
  children.abandon();
  return fail(status);
}

} // namespace hocket::runtime
