//===- Walk.cuh - the tiles that a block of a gradient meets ---*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_WALK_CUH
#define HOCKET_LIB_CUDA_ATTENTION_WALK_CUH

#include "runtime/lib/Cuda/Attention/Heads.cuh"

namespace hocket::runtime::cuda {

/// Tiles of one head after those of another.
struct Walk {
  int64_t firstHead; // of queries
  int firstTile, tiles, count;

  __device__ int64_t head(int n) const { return firstHead + n / tiles; }
  __device__ int tile(int n) const { return firstTile + n % tiles; }
};

/// Of keys, for queries [first, last].
static __device__ inline Walk walkOfQueries(const AttentionParameters &p,
                                            int64_t h, int first, int last,
                                            int columns) {
  int begin = keysOf(p, first).begin / columns;
  int tiles = max((keysOf(p, last).end + columns - 1) / columns - begin, 0);
  return {h, begin, tiles, tiles};
}

/// Of queries of the heads that read keys [first, last].
static __device__ inline Walk walkOfKeys(const AttentionParameters &p,
                                         int64_t kvHead, int first, int last,
                                         int columns) {
  int64_t head = (kvHead + p.kvHeadOffset) * p.group - p.headOffset;
  int64_t firstHead = max(head, int64_t(0));
  int64_t heads = max(min(head + p.group, p.heads) - firstHead, int64_t(0));
  int begin = queriesOf(p, first).begin / columns;
  int tiles = max((queriesOf(p, last).end + columns - 1) / columns - begin, 0);
  return {firstHead, begin, tiles, int(heads * tiles)};
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_WALK_CUH
