//===- FaultTest.cpp - how faults are written -----------------------------===//

#include "test/Gpu/Injector/Fault.h"
#include <gtest/gtest.h>

using namespace hocket::inject;

namespace {

Fault read(const std::string &text) {
  std::string error;
  std::vector<Fault> faults = readFaults(text, error);
  EXPECT_EQ(error, "");
  return faults.empty() ? Fault() : faults[0];
}

TEST(Faults, SayWhoseCall) {
  Fault fault = read("cuEventRecord@1:3=drop");
  EXPECT_EQ(fault.function, "cuEventRecord");
  EXPECT_EQ(fault.rank, 1);
  EXPECT_EQ(fault.call, 3u);
  EXPECT_EQ(fault.action, Action::Drop);
  EXPECT_EQ(read("cuEventRecord@-1:3=drop").rank, -1);
  EXPECT_EQ(read("cuEventRecord:2=later").rank, int(Fault::ofProcess));
  EXPECT_EQ(read("cuEventRecord:2=later").action, Action::Later);
}

TEST(Faults, ChangeNumbers) {
  EXPECT_EQ(read("cuLaunchKernel:1=1-1").changed(7), 6u);
  EXPECT_EQ(read("cuLaunchKernel:1=1+1").changed(7), 8u);
  EXPECT_EQ(read("cuLaunchKernel:1=1*2").changed(7), 14u);
  EXPECT_EQ(read("cuLaunchKernel:1=7=0x20").changed(7), 32u);
  EXPECT_EQ(read("cuLaunchKernel:1=7=0").argument, 7u);
  EXPECT_EQ(read("cuEventRecord:1=1=other").action, Action::Other);
  Fault word = read("cuLaunchKernel:1=word 5+1");
  EXPECT_EQ(word.action, Action::Word);
  EXPECT_EQ(word.word, 5u);
  Fault pointed = read("cublasLtMatmul:1=word 12.3*2");
  EXPECT_EQ(pointed.action, Action::Pointed);
  EXPECT_EQ(pointed.argument, 12u);
  EXPECT_EQ(pointed.word, 3u);
}

TEST(Faults, InsertCalls) {
  Fault free = read("cuGraphLaunch:1=before cuMemFree_v2 allocation 2");
  EXPECT_EQ(free.action, Action::Before);
  EXPECT_EQ(free.name, "cuMemFree_v2");
  EXPECT_EQ(free.source, Source::Allocation);
  EXPECT_EQ(free.value, 2);
  Fault wait = read("cuGraphLaunch:1=after cuStreamSynchronize argument 1");
  EXPECT_EQ(wait.action, Action::After);
  EXPECT_EQ(wait.source, Source::Argument);
  Fault context = read("cuGraphLaunch:1=before cuCtxSetCurrent 0");
  EXPECT_EQ(context.source, Source::Number);
}

TEST(Faults, StandInLists) {
  std::string error;
  EXPECT_EQ(readFaults("cuInit:1=repeat;cuLibraryLoadData:1=code a.ptx", error)
                .size(),
            2u);
  EXPECT_TRUE(readFaults("", error).empty());
  EXPECT_EQ(error, "");
}

TEST(Faults, WrongOnesAreRefused) {
  for (const char *text :
       {"cuInit", "cuInit=drop", "cuInit:0=drop", "cuInit@x:1=drop",
        "cuInit:1=lose", "cuInit:1=0+x", "cuInit:1=0+other", "cuInit:1=word",
        "cuInit:1=word x.1+1", "cuInit:1=word x.1+1",
        "cuInit:1=before cuMemFree_v2", "cuInit:1=before cuMemFree_v2 stream 1",
        "cuInit:1=code"}) {
    std::string error;
    EXPECT_TRUE(readFaults(text, error).empty()) << text;
    EXPECT_EQ(error, "HOCKET_INJECT has '" + std::string(text) +
                         "', expected FUNCTION@RANK:CALL=ACTION as "
                         "test/Gpu/Injector/Fault.h says");
  }
}

} // namespace
