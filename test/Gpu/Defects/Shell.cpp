//===- Shell.cpp - a command, and what it took ----------------------------===//

#include "test/Gpu/Defects/Shell.h"
#include <cerrno>
#include <spawn.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

namespace hocket::test {

static double secondsOf(timeval time) {
  return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
}

Ended runShell(const std::string &command) {
  std::string words[] = {"sh", "-c", command};
  char *arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ))
    throw std::runtime_error("/bin/sh cannot be started");
  int code = 0;
  rusage used = {};
  while (wait4(child, &code, 0, &used) < 0)
    if (errno != EINTR)
      throw std::runtime_error("a command is not to be waited for");
  return {WIFEXITED(code) ? WEXITSTATUS(code) : -WTERMSIG(code),
          secondsOf(used.ru_utime) + secondsOf(used.ru_stime)};
}

} // namespace hocket::test
