//===- SplitProducts.h - products of split matrices ------------*- C++ -*-===//
//
// Part of Split.cpp, which is compiled for processors with a matrix unit:
// everything has internal linkage.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_SPLITPRODUCTS_H
#define HOCKET_LIB_CPU_VECTOR_SPLITPRODUCTS_H

#include "runtime/lib/Cpu/Vector/RowProduct.h"
#include "runtime/lib/Cpu/Vector/SoftmaxProduct.h"
#include "runtime/lib/Cpu/Vector/SplitParts.h"

namespace hocket::runtime {
namespace {

/// Where two blocks beside one another begin.
struct TwoBlocks {
  const Pair *first, *second;
};

/// Tiles 4 and 5, or 6 and 7, become a part of two blocks.
template <int part> inline void loadLeft(TwoBlocks a) {
  _tile_loadd(4, a.first + part * splitTile, 64);
  _tile_loadd(5, a.second + part * splitTile, 64);
}
template <int part> inline void loadRight(TwoBlocks b) {
  _tile_loadd(6, b.first + part * splitTile, 64);
  _tile_loadd(7, b.second + part * splitTile, 64);
}
inline void addProducts() {
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

/// What is computed while the unit multiplies: at each of 6 times a block.
struct Nothing {
  void operator()() const {}
};

/// Tiles 0 to 3, 32 x 32 sums, += the six products of parts of each of `depth`
/// blocks.
template <typename Meanwhile>
[[gnu::always_inline]] inline void
addBlocks(TwoBlocks a, TwoBlocks b, int64_t depth, Meanwhile &meanwhile) {
  for (int64_t k = 0; k < depth; ++k) {
    loadLeft<0>(a);
    loadRight<2>(b);
    addProducts();
    meanwhile();
    loadRight<1>(b);
    addProducts();
    meanwhile();
    loadRight<0>(b);
    addProducts();
    meanwhile();
    loadLeft<2>(a);
    addProducts();
    meanwhile();
    loadLeft<1>(a);
    addProducts();
    meanwhile();
    loadRight<1>(b);
    addProducts();
    meanwhile();
    a = {a.first + splitBlock, a.second + splitBlock};
    b = {b.first + splitBlock, b.second + splitBlock};
  }
}

inline void clearSums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}
inline void loadSums(const float *c, int64_t pitch) {
  _tile_loadd(0, c, pitch * 4);
  _tile_loadd(1, c + splitSide, pitch * 4);
  _tile_loadd(2, c + splitSide * pitch, pitch * 4);
  _tile_loadd(3, c + splitSide * pitch + splitSide, pitch * 4);
}
inline void storeSums(float *c, int64_t pitch) {
  _tile_stored(0, c, pitch * 4);
  _tile_stored(1, c + splitSide, pitch * 4);
  _tile_stored(2, c + splitSide * pitch, pitch * 4);
  _tile_stored(3, c + splitSide * pitch + splitSide, pitch * 4);
}

/// From the first to the last block of 32 of ranges of rows [row, row + 32) of
/// `rows`.
inline ColumnRange blocksOf(const ColumnRange *ranges, int64_t row,
                            int64_t rows, int64_t blocks) {
  if (!ranges)
    return {0, blocks};
  ColumnRange span =
      spanOf(ranges, row, rows - row < splitDepth ? rows - row : splitDepth);
  return {span.begin / splitDepth, splitUp(span.end) / splitDepth};
}

inline TwoBlocks twoOf(const Pair *first, int64_t step, int64_t block) {
  const Pair *one = first + block * 2 * step * splitBlock;
  return {one, one + step * splitBlock};
}

/// Blocks (row, column), 32 by 32, of c.
inline void productOfBlock(const SplitProduct &p, int64_t row, int64_t column,
                           ColumnRange used) {
  Nothing nothing;
  float *c = p.c + row * splitDepth * p.cPitch + column * splitDepth;
  if (p.accumulate)
    loadSums(c, p.cPitch);
  else
    clearSums();
  int64_t before = 0;
  TwoBlocks a = twoOf(p.a, p.aStep, row);
  for (int64_t term = 0; term < p.count; ++term) {
    auto [begin, end] = partOf(used, before, p.terms[term].depth);
    TwoBlocks b = twoOf(p.terms[term].b, p.bStep, column);
    int64_t left = (before + begin) * splitBlock, right = begin * splitBlock;
    if (begin < end)
      addBlocks({a.first + left, a.second + left},
                {b.first + right, b.second + right}, end - begin, nothing);
    before += p.terms[term].depth;
  }
  storeSums(c, p.cPitch);
}

void splitProduct(const SplitProduct &p) {
  int64_t columns = splitUp(p.columns) / splitDepth;
  for (int64_t row = 0; row < splitUp(p.rows) / splitDepth; ++row) {
    ColumnRange wanted = blocksOf(p.wanted, row * splitDepth, p.rows, columns);
    ColumnRange used =
        blocksOf(p.nonzero, row * splitDepth, p.rows, INT64_MAX / splitDepth);
    for (int64_t column = wanted.begin; column < wanted.end; ++column)
      productOfBlock(p, row, column, used);
  }
}

/// Makes 32 scores of a row weights. `isCut`: those outside `wanted` become 0,
/// and the row may have no shift.
template <bool isCut>
[[gnu::always_inline]] inline void weigh(const SplitWeights &all, int64_t row,
                                         int64_t column, Floats (&two)[2]) {
  float shift = all.shifts[row];
  if constexpr (isCut) {
    const ColumnRange *ranges = all.product.wanted;
    ColumnRange wanted =
        ranges ? ranges[row] : ColumnRange{0, all.product.columns};
    for (int v = 0; v < 2; ++v)
      two[v] = keepRange(two[v], partOf(wanted, column + v * lanes, lanes));
    const WeightProduct of = {{}, all.factor, all.shifts, all.totals};
    shift = shiftOf(of, row,
                    [&] { return overLanes(larger(two[0], two[1]), larger); });
  }
  float *const totals = all.totals + row * lanes;
  for (int v = 0; v < 2; ++v)
    two[v] = exponential(two[v] * all.factor - shift);
  store(totals, load(totals) + (two[0] + two[1]));
}

/// The same of 16 rows, which may be cut, split to one block.
void weighBlock(const SplitWeights &all, int64_t row, int64_t column,
                const float *scores) {
  Pair *block = all.to + (row / splitSide * all.toStep + column / splitDepth) *
                             splitBlock;
  int64_t count = all.product.rows - row;
  for (int64_t r = 0; r < splitSide; ++r) {
    Floats two[2] = {};
    if (r < count) {
      two[0] = load(scores + r * splitDepth);
      two[1] = load(scores + r * splitDepth + lanes);
      weigh<true>(all, row + r, column, two);
    }
    Integers rows[3];
    splitPairsOf(two[0], two[1], rows);
    storeRows(block, r, rows);
  }
}

/// Makes 32 x 32 scores weights, none of which is cut, a row at a time.
class WeightRows {
public:
  explicit WeightRows(const SplitWeights &all) : all(all) {}

