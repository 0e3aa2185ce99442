//===- TcpProcesses.cpp - processes that meet by a port -------------------===//

#include "hocket/Tcp/TcpProcesses.h"
#include "runtime/lib/Ranks/LaunchedProcesses.h"
#include "test/Runtime/ForkedProcesses.h"
#include <chrono>
#include <csignal>
#include <mutex>

using namespace hocket::runtime;
using namespace hocket::test;

namespace {

using Body = std::function<void(LaunchedProcesses &run, SharedText &says)>;

/// Has so many processes meet and, once all have, do `body`.
std::vector<Said> runTogether(int64_t count, const Body &body,
                              double deadline = 30) {
  TcpOptions options;
  options.count = count;
  options.deadlineSeconds = deadline;
  Status listens = listenToThisMachine(options.listener, options.place);
  EXPECT_TRUE(listens.ok()) << listens.message;
  MeetingPoint allHere(count);
  std::vector<Said> all =
      runProcesses(count, [&](int64_t index, SharedText &says) {
        TcpOptions own = options;
        own.index = index;
        if (index != 0)
          close(own.listener);
        std::unique_ptr<LaunchedProcesses> run;
        Status status = startTcp(own, run);
        ASSERT_TRUE(status.ok()) << status.message;
        allHere.wait();
        body(*run, says);
      });
  close(options.listener);
  return all;
}

/// What a process says of the failure that it has, or heard of, and whether it
/// is the one to print it.
void tell(LaunchedProcesses &run, SharedText &says) {
  int64_t rank = -1;
  Status why = run.failure(rank);
  says.add((run.wasTold() ? "told: " : "tells: ") + std::to_string(rank) +
           ": " + why.message);
}

double secondsOf(const std::function<void()> &work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// How many of `all` say something that begins so.
int64_t countOf(const std::vector<Said> &all, const std::string &beginning) {
  int64_t count = 0;
  for (const Said &said : all)
    count += said.text.rfind(beginning, 0) == 0;
  return count;
}

} // namespace

TEST(TcpProcesses, GatherWhatEachGives) {
  std::vector<Said> all =
      runTogether(5, [](LaunchedProcesses &run, SharedText &says) {
        for (size_t size : {0, 3, 9000000}) {
          std::vector<std::string> given;
          std::string mine(size, char('a' + run.index()));
          Status status = run.gather(mine, given);
          ASSERT_TRUE(status.ok()) << status.message;
          ASSERT_EQ(given.size(), 5u);
          for (size_t i = 0; i < given.size(); ++i)
            EXPECT_EQ(given[i], std::string(size, char('a' + i)));
        }
        EXPECT_EQ(run.count(), 5);
        EXPECT_EQ(run.localIndex(), run.index());
        EXPECT_EQ(run.localCount(), 5);
        EXPECT_FALSE(run.hasFailed());
        Status mine =
            run.index() < 3 ? Status::success() : Status::userError("no file");
        says.add(run.agree(mine).message);
        run.end(0);
        EXPECT_FALSE(run.hasFailed());
      });
  for (const Said &said : all) {
    EXPECT_EQ(said.text, "no file");
    EXPECT_EQ(said.status, 0);
  }
}

TEST(TcpProcesses, OneAlone) {
  std::vector<Said> all =
      runTogether(1, [](LaunchedProcesses &run, SharedText &) {
        std::vector<std::string> given;
        EXPECT_TRUE(run.gather("x", given).ok());
        EXPECT_EQ(given, std::vector<std::string>{"x"});
        EXPECT_EQ(run.localCount(), 1);
        run.end(0);
      });
  EXPECT_EQ(all[0].status, 0);
}

TEST(TcpProcesses, AFailureIsHeardAtOnce) {
  std::vector<Said> all =
      runTogether(4, [](LaunchedProcesses &run, SharedText &says) {
        std::vector<std::string> given;
        double waited = secondsOf([&] {
          if (run.index() == 2) {
            usleep(200000);
            run.fail(2, Status::userError("rank 2: no file"));
          } else if (run.index() == 3) {
            while (!run.hasFailed()) // it computes
              run.listen();
          } else {
            Status status = run.gather("x", given);
            EXPECT_EQ(status.message, "rank 2: no file");
            EXPECT_EQ(status.exitStatus(), 1);
          }
        });
        EXPECT_LT(waited, 5);
        // What comes next fails as well.
        EXPECT_EQ(run.gather("y", given).message, "rank 2: no file");
        tell(run, says);
        run.end(1);
      });
  for (const Said &said : all)
    EXPECT_EQ(said.status, 1);
  EXPECT_EQ(all[2].text, "tells: 2: rank 2: no file");
  EXPECT_EQ(countOf(all, "told: 2: rank 2: no file"), 3);
}

TEST(TcpProcesses, OfSeveralThatFailAtOnceOneTells) {
  std::vector<Said> all =
      runTogether(4, [](LaunchedProcesses &run, SharedText &says) {
        run.fail(run.index(), Status::runtimeError("no room"));
        tell(run, says);
        run.end(3);
      });
  EXPECT_EQ(countOf(all, "tells: "), 1);
  // All know the same one.
  std::string rank = all[0].text.substr(all[0].text.find(": "));
  for (const Said &said : all)
    EXPECT_EQ(said.text.substr(said.text.find(": ")), rank);
}

TEST(TcpProcesses, WhoWasWaitedForAnswers) {
  std::vector<Said> all =
      runTogether(2, [](LaunchedProcesses &run, SharedText &says) {
        if (run.index() == 0)
          run.fail(1, Status::runtimeError("rank 1 is late"));
        while (!run.hasFailed())
          usleep(1000);
        if (run.index() == 1)
          run.answer(Status::runtimeError("rank 1 read a file"));
        tell(run, says);
        run.end(3);
      });
  EXPECT_EQ(all[0].text, "tells: 1: rank 1 is late");
  EXPECT_EQ(all[1].text, "tells: 1: rank 1 read a file");
}

/// Of four processes `victim` is killed.
static std::vector<Said> runWithDeath(int64_t victim) {
  return runTogether(4, [=](LaunchedProcesses &run, SharedText &says) {
    std::vector<std::string> given;
    if (run.index() == victim)
      raise(SIGKILL);
    EXPECT_LT(secondsOf([&] { EXPECT_FALSE(run.gather("y", given).ok()); }), 5);
    tell(run, says);
    run.end(3);
  });
}

TEST(TcpProcesses, AnEndIsHeardAtOnce) {
  const std::string ended = " has ended in the middle of the run: it was "
                            "killed, it crashed, or its machine went away";
  std::vector<Said> all = runWithDeath(2);
  EXPECT_EQ(all[2].status, -SIGKILL);
  EXPECT_EQ(all[0].text, "tells: 2: rank 2" + ended);
  EXPECT_EQ(all[1].text, "told: 2: rank 2" + ended);
  EXPECT_EQ(all[3].text, "told: 2: rank 2" + ended);
  all = runWithDeath(0);
  EXPECT_EQ(all[1].text, "tells: 0: rank 0" + ended);
  EXPECT_EQ(all[2].text, "told: 0: rank 0" + ended);
  EXPECT_EQ(all[3].text, "told: 0: rank 0" + ended);
  for (int64_t process : {1, 2, 3})
    EXPECT_EQ(all[process].status, 3);
}

/// A process that is stuck is named by whoever waits for it.
TEST(TcpProcesses, WhoDoesNotComeIsNamed) {
  std::vector<Said> all = runTogether(
      3,
      [](LaunchedProcesses &run, SharedText &says) {
        if (run.index() == 1)
          usleep(2000000);
        std::vector<std::string> given;
        EXPECT_FALSE(run.gather("x", given).ok());
        tell(run, says);
        run.end(3);
      },
      /*deadline=*/0.5);
  const std::string late = ": 0: rank 1 did not come to where all ranks meet "
                           "within 0.5 s of rank 0";
  EXPECT_EQ(all[0].text, "tells" + late);
  EXPECT_EQ(all[1].text, "told" + late);
  EXPECT_EQ(all[2].text, "told" + late);
}

TEST(TcpProcesses, ProcessZeroDoesNotCome) {
  std::vector<Said> all = runTogether(
      2,
      [](LaunchedProcesses &run, SharedText &says) {
        if (run.index() == 0)
          usleep(2500000); // longer than the second that it has more
        std::vector<std::string> given;
        EXPECT_FALSE(run.gather("x", given).ok());
        tell(run, says);
        run.end(3);
      },
      /*deadline=*/0.5);
  EXPECT_EQ(all[1].text, "tells: 1: rank 0 did not come to where all ranks "
                         "meet within 0.5 s of rank 1");
}

/// Messages that fill what the system keeps for a process that is stopped.
TEST(TcpProcesses, WhoTakesNothingIsNamed) {
  std::vector<Said> all = runTogether(
      2,
      [](LaunchedProcesses &run, SharedText &says) {
        std::vector<std::string> given;
        ASSERT_TRUE(run.gather(std::to_string(getpid()), given).ok());
        if (run.index() == 1) {
          (void)run.gather("x", given);
          return;
        }
        pid_t other = pid_t(std::atoi(given[1].c_str()));
        usleep(100000); // until it has sent
        kill(other, SIGSTOP);
        (void)run.gather(std::string(50000000, 'x'), given);
        tell(run, says);
        kill(other, SIGKILL);
        run.end(3);
      },
      /*deadline=*/0.5);
  EXPECT_EQ(all[0].text, "tells: 0: rank 1 did not come to where all ranks "
                         "meet within 0.5 s of rank 0");
}

TEST(TcpProcesses, RanksOfSeveralProcessesReachNoTensors) {
  std::vector<Said> all =
      runTogether(2, [](LaunchedProcesses &run, SharedText &says) {
        RankOptions options;
        options.ranks = 4;
        options.threads = 1;
        options.groups = {{{0, 1, 2, 3}}};
        std::unique_ptr<LocalRanks> ranks = run.makeRanks(options, nullptr);
        EXPECT_EQ(ranks->numbers(),
                  (std::vector<int64_t>{2 * run.index(), 2 * run.index() + 1}));
        auto end = ranks->communicator(ranks->numbers()[0], hostMover());
        EXPECT_EQ(end->size(), 4);
        CollectiveSpec spec;
        spec.kind = AllReduce{};
        spec.members = {0, 1, 2, 3};
        spec.source.path = "h.0";
        int64_t handle;
        Status status = end->prepare(spec, handle);
        EXPECT_EQ(status.message,
                  "not supported yet: a collective between the processes of a "
                  "program for GPUs; start it without a launcher and without "
                  "--ranks-per-node, then all its ranks share one GPU");
        if (run.index() == 1)
          end->abort(status);
        while (!run.hasFailed())
          usleep(1000);
        tell(run, says);
        run.end(1);
      });
  EXPECT_EQ(all[0].text.substr(0, 24), "told: 2: not supported y");
  EXPECT_EQ(all[1].text.substr(0, 25), "tells: 2: not supported y");
}
