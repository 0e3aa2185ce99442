//===- Judge.cpp - a command run in a process of its own ------------------===//

#include "Judge.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hocket::mutate;

static constexpr rlim_t kMostSeconds = 10;
static constexpr unsigned kMostWaiting = 120; // seconds, of what sleeps
static constexpr rlim_t kMostMemory = rlim_t(4) << 30;
static constexpr size_t kMostShown = 4000;

std::string Outcome::complaint(int highest) const {
  if (signal == SIGALRM)
    return "takes over two minutes";
  if (signal == SIGXCPU || signal == SIGKILL)
    return "takes over 10 s";
  if (signal)
    return "ended by signal " + std::to_string(signal);
  if (status == 2 || status > highest)
    return "ends with status " + std::to_string(status);
  if (status != 0 && errors.find("error: ") == std::string::npos)
    return "ends with status " + std::to_string(status) + " and no error";
  return "";
}

[[noreturn]] static void runChild(const std::function<int()> &command,
                                  const std::string &scratch) {
  int output = open("/dev/null", O_WRONLY);
  int errors = open(scratch.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(output, 1);
  dup2(errors, 2);
  rlimit seconds{kMostSeconds, kMostSeconds + 2}, core{0, 0};
  rlimit memory{kMostMemory, kMostMemory};
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_CORE, &core);
  setrlimit(RLIMIT_AS, &memory);
  alarm(kMostWaiting);
  int status = command();
  std::cout.flush();
  _exit(status);
}

Outcome hocket::mutate::runApart(const std::function<int()> &command,
                                 const std::string &scratch) {
  std::cout.flush();
  std::fflush(nullptr);
  Outcome outcome;
  pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::exit(2);
  }
  if (child == 0)
    runChild(command, scratch);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
    ;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  outcome.seconds = usage.ru_utime.tv_sec + usage.ru_utime.tv_usec * 1e-6 +
                    usage.ru_stime.tv_sec + usage.ru_stime.tv_usec * 1e-6;
  std::ifstream stream(scratch);
  std::stringstream text;
  text << stream.rdbuf();
  outcome.errors = text.str().substr(0, kMostShown);
  return outcome;
}
