//===- DriverTest.cpp - a program from beginning to end -------------------===//

#include "test/Gpu/Driver/TestDriver.h"

using namespace hocket::lookalike;

namespace {

TEST_F(DriverTest, ARunWithoutFindings) {
  Stream s = stream();
  Function f = add();
  uint32_t *x = pinned<uint32_t>({1, 2, 3, 4}),
           *y = pinned<uint32_t>({0, 0, 0, 0});
  DeviceAddress dx = allocate(16), dy = allocate(16);
  EXPECT_EQ(cu.memcpyHtoDAsync(dx, x, 16, s), Success);
  EXPECT_EQ(cu.memsetD8Async(dy, 1, 16, s), Success);
  EXPECT_EQ(launch(f, s, dx, dy, 4), Success);
  EXPECT_EQ(cu.memcpyDtoHAsync(y, dy, 16, s), Success);
  EXPECT_EQ(y[3], 0u); // nothing has run
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(
      std::vector<uint32_t>(y, y + 4),
      (std::vector<uint32_t>{0x01010102, 0x01010103, 0x01010104, 0x01010105}));
  EXPECT_EQ(cu.memFree(dx), Success);
  EXPECT_EQ(cu.memFree(dy), Success);
  EXPECT_EQ(cu.memFreeHost(x), Success);
  EXPECT_EQ(cu.memFreeHost(y), Success);
  EXPECT_EQ(cu.libraryUnload(library), Success);
  EXPECT_EQ(cu.streamDestroy(s), Success);
  EXPECT_EQ(cu.devicePrimaryCtxRelease(0), Success);
  EXPECT_EQ(left(), "");
}

} // namespace
