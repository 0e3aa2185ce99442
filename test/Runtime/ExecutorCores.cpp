//===- ExecutorCores.cpp - which cores ranks get, and how they wait -------===//

#include "runtime/lib/Ranks/Cores.h"
#include <gtest/gtest.h>

// After gtest, whose folder for temporaries it uses.
#include "TemporaryFolder.h"

using namespace hocket::runtime;

namespace {

using List = std::vector<std::vector<int>>;

TEST(ExecutorCores, RanksShareThem) {
  Cores cores{{4, 5, 6, 7}, 4};
  CoreShares shares = shareCores(cores, 2, 0);
  EXPECT_EQ(shares.threads, 2);
  EXPECT_TRUE(shares.spins);
  EXPECT_EQ(shares.pinned, (List{{4, 5}, {6, 7}}));
  shares = shareCores(cores, 3, 0);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_EQ(shares.pinned, (List{{4}, {5}, {6}}));
}

// What the user asks for makes no cores: ranks that outnumber them give theirs
// away while they wait.
TEST(ExecutorCores, RanksThatOutnumberThemDoNotSpin) {
  Cores cores{{0, 1}, 2};
  for (int64_t threads : {0, 1, 2}) {
    CoreShares shares = shareCores(cores, 8, threads);
    EXPECT_EQ(shares.threads, std::max<int64_t>(threads, 1));
    EXPECT_FALSE(shares.spins) << threads;
    EXPECT_TRUE(shares.pinned.empty());
  }
  EXPECT_TRUE(shareCores(cores, 2, 1).spins);
  EXPECT_FALSE(shareCores(cores, 2, 2).spins);
}

TEST(ExecutorCores, AQuotaCountsBesideTheMask) {
  CoreShares shares = shareCores({{0, 1, 2, 3}, 1}, 2, 0);
  EXPECT_EQ(shares.threads, 1);
  EXPECT_FALSE(shares.spins);
}

class Quota : public testing::Test {
protected:
  void write(const std::string &file, const std::string &text) {
    std::filesystem::path path = folder.path(file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int64_t usable() { return coresOfProcess(folder.path("")).usable; }

  TemporaryFolder folder;
  const int64_t all = coresOfProcess(folder.path("")).usable; // no quota
};

TEST_F(Quota, OfTheSecondVersion) {
  write(
      "proc/self/mountinfo",
      "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/app.slice/job\n");
  EXPECT_EQ(usable(), all);
  write("sys/fs/cgroup/app.slice/job/cpu.max", "max 100000\n");
  EXPECT_EQ(usable(), all);
  write("sys/fs/cgroup/app.slice/cpu.max", "190000 100000\n"); // around it
  EXPECT_EQ(usable(), 1);
  write("sys/fs/cgroup/app.slice/cpu.max", "100000000 100000\n");
  EXPECT_EQ(usable(), all);
  write("sys/fs/cgroup/app.slice/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(usable(), 1);
}

TEST_F(Quota, OfTheFirstVersionInAContainer) {
  write("proc/self/mountinfo",
        "32 31 0:29 /docker/f00 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup "
        "rw,cpu,cpuacct\n"
        "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "9:memory:/\n4:cpu,cpuacct:/docker/f00/job\n");
  const std::string group = "sys/fs/cgroup/cpu,cpuacct/";
  write(group + "job/cpu.cfs_quota_us", "-1\n");
  write(group + "job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable(), all);
  write(group + "cpu.cfs_quota_us", "100000\n");
  write(group + "cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable(), 1);
}

} // namespace
