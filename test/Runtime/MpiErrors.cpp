//===- MpiErrors.cpp - what processes under MPI cannot do -----------------===//
//
// Tests that are disabled end the run: test/Mpi/errors-*.test runs each by
// itself, with two processes.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Mpi/Library.h"
#include "test/Runtime/CollectiveCase.h"
#include "test/Runtime/MpiProcessesOfTest.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime;

namespace {

constexpr double shortDeadline = 0.5;

/// An all_reduce of `members`, of memory of its own.
struct Sum {
  Sum(const std::vector<int64_t> &members, int64_t rank, const char *path) {
    spec.kind = AllReduce{};
    spec.members = members;
    spec.me = std::find(members.begin(), members.end(), rank) - members.begin();
    spec.pairs = {{{values, {4}, {1}}, {values, {4}, {1}}}};
    spec.source.path = path;
  }
  Status prepare(Communicator &comm) { return comm.prepare(spec, handle); }
  Status run(Communicator &comm) {
    Status status = prepare(comm);
    return status.ok() ? comm.run(handle) : status;
  }
  float values[4] = {};
  CollectiveSpec spec;
  int64_t handle = -1;
};

/// Two ranks in each of two processes. Returns what this process says.
Status runFour(const std::function<Status(Communicator &)> &body,
               std::vector<std::vector<std::vector<int64_t>>> groups) {
  RankOptions options;
  options.ranks = 4;
  options.threads = 1;
  options.deadlineSeconds = shortDeadline;
  options.groups = std::move(groups);
  std::unique_ptr<LocalRanks> ranks =
      mpiProcesses().makeRanks(options, nullptr);
  std::vector<std::unique_ptr<Communicator>> ends;
  for (int64_t rank : ranks->numbers())
    ends.push_back(ranks->communicator(rank, hostMover()));
  Status status = ranks->start();
  if (status.ok())
    status = ranks->run(
        {"step", [&](size_t i) { return RankOutcome{body(*ends[i]), true}; },
         [](size_t) { return std::string("a test"); }});
  ranks->stop();
  return status;
}

} // namespace

TEST(MpiErrors, LauncherOfAnotherLibrary) {
  MpiLibrary library;
  Launched launched{Launched::By::Mpich, 0, 2, "mpirun (MPICH)"};
  EXPECT_EQ(library.load(launched, MpiThreads::Multiple, {}).message,
            "mpirun (MPICH) started the program, but this hocket was built "
            "without MPICH; start it with another mpirun, or build hocket "
            "where MPICH is installed");
}

TEST(MpiErrors, LibraryThatCannotBeLoaded) {
  MpiLibrary library;
  Launched launched{Launched::By::OpenMpi, 0, 2, "mpirun (Open MPI)"};
  const uint8_t noLibrary[64] = {};
  std::string said =
      library.load(launched, MpiThreads::Multiple, {noLibrary, 64}).message;
  EXPECT_EQ(said.substr(0, said.find("/proc")),
            "mpirun (Open MPI) started the program, but the library of Open "
            "MPI cannot be loaded: ");
}

TEST(MpiErrors, MembersWithoutCommunicator) {
  Status status = runFour(
      [](Communicator &comm) {
        if (comm.rank() == 3)
          return Status::success();
        Sum sum({0, 1, 2}, comm.rank(), "h.0");
        EXPECT_EQ(sum.prepare(comm).message,
                  "all_reduce of \"h.0\": its members are no group of the run");
        return Status::success();
      },
      {{{0, 1, 2, 3}}});
  EXPECT_EQ(status.message, "");
}

// The following print what each process says.

static void say(const Status &status) {
  std::printf("%s\n", status.message.c_str());
  std::fflush(stdout);
}

/// With --most-tag 20.
TEST(MpiErrors, DISABLED_Tags) {
  Status status = runFour(
      [](Communicator &comm) {
        std::vector<std::unique_ptr<Sum>> sums;
        for (int i = 0; i < 10; ++i) {
          sums.push_back(std::make_unique<Sum>(std::vector<int64_t>{0, 1, 2, 3},
                                               comm.rank(), "h.0"));
          if (Status status = sums.back()->run(comm); !status.ok())
            return status;
        }
        return Status::success();
      },
      {{{0, 1, 2, 3}}});
  say(status);
}

/// Rank 3 waits for rank 2, which waits for rank 0, which does not come.
TEST(MpiErrors, DISABLED_LateRank) {
  Status status = runFour(
      [](Communicator &comm) {
        if (comm.rank() < 2) {
          usleep(useconds_t(shortDeadline * 3e6));
          return Status::success();
        }
        if (comm.rank() == 2) {
          usleep(useconds_t(shortDeadline * 3e5));
          return Sum({0, 2}, 2, "slow").run(comm);
        }
        return Sum({2, 3}, 3, "fast").run(comm);
      },
      {{{0, 1, 2, 3}}, {{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}});
  say(status);
}

/// The same, where rank 2 reaches its own deadline before it hears that rank 3
/// has given up: what that says is so long that a process which waits for
/// nothing does not take it.
TEST(MpiErrors, DISABLED_LateRanksGiveUpTogether) {
  const std::string path(size_t(1) << 20, 'x');
  Status status = runFour(
      [&](Communicator &comm) {
        if (comm.rank() < 2) {
          usleep(useconds_t(shortDeadline * 3e6));
          return Status::success();
        }
        if (comm.rank() == 2) {
          usleep(100000); // a busy machine may keep rank 3 from going first
          return Sum({0, 2}, 2, "slow").run(comm);
        }
        return Sum({2, 3}, 3, path.c_str()).run(comm);
      },
      {{{0, 1, 2, 3}}, {{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}});
  size_t at = status.message.find(path);
  if (at != std::string::npos)
    status.message.replace(at, path.size(), "fast");
  say(status);
}

TEST(MpiErrors, DISABLED_LateProcess) {
  if (!mpiProcesses().isFirst())
    usleep(4000000); // longer than --deadline
  std::vector<std::string> all;
  say(mpiProcesses().gather("here", all));
}
