//===- GraphTest.cpp - captures and launches of graphs --------------------===//

#include "test/Gpu/Driver/TestDriver.h"
#include <functional>
#include <thread>

using namespace hocket::lookalike;

namespace {

class GraphTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    prepare();
  }
  void prepare() {
    s = stream();
    t = stream();
    e = event();
    x = allocate(16);
    y = allocate(16);
    f = add();
    EXPECT_EQ(cu.memsetD8Async(x, 1, 16, s), Success);
    EXPECT_EQ(cu.memsetD8Async(y, 0, 16, s), Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
  }
  void begin(CaptureMode mode = CaptureGlobal) {
    EXPECT_EQ(cu.streamBeginCapture(s, mode), Success);
  }
  Result end() { return cu.streamEndCapture(s, &graph); }
  GraphExec instantiate() {
    GraphExec exec = nullptr;
    EXPECT_EQ(end(), Success);
    EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), Success);
    EXPECT_EQ(cu.graphDestroy(graph), Success);
    return exec;
  }
  void fork(Stream from, Stream to) {
    EXPECT_EQ(cu.eventRecord(e, from), Success);
    EXPECT_EQ(cu.streamWaitEvent(to, e, 0), Success);
  }
  uint32_t first(DeviceAddress from) {
    uint32_t value = 0;
    EXPECT_EQ(cu.memcpyDtoHAsync(&value, from, 4, s), Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    return value;
  }

  Stream s, t;
  Event e;
  DeviceAddress x, y;
  Function f;
  Graph graph = nullptr;
};

TEST_F(GraphTest, IsLaunchedManyTimes) {
  begin();
  EXPECT_EQ(launch(f, s, x, y, 4), Success);
  EXPECT_EQ(launch(f, s, y, x, 4), Success);
  GraphExec exec = instantiate();
  EXPECT_EQ(first(y), 0u); // a capture runs nothing
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(cu.graphLaunch(exec, i % 2 ? t : s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  // 1, 0; 2, 1; 5, 3; 13, 8: Fibonacci's numbers
  EXPECT_EQ(first(y), 8 * 0x01010101u);
  EXPECT_EQ(first(x), 13 * 0x01010101u);
  EXPECT_EQ(cu.graphExecDestroy(exec), Success);
  EXPECT_EQ(cu.graphExecDestroy(exec), invalidHandle);
  EXPECT_EQ(cu.graphLaunch(exec, s), invalidHandle);
  EXPECT_EQ(cu.graphDestroy(graph), invalidHandle);
  EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), invalidHandle);
  const char *what = " is given an executable graph that does not exist\n";
  EXPECT_EQ(found(),
            std::string("cuGraphExecDestroy") + what + "cuGraphLaunch" + what +
                "cuGraphDestroy is given a graph that does not exist\n"
                "cuGraphInstantiateWithFlags is given a graph that does not "
                "exist\n");
}

TEST_F(GraphTest, ForksAndJoins) {
  for (const char *seed : {"0", "1", "2", "3", "4"}) {
    startWithContext({{"SEED", seed}});
    prepare();
    DeviceAddress z = allocate(16);
    begin();
    EXPECT_EQ(cu.memsetD8Async(z, 0, 16, s), Success);
    fork(s, t);
    EXPECT_EQ(launch(f, t, x, y, 4), Success);
    EXPECT_EQ(launch(f, s, x, z, 4), Success);
    fork(t, s);
    EXPECT_EQ(launch(f, s, y, z, 4), Success);
    GraphExec exec = instantiate();
    EXPECT_EQ(cu.graphLaunch(exec, s), Success);
    EXPECT_EQ(cu.graphLaunch(exec, s), Success);
    EXPECT_EQ(first(z), 3 * 0x01010101u);
    // The stream that joined is as before.
    EXPECT_EQ(cu.streamSynchronize(t), Success);
    EXPECT_EQ(found(), "");
  }
}

