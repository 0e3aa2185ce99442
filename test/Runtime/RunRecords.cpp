//===- RunRecords.cpp - what records say of processes that have ended -----===//

#include "SamplePlan.h"
#include "hocket/Runtime/RunRecord.h"
#include <cstring>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

// After gtest, whose folder for temporaries it uses.
#include "TemporaryFolder.h"

using namespace hocket;
using namespace hocket::runtime;

namespace {

/// Processes of a run, each with a rank and a record, that do nothing until
/// they are told how to end.
class RunRecords : public testing::Test {
protected:
  enum Ending : char { InOrder = 'o', Fails = 'f' };

  void SetUp() override { ASSERT_EQ(pipe(ready), 0); }
  void TearDown() override {
    for (size_t i = 0; i < pids.size(); ++i)
      if (!gone[i])
        end(i, SIGKILL);
  }

  void start(int64_t count) {
    pids.clear();
    toEach.clear();
    gone.assign(count, false);
    for (int64_t i = 0; i < count; ++i) {
      int orders[2];
      ASSERT_EQ(pipe(orders), 0);
      pid_t pid = fork();
      if (pid == 0)
        _exit(live(i, count, orders[0]));
      pids.push_back(pid);
      toEach.push_back(orders[1]);
    }
    std::vector<Address> all(count);
    for (int64_t i = 0; i < count; ++i) {
      Address one;
      ASSERT_EQ(read(ready[0], &one, sizeof one), ssize_t(sizeof one));
      all[one.process] = one;
    }
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(write(toEach[i], all.data(), count * sizeof(Address)),
                ssize_t(count * sizeof(Address)));
    for (int64_t i = 0; i < count; ++i) {
      char isReady = 0;
      ASSERT_EQ(read(ready[0], &isReady, 1), 1);
      ASSERT_EQ(isReady, 'r');
    }
  }

  /// Until nothing is left of it but its status.
  void kill(size_t process) {
    ::kill(pids[process], SIGKILL);
    siginfo_t info;
    waitid(P_PID, id_t(pids[process]), &info, WEXITED | WNOWAIT);
  }
  void end(size_t process, int signal) {
    ::kill(pids[process], signal);
    waitpid(pids[process], nullptr, 0);
    gone[process] = true;
  }
  void tell(size_t process, Ending ending) {
    ASSERT_EQ(write(toEach[process], &ending, 1), 1);
    waitpid(pids[process], nullptr, 0);
    gone[process] = true;
  }
  std::string named(size_t process) {
    return "rank " + std::to_string(process) + " (process " +
           std::to_string(pids[process]) + " on ";
  }
  std::string said() { return postmortem(folder.path("")).text; }

  TemporaryFolder folder;
  std::vector<pid_t> pids;
  std::vector<bool> gone;
  /// Whether processes watch others.
  bool sees = true;

private:
  struct Address {
    int64_t process;
    char text[64];
  };

  int live(int64_t index, int64_t count, int orders) {
    std::vector<Address> all(count);
    char answer = 'x', order = 0;
    RunRecord record;
    Address address = {index, ""};
    std::strcpy(address.text, record.address().c_str());
    if (write(ready[1], &address, sizeof address) < 0 ||
        read(orders, all.data(), count * sizeof(Address)) < 0)
      return 1;
    RecordedProcess own{index, count, {index}, {}};
    for (int64_t i = 0; sees && i < count; ++i)
      if (i != index)
        own.others.push_back({i, all[i].text});
    if (record.create(folder.path(""), own, plan::samplePlan()).ok())
      answer = 'r';
    record.placeOf(0)->step = 3;
    record.placeOf(0)->instruction = 1;
    if (write(ready[1], &answer, 1) != 1 || read(orders, &order, 1) != 1)
      return 1;
    if (order == Fails)
      record.fail("rank 0 did not reach it");
    return 0;
  }

  int ready[2];
  std::vector<int> toEach;
};

/// This process comes before others, where it may, and shares its core with
/// them.
class ComesFirst {
public:
  ComesFirst() {
    sched_getaffinity(0, sizeof cores, &cores);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~ComesFirst() {
    sched_param none = {};
    sched_setscheduler(0, SCHED_OTHER, &none);
    sched_setaffinity(0, sizeof cores, &cores);
  }
  void begin() {
    sched_param first = {};
    first.sched_priority = 1;
    sched_setscheduler(0, SCHED_FIFO, &first);
  }

private:
  cpu_set_t cores;
};

} // namespace

// No process runs between the end of the first and its own: a launcher may be
// as fast.
TEST_F(RunRecords, TheFirstThatEndsIsNamed) {
  for (size_t first : {1, 0}) {
    ComesFirst priority;
    start(4);
    priority.begin();
    kill(first);
    for (size_t i = 0; i < pids.size(); ++i)
      ::kill(pids[i], SIGKILL);
    for (size_t i = 0; i < pids.size(); ++i)
      end(i, SIGKILL);
    std::string text = said();
    EXPECT_EQ(text.find("the last run failed: " + named(first)), 0u) << text;
    EXPECT_NE(text.find("was seen to end first, in all_reduce of \"proj\" "
                        "(schedules.hkt:4:3) of step 3\n  rank "),
              std::string::npos)
        << text;
    removeRecords(folder.path(""));
  }
}

// As MPI does where it reads the memory of one that is being ended.
TEST_F(RunRecords, OneThatAbortsWaitsForTheFirstToEnd) {
  start(3);
  ::kill(pids[1], SIGABRT);
  usleep(20000);
  kill(0);
  end(1, 0);
  end(2, SIGKILL);
  EXPECT_EQ(said().find("the last run failed: " + named(0)), 0u) << said();
}

TEST_F(RunRecords, OneThatEndsInOrderHasNotFailed) {
  start(2);
  tell(1, InOrder);
  end(0, SIGKILL);
  EXPECT_EQ(said(), "the last run was killed, all of its ranks at once:\n"
                    "  rank 0 was in all_reduce of \"proj\" "
                    "(schedules.hkt:4:3) of step 3");
}

TEST_F(RunRecords, AnErrorComesBeforeWhoEndsFirst) {
  start(2);
  tell(1, Fails);
  end(0, SIGKILL);
  EXPECT_EQ(said().find("the last run failed: rank 0 did not reach it\n"), 0u)
      << said();
}

// Processes of other machines, say.
TEST_F(RunRecords, TimesTellWhereNobodyIsWatched) {
  sees = false;
  start(2);
  kill(1);
  usleep(100000);
  end(0, SIGKILL);
  EXPECT_EQ(said().find("the last run failed: " + named(1)), 0u) << said();
}
