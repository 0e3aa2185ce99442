//===- Sort.cu - keys with values, sorted by 8 bits at a time -------------===//
//
// A stable radix sort (Merrill and Grimshaw 2010): how many of each digit a
// block has, where they begin, where each goes. No atomics but sums in shared
// memory, whose order does not matter.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Kernels/EmbeddingParameters.h"

using namespace hocket::runtime::cuda;

constexpr int threads = 256, warps = threads / 32, rounds = sortItems / threads;

static __device__ uint32_t digitOf(uint32_t key, uint32_t shift) {
  return key >> shift & (sortDigits - 1);
}

/// The sum over all threads before this one; `total` is that of all.
static __device__ uint32_t sumBefore(uint32_t value, uint32_t &total) {
  __shared__ uint32_t parts[warps];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t sum = value;
  for (int step = 1; step < 32; step *= 2) {
    uint32_t other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step)
      sum += other;
  }
  __syncthreads();
  if (lane == 31)
    parts[warp] = sum;
  __syncthreads();
  uint32_t before = 0;
  total = 0;
  for (int i = 0; i < warps; ++i) {
    before += i < warp ? parts[i] : 0;
    total += parts[i];
  }
  return before + sum - value;
}

/// counts[digit][block]
extern "C" __global__ void __launch_bounds__(threads)
    countDigits(const __grid_constant__ SortParameters p) {
  __shared__ uint32_t counts[sortDigits];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const auto *keys = reinterpret_cast<const uint32_t *>(p.keys);
  for (int i = 0; i < rounds; ++i) {
    uint32_t n = blockIdx.x * sortItems + i * threads + threadIdx.x;
    if (n < p.count)
      atomicAdd(&counts[digitOf(keys[n], p.shift)], 1);
  }
  __syncthreads();
  reinterpret_cast<uint32_t *>(p.counts)[threadIdx.x * p.blocks + blockIdx.x] =
      counts[threadIdx.x];
}

/// A block a digit: the counts become sums of those of the blocks before.
extern "C" __global__ void __launch_bounds__(threads)
    sumDigits(const __grid_constant__ SortParameters p) {
  auto *counts =
      reinterpret_cast<uint32_t *>(p.counts) + uint64_t(blockIdx.x) * p.blocks;
  uint32_t sum = 0;
  for (uint32_t first = 0; first < p.blocks; first += threads) {
    uint32_t n = first + threadIdx.x, total;
    uint32_t before = sumBefore(n < p.blocks ? counts[n] : 0, total);
    if (n < p.blocks)
      counts[n] = sum + before;
    sum += total;
  }
  if (threadIdx.x == 0)
    reinterpret_cast<uint32_t *>(p.totals)[blockIdx.x] = sum;
}

/// A warp has neighbouring items, 32 at a time, so that their order is kept.
extern "C" __global__ void __launch_bounds__(threads)
    moveItems(const __grid_constant__ SortParameters p) {
  __shared__ uint32_t counts[warps][sortDigits];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < warps; ++i)
    counts[i][threadIdx.x] = 0;
  uint32_t unused;
  uint32_t begin = sumBefore(
      reinterpret_cast<const uint32_t *>(p.totals)[threadIdx.x], unused);
  __syncthreads();
  uint32_t keys[rounds], ranks[rounds];
  for (int i = 0; i < rounds; ++i) {
    uint32_t n = blockIdx.x * sortItems + (warp * rounds + i) * 32 + lane;
    bool isItem = n < p.count;
    keys[i] = isItem ? reinterpret_cast<const uint32_t *>(p.keys)[n] : 0;
    uint32_t digit = isItem ? digitOf(keys[i], p.shift) : sortDigits;
    uint32_t equal = __match_any_sync(~0u, digit);
    uint32_t before = isItem ? counts[warp][digit] : 0;
    uint32_t earlier = __popc(equal & ((1u << lane) - 1));
    ranks[i] = before + earlier;
    __syncwarp();
    if (isItem && earlier == 0)
      counts[warp][digit] = before + __popc(equal);
    __syncwarp();
  }
  __syncthreads();
  begin += reinterpret_cast<const uint32_t *>(
      p.counts)[threadIdx.x * p.blocks + blockIdx.x];
  for (int i = 0; i < warps; ++i) {
    uint32_t count = counts[i][threadIdx.x];
    counts[i][threadIdx.x] = begin;
    begin += count;
  }
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    uint32_t n = blockIdx.x * sortItems + (warp * rounds + i) * 32 + lane;
    if (n >= p.count)
      continue;
    uint32_t to = counts[warp][digitOf(keys[i], p.shift)] + ranks[i];
    reinterpret_cast<uint32_t *>(p.keysOut)[to] = keys[i];
    reinterpret_cast<uint32_t *>(p.valuesOut)[to] =
        p.values ? reinterpret_cast<const uint32_t *>(p.values)[n] : n;
  }
}
