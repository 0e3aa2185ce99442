//===- DeviceTest.cpp - devices, contexts, names and failures -------------===//

#include "test/Gpu/Driver/TestDriver.h"
#include <cstring>
#include <thread>

using namespace hocket::lookalike;

namespace {

TEST_F(DriverTest, NothingWorksBeforeInit) {
  start({});
  int count = 0, version = 0;
  EXPECT_EQ(cu.deviceGetCount(&count), NotInitialized);
  EXPECT_EQ(cu.devicePrimaryCtxRetain(&context, 0), NotInitialized);
  EXPECT_EQ(cu.driverGetVersion(&version), Success);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(cu.driverGetVersion(nullptr), InvalidValue);
  EXPECT_EQ(cu.init(1), InvalidValue);
  EXPECT_EQ(found(), "cuDriverGetVersion is given no place for its result\n"
                     "cuInit is given flags other than 0\n");
}

TEST_F(DriverTest, DevicesAreAsTheEnvironmentSays) {
  start({{"DEVICES", "2"}, {"CHIP", "90"}, {"MEMORY", "1048576"}});
  ASSERT_EQ(cu.init(0), Success);
  int count = 0, value = 0;
  DeviceNumber device = -1;
  size_t bytes = 0;
  char name[32] = {};
  EXPECT_EQ(cu.deviceGetCount(&count), Success);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cu.deviceGet(&device, 1), Success);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cu.deviceGet(&device, 2), InvalidDevice);
  EXPECT_EQ(cu.deviceGetName(name, sizeof name, 1), Success);
  EXPECT_STREQ(name, "Look-alike");
  EXPECT_EQ(cu.deviceTotalMem(&bytes, 1), Success);
  EXPECT_EQ(bytes, 1048576u);
  auto attribute = [&](Attribute which) {
    EXPECT_EQ(cu.deviceGetAttribute(&value, which, 0), Success);
    return value;
  };
  EXPECT_EQ(attribute(ComputeCapabilityMajor), 9);
  EXPECT_EQ(attribute(ComputeCapabilityMinor), 0);
  EXPECT_EQ(attribute(MaxSharedMemoryPerBlockOptin), 227 * 1024);
  EXPECT_EQ(attribute(MaxThreadsPerBlock), 1024);
  EXPECT_EQ(attribute(MaxGridDimX), 0x7fffffff);
  EXPECT_EQ(attribute(MultiprocessorCount), 108);
  EXPECT_EQ(cu.deviceGetAttribute(&value, Attribute(2), 0), InvalidValue);
  EXPECT_EQ(found(), "cuDeviceGetAttribute is asked for attribute 2, which the "
                     "look-alike does not know\n");
}

TEST_F(DriverTest, DevicesAreTold) {
  for (const char *slices : {"0", "1"}) {
    start({{"DEVICES", "2"}, {"SLICES", slices}});
    ASSERT_EQ(cu.init(0), Success);
    DeviceUuid uuids[3] = {};
    std::string places[2];
    for (DeviceNumber device : {0, 1}) {
      char place[16] = {};
      EXPECT_EQ(cu.deviceGetUuid(&uuids[device], device), Success);
      EXPECT_EQ(cu.deviceGetPciBusId(place, sizeof place, device), Success);
      places[device] = place;
    }
    EXPECT_EQ(cu.deviceGetUuid(&uuids[2], 0), Success);
    EXPECT_NE(std::memcmp(&uuids[0], &uuids[1], sizeof uuids[0]), 0);
    EXPECT_EQ(std::memcmp(&uuids[0], &uuids[2], sizeof uuids[0]), 0);
    EXPECT_EQ(places[0], "0000:00:00.0");
    EXPECT_EQ(places[1], slices[0] == '1' ? "0000:00:00.0" : "0000:01:00.0");
    EXPECT_EQ(cu.deviceGetUuid(&uuids[0], 2), InvalidDevice);
    EXPECT_EQ(cu.deviceGetPciBusId(nullptr, 16, 0), InvalidValue);
    EXPECT_EQ(found(),
              "cuDeviceGetPCIBusId is given no place for its result\n");
  }
}

TEST_F(DriverTest, NoDevices) {
  start({{"DEVICES", "0"}});
  EXPECT_EQ(cu.init(0), NoDevice);
}

TEST_F(DriverTest, VisibleDevices) {
  auto show = [](const char *chosen) {
    setenv("CUDA_VISIBLE_DEVICES", chosen, 1);
    internal.restart();
    return cu.init(0);
  };
  start({{"DEVICES", "3"}});
  EXPECT_EQ(show(""), NoDevice);
  EXPECT_EQ(show("3,0"), NoDevice); // what comes behind a wrong one is hidden
  EXPECT_EQ(show("2,0,-1,1"), Success);
  int count = 0;
  char place[16] = {};
  EXPECT_EQ(cu.deviceGetCount(&count), Success);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cu.deviceGetPciBusId(place, sizeof place, 0), Success);
  EXPECT_STREQ(place, "0000:02:00.0");
  EXPECT_EQ(cu.deviceGetPciBusId(place, sizeof place, 1), Success);
  EXPECT_STREQ(place, "0000:00:00.0");
}

