//===- CudaPlans.cpp - what is wrong with a program for a GPU -------------===//

#include "SamplePlan.h"
#include "hocket/Cuda/Devices.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Plan/Check.h"
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
