//===- MemoryTest.cpp - allocations and copies ----------------------------===//

#include "test/Gpu/Driver/TestDriver.h"
#include <sys/mman.h>

using namespace hocket::lookalike;

namespace {

TEST_F(DriverTest, MemoryIsLimited) {
  startWithContext({{"MEMORY", "4096"}});
  size_t available = 0, total = 0;
  DeviceAddress first = allocate(1), second = 0;
  EXPECT_EQ(cu.memGetInfo(&available, &total), Success);
  EXPECT_EQ(total, 4096u);
  EXPECT_EQ(available, 3584u);
  EXPECT_EQ(cu.memAlloc(&second, 3585), OutOfMemory);
  EXPECT_EQ(cu.memAlloc(&second, 3584), Success);
  EXPECT_EQ(first % 256 + second % 256, 0u);
  EXPECT_EQ(cu.memFree(first), Success);
  EXPECT_EQ(cu.memAlloc(&first, 512), Success);
  EXPECT_EQ(cu.memAlloc(&first, 0), InvalidValue);
  EXPECT_EQ(found(), "cuMemAlloc_v2 is asked for 0 bytes\n");
}

TEST_F(DriverTest, MemoryIsReleasedOnce) {
  DeviceAddress x = allocate(16);
  EXPECT_EQ(cu.memFree(0), Success);
  EXPECT_EQ(cu.memFree(x + 4), InvalidValue);
  EXPECT_EQ(cu.memFree(x), Success);
  EXPECT_EQ(cu.memFree(x), InvalidValue);
  int place;
  EXPECT_EQ(cu.memFreeHost(&place), InvalidValue);
  const char *device =
      "cuMemFree_v2 is given an address at which no allocation begins\n";
  EXPECT_EQ(found(), std::string(device) + device +
                         "cuMemFreeHost is given a place at which no pinned "
                         "allocation begins\n");
}

TEST_F(DriverTest, CopiesStayWithinAllocations) {
  Stream s = stream();
  DeviceAddress x = allocate(16), y = allocate(16);
  char *p = pinned<char>(std::vector<char>(16));
  EXPECT_EQ(cu.memcpyHtoDAsync(x + 4, p, 16, s), InvalidValue);
  EXPECT_EQ(cu.memcpyHtoDAsync(x, p + 8, 16, s), InvalidValue);
  EXPECT_EQ(cu.memcpyDtoHAsync(p - 4, x, 8, s), InvalidValue);
  EXPECT_EQ(cu.memcpyDtoHAsync(p, x - 1, 4, s), InvalidValue);
  EXPECT_EQ(cu.memcpyDtoDAsync(x, 1, 4, s), InvalidValue);
  EXPECT_EQ(cu.memsetD8Async(y, 0, 17, s), InvalidValue);
  EXPECT_EQ(cu.memFree(y), Success);
  EXPECT_EQ(cu.memsetD8Async(y, 0, 16, s), InvalidValue);
  EXPECT_EQ(cu.memsetD8Async(y, 0, 0, s), Success);
  EXPECT_EQ(
      found(),
      "cuMemcpyHtoDAsync_v2 writes 16 bytes at 'allocation 1' + 4, which has "
      "16 bytes\n"
      "cuMemcpyHtoDAsync_v2 reads 16 bytes at 'pinned allocation 3' + 8, which "
      "has 16 bytes\n"
      "cuMemcpyDtoHAsync_v2 writes 8 bytes of the host that end within 'pinned "
      "allocation 3'\n"
      "cuMemcpyDtoHAsync_v2 reads 4 bytes at 'allocation 1' - 1, which has 16 "
      "bytes\n"
      "cuMemcpyDtoDAsync_v2 reads 4 bytes at address 0x1, where nothing is "
      "allocated\n"
      "cuMemsetD8Async writes 17 bytes at 'allocation 2', which has 16 bytes\n"
      "cuMemsetD8Async writes 16 bytes at 'allocation 2', which is released\n");
}

TEST_F(DriverTest, CopiesOfAllKinds) {
  Stream s = stream();
  DeviceAddress x = allocate(16), y = allocate(16);
  uint32_t values[4] = {1, 2, 3, 4}, out[4] = {};
  EXPECT_EQ(cu.memcpyHtoDAsync(x, values, 16, s), Success);
  EXPECT_EQ(cu.memcpyDtoDAsync(y + 4, x + 8, 8, s), Success);
  EXPECT_EQ(cu.memsetD8Async(y, 0xab, 4, s), Success);
  EXPECT_EQ(cu.memcpyDtoHAsync(out, y, 16, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(out[0], 0xababababu);
  EXPECT_EQ(out[1], 3u);
  EXPECT_EQ(out[2], 4u);
  EXPECT_EQ(out[3], 0xffffffffu); // poison
  EXPECT_EQ(cu.memcpyDtoDAsync(x, x + 4, 8, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "a copy of 8 bytes on the device (operation 5 in stream "
                     "1) has a source and a target that overlap\n");
}

TEST_F(DriverTest, BytesWithoutValues) {
  for (const char *asked : {"0", "1"}) {
    startWithContext({{"UNDEFINED", asked}});
    Stream s = stream();
    DeviceAddress x = allocate(16), y = allocate(16);
    uint32_t out[4];
    EXPECT_EQ(cu.memsetD8Async(x, 0, 8, s), Success);
    EXPECT_EQ(cu.memcpyDtoDAsync(y, x, 16, s), Success);
    EXPECT_EQ(cu.memcpyDtoHAsync(out, y, 8, s), Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    EXPECT_EQ(cu.memcpyDtoHAsync(out, y, 16, s), Success);
    bool isFound = *asked == '1';
    EXPECT_EQ(cu.streamSynchronize(s), isFound ? LaunchFailed : Success);
    EXPECT_EQ(found(),
              isFound ? "a copy of 16 bytes to the host (operation 4 in stream "
                        "1) reads 8 bytes of 'allocation 2' that have no "
                        "value, the first at byte 8\n"
                      : "");
  }
}

TEST_F(DriverTest, PinnedMemoryIsReadWhenTheStreamComesToIt) {
  Stream s = stream();
  DeviceAddress x = allocate(4);
  uint32_t *p = pinned<uint32_t>({1}), out = 0;
  EXPECT_EQ(cu.memcpyHtoDAsync(x, p, 4, s), Success);
  *p = 2;
  EXPECT_EQ(cu.memcpyDtoHAsync(&out, x, 4, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(out, 2u);
}

TEST_F(DriverTest, OtherMemoryOfTheHostMustNotChange) {
  Stream s = stream();
  DeviceAddress x = allocate(4);
  uint32_t value = 1;
  EXPECT_EQ(cu.memcpyHtoDAsync(x, &value, 4, s), Success);
  value = 2;
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "a copy of 4 bytes to the device (operation 1 in stream "
                     "1) reads memory of the host that is not pinned and "
                     "changes before the stream comes to it\n");
}

TEST_F(DriverTest, OtherMemoryOfTheHostMustNotBeReleased) {
  for (bool isRead : {true, false}) {
    startWithContext();
    Stream s = stream();
    DeviceAddress x = allocate(4);
    void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_EQ(cu.memsetD8Async(x, 0, 4, s), Success);
    EXPECT_EQ(isRead ? cu.memcpyHtoDAsync(x, page, 4, s)
                     : cu.memcpyDtoHAsync(page, x, 4, s),
              Success);
    munmap(page, 4096);
    EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
    EXPECT_EQ(found(),
              std::string("a copy of 4 bytes to the ") +
                  (isRead ? "device (operation 2 in stream 1) reads"
                          : "host (operation 2 in stream 1) writes") +
                  " memory of the host that is released before the stream "
                  "comes to it\n");
  }
}

TEST_F(DriverTest, WrongPinnedMemory) {
  void *place = nullptr;
  EXPECT_EQ(cu.memHostAlloc(&place, 8, 4), InvalidValue);
  EXPECT_EQ(cu.memHostAlloc(&place, 0, 0), InvalidValue);
  EXPECT_EQ(found(),
            "cuMemHostAlloc is given flags that the look-alike does not know: "
            "4\n"
            "cuMemHostAlloc is asked for 0 bytes\n");
}

TEST_F(DriverTest, MemoryIsReleasedWhenItsUsersAreOver) {
  for (bool waits : {true, false}) {
    startWithContext();
    Stream s = stream();
    DeviceAddress x = allocate(8), y = allocate(8);
    Function f = add();
    EXPECT_EQ(cu.memsetD8Async(x, 0, 8, s), Success);
    EXPECT_EQ(cu.memsetD8Async(y, 0, 8, s), Success);
    EXPECT_EQ(launch(f, s, x, y, 2), Success);
    if (waits)
      EXPECT_EQ(cu.streamSynchronize(s), Success);
    EXPECT_EQ(cu.memFree(x), waits ? Success : LaunchFailed);
    EXPECT_EQ(found(), waits ? ""
                             : "cuMemFree_v2 releases 'allocation 1', which a "
                               "memset of 8 bytes (operation 1 in stream 1) "
                               "writes, and the host has not waited for it\n");
  }
}

TEST_F(DriverTest, PinnedMemoryIsReleasedWhenItsUsersAreOver) {
  Stream s = stream();
  DeviceAddress x = allocate(8);
  int *p = pinned<int>({1, 2});
  EXPECT_EQ(cu.memcpyHtoDAsync(x, p, 8, s), Success);
  EXPECT_EQ(cu.memFreeHost(p), LaunchFailed);
  EXPECT_EQ(found(),
            "cuMemFreeHost releases 'pinned allocation 2', which a copy of 8 "
            "bytes to the device (operation 1 in stream 1) reads, and the host "
            "has not waited for it\n");
}

TEST_F(DriverTest, DevicesDoNotReachEachOther) {
  startWithContext({{"DEVICES", "2"}});
  DeviceAddress x = allocate(8);
  Context other = nullptr;
  ASSERT_EQ(cu.devicePrimaryCtxRetain(&other, 1), Success);
  ASSERT_EQ(cu.ctxSetCurrent(other), Success);
  Stream s = stream();
  EXPECT_EQ(cu.memsetD8Async(x, 0, 8, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "a memset of 8 bytes (operation 1 in stream 1) writes "
                     "'allocation 1' of device 0, which device 1 cannot "
                     "reach\n");
}

} // namespace
