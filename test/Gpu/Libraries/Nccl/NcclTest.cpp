//===- NcclTest.cpp - ranks as threads of one process ---------------------===//

#include "test/Gpu/Libraries/Nccl/NcclTest.h"
#include "test/Gpu/Libraries/Nccl/Control.h"
#include "test/Paths.h"
#include <dlfcn.h>
#include <thread>

namespace hocket::test {

NcclFunctions NcclTest::nccl;

void *NcclTest::find(const char *symbol) {
  static void *library =
      dlopen(builtPath("test/lookalike/libnccl.so.2").c_str(), RTLD_NOW);
  void *found = library ? dlsym(library, symbol) : nullptr;
  EXPECT_NE(found, nullptr) << symbol;
  return found;
}

void NcclTest::SetUp() {
  setenv("HOCKET_LOOKALIKE_REPORT", "/dev/null", 1);
#define HOCKET_LOAD(symbol, type, name, parameters)                            \
  nccl.name = reinterpret_cast<type(*) parameters>(find(#symbol));
  HOCKET_CUDA_NCCL_FUNCTIONS(HOCKET_LOAD)
#undef HOCKET_LOAD
}

void NcclTest::TearDown() {
  EXPECT_EQ(found(), "");
  EXPECT_EQ(left(), "");
}

std::string NcclTest::found() {
  return reinterpret_cast<decltype(&hocketNcclTakeFindings)>(
      find("hocketNcclTakeFindings"))();
}

std::string NcclTest::left() {
  return reinterpret_cast<decltype(&hocketNcclLeft)>(find("hocketNcclLeft"))();
}

std::string NcclTest::title() {
  std::string text = left();
  return text.substr(0, text.find(" is neither"));
}

NcclUniqueId NcclTest::id() {
  NcclUniqueId id{};
  EXPECT_EQ(nccl.getUniqueId(&id), NcclSuccess);
  return id;
}

void NcclTest::runThreads(int ranks,
                          const std::function<void(int rank)> &body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&body, rank] { body(rank); });
  for (std::thread &thread : threads)
    thread.join();
}

void NcclTest::run(int ranks,
                   const std::function<void(int rank, NcclComm comm)> &body,
                   NcclConfig config) {
  NcclUniqueId all = id();
  runThreads(ranks, [&](int rank) {
    NcclComm comm = nullptr;
    NcclConfig own = config;
    NcclResult result = nccl.commInitRankConfig(&comm, ranks, all, rank, &own);
    if (result == NcclInProgress)
      result = poll(comm);
    ASSERT_EQ(result, NcclSuccess) << nccl.getLastError(comm);
    body(rank, comm);
    destroy(comm);
  });
}

NcclResult NcclTest::poll(NcclComm comm) {
  for (NcclResult error;;) {
    NcclResult result = nccl.commGetAsyncError(comm, &error);
    if (result != NcclSuccess || error != NcclInProgress)
      return result ? result : error;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

NcclComm NcclTest::alone(NcclConfig config) {
  NcclComm comm = nullptr;
  NcclResult result = nccl.commInitRankConfig(&comm, 1, id(), 0, &config);
  if (result == NcclInProgress)
    result = poll(comm);
  EXPECT_EQ(result, NcclSuccess) << nccl.getLastError(comm);
  return comm;
}

void NcclTest::destroy(NcclComm comm) {
  NcclResult result = nccl.commFinalize(comm);
  if (result == NcclInProgress)
    result = poll(comm);
  EXPECT_EQ(result, NcclSuccess) << nccl.getLastError(comm);
  EXPECT_EQ(nccl.commDestroy(comm), NcclSuccess) << nccl.getLastError(comm);
}

} // namespace hocket::test
