//===- StreamTest.cpp - streams, events, and the order they run in --------===//

#include "test/Gpu/Driver/TestDriver.h"
#include <set>
#include <thread>

using namespace hocket::lookalike;

namespace {

TEST_F(DriverTest, TheDefaultStreamIsRefused) {
  DeviceAddress x = allocate(4);
  Stream s = nullptr;
  EXPECT_EQ(cu.memsetD8Async(x, 0, 4, nullptr), invalidHandle);
  EXPECT_EQ(cu.streamSynchronize(reinterpret_cast<Stream>(2)), invalidHandle);
  EXPECT_EQ(cu.streamCreate(&s, 0), InvalidValue);
  const char *what = " is given the default stream; all work belongs into "
                     "streams that the program has made\n";
  EXPECT_EQ(found(),
            std::string("cuMemsetD8Async") + what + "cuStreamSynchronize" +
                what +
                "cuStreamCreate makes a stream without CU_STREAM_NON_BLOCKING, "
                "which waits for the default stream\n");
}

TEST_F(DriverTest, HandlesMustExist) {
  Stream s = stream();
  Event e = event();
  EXPECT_EQ(cu.streamDestroy(s), Success);
  EXPECT_EQ(cu.streamDestroy(s), invalidHandle);
  EXPECT_EQ(cu.eventDestroy(e), Success);
  EXPECT_EQ(cu.eventDestroy(e), invalidHandle);
  Event made = nullptr;
  EXPECT_EQ(cu.eventCreate(&made, 1), InvalidValue);
  EXPECT_EQ(found(), "cuStreamDestroy_v2 is given a stream that does not "
                     "exist\n"
                     "cuEventDestroy_v2 is given an event that does not "
                     "exist\n"
                     "cuEventCreate is given flags that the look-alike does "
                     "not know: 1\n");
}

/// Appends its letter.
struct Letter {
  std::string *to;
  char letter;
  static void append(void *data) {
    auto *letter = static_cast<Letter *>(data);
    *letter->to += letter->letter;
  }
};

TEST_F(DriverTest, TheLastIssuedGoesFirst) {
  std::string order;
  Letter a{&order, 'a'}, b{&order, 'b'}, c{&order, 'c'}, d{&order, 'd'};
  Stream s = stream(), t = stream();
  EXPECT_EQ(cu.launchHostFunc(s, Letter::append, &a), Success);
  EXPECT_EQ(cu.launchHostFunc(s, Letter::append, &b), Success);
  EXPECT_EQ(cu.launchHostFunc(t, Letter::append, &c), Success);
  EXPECT_EQ(cu.launchHostFunc(t, Letter::append, &d), Success);
  EXPECT_EQ(order, "");
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(order, "cdab");
}

TEST_F(DriverTest, SeedsDrawOtherOrdersOfTheSameStreams) {
  std::set<std::string> orders;
  for (int seed = 1; seed <= 20; ++seed) {
    startWithContext({{"SEED", std::to_string(seed)}});
    std::string order;
    Letter a{&order, 'a'}, b{&order, 'b'}, c{&order, 'c'}, d{&order, 'd'};
    Stream s = stream(), t = stream();
    Event e = event();
    EXPECT_EQ(cu.launchHostFunc(s, Letter::append, &a), Success);
    EXPECT_EQ(cu.eventRecord(e, s), Success);
    EXPECT_EQ(cu.launchHostFunc(s, Letter::append, &b), Success);
    EXPECT_EQ(cu.launchHostFunc(t, Letter::append, &c), Success);
    EXPECT_EQ(cu.streamWaitEvent(t, e, 0), Success);
    EXPECT_EQ(cu.launchHostFunc(t, Letter::append, &d), Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    EXPECT_EQ(cu.streamSynchronize(t), Success);
    EXPECT_LT(order.find('a'), order.find('b')) << order;
    EXPECT_LT(order.find('c'), order.find('d')) << order;
    EXPECT_LT(order.find('a'), order.find('d')) << order;
    orders.insert(order);
  }
  EXPECT_EQ(orders,
            (std::set<std::string>{"abcd", "acbd", "acdb", "cabd", "cadb"}));
}

TEST_F(DriverTest, QueriesGetWorkDone) {
  std::string order;
  Letter a{&order, 'a'}, b{&order, 'b'};
  Stream s = stream();
  Event e = event();
  EXPECT_EQ(cu.eventSynchronize(e), Success); // never recorded
  EXPECT_EQ(cu.streamWaitEvent(s, e, 0), Success);
  EXPECT_EQ(cu.streamQuery(s), Success);
  EXPECT_EQ(cu.launchHostFunc(s, Letter::append, &a), Success);
  EXPECT_EQ(cu.eventRecord(e, s), Success);
  EXPECT_EQ(cu.launchHostFunc(s, Letter::append, &b), Success);
  EXPECT_EQ(cu.streamQuery(s), NotReady);
  EXPECT_EQ(order, "a");
  while (cu.streamQuery(s) == NotReady)
    ;
  EXPECT_EQ(order, "ab");
  EXPECT_EQ(cu.launchHostFunc(s, Letter::append, &a), Success);
  EXPECT_EQ(cu.eventRecord(e, s), Success);
  EXPECT_EQ(cu.eventSynchronize(e), Success);
  EXPECT_EQ(order, "aba");
}

TEST_F(DriverTest, TimesOfEvents) {
  Stream s = stream();
  Event begin = nullptr, end = nullptr, without = event();
  float milliseconds = -1;
  EXPECT_EQ(cu.eventCreate(&begin, EventDefault), Success);
  EXPECT_EQ(cu.eventCreate(&end, EventDefault), Success);
  EXPECT_EQ(cu.eventElapsedTime(&milliseconds, begin, end), invalidHandle);
  EXPECT_EQ(cu.eventElapsedTime(&milliseconds, begin, without), invalidHandle);
  EXPECT_EQ(found(), "cuEventElapsedTime is given an event that is never "
                     "recorded\n"
                     "cuEventElapsedTime is given an event of "
                     "CU_EVENT_DISABLE_TIMING\n");
  auto rest = [](void *) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  EXPECT_EQ(cu.eventRecord(begin, s), Success);
  EXPECT_EQ(cu.launchHostFunc(s, rest, nullptr), Success);
  EXPECT_EQ(cu.eventRecord(end, s), Success);
  EXPECT_EQ(cu.eventElapsedTime(&milliseconds, begin, end), NotReady);
  EXPECT_EQ(cu.eventSynchronize(end), Success);
  EXPECT_EQ(cu.eventElapsedTime(&milliseconds, begin, end), Success);
  EXPECT_GE(milliseconds, 5);
}

TEST_F(DriverTest, FunctionsOfTheHostCallNothing) {
  Stream s = stream();
  static DriverFunctions *functions;
  static Result code;
  functions = &cu;
  code = Success;
  auto call = [](void *) { code = functions->streamQuery(nullptr); };
  EXPECT_EQ(cu.launchHostFunc(s, call, nullptr), Success);
  EXPECT_EQ(cu.launchHostFunc(s, nullptr, nullptr), InvalidValue);
  EXPECT_EQ(cu.streamDestroy(s), Success); // what it holds still runs
  EXPECT_EQ(code, 800);
  EXPECT_EQ(found(), "cuLaunchHostFunc is given no function\n"
                     "cuStreamQuery is called from a function that a stream "
                     "runs on the host\n");
}

TEST_F(DriverTest, StreamsOfOtherDevices) {
  startWithContext({{"DEVICES", "2"}});
  Stream s = stream();
  Event e = event();
  Context other = nullptr;
  ASSERT_EQ(cu.devicePrimaryCtxRetain(&other, 1), Success);
  ASSERT_EQ(cu.ctxSetCurrent(other), Success);
  Stream t = stream();
  EXPECT_EQ(cu.launchHostFunc(s, [](void *) {}, nullptr), invalidHandle);
  EXPECT_EQ(cu.eventRecord(e, t), invalidHandle);
  EXPECT_EQ(cu.streamWaitEvent(s, e, 0), Success); // allowed
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(found(), "cuLaunchHostFunc is given stream 1 of device 0 while the "
                     "current context is that of device 1\n"
                     "cuEventRecord records event 1 of another device in "
                     "stream 2\n");
}

/// Each thread has a stream of its own.
TEST_F(DriverTest, ThreadsIssueAtOnce) {
  Function f = add();
  std::vector<std::thread> threads;
  std::vector<uint32_t> sums(8);
  for (unsigned i = 0; i < sums.size(); ++i)
    threads.emplace_back([&, i] {
      ASSERT_EQ(cu.ctxSetCurrent(context), Success);
      Stream s = stream();
      DeviceAddress x = allocate(4), y = allocate(4);
      EXPECT_EQ(cu.memsetD8Async(x, 1, 4, s), Success);
      EXPECT_EQ(cu.memsetD8Async(y, 0, 4, s), Success);
      for (unsigned times = 0; times < 50; ++times) {
        EXPECT_EQ(launch(f, s, x, y, 1), Success);
        if (times % 10 == i)
          EXPECT_EQ(cu.streamSynchronize(s), Success);
      }
      EXPECT_EQ(cu.memcpyDtoHAsync(&sums[i], y, 4, s), Success);
      EXPECT_EQ(cu.streamSynchronize(s), Success);
      EXPECT_EQ(cu.memFree(x), Success);
      EXPECT_EQ(cu.memFree(y), Success);
      EXPECT_EQ(cu.streamDestroy(s), Success);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sums, std::vector<uint32_t>(8, 50 * 0x01010101u));
}

} // namespace
