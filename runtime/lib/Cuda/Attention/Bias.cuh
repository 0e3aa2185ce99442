//===- Bias.cuh - scores of 16-bit floats with a bias ----------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_BIAS_CUH
#define HOCKET_LIB_CUDA_ATTENTION_BIAS_CUH

#include "runtime/lib/Cuda/Attention/Fragments.cuh"
#include "runtime/lib/Cuda/Attention/Heads.cuh"

namespace hocket::runtime::cuda {

/// What scores are counted from, so that they have their bias once they are
/// scaled: `unscaled` of it. Of a fragment's rows, the first of which is `row`,
/// and its columns from `column` on; rows are queries, or keys.
template <class T, bool areKeys, int columns, int m>
static __device__ inline void beginScores(const AttentionParameters &p,
                                          int64_t b, int64_t head,
                                          float (&scores)[m][columns / 8][4],
                                          int row, int column, float unscaled) {
#pragma unroll
  for (int i = 0; i < m; ++i)
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int r = row + 16 * i + rowOfLane(e);
        const int c = column + 8 * n + columnOfLane(e % 2);
        scores[i][n][e] =
            unscaled *
            biasOf<T, float>(p, b, head, areKeys ? c : r, areKeys ? r : c);
      }
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_BIAS_CUH
