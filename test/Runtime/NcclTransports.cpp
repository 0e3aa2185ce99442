//===- NcclTransports.cpp - the conformance suite on GPUs -----------------===//
//
//   mpirun -n N on-lookalikes NcclWorldTests [options of GoogleTest]
//
// The suite of communicators, with a rank in each of N processes, whose memory
// is that of a GPU. Windows of a case lie in memory of the host: they are
// uploaded before a collective and downloaded behind it, with what lies between
// their elements.
//
//===----------------------------------------------------------------------===//

#include "hocket/Mpi/MpiProcesses.h"
#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Cuda/Nccl/NcclCommunicator.h"
#include "test/Runtime/RankGroup.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace hocket;
using namespace hocket::test;
using runtime::Status;
using runtime::Window;
using runtime::cuda::DeviceAddress;

static std::unique_ptr<runtime::LaunchedProcesses> processes;
static runtime::cuda::Gpu *gpu;

namespace {

/// The bytes of a window in both memories.
struct Region {
  char *host;
  int64_t bytes;
  DeviceAddress device = 0;
};

/// A communicator of GPUs for windows of the host.
class ThroughHost : public runtime::Communicator {
public:
  ThroughHost(runtime::cuda::NcclWorld &world, int64_t ranks)
      : world(world), stream(*gpu), untimed(stream), mover(stream, untimed),
        ranks(ranks) {
    EXPECT_TRUE(stream.open().ok());
    inner = world.communicator(processes->index(), mover);
  }
  ~ThroughHost() override {
    inner.reset();
    EXPECT_TRUE(gpu->enter().ok());
    for (const auto &[host, region] : regions)
      world.release(region.device);
  }

  int64_t rank() const override { return inner->rank(); }
  int64_t size() const override { return ranks; }
  Status prepare(const runtime::CollectiveSpec &spec,
                 int64_t &handle) override {
    runtime::CollectiveSpec there = spec;
    std::vector<Region> in, out;
    for (runtime::CollectiveSpec::Pair &pair : there.pairs) {
      in.push_back(toDevice(pair.src, spec.type));
      out.push_back(toDevice(pair.dst, spec.type));
    }
    Status status = inner->prepare(there, handle);
    sources.resize(std::max(sources.size(), size_t(handle) + 1));
    results.resize(sources.size());
    sources[handle] = in;
    results[handle] = out;
    return status;
  }
  Status run(int64_t handle) override {
    Status status = upload(handle);
    if (status.ok())
      status = inner->run(handle);
    return status.ok() ? download(handle) : status;
  }
  Status start(int64_t handle) override {
    Status status = upload(handle);
    return status.ok() ? inner->start(handle) : status;
  }
  Status wait(int64_t handle) override {
    Status status = inner->wait(handle);
    return status.ok() ? download(handle) : status;
  }
  int64_t receivedBytes() const override { return inner->receivedBytes(); }
  int64_t stagingBytes() const override { return inner->stagingBytes(); }
  const std::vector<runtime::WaitSpan> &lastWaits() const override {
    return inner->lastWaits();
  }
  const std::vector<int64_t> &receivedFrom(int64_t handle) const override {
    return inner->receivedFrom(handle);
  }
  void abort(const Status &why) override { inner->abort(why); }

private:
  /// Moves the window to memory of the GPU that has the same place for the
  /// same bytes.
  Region toDevice(Window &window, plan::DType type) {
    int64_t size = plan::byteSize(type), low = 0, high = 0;
    bool isEmpty = false;
    for (size_t i = 0; i < window.shape.size(); ++i) {
      int64_t last = (window.shape[i] - 1) * window.strides[i];
      isEmpty |= window.shape[i] == 0;
      (last < 0 ? low : high) += last;
    }
    int64_t bytes = isEmpty ? size : (high - low + 1) * size;
    char *host = static_cast<char *>(window.data) + (isEmpty ? 0 : low * size);
    auto [found, isNew] = regions.try_emplace(host, Region{host, bytes});
    Region &region = found->second;
    if (isNew) {
      Status status = world.allocate(bytes, "a window", region.device);
      EXPECT_TRUE(status.ok()) << status.message;
    }
    EXPECT_GE(region.bytes, bytes);
    window.data = reinterpret_cast<char *>(region.device) +
                  (static_cast<char *>(window.data) - host);
    return isEmpty ? Region{host, 0, region.device} : region;
  }
  Status upload(int64_t handle) {
    Status status;
    for (const std::vector<Region> *list : {&sources[handle], &results[handle]})
      for (const Region &region : *list)
        if (status.ok())
          status = stream.copyIn(region.device, region.bytes, [&](void *to) {
            std::copy_n(region.host, region.bytes, static_cast<char *>(to));
            return Status::success();
          });
    return status;
  }
  Status download(int64_t handle) {
    Status status;
    for (const Region &region : results[handle])
      if (status.ok())
        status =
            stream.copyOut(region.device, region.bytes, [&](const void *from) {
              std::copy_n(static_cast<const char *>(from), region.bytes,
                          region.host);
              return Status::success();
            });
    return status;
  }

