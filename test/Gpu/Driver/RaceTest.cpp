//===- RaceTest.cpp - operations that nothing orders ----------------------===//

#include "test/Gpu/Driver/TestDriver.h"
#include <future>
#include <thread>

using namespace hocket::lookalike;

namespace {

/// What orders the second of two streams after the first.
enum class Order { Nothing, Event, Host, HostEvent, Query, ThirdStream };

class RaceTest : public DriverTest {
protected:
  void order(Order how, Stream first, Stream second) {
    Event e = event();
    if (how == Order::Nothing)
      return;
    if (how == Order::Host) {
      EXPECT_EQ(cu.streamSynchronize(first), Success);
      return;
    }
    if (how == Order::Query) {
      while (cu.streamQuery(first) == NotReady) {
      }
      return;
    }
    EXPECT_EQ(cu.eventRecord(e, first), Success);
    if (how == Order::HostEvent) {
      EXPECT_EQ(cu.eventSynchronize(e), Success);
      return;
    }
    if (how == Order::ThirdStream) {
      Stream third = stream();
      EXPECT_EQ(cu.streamWaitEvent(third, e, 0), Success);
      e = event();
      EXPECT_EQ(cu.eventRecord(e, third), Success);
    }
    EXPECT_EQ(cu.streamWaitEvent(second, e, 0), Success);
  }
};

TEST_F(RaceTest, AWriteAndARead) {
  for (Order how : {Order::Nothing, Order::Event, Order::Host, Order::HostEvent,
                    Order::Query, Order::ThirdStream})
    for (const char *seed : {"0", "1", "2", "3"}) {
      startWithContext({{"SEED", seed}});
      Stream s = stream(), t = stream();
      DeviceAddress x = allocate(32), y = allocate(32);
      EXPECT_EQ(cu.memsetD8Async(x, 0, 32, s), Success);
      EXPECT_EQ(cu.memsetD8Async(x + 8, 1, 8, s), Success);
      order(how, s, t);
      // Operations 3 and 4, or later where the order takes some.
      EXPECT_EQ(cu.memcpyDtoDAsync(y, x + 8, 8, t), Success);
      Result code = cu.streamSynchronize(t);
      code = code ? code : cu.streamSynchronize(s);
      EXPECT_EQ(code, how == Order::Nothing ? LaunchFailed : Success);
      std::string text = found();
      if (how != Order::Nothing)
        EXPECT_EQ(text, "");
      // Whichever of the two runs last tells of the other.
      else if (text.rfind("a copy", 0) == 0)
        EXPECT_EQ(text, "a copy of 8 bytes on the device (operation 3 in "
                        "stream 2) reads 'allocation 1' from byte 8 to 16, "
                        "which a memset of 8 bytes (operation 2 in stream 1) "
                        "writes, and nothing orders the two\n");
      else
        EXPECT_EQ(text, "a memset of 32 bytes (operation 1 in stream 1) writes "
                        "'allocation 1' from byte 8 to 16, which a copy of 8 "
                        "bytes on the device (operation 3 in stream 2) reads, "
                        "and nothing orders the two\n");
    }
}

TEST_F(RaceTest, TwoWrites) {
  Stream s = stream(), t = stream();
  DeviceAddress x = allocate(16);
  EXPECT_EQ(cu.memsetD8Async(x, 0, 12, s), Success);
  EXPECT_EQ(cu.memsetD8Async(x + 8, 0, 8, t), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "a memset of 12 bytes (operation 1 in stream 1) writes "
                     "'allocation 1' from byte 8 to 12, which a memset of 8 "
                     "bytes (operation 2 in stream 2) writes, and nothing "
                     "orders the two\n");
}

TEST_F(RaceTest, ReadsAndOtherBytesAreNone) {
  Stream s = stream(), t = stream();
  DeviceAddress x = allocate(16), y = allocate(16);
  EXPECT_EQ(cu.memsetD8Async(x, 0, 16, s), Success);
  order(Order::Event, s, t);
  EXPECT_EQ(cu.memcpyDtoDAsync(y, x, 8, s), Success);
  EXPECT_EQ(cu.memcpyDtoDAsync(y + 8, x + 4, 8, t), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(cu.streamSynchronize(t), Success);
}

/// The write must come after all reads, not only after the last one.
TEST_F(RaceTest, AWriteAfterOneOfTwoReads) {
  Stream s = stream(), t = stream(), u = stream();
  DeviceAddress x = allocate(8), y = allocate(16);
  EXPECT_EQ(cu.memsetD8Async(x, 0, 8, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(cu.memcpyDtoDAsync(y, x, 8, s), Success);
  EXPECT_EQ(cu.memcpyDtoDAsync(y + 8, x, 8, t), Success);
  order(Order::Event, s, u);
  EXPECT_EQ(cu.memsetD8Async(x, 1, 8, u), Success);
  EXPECT_EQ(cu.streamSynchronize(u), LaunchFailed);
  EXPECT_EQ(found(), "a memset of 8 bytes (operation 6 in stream 3) writes "
                     "'allocation 1' from byte 0 to 8, which a copy of 8 bytes "
                     "on the device (operation 3 in stream 2) reads, and "
                     "nothing orders the two\n");
}

/// An event stands for what was in the stream when it was recorded.
TEST_F(RaceTest, AnEventThatIsRecordedTooEarly) {
  Stream s = stream(), t = stream();
  Event e = event();
  DeviceAddress x = allocate(8), y = allocate(8);
  EXPECT_EQ(cu.eventRecord(e, s), Success);
  EXPECT_EQ(cu.memsetD8Async(x, 0, 8, s), Success);
  EXPECT_EQ(cu.streamWaitEvent(t, e, 0), Success);
  EXPECT_EQ(cu.memcpyDtoDAsync(y, x, 8, t), Success);
  EXPECT_EQ(cu.streamSynchronize(t), Success); // it may have been so
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "a memset of 8 bytes (operation 2 in stream 1) writes "
                     "'allocation 1' from byte 0 to 8, which a copy of 8 bytes "
                     "on the device (operation 4 in stream 2) reads, and "
                     "nothing orders the two\n");
}

/// Halves of one allocation, until one kernel reads the other's half.
TEST_F(RaceTest, KernelsTouchWhatTheyTouch) {
  for (bool waits : {true, false}) {
    startWithContext();
    Function f = add();
    Stream s = stream(), t = stream();
    DeviceAddress x = allocate(64), y = allocate(64);
    EXPECT_EQ(cu.memsetD8Async(x, 1, 64, s), Success);
    EXPECT_EQ(cu.memsetD8Async(y, 1, 64, s), Success);
    order(Order::Event, s, t);
    EXPECT_EQ(launch(f, s, x, y, 8), Success);
    EXPECT_EQ(launch(f, t, x, y + 32, 8), Success);
    if (waits)
      order(Order::Event, t, s);
    EXPECT_EQ(launch(f, s, y + 56, x + 60, 1), Success);
    Result code = cu.streamSynchronize(s);
    code = code ? code : cu.streamSynchronize(t);
    EXPECT_EQ(code, waits ? Success : LaunchFailed);
    EXPECT_EQ(found(), waits ? ""
                             : "kernel 'add' (operation 6 in stream 2) writes "
                               "'allocation 2' from byte 56 to 60, which "
                               "kernel 'add' (operation 7 in stream 1) reads, "
                               "and nothing orders the two\n");
  }
}

TEST_F(RaceTest, KernelsOfTwoStreams) {
  Function f = add();
  Stream s = stream(), t = stream();
  DeviceAddress x = allocate(64), y = allocate(64);
  EXPECT_EQ(cu.memsetD8Async(x, 1, 64, s), Success);
  EXPECT_EQ(cu.memsetD8Async(y, 1, 64, s), Success);
  order(Order::Host, s, t);
  EXPECT_EQ(launch(f, s, x, y, 8), Success);
  EXPECT_EQ(launch(f, t, x, y + 28, 8), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  std::string first = "kernel 'add' (operation 3 in stream 1) ",
              rest = "'allocation 2' from byte 28 to 32, which kernel 'add' "
                     "(operation 4 in stream 2) writes, and nothing orders the "
                     "two\n";
  EXPECT_EQ(found(), first + "reads " + rest + first + "writes " + rest);
}

/// One thread waits for a copy, another issues what reads it.
TEST_F(RaceTest, ThreadsOfTheHost) {
  for (const char *apart : {"0", "1"}) {
    startWithContext({{"THREADS", apart}});
    Stream s = stream(), t = stream();
    DeviceAddress x = allocate(8), y = allocate(8);
    std::promise<void> hasBegun, mayGoOn;
    Result code = Success;
    std::thread other([&] {
      EXPECT_EQ(cu.ctxSetCurrent(context), Success);
      hasBegun.set_value();
      mayGoOn.get_future().wait();
      EXPECT_EQ(cu.memcpyDtoDAsync(y, x, 8, t), Success);
      code = cu.streamSynchronize(t);
    });
    hasBegun.get_future().wait();
    EXPECT_EQ(cu.memsetD8Async(x, 1, 8, s), Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    mayGoOn.set_value();
    other.join();
    bool isFound = *apart == '1';
    EXPECT_EQ(code, isFound ? LaunchFailed : Success);
    EXPECT_EQ(found(), isFound
                           ? "a copy of 8 bytes on the device (operation 2 in "
                             "stream 2) reads 'allocation 1' from byte 0 to 8, "
                             "which a memset of 8 bytes (operation 1 in stream "
                             "1) writes, and nothing orders the two\n"
                           : "");
  }
}

/// A thread that begins later knows what any had waited for.
TEST_F(RaceTest, ThreadsThatBeginLater) {
  startWithContext({{"THREADS", "1"}});
  Stream s = stream();
  DeviceAddress x = allocate(8), y = allocate(8);
  EXPECT_EQ(cu.memsetD8Async(x, 1, 8, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  std::thread([&] {
    EXPECT_EQ(cu.ctxSetCurrent(context), Success);
    Stream t = stream();
    EXPECT_EQ(cu.memcpyDtoDAsync(y, x, 8, t), Success);
    EXPECT_EQ(cu.streamSynchronize(t), Success);
  }).join();
  EXPECT_EQ(cu.memFree(x), Success); // any thread may
  EXPECT_EQ(cu.memFree(y), Success);
}

/// Staging memory of the host is raced for as well.
TEST_F(RaceTest, PinnedMemory) {
  Stream s = stream(), t = stream();
  DeviceAddress x = allocate(8), y = allocate(8);
  char *p = pinned<char>(std::vector<char>(8));
  EXPECT_EQ(cu.memsetD8Async(x, 1, 8, s), Success);
  EXPECT_EQ(cu.memcpyDtoHAsync(p, x, 8, s), Success);
  EXPECT_EQ(cu.memcpyHtoDAsync(y, p, 8, t), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "a copy of 8 bytes to the host (operation 2 in stream 1) "
                     "writes 'pinned allocation 3' from byte 0 to 8, which a "
                     "copy of 8 bytes to the device (operation 3 in stream 2) "
                     "reads, and nothing orders the two\n");
}

} // namespace
