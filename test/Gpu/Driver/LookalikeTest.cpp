//===- LookalikeTest.cpp - operations of other look-alikes, and counts ----===//

#include "test/Gpu/Driver/TestDriver.h"
#include "test/Paths.h"
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace hocket::lookalike;

namespace {

/// to[i] = 2 * from[i] for four numbers.
struct Doubling {
  DeviceAddress to = 0, from = 0;
  std::function<void(const HocketLookalikeMemory &)> run;
  bool isReady = true;
  int released = 0, issued = 0;
};

class LookalikeTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    s = stream();
    doubling.from = allocate(16);
    doubling.to = allocate(16);
    EXPECT_EQ(cu.memsetD8Async(doubling.from, 1, 16, s), Success);
    doubling.run = [this](const HocketLookalikeMemory &memory) {
      auto *from = static_cast<const uint32_t *>(
          memory.read(memory.execution, doubling.from, 16));
      auto *to = static_cast<uint32_t *>(
          memory.write(memory.execution, doubling.to, 16));
      for (int i = 0; from && to && i < 4; ++i)
        to[i] = 2 * from[i];
    };
  }
  int enqueue(Stream to) {
    HocketLookalikeRange reads{doubling.from, 16};
    HocketLookalikeRange writes[] = {{doubling.to, 16}, {kept, 1}};
    HocketLookalikeOperation operation{};
    operation.name = "doubling";
    operation.reads = &reads;
    operation.readCount = 1;
    operation.writes = writes;
    operation.writeCount = kept ? 2 : 1;
    operation.data = &doubling;
    operation.isReady = [](void *data) -> int {
      return static_cast<Doubling *>(data)->isReady;
    };
    operation.issued = [](void *data) {
      ++static_cast<Doubling *>(data)->issued;
    };
    operation.isOfAnyContext = isOfAnyContext;
    operation.run = [](void *data, const HocketLookalikeMemory *memory) {
      static_cast<Doubling *>(data)->run(*memory);
    };
    operation.release = [](void *data) {
      ++static_cast<Doubling *>(data)->released;
    };
    return internal.enqueue("doubleNumbers", to, &operation);
  }
  uint32_t last() {
    uint32_t values[4] = {};
    EXPECT_EQ(cu.memcpyDtoHAsync(values, doubling.to, 16, s), Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    return values[3];
  }

  Stream s;
  Doubling doubling;
  DeviceAddress kept = 0; ///< a byte that operations also write
  bool isOfAnyContext = false;
};

TEST_F(LookalikeTest, AnOperationOfAStream) {
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(doubling.issued, 1);
  EXPECT_EQ(doubling.released, 0);
  EXPECT_EQ(last(), 0x02020202u);
  EXPECT_EQ(doubling.released, 1);
  EXPECT_EQ(internal.device(), 0);
}

TEST_F(LookalikeTest, AnOperationOfAGraph) {
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(internal.isCapturing(s), 0);
  EXPECT_EQ(cu.streamBeginCapture(s, CaptureGlobal), Success);
  EXPECT_EQ(internal.isCapturing(s), 1);
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(cu.memcpyDtoDAsync(doubling.from, doubling.to, 16, s), Success);
  EXPECT_EQ(cu.streamEndCapture(s, &graph), Success);
  EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), Success);
  EXPECT_EQ(doubling.issued, 0);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(doubling.issued, 3);
  EXPECT_EQ(last(), 0x08080808u);
  EXPECT_EQ(cu.graphDestroy(graph), Success);
  EXPECT_EQ(doubling.released, 0);
  EXPECT_EQ(cu.graphExecDestroy(exec), Success);
  EXPECT_EQ(doubling.released, 1);
}

TEST_F(LookalikeTest, Races) {
  Stream t = stream();
  EXPECT_EQ(enqueue(t), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(),
            "doubling (operation 2 in stream 2) reads 16 bytes at 'allocation "
            "1' + 0, where some have no value\n");
  SetUp();
  t = stream();
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(cu.memsetD8Async(doubling.from + 4, 1, 4, s), Success);
  EXPECT_EQ(enqueue(t), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "a memset of 4 bytes (operation 2 in stream 1) writes "
                     "'allocation 1' from byte 4 to 8, which doubling "
                     "(operation 3 in stream 2) reads, and nothing orders the "
                     "two\n");
}

TEST_F(LookalikeTest, WhatItTouchesIsNamed) {
  doubling.run = [this](const HocketLookalikeMemory &memory) {
    EXPECT_EQ(memory.read(memory.execution, doubling.from + 4, 16), nullptr);
    EXPECT_EQ(memory.write(memory.execution, doubling.from, 4), nullptr);
    memory.find(memory.execution, "has had enough");
  };
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  std::string title = "doubling (operation 2 in stream 1) ";
  EXPECT_EQ(found(), title + "reads 16 bytes that it has not named\n" + title +
                         "writes 4 bytes that it has not named\n" + title +
                         "has had enough\n");
}

