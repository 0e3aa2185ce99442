//===- TestDriver.cpp - the look-alike as tests use it --------------------===//

#include "test/Gpu/Driver/TestDriver.h"
#include "test/Paths.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace hocket::lookalike;

AllFunctions DriverTest::cu;
InternalFunctions DriverTest::internal;

const char *const hocket::lookalike::addText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y) {
  .reg .b64 %d<6>; .reg .b32 %r<5>;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d3, %r1, 4;
  add.s64 %d4, %d1, %d3;
  add.s64 %d5, %d2, %d3;
  ld.global.u32 %r2, [%d4];
  ld.global.u32 %r3, [%d5];
  add.u32 %r4, %r2, %r3;
  st.global.u32 [%d5], %r4;
  ret;
}
)";

template <typename F> static void load(void *library, const char *name, F &to) {
  void *symbol = dlsym(library, name);
  ASSERT_TRUE(symbol) << name;
  to = reinterpret_cast<F>(symbol);
}

static void loadAll(AllFunctions &cu, InternalFunctions &internal) {
  std::string path = hocket::test::builtPath("test/lookalike/libcuda.so.1");
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
#define HOCKET_LOAD(symbol, name, parameters) load(library, #symbol, cu.name);
  HOCKET_CUDA_DRIVER_FUNCTIONS(HOCKET_LOAD)
  HOCKET_CUDA_MORE_FUNCTIONS(HOCKET_LOAD)
#undef HOCKET_LOAD
  load(library, "hocketLookalikeEnqueue", internal.enqueue);
  load(library, "hocketLookalikeCall", internal.call);
  load(library, "hocketLookalikeFind", internal.find);
  load(library, "hocketLookalikeDevice", internal.device);
  load(library, "hocketLookalikeIsCapturing", internal.isCapturing);
  load(library, "hocketLookalikeParameters", internal.parameters);
  load(library, "hocketLookalikeWake", internal.wake);
  load(library, "hocketLookalikeStep", internal.step);
  load(library, "hocketLookalikeHasFailed", internal.hasFailed);
  load(library, "hocketLookalikeIsAllocated", internal.isAllocated);
  load(library, "hocketLookalikeKeep", internal.keep);
  load(library, "hocketLookalikeRestart", internal.restart);
}

static const char *const variableNames[] = {
    "SEED",      "CHIP",    "VERSION", "DEVICES", "SLICES", "MEMORY",
    "UNDEFINED", "THREADS", "FAIL",    "COUNTS",  "FAILED"};

static std::string fullName(const std::string &name) {
  return "HOCKET_LOOKALIKE_" + name;
}

void DriverTest::SetUp() {
  if (!cu.init)
    loadAll(cu, internal);
  report = "driver-findings-" + std::to_string(getpid()) + ".txt";
  startWithContext();
}

void DriverTest::TearDown() {
  EXPECT_EQ(found(), "");
  // What is left is the business of the tests of it alone.
  internal.restart();
  std::remove(report.c_str());
}

void DriverTest::start(const Variables &variables) {
  for (const char *name : variableNames)
    unsetenv(fullName(name).c_str());
  unsetenv("CUDA_VISIBLE_DEVICES");
  setenv(fullName("REPORT").c_str(), report.c_str(), 1);
  for (const auto &[name, value] : variables)
    setenv(fullName(name).c_str(), value.c_str(), 1);
  internal.restart();
  std::remove(report.c_str());
}

void DriverTest::startWithContext(const Variables &variables) {
  start(variables);
  ASSERT_EQ(cu.init(0), Success);
  ASSERT_EQ(cu.devicePrimaryCtxRetain(&context, 0), Success);
  ASSERT_EQ(cu.ctxSetCurrent(context), Success);
}

std::string DriverTest::found() {
  std::ifstream file(report);
  std::stringstream text;
  text << file.rdbuf();
  std::remove(report.c_str());
  return text.str();
}

std::string DriverTest::left() {
  EXPECT_EQ(found(), "");
  internal.restart();
  return found();
}

Stream DriverTest::stream() {
  Stream made = nullptr;
  EXPECT_EQ(cu.streamCreate(&made, StreamNonBlocking), Success);
  return made;
}

Event DriverTest::event() {
  Event made = nullptr;
  EXPECT_EQ(cu.eventCreate(&made, EventDisableTiming), Success);
  return made;
}

DeviceAddress DriverTest::allocate(size_t bytes) {
  DeviceAddress address = 0;
  EXPECT_EQ(cu.memAlloc(&address, bytes), Success);
  return address;
}

Function DriverTest::function(const std::string &text, const char *name) {
  Kernel kernel = nullptr;
  Function function = nullptr;
  EXPECT_EQ(cu.libraryLoadData(&library, text.c_str(), nullptr, nullptr, 0,
                               nullptr, nullptr, 0),
            Success);
  EXPECT_EQ(cu.libraryGetKernel(&kernel, library, name), Success);
  EXPECT_EQ(cu.kernelGetFunction(&function, kernel), Success);
  return function;
}

Function DriverTest::add() { return function(addText, "add"); }

Result DriverTest::launch(Function function, Stream stream, DeviceAddress x,
                          DeviceAddress y, unsigned threads) {
  void *parameters[] = {&x, &y};
  return cu.launchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream,
                         parameters, nullptr);
}
