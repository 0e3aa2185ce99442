//===- MpiTransports.cpp - the conformance suite on processes -------------===//
//
//   mpirun -n N MpiTests [--serialized | --funneled] [--most-bytes B]
//                        [--most-tag T] [--deadline S] [options of GoogleTest]
//
// The suite of communicators, with ranks in N processes: the ranks of a case
// are spread over them, and some stay idle where their number does not divide.
// Tests that end the run (MpiErrors.cpp) are disabled, and run one at a time.
//
//===----------------------------------------------------------------------===//

#include "hocket/Mpi/MpiProcesses.h"
#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Ranks/LaunchedProcesses.h"
#include "test/Runtime/MpiProcessesOfTest.h"
#include "test/Runtime/RankGroup.h"
#include <cstring>
#include <gtest/gtest.h>
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOCKET_FINDS_LEAKS
#endif
#endif
#ifdef HOCKET_FINDS_LEAKS
#include <sanitizer/lsan_interface.h>
#else
static void __lsan_do_leak_check() {}
static void __lsan_disable() {}
static void __lsan_enable() {}
#endif

using namespace hocket;
using namespace hocket::test;

static std::unique_ptr<runtime::LaunchedProcesses> processes;

runtime::Processes &hocket::test::mpiProcesses() { return *processes; }

namespace {

class MpiRankGroup : public RankGroup {
public:
  explicit MpiRankGroup(uint64_t seed) : seed(seed) {}

  void run(int64_t ranks,
           const std::function<void(runtime::Communicator &)> &body,
           const std::vector<std::vector<int64_t>> &groups = {}) override {
    int64_t each = (ranks + processes->count() - 1) / processes->count();
    runtime::RankOptions options;
    options.ranks = each * processes->count();
    options.threads = 1;
    options.delaySeed = seed;
    options.deadlineSeconds = 30;
    std::vector<int64_t> all(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank)
      all[rank] = rank;
    options.groups = {{all}};
    if (!groups.empty() && groups != options.groups[0])
      options.groups.push_back(groups);
    std::unique_ptr<runtime::LocalRanks> local =
        processes->makeRanks(options, nullptr);
    std::vector<std::unique_ptr<runtime::Communicator>> ends;
    for (int64_t rank : local->numbers())
      ends.push_back(local->communicator(rank, runtime::hostMover()));
    ASSERT_TRUE(local->start().ok());
    runtime::Status status =
        local->run({"test",
                    [&](size_t i) {
                      if (local->numbers()[i] < ranks)
                        body(*ends[i]);
                      return runtime::RankOutcome();
                    },
                    [](size_t) { return std::string("a test"); }});
    EXPECT_TRUE(status.ok()) << status.message;
    local->stop();
  }

  void share(std::vector<double> &byRank) override {
    runtime::BytePacker packer;
    packer.add(byRank);
    std::vector<std::string> all;
    ASSERT_TRUE(processes->gather(packer.bytes, all).ok());
    int64_t each =
        (int64_t(byRank.size()) + processes->count() - 1) / processes->count();
    for (size_t rank = 0; rank < byRank.size(); ++rank) {
      std::vector<double> theirs;
      runtime::ByteUnpacker(all[rank / each]).take(theirs);
      byRank[rank] = theirs[rank];
    }
  }

private:
  uint64_t seed;
};

} // namespace

std::vector<Transport> hocket::test::transports() {
  auto mpi = [](uint64_t seed) {
    return [=]() -> std::unique_ptr<RankGroup> {
      return std::make_unique<MpiRankGroup>(seed);
    };
  };
  return {{"mpi", mpi(0)}, {"mpi_delayed", mpi(7)}};
}

/// Without leaks of what starts: MPI loads parts of it that it unloads at once,
/// and what these keep can be told by no name.
static runtime::Status startMpi(const runtime::MpiOptions &options) {
  __lsan_disable();
  runtime::Status status = runtime::startMpi(options, processes);
  __lsan_enable();
  return status;
}

int main(int argc, char **argv) {
  runtime::MpiOptions options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--serialized") == 0)
      options.calls = runtime::MpiCalls::OneAtATime;
    if (std::strcmp(argv[i], "--funneled") == 0)
      options.calls = runtime::MpiCalls::OfFirstThread;
    if (std::strcmp(argv[i], "--deadline") == 0 && i + 1 < argc)
      options.deadlineSeconds = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--most-tag") == 0 && i + 1 < argc)
      options.mostTag = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--most-bytes") == 0 && i + 1 < argc)
      options.mostBytes = std::atoll(argv[i + 1]);
  }
  testing::InitGoogleTest(&argc, argv);
  runtime::Status status = startMpi(options);
  if (!status.ok()) {
    std::printf("error: %s\n", status.message.c_str());
    return status.exitStatus();
  }
  if (!processes->isFirst()) // one of them reports what is good
    delete testing::UnitTest::GetInstance()->listeners().Release(
        testing::UnitTest::GetInstance()->listeners().default_result_printer());
  int result = RUN_ALL_TESTS();
  // While MPI's libraries are loaded: then what they keep for the life of a
  // process is reached from their variables, and frames have names for
  // leak.supp. There is no check at the end of the process, where neither
  // holds.
  __lsan_do_leak_check();
  processes->end(result);
  return result;
}