  runtime::cuda::NcclWorld &world;
  runtime::cuda::CudaStream stream;
  runtime::cuda::CudaTimeline untimed;
  runtime::cuda::CudaMover mover;
  std::unique_ptr<runtime::Communicator> inner;
  const int64_t ranks;
  std::map<char *, Region> regions;
  std::vector<std::vector<Region>> sources, results; // by handle
};

class NcclRankGroup : public RankGroup {
public:
  explicit NcclRankGroup(bool sumsAsLibrary) : sumsAsLibrary(sumsAsLibrary) {}

  void run(int64_t ranks,
           const std::function<void(runtime::Communicator &)> &body,
           const std::vector<std::vector<int64_t>> &groups = {}) override {
    if (ranks > processes->count())
      return; // counted by main
    ++groupsRun;
    runtime::RankOptions options;
    options.ranks = processes->count();
    options.deadlineSeconds = 60;
    options.sumsAsLibrary = sumsAsLibrary;
    std::vector<int64_t> all(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank)
      all[rank] = rank;
    options.groups = {{all}};
    if (!groups.empty() && groups != options.groups[0])
      options.groups.push_back(groups);
    runtime::cuda::NcclWorld world(*gpu, *processes, options);
    Status status = world.open();
    ASSERT_TRUE(status.ok()) << status.message;
    ThroughHost end(world, ranks);
    if (processes->index() < ranks)
      body(end);
  }
  /// Windows are uploaded as a whole.
  bool takesLateWrites() const override { return false; }
  void share(std::vector<double> &byRank) override {
    runtime::BytePacker packer;
    packer.add(byRank);
    std::vector<std::string> all;
    ASSERT_TRUE(processes->gather(packer.bytes, all).ok());
    for (size_t rank = 0; rank < byRank.size() && rank < all.size(); ++rank) {
      std::vector<double> theirs;
      runtime::ByteUnpacker(all[rank]).take(theirs);
      byRank[rank] = theirs[rank];
    }
  }

  static int groupsRun;

private:
  const bool sumsAsLibrary;
};

int NcclRankGroup::groupsRun = 0;

} // namespace

std::vector<Transport> hocket::test::transports() {
  auto nccl = [](bool sumsAsLibrary) {
    return [=]() -> std::unique_ptr<RankGroup> {
      return std::make_unique<NcclRankGroup>(sumsAsLibrary);
    };
  };
  return {{"nccl", nccl(false)}, {"nccl_sums", nccl(true), true}};
}

static int runAll() {
  runtime::cuda::Gpu opened;
  const std::vector<uint8_t> noCode = runtime::packChipCode({});
  if (Status status = opened.open(noCode.data(), noCode.size(), 0);
      !status.ok()) {
    std::printf("error: %s\n", status.message.c_str());
    return status.exitStatus();
  }
  gpu = &opened;
  int result = RUN_ALL_TESTS();
  if (processes->isFirst())
    std::printf("%d groups of ranks ran\n", NcclRankGroup::groupsRun);
  return result;
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  runtime::MpiOptions options;
  options.deadlineSeconds = 60;
  Status status = runtime::startMpi(options, processes);
  if (!status.ok()) {
    std::printf("error: %s\n", status.message.c_str());
    return status.exitStatus();
  }
  if (!processes->isFirst()) // one of them reports what is good
    delete testing::UnitTest::GetInstance()->listeners().Release(
        testing::UnitTest::GetInstance()->listeners().default_result_printer());
  int result = runAll();
  processes->end(result);
  return result;
}