TEST_F(LookalikeTest, WaitsForAPeer) {
  doubling.isReady = false;
  EXPECT_EQ(enqueue(s), Success);
  // The peer is an operation of another stream, issued by another thread.
  Stream t = stream();
  std::thread peer([&] {
    cu.ctxSetCurrent(context);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    auto tell = [](void *ready) { *static_cast<bool *>(ready) = true; };
    EXPECT_EQ(cu.launchHostFunc(t, tell, &doubling.isReady), Success);
    EXPECT_EQ(cu.streamSynchronize(t), Success);
  });
  EXPECT_EQ(cu.streamQuery(s), NotReady);
  EXPECT_EQ(last(), 0x02020202u);
  peer.join();
}

/// Threads that wait look again at once, not only after a millisecond.
TEST_F(LookalikeTest, WakesThreadsThatWait) {
  doubling.isReady = false;
  EXPECT_EQ(enqueue(s), Success);
  std::thread peer([&] {
    doubling.isReady = true;
    internal.wake();
  });
  EXPECT_EQ(last(), 0x02020202u);
  peer.join();
}

TEST_F(LookalikeTest, GoesOnWhileNobodyWaits) {
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(internal.step(), 1); // the memset of the beginning
  EXPECT_EQ(doubling.released, 0);
  EXPECT_EQ(internal.step(), 1);
  EXPECT_EQ(doubling.released, 1);
  EXPECT_EQ(internal.step(), 0);
  EXPECT_EQ(internal.hasFailed(), 0);
  doubling.run = [](const HocketLookalikeMemory &memory) {
    memory.find(memory.execution, "has had enough");
  };
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(internal.step(), 1);
  EXPECT_EQ(internal.hasFailed(), 1);
  EXPECT_EQ(internal.step(), -1);
  EXPECT_EQ(found(), "doubling (operation 3 in stream 1) has had enough\n");
}

TEST_F(LookalikeTest, ForgetsBytes) {
  EXPECT_EQ(cu.memsetD8Async(doubling.to, 0, 16, s), Success);
  doubling.run = [this](const HocketLookalikeMemory &memory) {
    memory.forget(memory.execution, doubling.to + 4, 8);
  };
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  std::swap(doubling.from, doubling.to);
  doubling.run = [this](const HocketLookalikeMemory &memory) {
    EXPECT_NE(memory.read(memory.execution, doubling.from, 4), nullptr);
    EXPECT_NE(memory.read(memory.execution, doubling.from + 12, 4), nullptr);
    EXPECT_EQ(memory.read(memory.execution, doubling.from, 8), nullptr);
    memory.forget(memory.execution, doubling.from, 4);
  };
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  std::string title = "doubling (operation 4 in stream 1) ";
  EXPECT_EQ(found(), title +
                         "reads 8 bytes at 'allocation 2' + 0, where some have "
                         "no value\n" +
                         title + "forgets 4 bytes that it has not named\n");
}

TEST_F(LookalikeTest, KeepsBytesThatOperationsMustHaveAnOrderFor) {
  size_t before = 0, after = 0, total = 0;
  EXPECT_EQ(cu.memGetInfo(&before, &total), Success);
  kept = internal.keep(0, "what doublings share");
  EXPECT_EQ(cu.memGetInfo(&after, &total), Success);
  EXPECT_EQ(after, before);
  doubling.run = [](const HocketLookalikeMemory &) {};
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(left().find("what doublings share"), std::string::npos);
  SetUp();
  kept = internal.keep(0, "what doublings share");
  doubling.run = [](const HocketLookalikeMemory &) {};
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(enqueue(s), Success);
  doubling.to = allocate(16);
  EXPECT_EQ(enqueue(stream()), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(),
            "doubling (operation 2 in stream 1) writes 'what doublings "
            "share' from byte 0 to 1, which doubling (operation 3 in "
            "stream 2) writes, and nothing orders the two\n");
}

TEST_F(LookalikeTest, KnowsWhatIsAllocated) {
  EXPECT_EQ(internal.isAllocated(doubling.to, 16), 1);
  EXPECT_EQ(internal.isAllocated(doubling.to + 4, 12), 1);
  EXPECT_EQ(internal.isAllocated(doubling.to + 4, 16), 0);
  EXPECT_EQ(internal.isAllocated(1, 1), 0);
  EXPECT_EQ(cu.memFree(doubling.to), Success);
  EXPECT_EQ(internal.isAllocated(doubling.to, 16), 0);
}

TEST_F(LookalikeTest, IsIssuedForAThreadWithoutAContext) {
  EXPECT_EQ(cu.ctxSetCurrent(nullptr), Success);
  EXPECT_EQ(enqueue(s), InvalidContext);
  isOfAnyContext = true;
  EXPECT_EQ(enqueue(s), Success);
  EXPECT_EQ(cu.ctxSetCurrent(context), Success);
  EXPECT_EQ(last(), 0x02020202u);
}

