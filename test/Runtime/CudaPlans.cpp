//===- CudaPlans.cpp - what is wrong with a program for a GPU -------------===//

#include "SamplePlan.h"
#include "hocket/Cuda/Devices.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Plan/Check.h"
#include "hocket/Plan/Workspace.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::runtime;

TEST(CudaPlans, ARunnerForCpusHasNoGpus) {
  plan::Plan plan = plan::samplePlan();
  plan.target = plan::Target::Cuda;
  std::shared_ptr<const Devices> devices;
  Status status = openCpuDevices(plan, nullptr, 0, oneProcess(), devices);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message, "this runner has no devices for GPUs; compile the "
                            "program again");
}

// Machine code alone does not run on every chip.
TEST(CudaPlans, DamagedCodeIsRefused) {
  for (const std::vector<uint8_t> &bytes :
       {std::vector<uint8_t>(7, 7), packChipCode({{90, "cubin"}})}) {
    std::shared_ptr<const Devices> devices;
    Status status =
        openCudaDevices(bytes.data(), bytes.size(), oneProcess(), devices);
    EXPECT_EQ(status.kind, ErrorKind::Runtime);
    EXPECT_EQ(status.message,
              "the code of the kernels in the executable is damaged");
  }
}

TEST(CudaPlans, OnlyACpuPacksWeights) {
  plan::Plan plan;
  plan.model = "Pack";
  plan.schedule = "one_device";
  plan.target = plan::Target::Cuda;
  plan::RankClass &only = plan.classes.emplace_back();
  only.ranks = {0};
  only.packs = 1;
  only.buffers = {{plan::Region::Weights, 0, 64, plan::DType::F32}};
  only.budget.weightBytes = 64;
  only.load.push_back({-1, plan::Fill{{0, 0, {}, {4, 4}, {4, 1}}, 1}});
  only.load.push_back({-1, plan::PackWeight{0, {0, 0, {}, {4, 4}, {4, 1}}, 4}});
  std::string error;
  EXPECT_FALSE(plan::check(plan, error));
  EXPECT_EQ(error,
            "class 0, load 1 (pack_weight): packs a weight, which only a "
            "CPU does");
}

namespace {

/// A product on a GPU, with a workspace of 512 bytes from byte 256 of the
/// arena, and a copy.
plan::Plan productPlan() {
  using plan::Region;
  plan::Plan plan;
  plan.model = "Product";
  plan.schedule = "one_device";
  plan.target = plan::Target::Cuda;
  plan::RankClass &only = plan.classes.emplace_back();
  only.ranks = {0};
  for (int64_t i = 0; i < 3; ++i)
    only.buffers.push_back({Region::Arena, 64 * i, 64, plan::DType::F32});
  only.buffers.push_back({Region::Arena, 256, 512, plan::DType::Bool});
  only.budget.arenaBytes = 768;
  plan::Matmul product;
  product.a = {0, 0, {}, {4, 4}, {4, 1}};
  product.b = {1, 0, {}, {4, 4}, {4, 1}};
  product.c = {2, 0, {}, {4, 4}, {4, 1}};
  only.step.push_back({-1, product, {3, 0, {}, {512}, {1}}});
  only.step.push_back({-1, plan::Copy{product.c, product.a}});
  return plan;
}

struct BadWorkspace {
  const char *sentence;
  void (*edit)(plan::Plan &plan, plan::Instruction &product);
};

const BadWorkspace badWorkspaces[] = {
    {"step 0 (matmul): workspace is missing",
     [](plan::Plan &, plan::Instruction &product) { product.workspace = {}; }},
    {"step 0 (matmul): has a workspace, which only a GPU's do",
     [](plan::Plan &plan, plan::Instruction &) {
       plan.target = plan::Target::Cpu;
     }},
    {"step 1 (copy): takes no workspace",
     [](plan::Plan &plan, plan::Instruction &product) {
       plan.classes[0].step[1].workspace = product.workspace;
     }},
    {"step 0 (matmul): workspace reaches elements 0 to 512 of buffer 3, which "
     "has 512, on rank 0",
     [](plan::Plan &, plan::Instruction &product) {
       product.workspace.shape = {513};
     }},
    {"step 0 (matmul): workspace is no row of bytes (bool) of the arena",
     [](plan::Plan &, plan::Instruction &product) {
       product.workspace = {0, 0, {}, {16}, {1}};
     }},
    {"step 0 (matmul): workspace is no row of bytes (bool) of the arena",
     [](plan::Plan &, plan::Instruction &product) {
       product.workspace = {3, 0, {}, {2, 256}, {256, 1}};
     }},
    {"step 0 (matmul): workspace is no row of bytes (bool) of the arena",
     [](plan::Plan &plan, plan::Instruction &) {
       plan.classes[0].buffers[3].region = plan::Region::Weights;
       plan.classes[0].budget.weightBytes = 768;
     }},
    {"step 0 (matmul): workspace begins at byte 320 of the arena, which is no "
     "multiple of 256",
     [](plan::Plan &, plan::Instruction &product) {
       product.workspace = {3, 64, {}, {256}, {1}};
     }},
    {"step 0 (matmul): workspace lies in a buffer that it reads or writes",
     [](plan::Plan &plan, plan::Instruction &) {
       plan.classes[0].buffers[3].offset = 0;
     }},
};

class CudaWorkspace : public testing::TestWithParam<BadWorkspace> {};

} // namespace

TEST_P(CudaWorkspace, IsRefused) {
  plan::Plan plan = productPlan();
  std::string error;
  ASSERT_TRUE(plan::check(plan, error)) << error;
  GetParam().edit(plan, plan.classes[0].step[0]);
  EXPECT_FALSE(plan::check(plan, error));
  EXPECT_EQ(error, std::string("class 0, ") + GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(All, CudaWorkspace, testing::ValuesIn(badWorkspaces));

TEST(CudaPlans, AWorkspaceIsInTheFile) {
  plan::Plan plan = productPlan(), read;
  std::string text = plan::toJson(plan), error;
  EXPECT_NE(text.find("\"workspace\":[3,0,[512],[1]]"), std::string::npos)
      << text;
  ASSERT_TRUE(plan::fromJson(text, read, error)) << error;
  EXPECT_EQ(plan::toJson(read), text);
  EXPECT_EQ(plan::workspaceByRank(read), std::vector<int64_t>{512});
}
