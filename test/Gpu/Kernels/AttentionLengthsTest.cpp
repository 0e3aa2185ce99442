//===- AttentionLengthsTest.cpp - how many keys padding leaves ------------===//

#include "runtime/lib/Cuda/Attention/AttentionLengths.h"
#include "test/Gpu/Kernels/GpuRun.h"

using namespace hocket;
using namespace hocket::test;
using runtime::cuda::KernelLaunches;
using runtime::cuda::LookupError;

namespace {

struct Counted {
  std::vector<int32_t> queries, keys;
  std::string error;
};

/// Of masks like "1100"; `step` bytes lie from one key to the next.
Counted count(const std::vector<std::string> &masks, int64_t step = 1) {
  GpuRun gpu;
  int64_t keys = int64_t(masks[0].size()), batch = int64_t(masks.size());
  std::vector<uint8_t> bytes(batch * keys * step, 2);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t key = 0; key < keys; ++key)
      bytes[(b * keys + key) * step] = masks[b][key] == '1';
  uint64_t keep = gpu.memory.upload(bytes, "keep");
  uint64_t queryLengths = gpu.memory.allocate(batch * 4, "queryLengths");
  uint64_t keyLengths = gpu.memory.allocate(batch * 4, "keyLengths");
  uint64_t error = gpu.memory.upload(std::vector<LookupError>(1), "error");
  auto place = [](uint64_t address) {
    return reinterpret_cast<void *>(address);
  };
  KernelLaunches launches;
  runtime::cuda::addAttentionLengths(
      {place(keep), plan::DType::Bool, {batch, keys}, {keys * step, step}}, 77,
      place(queryLengths), place(keyLengths), error, launches);
  gpu.run(launches);
  return {gpu.memory.download<int32_t>(queryLengths, batch),
          gpu.memory.download<int32_t>(keyLengths, batch),
          runtime::cuda::statusOfPadding(
              gpu.memory.download<LookupError>(error, 1)[0])
              .message};
}

class CudaAttentionLengths : public CudaKernels {};

} // namespace

TEST_F(CudaAttentionLengths, CountsKeys) {
  Counted counted = count({"1111", "1100", "1000"});
  EXPECT_EQ(counted.queries, (std::vector<int32_t>{77, 77, 77}));
  EXPECT_EQ(counted.keys, (std::vector<int32_t>{4, 2, 1}));
  EXPECT_EQ(counted.error, "");
  EXPECT_EQ(count({"1111", "1100"}, 3).keys, (std::vector<int32_t>{4, 2}));
}

TEST_F(CudaAttentionLengths, CountsMoreKeysThanThreads) {
  std::string mask(1000, '1');
  for (size_t i = 333; i < mask.size(); ++i)
    mask[i] = '0';
  Counted counted = count({mask, std::string(1000, '1')});
  EXPECT_EQ(counted.keys, (std::vector<int32_t>{333, 1000}));
  EXPECT_EQ(counted.error, "");
}

TEST_F(CudaAttentionLengths, TellsOfOtherPadding) {
  Counted counted = count({"1111", "1011", "0111"});
  EXPECT_EQ(counted.error,
            "padding hides keys before key 3 of batch entry 1, which it shows; "
            "cuDNN takes padding behind the keys alone: compile the program "
            "with --attention own");
  counted = count({"1111", "0000"});
  EXPECT_EQ(counted.keys, (std::vector<int32_t>{4, 1}));
  EXPECT_EQ(counted.error,
            "padding hides all keys of batch entry 1; cuDNN takes padding "
            "behind the keys alone: compile the program with --attention own");
}