TEST_F(LookalikeTest, AProcessEndsDuringACall) {
  EXPECT_EXIT(
      {
        doubling.run = [](const HocketLookalikeMemory &) { sleep(60); };
        enqueue(s);
        std::thread([&] {
          cu.ctxSetCurrent(context);
          cu.streamSynchronize(s);
        }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(found(), "a thread is in a call of the driver when the process "
                     "ends\n");
}

TEST_F(LookalikeTest, AReportThatCannotBeWritten) {
  EXPECT_EXIT(
      {
        setenv("HOCKET_LOOKALIKE_REPORT", "/no/such/folder/report", 1);
        internal.restart();
        found(); // of the driver before
        internal.find("something is wrong");
      },
      testing::ExitedWithCode(70),
      "something is wrong\ncannot be written to '/no/such/folder/report'");
}

TEST_F(LookalikeTest, CallsAreCountedAndFail) {
  std::string path = hocket::test::builtPath("test/driver-counts.json");
  std::string failed = hocket::test::builtPath("test/driver-failed.txt");
  std::remove(failed.c_str());
  startWithContext({{"COUNTS", path},
                    {"FAIL", "doubleNumbers:2=1,cuStreamSynchronize:2=1"},
                    {"FAILED", failed}});
  s = stream();
  EXPECT_EQ(internal.call("doubleNumbers"), 0);
  EXPECT_EQ(internal.call("doubleNumbers"), 1);
  EXPECT_EQ(enqueue(nullptr), invalidHandle);
  EXPECT_EQ(doubling.released, 1);
  internal.find("doubleNumbers is not so good");
  EXPECT_EQ(found(), "doubleNumbers is given the default stream; all work "
                     "belongs into streams that the program has made\n"
                     "doubleNumbers is not so good\n");
  Function f = add();
  DeviceAddress x = allocate(256), y = allocate(1024);
  EXPECT_EQ(cu.memsetD8Async(x, 0, 256, s), Success);
  EXPECT_EQ(cu.memsetD8Async(y, 0, 1024, s), Success);
  EXPECT_EQ(launch(f, s, x, y, 64), Success);
  EXPECT_EQ(launch(f, s, x, y + 16, 32), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), InvalidValue);
  std::stringstream lines;
  lines << std::ifstream(failed).rdbuf();
  EXPECT_EQ(lines.str(), "doubleNumbers:2=1 0\ncuStreamSynchronize:2=1 4\n");
  internal.restart();
  found();
  std::ifstream file(path);
  nlohmann::json counts = nlohmann::json::parse(file);
  EXPECT_EQ(counts["calls"]["doubleNumbers"], 2);
  EXPECT_EQ(counts["calls"]["cuLaunchKernel"], 2);
  EXPECT_EQ(counts["operations"]["memset"]["count"], 2);
  EXPECT_EQ(counts["operations"]["memset"]["bytes"], 1280);
  EXPECT_EQ(counts["operations"]["kernel"]["count"], 2);
  EXPECT_EQ(counts["peakBytes"], 1536);
  const auto &add = counts["kernels"]["add"];
  EXPECT_EQ(add["launches"], 2);
  EXPECT_EQ(add["loadBytes"], 2 * 4 * (64 + 32));
  EXPECT_EQ(add["storeBytes"], 4 * (64 + 32));
  EXPECT_EQ(add["storeSectors"], 8 + 5);
  EXPECT_EQ(add["idealStoreSectors"], 8 + 4);
  EXPECT_EQ(add["sharedWays"], 0);
}

TEST_F(LookalikeTest, ParametersOfAKernel) {
  Function f = function(".version 8.0\n.target sm_80\n.entry k(.param .u64 x, "
                        ".param .align 4 .b8 y[20]) { ret; }",
                        "k");
  size_t bytes[2] = {};
  EXPECT_EQ(internal.parameters(f, bytes, 2), 2u);
  EXPECT_EQ(bytes[0], 8u);
  EXPECT_EQ(bytes[1], 20u);
  EXPECT_EQ(internal.parameters(f, nullptr, 0), 2u);
  EXPECT_EQ(cu.libraryUnload(library), Success);
  EXPECT_EQ(internal.parameters(f, nullptr, 0), 0u);
}

TEST_F(LookalikeTest, ALongQueueGoesOnByItself) {
  int count = 0;
  auto add = [](void *to) { ++*static_cast<int *>(to); };
  for (int i = 0; i < 5000; ++i)
    EXPECT_EQ(cu.launchHostFunc(s, add, &count), Success);
  EXPECT_GT(count, 800);
  EXPECT_LT(count, 1000);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(count, 5000);
}

} // namespace
