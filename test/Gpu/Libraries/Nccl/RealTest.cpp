//===- RealTest.cpp - what NVIDIA's own library does without a GPU --------===//

#include "runtime/lib/Cuda/Nccl/Api.h"
#include <algorithm>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

using namespace hocket::runtime::cuda;

namespace {

/// Where toolkits and packages put the library.
const char *const places[] = {
    "/usr/local/cuda/lib64/libnccl.so.2", "/usr/local/cuda/lib/libnccl.so.2",
    "/usr/lib/x86_64-linux-gnu/libnccl.so.2", "/usr/lib64/libnccl.so.2"};

class NcclRealTest : public testing::Test {
protected:
  void SetUp() override {
    for (const char *place : places)
      if (!library)
        library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      GTEST_SKIP() << "NVIDIA's NCCL is not installed here";
#define HOCKET_LOAD(symbol, type, name, parameters) load(#symbol, nccl.name);
    HOCKET_CUDA_NCCL_FUNCTIONS(HOCKET_LOAD)
#undef HOCKET_LOAD
  }
  template <typename F> void load(const char *name, F &to) {
    to = reinterpret_cast<F>(dlsym(library, name));
    ASSERT_NE(to, nullptr) << name;
  }

  static void *library;
  NcclFunctions nccl;
};

void *NcclRealTest::library = nullptr;

} // namespace

TEST_F(NcclRealTest, HasAVersion) {
  int version = 0;
  EXPECT_EQ(nccl.getVersion(&version), NcclSuccess);
  EXPECT_GE(version, 21800);
}

/// The look-alike has the same sentences.
TEST_F(NcclRealTest, NamesErrors) {
  EXPECT_STREQ(nccl.getErrorString(NcclSuccess), "no error");
  EXPECT_STREQ(nccl.getErrorString(NcclUnhandledCudaError),
               "unhandled cuda error (run with NCCL_DEBUG=INFO for details)");
  EXPECT_STREQ(nccl.getErrorString(NcclSystemError),
               "unhandled system error (run with NCCL_DEBUG=INFO for details)");
  EXPECT_STREQ(
      nccl.getErrorString(NcclInternalError),
      "internal error - please report this issue to the NCCL developers");
  EXPECT_STREQ(nccl.getErrorString(NcclInvalidArgument),
               "invalid argument (run with NCCL_DEBUG=WARN for details)");
  EXPECT_STREQ(nccl.getErrorString(NcclInvalidUsage),
               "invalid usage (run with NCCL_DEBUG=WARN for details)");
  EXPECT_STREQ(nccl.getErrorString(NcclRemoteError),
               "remote process exited or there was a network error");
  EXPECT_STREQ(nccl.getErrorString(NcclInProgress),
               "NCCL operation in progress");
  EXPECT_STREQ(nccl.getErrorString(static_cast<NcclResult>(99)),
               "unknown result code");
}

/// Over the loopback, so that no network is needed.
TEST_F(NcclRealTest, MakesIds) {
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  NcclUniqueId first{}, second{};
  ASSERT_EQ(nccl.getUniqueId(&first), NcclSuccess)
      << nccl.getLastError(nullptr);
  ASSERT_EQ(nccl.getUniqueId(&second), NcclSuccess);
  EXPECT_FALSE(
      std::equal(first.bytes, first.bytes + sizeof first, second.bytes));
}

TEST_F(NcclRealTest, RefusesWhatTheLookalikeRefuses) {
  EXPECT_EQ(nccl.groupEnd(), NcclInvalidUsage);
  EXPECT_EQ(nccl.getVersion(nullptr), NcclInvalidArgument);
  EXPECT_EQ(nccl.getUniqueId(nullptr), NcclInvalidArgument);
  EXPECT_EQ(nccl.groupStart(), NcclSuccess);
  EXPECT_EQ(nccl.groupEnd(), NcclSuccess);
  // Nothing is what there is to end.
  EXPECT_EQ(nccl.commDestroy(nullptr), NcclSuccess);
  EXPECT_EQ(nccl.commAbort(nullptr), NcclSuccess);
}
