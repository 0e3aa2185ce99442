//===- Ranks.cpp - a test as several processes ----------------------------===//

#include "test/Gpu/Libraries/Nccl/Ranks.h"
#include "test/Paths.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hocket::test {

struct Shared {
  std::atomic<int> arrived{0};
  std::atomic<uint64_t> ids{0}; ///< that rank 0 has made
  NcclUniqueId id{};
  std::atomic<int64_t> places[16]{};
};

namespace {

using Clock = std::chrono::steady_clock;

void pause() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

void *open(const char *name) {
  std::string path = builtPath(std::string("test/lookalike/") + name);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return library;
}

template <typename F> void load(void *library, const char *name, F &to) {
  to = reinterpret_cast<F>(dlsym(library, name));
  EXPECT_NE(to, nullptr) << name;
}

} // namespace

Rank::Rank(int rank, int ranks, Shared &shared)
    : rank(rank), ranks(ranks), shared(shared) {
  void *driver = open("libcuda.so.1");
#define HOCKET_LOAD(symbol, name, parameters) load(driver, #symbol, cu.name);
  HOCKET_CUDA_DRIVER_FUNCTIONS(HOCKET_LOAD)
#undef HOCKET_LOAD
  void *library = open("libnccl.so.2");
#define HOCKET_LOAD(symbol, type, name, parameters)                            \
  load(library, #symbol, nccl.name);
  HOCKET_CUDA_NCCL_FUNCTIONS(HOCKET_LOAD)
#undef HOCKET_LOAD
  EXPECT_EQ(cu.init(0), Success);
  EXPECT_EQ(cu.devicePrimaryCtxRetain(&context, 0), Success);
  useContext();
  s = stream();
}

void Rank::useContext() { EXPECT_EQ(cu.ctxSetCurrent(context), Success); }

void Rank::barrier() {
  int before = shared.arrived.fetch_add(1);
  while (shared.arrived < (before / ranks + 1) * ranks)
    pause();
}

void Rank::leave(int place, int64_t value) { shared.places[place] = value; }

int64_t Rank::left(int place) const { return shared.places[place]; }

NcclUniqueId Rank::id() {
  ++ids;
  if (rank == 0) {
    EXPECT_EQ(nccl.getUniqueId(&shared.id), NcclSuccess);
    shared.ids = ids;
  }
  while (shared.ids < ids)
    pause();
  NcclUniqueId taken = shared.id;
  barrier();
  return taken;
}

NcclComm Rank::init(NcclConfig config) {
  NcclComm comm = nullptr;
  NcclResult result =
      nccl.commInitRankConfig(&comm, ranks, id(), rank, &config);
  if (result == NcclInProgress)
    result = poll(comm);
  EXPECT_EQ(result, NcclSuccess) << nccl.getLastError(comm);
  return comm;
}

NcclComm Rank::split(NcclComm comm, int color, int key) {
  NcclComm made = nullptr;
  NcclResult result = nccl.commSplit(comm, color, key, &made, nullptr);
  if (result == NcclInProgress)
    result = poll(comm);
  if (result == NcclSuccess && made)
    result = poll(made);
  EXPECT_EQ(result, NcclSuccess) << nccl.getLastError(comm);
  return made;
}

void Rank::destroy(NcclComm comm) {
  NcclResult result = nccl.commFinalize(comm);
  if (result == NcclInProgress)
    result = poll(comm);
  EXPECT_EQ(result, NcclSuccess) << nccl.getLastError(comm);
  EXPECT_EQ(nccl.commDestroy(comm), NcclSuccess) << nccl.getLastError(comm);
}

void Rank::destroyTogether(const std::vector<NcclComm> &comms) {
  std::vector<std::thread> threads;
  for (NcclComm comm : comms)
    threads.emplace_back([this, comm] { destroy(comm); });
  for (std::thread &thread : threads)
    thread.join();
}

NcclResult Rank::poll(NcclComm comm) {
  for (NcclResult error;;) {
    NcclResult result = nccl.commGetAsyncError(comm, &error);
    if (result != NcclSuccess || error != NcclInProgress)
      return result ? result : error;
    pause();
  }
}

NcclResult Rank::untilError(NcclComm comm) {
  NcclResult error = NcclSuccess;
  while (error == NcclSuccess) {
    EXPECT_EQ(nccl.commGetAsyncError(comm, &error), NcclSuccess);
    pause();
  }
  return error;
}

bool Rank::isOverSoon(Stream stream) {
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(150);
  while (Clock::now() < end) {
    if (cu.streamQuery(stream) == Success)
      return true;
    pause();
  }
  return false;
}

Stream Rank::stream() {
  Stream made = nullptr;
  EXPECT_EQ(cu.streamCreate(&made, StreamNonBlocking), Success);
  streams.push_back(made);
  return made;
}

DeviceAddress Rank::allocate(size_t bytes) {
  DeviceAddress address = 0;
  EXPECT_EQ(cu.memAlloc(&address, bytes), Success);
  addresses.push_back(address);
  return address;
}

/// The host's memory may be gone once this returns.
void Rank::uploadBytes(DeviceAddress to, const void *from, size_t bytes) {
  EXPECT_EQ(cu.memcpyHtoDAsync(to, from, bytes, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
}

void Rank::downloadBytes(void *to, const void *from, size_t bytes,
                         Stream stream) {
  EXPECT_EQ(cu.memcpyDtoHAsync(to, reinterpret_cast<DeviceAddress>(from), bytes,
                               stream),
            Success);
  EXPECT_EQ(cu.streamSynchronize(stream), Success);
}

void Rank::release() {
  for (Stream each : streams)
    EXPECT_EQ(cu.streamDestroy(each), Success);
  for (DeviceAddress address : addresses)
    EXPECT_EQ(cu.memFree(address), Success);
  EXPECT_EQ(cu.devicePrimaryCtxRelease(0), Success);
}

namespace {

std::string reportOf(int rank) {
  return "nccl-findings-" + std::to_string(getppid()) + "-" +
         std::to_string(rank) + ".txt";
}

std::string takeReport(int rank) {
  std::string path = "nccl-findings-" + std::to_string(getpid()) + "-" +
                     std::to_string(rank) + ".txt";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::remove(path.c_str());
  return text.str();
}

[[noreturn]] void play(int rank, int ranks, Shared &shared,
                       const std::function<void(Rank &)> &role,
                       const Variables &variables) {
  setenv("HOCKET_LOOKALIKE_REPORT", reportOf(rank).c_str(), 1);
  for (const auto &[name, value] : variables)
    setenv(("HOCKET_LOOKALIKE_" + name).c_str(), value.c_str(), 1);
  {
    Rank played(rank, ranks, shared);
    role(played);
  }
  std::fflush(nullptr);
  std::exit(testing::Test::HasFailure());
}

/// Ends a process that has not ended by itself after a long time.
int waitFor(pid_t process, Clock::time_point deadline) {
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) {
      ADD_FAILURE() << "a rank does not end";
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      break;
    }
    pause();
  }
  return status;
}

} // namespace

std::vector<Ended> runRanks(int ranks, const std::function<void(Rank &)> &role,
                            const Variables &variables, int exit) {
  void *place = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Shared &shared = *new (place) Shared;
  std::fflush(nullptr);
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    pid_t process = fork();
    if (process == 0)
      play(rank, ranks, shared, role, variables);
    processes.push_back(process);
  }
  std::vector<Ended> all;
  Clock::time_point deadline = Clock::now() + std::chrono::seconds(20);
  for (int rank = 0; rank < ranks; ++rank) {
    int status = waitFor(processes[rank], deadline);
    all.push_back({status, takeReport(rank)});
    EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) == exit)
        << "rank " << rank << " has failed";
  }
  munmap(place, sizeof(Shared));
  return all;
}

void runCleanly(int ranks, const std::function<void(Rank &)> &role,
                const Variables &variables) {
  int rank = 0;
  for (const Ended &ended : runRanks(ranks, role, variables)) {
    EXPECT_EQ(ended.status, 0) << "rank " << rank;
    EXPECT_EQ(ended.findings, "") << "rank " << rank;
    ++rank;
  }
}

} // namespace hocket::test
