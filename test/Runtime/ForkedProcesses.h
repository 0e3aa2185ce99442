//===- ForkedProcesses.h - processes of a test, and what they say -*- C++ -*-=//

#ifndef HOCKET_TEST_RUNTIME_FORKEDPROCESSES_H
#define HOCKET_TEST_RUNTIME_FORKEDPROCESSES_H

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace hocket::test {

/// What a process returned, or printed before it ended itself, and how it
/// ended: its exit status, or minus the signal.
struct Said {
  std::string text;
  int status = 0;
};

/// A file that processes append to, gone with this.
class SharedText {
public:
  SharedText() : descriptor(fileno(std::tmpfile())) {}
  std::string read() const {
    std::string text(size_t(lseek(descriptor, 0, SEEK_END)), 0);
    EXPECT_EQ(pread(descriptor, text.data(), text.size(), 0),
              ssize_t(text.size()));
    return text;
  }
  void add(const std::string &text) const {
    lseek(descriptor, 0, SEEK_END);
    EXPECT_EQ(write(descriptor, text.data(), text.size()),
              ssize_t(text.size()));
  }

private:
  const int descriptor;
};

/// Where so many processes wait for each other, once or more.
class MeetingPoint {
public:
  explicit MeetingPoint(int64_t count)
      : barrier(static_cast<pthread_barrier_t *>(
            mmap(nullptr, sizeof *barrier, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier, &attributes, unsigned(count));
  }
  void wait() { pthread_barrier_wait(barrier); }

private:
  pthread_barrier_t *const barrier;
};

/// Runs `body` in so many processes, each with its number; the status is 0
/// where it returns.
inline std::vector<Said>
runProcesses(int64_t count,
             const std::function<void(int64_t index, SharedText &says)> &body) {
  std::vector<SharedText> texts(count);
  std::vector<pid_t> pids;
  for (int64_t index = 0; index < count; ++index) {
    pid_t pid = fork();
    if (pid == 0) {
      alarm(60); // no test waits for ever
      body(index, texts[index]);
      _exit(testing::Test::HasFailure() ? 99 : 0);
    }
    pids.push_back(pid);
  }
  std::vector<Said> all(count);
  for (int64_t index = 0; index < count; ++index) {
    int code = 0;
    EXPECT_EQ(waitpid(pids[index], &code, 0), pids[index]);
    all[index].status = WIFEXITED(code) ? WEXITSTATUS(code) : -WTERMSIG(code);
    all[index].text = texts[index].read();
  }
  return all;
}

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_FORKEDPROCESSES_H
