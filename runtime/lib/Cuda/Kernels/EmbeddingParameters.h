//===- EmbeddingParameters.h - parameters of lookups ----------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_EMBEDDINGPARAMETERS_H
#define HOCKET_LIB_CUDA_KERNELS_EMBEDDINGPARAMETERS_H

#include "runtime/lib/Cuda/Kernels/LoopParameters.h"

namespace hocket::runtime::cuda {

/// Of a table of `rows` rows, which are ids [vocabOffset, vocabOffset + rows).
struct Vocabulary {
  int64_t vocab, vocabOffset, rows;
  uint64_t error; // a LookupError
};

/// Strides: of out, of table without its first dim, of ids.
struct EmbeddingParameters {
  uint64_t out, table, ids;
  uint64_t idsBegin; // of all parts
  int64_t rowStep;   // of table, bytes
  Vocabulary vocabulary;
  Loops loops;
};

/// keys[n] = the row of id n, or `rows` if there is none. Strides: of n, of
/// ids.
struct KeyParameters {
  uint64_t keys, ids;
  Vocabulary vocabulary;
  Loops loops;
};

/// Sorts by 8 bits of the keys. Blocks have sortItems each.
constexpr int sortItems = 2048, sortDigits = 256;
struct SortParameters {
  uint64_t keys, values; // values: 0 where they are 0, 1, ...
  uint64_t keysOut, valuesOut;
  uint64_t counts; // by digit and block
  uint64_t totals; // by digit
  uint32_t count, blocks, shift;
};

/// Sums of rows of dy over equal keys, which are sorted. The keys are cut in
/// pieces of sumItems; a thread sums one unit of the columns of a piece. A sum
/// that goes over several pieces is left by parts in `heads` (of a row that
/// began before) and `tails` (of one that goes on).
constexpr int sumItems = 64;
struct SumParameters {
  uint64_t out, dy, keys, places, heads, tails;
  int64_t outStep; // bytes, by row
  uint32_t count, rows, pieces;
  uint32_t hasUnits; // 0: there is one
  LoopDim units;     // of the columns; strides are not used
  Loops rowsOfDy;    // strides: of the place, of dy
  Loops columns;     // strides: of out, of dy
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_EMBEDDINGPARAMETERS_H