TEST_F(GraphTest, NodesRace) {
  begin();
  fork(s, t);
  EXPECT_EQ(launch(f, t, x, y, 4), Success);
  EXPECT_EQ(cu.memsetD8Async(y + 8, 0, 8, s), Success);
  fork(t, s);
  GraphExec exec = instantiate();
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "kernel 'add' (node 1 of graph 1, operation 3 in stream "
                     "1) reads 'allocation 2' from byte 8 to 16, which a "
                     "memset of 8 bytes (node 2 of graph 1, operation 3 in "
                     "stream 1) writes, and nothing orders the two\n"
                     "kernel 'add' (node 1 of graph 1, operation 3 in stream "
                     "1) writes 'allocation 2' from byte 8 to 16, which a "
                     "memset of 8 bytes (node 2 of graph 1, operation 3 in "
                     "stream 1) writes, and nothing orders the two\n");
}

TEST_F(GraphTest, RacesWithOtherStreams) {
  begin();
  EXPECT_EQ(launch(f, s, x, y, 4), Success);
  GraphExec exec = instantiate();
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(cu.memsetD8Async(x, 0, 4, t), Success);
  EXPECT_EQ(cu.streamSynchronize(t), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "kernel 'add' (node 1 of graph 1, operation 3 in stream "
                     "1) reads 'allocation 1' from byte 0 to 4, which a memset "
                     "of 4 bytes (operation 4 in stream 2) writes, and nothing "
                     "orders the two\n");
}

TEST_F(GraphTest, MemoryIsReleasedBeforeALaunch) {
  begin();
  EXPECT_EQ(launch(f, s, x, y, 4), Success);
  GraphExec exec = instantiate();
  EXPECT_EQ(cu.memFree(x), Success);
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(),
            "library 1:13: ld.global.u32 %r2, [%d4]: thread (0, 0, 0) of block "
            "(0, 0, 0) reads 4 bytes at 'allocation 1', which is released "
            "[kernel 'add' (node 1 of graph 1, operation 3 in stream 1)]\n");
}

