//===- Embedding.cu - rows of a table, picked by ids ----------------------===//

#include "runtime/lib/Cuda/Kernels/EmbeddingParameters.h"
#include "runtime/lib/Cuda/Kernels/LookupError.cuh"
#include "runtime/lib/Cuda/Kernels/Loops.cuh"

namespace hocket::runtime::cuda {

constexpr int threads = 256, unitsOfThread = 4;

/// The row of an id, or -1.
template <class Id>
static __device__ int64_t rowOf(uint64_t at, uint64_t begin,
                                const Vocabulary &vocabulary) {
  int64_t id = *reinterpret_cast<const Id *>(at);
  if (id < 0 || id >= vocabulary.vocab) {
    tellOf(id, (at - begin) / sizeof(Id), vocabulary.error);
    return -1;
  }
  int64_t row = id - vocabulary.vocabOffset;
  return row >= 0 && row < vocabulary.rows ? row : -1;
}

template <class Unit, class Id>
static __device__ void embed(const EmbeddingParameters &p) {
  int64_t offsets[unitsOfThread][3];
  Unit units[unitsOfThread];
#pragma unroll
  for (int i = 0; i < unitsOfThread; ++i) {
    uint32_t n = (blockIdx.x * unitsOfThread + i) * threads + threadIdx.x;
    units[i] = Unit{};
    if (n >= p.loops.total)
      continue;
    offsetsAt(p.loops, n, offsets[i]);
    int64_t row = rowOf<Id>(p.ids + offsets[i][2], p.idsBegin, p.vocabulary);
    if (row >= 0)
      units[i] = *reinterpret_cast<const Unit *>(p.table + row * p.rowStep +
                                                 offsets[i][1]);
  }
#pragma unroll
  for (int i = 0; i < unitsOfThread; ++i)
    if ((blockIdx.x * unitsOfThread + i) * threads + threadIdx.x <
        p.loops.total)
      *reinterpret_cast<Unit *>(p.out + offsets[i][0]) = units[i];
}

template <class Id> static __device__ void findKeys(const KeyParameters &p) {
  uint32_t n = blockIdx.x * threads + threadIdx.x;
  if (n >= p.loops.total)
    return;
  int64_t offsets[2];
  offsetsAt(p.loops, n, offsets);
  int64_t row = rowOf<Id>(p.ids + offsets[1], p.ids, p.vocabulary);
  reinterpret_cast<uint32_t *>(p.keys)[n] =
      row < 0 ? uint32_t(p.vocabulary.rows) : uint32_t(row);
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, Unit, Id)                                          \
  extern "C" __global__ void __launch_bounds__(256)                            \
      name(const __grid_constant__ EmbeddingParameters p) {                    \
    embed<Unit, Id>(p);                                                        \
  }
#define HOCKET_KERNELS(bytes, Unit)                                            \
  HOCKET_KERNEL(embed##bytes##I32, Unit, int32_t)                              \
  HOCKET_KERNEL(embed##bytes##I64, Unit, int64_t)

HOCKET_KERNELS(1, uint8_t)
HOCKET_KERNELS(2, uint16_t)
HOCKET_KERNELS(4, uint32_t)
HOCKET_KERNELS(8, uint64_t)
HOCKET_KERNELS(16, uint4)

extern "C" __global__ void __launch_bounds__(256)
    keysI32(const __grid_constant__ KeyParameters p) {
  findKeys<int32_t>(p);
}
extern "C" __global__ void __launch_bounds__(256)
    keysI64(const __grid_constant__ KeyParameters p) {
  findKeys<int64_t>(p);
}