TEST_F(DriverTest, Version) {
  start({{"VERSION", "11080"}});
  int version = 0;
  EXPECT_EQ(cu.driverGetVersion(&version), Success);
  EXPECT_EQ(version, 11080);
}

TEST_F(DriverTest, VariablesThatAreWrong) {
  start({{"SEED", "-1"}});
  EXPECT_EQ(cu.init(0), InvalidValue);
  EXPECT_EQ(found(), "cuInit is called where HOCKET_LOOKALIKE_SEED is '-1', "
                     "expected a number of at most 1125899906842624\n");
  start({{"FAIL", "cuMemAlloc=2"}});
  EXPECT_EQ(cu.init(0), InvalidValue);
  EXPECT_EQ(found(), "cuInit is called where HOCKET_LOOKALIKE_FAIL has "
                     "'cuMemAlloc=2', expected FUNCTION:CALL=CODE\n");
}

TEST_F(DriverTest, NamesOfErrors) {
  const char *name = nullptr, *text = nullptr;
  EXPECT_EQ(cu.getErrorName(OutOfMemory, &name), Success);
  EXPECT_STREQ(name, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cu.getErrorString(OutOfMemory, &text), Success);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cu.getErrorName(12345, &name), InvalidValue);
  EXPECT_EQ(name, nullptr);
  EXPECT_EQ(cu.getErrorString(12345, &text), InvalidValue);
}

TEST_F(DriverTest, ContextsAreOfThreads) {
  DeviceAddress address = allocate(4);
  Result other = Success;
  std::thread([&] { other = cu.memFree(address); }).join();
  EXPECT_EQ(other, InvalidContext);
  EXPECT_EQ(cu.ctxSetCurrent(nullptr), Success);
  EXPECT_EQ(cu.memFree(address), InvalidContext);
  EXPECT_EQ(cu.ctxSetCurrent(context), Success);
  EXPECT_EQ(cu.memFree(address), Success);
}

TEST_F(DriverTest, ContextsAreRetained) {
  EXPECT_EQ(cu.devicePrimaryCtxRetain(&context, 0), Success);
  EXPECT_EQ(cu.devicePrimaryCtxRelease(0), Success);
  EXPECT_EQ(cu.memFree(allocate(4)), Success);
  EXPECT_EQ(cu.devicePrimaryCtxRelease(0), Success);
  EXPECT_EQ(cu.memFree(0), InvalidContext);
  EXPECT_EQ(cu.ctxSetCurrent(context), InvalidContext);
  EXPECT_EQ(cu.devicePrimaryCtxRelease(0), InvalidContext);
  EXPECT_EQ(found(),
            "cuCtxSetCurrent is given a context that is not retained\n"
            "cuDevicePrimaryCtxRelease_v2 releases a context that is not "
            "retained\n");
}

TEST_F(DriverTest, CallsFailAsAsked) {
  startWithContext({{"FAIL", "cuMemAlloc:2=2,cuStreamSynchronize:1=719"}});
  Stream s = stream();
  DeviceAddress address = allocate(4);
  EXPECT_EQ(cu.memAlloc(&address, 4), OutOfMemory);
  EXPECT_EQ(cu.memAlloc(&address, 4), Success);
  // From now on nothing works, and nothing can be released.
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(cu.memFree(address), LaunchFailed);
  EXPECT_EQ(cu.streamDestroy(s), LaunchFailed);
  EXPECT_EQ(left(), "");
}

TEST_F(DriverTest, WhatIsLeft) {
  Stream s = stream();
  event();
  allocate(1000);
  pinned<int>({1, 2});
  add();
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  EXPECT_EQ(cu.streamBeginCapture(s, CaptureGlobal), Success);
  EXPECT_EQ(cu.streamEndCapture(s, &graph), Success);
  EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), Success);
  const char *end = " is not released when the process ends\n";
  EXPECT_EQ(left(), std::string("'allocation 1' of 1000 bytes") + end +
                        "'pinned allocation 2' of 8 bytes" + end + "stream 1" +
                        end + "event 1" + end + "library 1" + end + "graph 1" +
                        end + "executable graph 1" + end +
                        "the primary context of device 0 is retained 1 times "
                        "more than released when the process ends\n");
}

TEST_F(DriverTest, TheEndOfAProcess) {
  EXPECT_EXIT(
      {
        allocate(1000);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(found(), "'allocation 1' of 1000 bytes is not released when the "
                     "process ends\n"
                     "the primary context of device 0 is retained 1 times more "
                     "than released when the process ends\n");
}

} // namespace