TEST_F(GraphTest, StreamsMustJoin) {
  begin();
  fork(s, t);
  EXPECT_EQ(launch(f, t, x, y, 4), Success);
  EXPECT_EQ(end(), StreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(end(), illegalState);
  // Both streams are of use again.
  EXPECT_EQ(launch(f, t, x, y, 4), Success);
  EXPECT_EQ(cu.streamSynchronize(t), Success);
}

/// Work of the origin alone does not make up for it.
TEST_F(GraphTest, StreamsMustJoinAfterTheirLastNode) {
  begin();
  fork(s, t);
  EXPECT_EQ(launch(f, t, x, y, 4), Success);
  fork(t, s);
  EXPECT_EQ(launch(f, s, x, y, 4), Success);
  EXPECT_EQ(launch(f, t, x, x, 4), Success);
  EXPECT_EQ(end(), StreamCaptureUnjoined);
}

/// One executable graph has one launch at a time, in whatever streams.
TEST_F(GraphTest, LaunchesFollowEachOther) {
  std::string order;
  static std::string *to;
  to = &order;
  begin();
  EXPECT_EQ(cu.launchHostFunc(s, [](void *) { *to += 'g'; }, nullptr), Success);
  GraphExec exec = instantiate();
  EXPECT_EQ(cu.launchHostFunc(s, [](void *) { *to += 's'; }, nullptr), Success);
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(cu.graphLaunch(exec, t), Success);
  EXPECT_EQ(cu.launchHostFunc(t, [](void *) { *to += 't'; }, nullptr), Success);
  EXPECT_EQ(cu.streamSynchronize(t), Success);
  EXPECT_EQ(order, "sggt");
}

TEST_F(GraphTest, BeginsAndEndsWhereItShould) {
  begin();
  EXPECT_EQ(cu.streamBeginCapture(s, CaptureGlobal), illegalState);
  EXPECT_EQ(cu.streamBeginCapture(t, CaptureMode(3)), InvalidValue);
  Result code = Success;
  std::thread([&] {
    cu.ctxSetCurrent(context);
    code = cu.streamEndCapture(s, &graph);
  }).join();
  EXPECT_EQ(code, StreamCaptureWrongThread);
  fork(s, t);
  EXPECT_EQ(cu.streamEndCapture(t, &graph), 903); // not where it began
  EXPECT_EQ(launch(f, s, x, y, 4), StreamCaptureInvalidated);
  EXPECT_EQ(cu.eventRecord(e, s), StreamCaptureInvalidated);
  EXPECT_EQ(cu.streamWaitEvent(s, e, 0), StreamCaptureInvalidated);
  EXPECT_EQ(end(), StreamCaptureInvalidated);
  EXPECT_EQ(end(), illegalState);
  EXPECT_EQ(found(), "cuStreamBeginCapture_v2 is given a mode that does not "
                     "exist\n");
}

TEST_F(GraphTest, ACaptureIsNotWaitedFor) {
  for (int i = 0; i < 4; ++i) {
    begin();
    switch (i) {
    case 0:
      EXPECT_EQ(cu.streamSynchronize(s), StreamCaptureUnsupported);
      break;
    case 1:
      EXPECT_EQ(cu.streamQuery(s), StreamCaptureUnsupported);
      break;
    case 2:
      EXPECT_EQ(cu.streamDestroy(s), StreamCaptureUnsupported);
      break;
    case 3: // in mode global no other stream is waited for
      EXPECT_EQ(cu.streamSynchronize(t), StreamCaptureUnsupported);
      break;
    }
    EXPECT_EQ(end(), StreamCaptureInvalidated) << i;
  }
}

TEST_F(GraphTest, WhatMayNotBeCalledDuringACapture) {
  DeviceAddress address = 0;
  void *place = nullptr;
  int *p = pinned<int>({1});
  Library library = nullptr;
  using Try = std::function<Result()>;
  for (const Try &call : std::vector<Try>{
           [&] { return cu.memAlloc(&address, 4); },
           [&] { return cu.memFree(x); },
           [&] { return cu.memHostAlloc(&place, 4, 0); },
           [&] { return cu.memFreeHost(p); },
           [&] { return cu.libraryUnload(this->library); },
           [&] {
             return cu.libraryLoadData(&library, addText, nullptr, nullptr, 0,
                                       nullptr, nullptr, 0);
           }}) {
    begin();
    EXPECT_EQ(call(), StreamCaptureUnsupported);
    EXPECT_EQ(end(), StreamCaptureInvalidated);
    begin(CaptureThread); // another thread may
    Result code = Success;
    std::thread([&] {
      cu.ctxSetCurrent(context);
      code = cu.memAlloc(&address, 4);
    }).join();
    EXPECT_EQ(code, Success);
    EXPECT_EQ(call(), StreamCaptureUnsupported);
    EXPECT_EQ(end(), StreamCaptureInvalidated);
  }
  begin(CaptureRelaxed);
  EXPECT_EQ(cu.memAlloc(&address, 4), Success);
  EXPECT_EQ(end(), Success);
}

TEST_F(GraphTest, EventsOfACapture) {
  Event outside = event();
  EXPECT_EQ(cu.eventRecord(outside, t), Success);
  begin();
  EXPECT_EQ(cu.streamWaitEvent(s, outside, 0), StreamCaptureIsolation);
  EXPECT_EQ(end(), StreamCaptureInvalidated);

  begin();
  EXPECT_EQ(cu.eventRecord(e, s), Success);
  EXPECT_EQ(cu.eventSynchronize(e), 907);
  Stream u = stream();
  EXPECT_EQ(cu.streamBeginCapture(u, CaptureGlobal), Success);
  EXPECT_EQ(cu.streamWaitEvent(u, e, 0), 902); // two captures do not merge
  EXPECT_EQ(end(), StreamCaptureInvalidated);
  EXPECT_EQ(cu.streamEndCapture(u, &graph), StreamCaptureInvalidated);
  EXPECT_EQ(cu.streamWaitEvent(t, e, 0), 907); // of a capture that is over
}

/// Each launch passes such an event where its node stands.
TEST_F(GraphTest, RecordsEventsInEachLaunch) {
  Event first = nullptr, last = nullptr;
  ASSERT_EQ(cu.eventCreate(&first, EventDefault), Success);
  ASSERT_EQ(cu.eventCreate(&last, EventDefault), Success);
  float milliseconds = -1;
  EXPECT_EQ(cu.eventRecordWithFlags(first, s, EventRecordExternal),
            InvalidValue);
  EXPECT_EQ(cu.eventRecordWithFlags(first, s, 2), InvalidValue);
  begin();
  EXPECT_EQ(cu.eventRecordWithFlags(first, s, EventRecordExternal), Success);
  EXPECT_EQ(launch(f, s, x, y, 4), Success);
  EXPECT_EQ(cu.eventRecordWithFlags(last, s, EventRecordExternal), Success);
  GraphExec exec = instantiate();
  EXPECT_EQ(cu.eventElapsedTime(&milliseconds, first, last), invalidHandle);
  for (int i = 0; i < 2; ++i) {
    milliseconds = -1;
    EXPECT_EQ(cu.graphLaunch(exec, s), Success);
    EXPECT_EQ(cu.eventElapsedTime(&milliseconds, first, last), NotReady);
    // What the host waits for is what comes before the node.
    EXPECT_EQ(cu.eventSynchronize(last), Success);
    EXPECT_EQ(cu.eventElapsedTime(&milliseconds, first, last), Success);
    EXPECT_GE(milliseconds, 0);
  }
  EXPECT_EQ(this->first(y), 2 * 0x01010101u);
  EXPECT_EQ(cu.eventDestroy(last), Success);
  EXPECT_EQ(cu.graphLaunch(exec, s), invalidHandle);
  EXPECT_EQ(found(),
            "cuEventRecordWithFlags is given CU_EVENT_RECORD_EXTERNAL outside "
            "of a capture\n"
            "cuEventRecordWithFlags is given flags that the look-alike does "
            "not know: 2\n"
            "cuEventElapsedTime is given an event that is never recorded\n"
            "cuGraphLaunch is given an event that does not exist\n");
}

TEST_F(GraphTest, WhatIsNotSupported) {
  GraphExec exec = nullptr;
  begin();
  GraphExec empty = instantiate();
  EXPECT_EQ(cu.graphLaunch(empty, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  begin();
  EXPECT_EQ(cu.graphLaunch(empty, s), 801);
  EXPECT_EQ(end(), Success);
  EXPECT_EQ(cu.graphInstantiate(&exec, graph, 1), InvalidValue);
  EXPECT_EQ(found(),
            "cuGraphLaunch is called during a capture, which the look-alike "
            "does not support\n"
            "cuGraphInstantiateWithFlags is given flags other than 0\n");
}

TEST_F(GraphTest, StreamsOfTwoDevicesDoNotShareACapture) {
  startWithContext({{"DEVICES", "2"}});
  prepare();
  Context other = nullptr;
  ASSERT_EQ(cu.devicePrimaryCtxRetain(&other, 1), Success);
  ASSERT_EQ(cu.ctxSetCurrent(other), Success);
  Stream u = stream();
  ASSERT_EQ(cu.ctxSetCurrent(context), Success);
  begin();
  EXPECT_EQ(cu.eventRecord(e, s), Success);
  ASSERT_EQ(cu.ctxSetCurrent(other), Success);
  EXPECT_EQ(cu.streamWaitEvent(u, e, 0), 801);
  EXPECT_EQ(end(), Success);
  GraphExec exec = nullptr;
  ASSERT_EQ(cu.ctxSetCurrent(context), Success);
  EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), Success);
  ASSERT_EQ(cu.ctxSetCurrent(other), Success);
  EXPECT_EQ(cu.graphLaunch(exec, u), invalidHandle);
  EXPECT_EQ(found(), "cuStreamWaitEvent joins streams of two devices in one "
                     "capture, which the look-alike does not support\n"
                     "cuGraphLaunch is given an executable graph of another "
                     "device\n");
}

} // namespace