  void begin(int64_t firstRow, int64_t firstColumn, const float *from) {
    row = firstRow, column = firstColumn, scores = from;
    to = all.to +
         (row / splitSide * all.toStep + column / splitDepth) * splitBlock;
    left = splitDepth;
  }
  [[gnu::always_inline]] void operator()() {
    if (left >= atOnce)
      for (int i = 0; i < atOnce; ++i)
        next();
  }
  void finish() {
    while (left > 0)
      next();
  }

private:
  static constexpr int atOnce = 3;

  [[gnu::always_inline]] void next() {
    Floats two[2] = {load(scores), load(scores + lanes)};
    weigh<false>(all, row, column, two);
    Integers rows[3];
    splitPairsOf(two[0], two[1], rows);
    storeRows(to, 0, rows);
    scores += splitDepth;
    to += splitSide;
    ++row;
    if (--left == splitSide)
      to += all.toStep * splitBlock - splitTile;
  }

  const SplitWeights &all;
  int64_t row = 0, column = 0, left = 0;
  const float *scores = nullptr;
  Pair *to = nullptr;
};

/// Whether 32 rows of a product all want 32 columns.
inline bool isWholeBlock(const SplitProduct &p, int64_t row, int64_t column) {
  if (row + splitDepth > p.rows || column + splitDepth > p.columns)
    return false;
  for (int64_t r = row; p.wanted && r < row + splitDepth; ++r)
    if (p.wanted[r].begin > column || p.wanted[r].end < column + splitDepth)
      return false;
  return true;
}

/// Whether one of 32 rows has this number.
inline bool hasNumber(const float *numbers, int64_t row, int64_t rows,
                      float number) {
  bool has = false;
  for (int64_t r = row; r < rows && r < row + splitDepth; ++r)
    has |= numbers[r] == number;
  return has;
}

/// 32 x 32 elements of a product whose terms have columns of their own.
template <typename Meanwhile>
inline void multiply(const SplitProduct &p, int64_t row, int64_t column,
                     float *to, Meanwhile &meanwhile) {
  const SplitTerm &term = p.terms[column / p.termColumns];
  clearSums();
  addBlocks(twoOf(p.a, p.aStep, row / splitDepth),
            twoOf(term.b, p.bStep, column % p.termColumns / splitDepth),
            term.depth, meanwhile);
  storeSums(to, splitDepth);
}

/// Scores become weights while the unit multiplies the next ones.
void splitWeights(const SplitWeights &all) {
  const SplitProduct &p = all.product;
  alignas(64) float scores[2][splitDepth * splitDepth];
  WeightRows waiting(all);
  bool isOther = false;
  for (int64_t row = 0; row < p.rows; row += splitDepth) {
    auto [begin, end] =
        blocksOf(p.wanted, row, p.rows, splitUp(p.columns) / splitDepth);
    for (int64_t block = begin; block < end; ++block, isOther = !isOther) {
      float *to = scores[isOther];
      int64_t column = block * splitDepth;
      multiply(p, row, column, to, waiting);
      waiting.finish();
      if (isWholeBlock(p, row, column) &&
          !hasNumber(all.shifts, row, p.rows, lowest))
        waiting.begin(row, column, to);
      else
        for (int64_t half = 0; half < splitDepth; half += splitSide)
          weighBlock(all, row + half, column, to + half * splitDepth);
    }
  }
  waiting.finish();
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_SPLITPRODUCTS_H
