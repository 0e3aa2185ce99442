//===- SplitFunctions.h - float32 products by a matrix unit ----*- C++ -*-===//
//
// A matrix unit (AMX) multiplies tiles of bf16 numbers and adds in float32,
// several times as fast as float32 units do. A float32 number is the sum of
// three bf16 numbers, of 8 bits each: high + middle + low. Of the nine products
// of two such sums the six largest, high * high down to middle * middle, are
// about as exact as a float32 product: what is left out is at most about 2^-24
// of it (Henry, Tang, Heinecke: Leveraging the bfloat16 Artificial Intelligence
// Datatype For Higher-Precision Computations, ARITH 2019).
//
// The unit takes numbers below 2^-126 for 0, parts of numbers too: a number
// below 2^-110 has fewer bits. And parts of infinity are not numbers. Callers
// see to it with `largest`.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CPU_SPLITFUNCTIONS_H
#define HOCKET_CPU_SPLITFUNCTIONS_H

#include "hocket/Cpu/VectorFunctions.h"
#include "hocket/Runtime/Status.h"

namespace hocket::runtime {

/// Split matrices are of blocks: 16 by 32 elements, the 32 in the direction in
/// which a product adds. A block is three tiles, of the high, middle and low
/// parts, each of 16 rows of 16 pairs. The left side of a product has elements
/// (i, k) and (i, k + 16) in pair (i, k) of a block, the right side (k, j) and
/// (k + 16, j) in pair (k, j). Blocks that are beside one another in the
/// direction of the sum follow one another. All extents are filled up to
/// multiples of 32 with zeros.
using Pair = uint32_t;
constexpr int64_t splitSide = 16, splitDepth = 32;
constexpr int64_t splitTile = splitSide * splitSide, splitBlock = 3 * splitTile;

constexpr int64_t splitUp(int64_t extent) {
  return (extent + splitDepth - 1) / splitDepth * splitDepth;
}
/// The pairs of a split matrix.
constexpr int64_t splitPairs(int64_t rows, int64_t columns) {
  return splitUp(rows) * splitUp(columns) / 512 * splitBlock;
}

/// Splits `rows` x `columns` floats, rows `pitch` apart. Blocks that are beside
/// one another in the other direction than that of the sum are `step` blocks
/// apart.
struct Split {
  Pair *to;
  int64_t step;
  const float *from;
  int64_t pitch, rows, columns;
};

/// `depth` blocks in the direction of the sum.
struct SplitTerm {
  const Pair *b;
  int64_t depth;
};

/// c [rows, columns] = a b, or += with `accumulate`; c has rows and columns up
/// to multiples of 32. `terms` of b follow one another.
struct SplitProduct {
  const Pair *a;
  int64_t aStep; // as in Split
  const SplitTerm *terms;
  int64_t count, bStep;
  float *c;
  int64_t cPitch, rows, columns;
  bool accumulate;
  /// As in RowProduct: c and a, 32 by 32.
  const ColumnRange *wanted = nullptr, *nonzero = nullptr;
  /// Where terms do not follow one another in the direction of the sum, but
  /// beside it: the columns of each, except the last, which may have fewer.
  int64_t termColumns = 0;
};

/// A product whose terms have columns of their own. Its elements x become
/// weights as in WeightProduct, which are the left side of another product, and
/// are nowhere else.
struct SplitWeights {
  SplitProduct product; // without c
  float factor;
  float *shifts, *totals;
  Pair *to;
  int64_t toStep;
};

/// A tile of the gradient of softmax that is not whole, without masks: products
/// whose terms have columns of their own, scores and gradients g of weights,
/// become weights p = exp(factor * x - lse), and gradients of scores, scale * p
/// * (g - mean). Both are right sides of products over rows, the latter a left
/// side of one over columns, too, except where no row wants columns.
struct SplitSoftmaxGrad {
  SplitProduct scores, gradients; // without c
  float factor, scale;
  const float *lse, *means; // as in SoftmaxGradTile
  Pair *weightsRight, *scoresRight;
  int64_t rightStep;
  Pair *scoresLeft;
  int64_t leftStep;
};

struct SplitFunctions {
  /// What a thread does before and after it calls the others.
  void (*begin)();
  void (*end)();
  /// The bits of the largest magnitude; of what is not a number: larger ones.
  uint32_t (*largest)(const float *from, int64_t count);
  /// The left side of a product that adds over columns, and the right side of
  /// one with the transposed matrix.
  void (*left)(const Split &split);
  void (*rightOfTransposed)(const Split &split);
  /// The right side of a product that adds over rows, and the left side of one
  /// with the transposed matrix.
  void (*right)(const Split &split);
  void (*leftOfTransposed)(const Split &split);
  void (*product)(const SplitProduct &product);
  void (*weights)(const SplitWeights &weights);
  void (*softmaxGrad)(const SplitSoftmaxGrad &tile);
};

/// Null if there is no matrix unit, or if the system does not grant it.
const SplitFunctions *splitFunctions();
/// An error if the environment has a HOCKET_MATRIX_UNIT that is neither "on"
/// nor "off".
Status checkMatrixUnit();
/// Whether calls that are made from now on may use it; they do at the start.
void setSplitFunctions(bool allowed);

} // namespace hocket::runtime

#endif // HOCKET_CPU_SPLITFUNCTIONS_H
