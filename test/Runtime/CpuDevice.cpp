//===- CpuDevice.cpp - instructions that are no calls of a CPU ------------===//

#include "hocket/Runtime/ThreadCommunicator.h"
#include "runtime/lib/Cpu/Device/PrepareCpuCall.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::runtime;

// A communicator ends what it began, and the executor uploads parameters: a
// plan's reader lets both through, and a device is not asked for them.
TEST(CpuDevice, HasNoCallThatIsOfOthers) {
  plan::Plan plan;
  plan::RankClass rankClass;
  AddressBook book(plan, rankClass, 0);
  KernelTable kernels;
  ThreadWorld world(1, {});
  auto comm = world.communicator(0, hostMover());
  std::vector<std::unique_ptr<PackedWeight>> packs;
  CpuCallContext context{book, kernels, *comm, packs, 1};
  std::unique_ptr<Call> call;
  Status status = prepareCpuCall({0, plan::Wait{}}, context, call);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message, "a CPU has no call that waits");
  status = prepareCpuCall({0, plan::ReadParameter{}}, context, call);
  EXPECT_EQ(status.message, "a CPU has no call that reads parameters");
  EXPECT_EQ(call, nullptr);
}
