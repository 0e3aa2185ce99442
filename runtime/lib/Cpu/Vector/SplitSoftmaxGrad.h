//===- SplitSoftmaxGrad.h - split gradients of softmax ---------*- C++ -*-===//
//
// Part of Split.cpp, which is compiled for processors with a matrix unit:
// everything has internal linkage.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_SPLITSOFTMAXGRAD_H
#define HOCKET_LIB_CPU_VECTOR_SPLITSOFTMAXGRAD_H

#include "runtime/lib/Cpu/Vector/SplitProducts.h"

namespace hocket::runtime {
namespace {

/// Makes 32 x 32 scores weights, and gradients of these those of the scores,
/// two rows at a time, 16 apart.
class GradRows {
public:
  explicit GradRows(const SplitSoftmaxGrad &all) : all(all) {}

  struct Buffers {
    alignas(64) float scores[splitDepth * splitDepth];
    alignas(64) float gradients[splitDepth * splitDepth];
  };
  void begin(int64_t firstRow, int64_t firstColumn, const Buffers &from) {
    row = firstRow, column = firstColumn, buffers = &from;
    int64_t right = (column / splitSide * all.rightStep + row / splitDepth);
    int64_t left = row / splitSide * all.leftStep + column / splitDepth;
    weights = all.weightsRight + right * splitBlock;
    scoresRight = all.scoresRight + right * splitBlock;
    scoresLeft = all.scoresLeft + left * splitBlock;
    done = 0;
  }
  [[gnu::always_inline]] void operator()() {
    if (done < splitSide)
      next<false>();
  }
  template <bool isCut> void finish() {
    while (done < splitSide)
      next<isCut>();
  }

private:
  template <bool isCut> [[gnu::always_inline]] void next() {
    const int64_t r = done++;
    Floats p[2][2], g[2][2];
    for (int i = 0; i < 2; ++i)
      weigh<isCut>(r + i * splitSide, p[i], g[i]);
    const int64_t step = all.rightStep * splitBlock;
    Integers across[2][3], along[2][3];
    for (int v = 0; v < 2; ++v) {
      splitPairsOf(p[0][v], p[1][v], across[v]);
      storeRows(weights + v * step, r, across[v]);
    }
    splitFour(g, across, along);
    for (int i = 0; i < 2; ++i) {
      storeRows(scoresRight + i * step, r, across[i]);
      storeRows(scoresLeft + i * all.leftStep * splitBlock, r, along[i]);
    }
  }

  /// As rowByLse.
  template <bool isCut>
  [[gnu::always_inline]] void weigh(int64_t r, Floats (&p)[2],
                                    Floats (&g)[2]) const {
    const SplitProduct &product = all.scores;
    ColumnRange seen = {0, product.columns};
    if constexpr (isCut) {
      if (row + r >= product.rows || all.lse[row + r] == lowest)
        seen.end = 0;
      else if (product.wanted)
        seen = product.wanted[row + r];
      if (seen.begin >= seen.end) {
        p[0] = p[1] = g[0] = g[1] = Floats{};
        return;
      }
    }
    const float lse = all.lse[row + r], mean = all.means[row + r];
    for (int v = 0; v < 2; ++v) {
      int64_t from = r * splitDepth + v * lanes;
      Floats x = load(buffers->scores + from) * all.factor - lse;
      Floats gradient = load(buffers->gradients + from);
      if constexpr (isCut) {
        ColumnRange inside = partOf(seen, column + v * lanes, lanes);
        x = keepRange(x, inside);
        gradient = keepRange(gradient, inside);
        gradient = gradient == lowest ? splat(mean) : gradient;
      }
      p[v] = exponential(x);
      g[v] = all.scale * p[v] * (gradient - mean);
    }
  }

  const SplitSoftmaxGrad &all;
  int64_t row = 0, column = 0, done = splitSide;
  const Buffers *buffers = nullptr;
  Pair *weights = nullptr, *scoresRight = nullptr, *scoresLeft = nullptr;
};

/// Zeros instead of the weights of 32 columns of 32 rows.
inline void clearRight(const SplitSoftmaxGrad &all, int64_t row,
                       int64_t block) {
  for (int64_t i = 2 * block; i < 2 * block + 2; ++i) {
    int64_t at = (i * all.rightStep + row / splitDepth) * splitBlock;
    __builtin_memset(all.weightsRight + at, 0, splitBlock * sizeof(Pair));
    __builtin_memset(all.scoresRight + at, 0, splitBlock * sizeof(Pair));
  }
}

void splitSoftmaxGrad(const SplitSoftmaxGrad &all) {
  const SplitProduct &p = all.scores;
  GradRows::Buffers buffers[2];
  GradRows waiting(all);
  bool isOther = false;
  const int64_t blocks = splitUp(p.columns) / splitDepth;
  for (int64_t row = 0; row < p.rows; row += splitDepth) {
    bool seesNothing = hasNumber(all.lse, row, p.rows, lowest);
    ColumnRange wanted = blocksOf(p.wanted, row, p.rows, blocks);
    for (int64_t block = 0; block < blocks; ++block) {
      if (block < wanted.begin || block >= wanted.end) {
        clearRight(all, row, block);
        continue;
      }
      int64_t column = block * splitDepth;
      GradRows::Buffers &to = buffers[isOther];
      isOther = !isOther;
      multiply(p, row, column, to.scores, waiting);
      multiply(all.gradients, row, column, to.gradients, waiting);
      waiting.finish<false>();
      waiting.begin(row, column, to);
      if (seesNothing || !isWholeBlock(p, row, column))
        waiting.finish<true>();
    }
  }
  waiting.finish<false>();
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_SPLITSOFTMAXGRAD_H
