//===- VectorFunctions.h - inner loops compiled per processor --*- C++ -*-===//
//
// The same sources are compiled for x86-64-v3 (AVX2) and for x86-64-v4
// (AVX-512), and the processor chooses when the program starts.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CPU_VECTORFUNCTIONS_H
#define HOCKET_CPU_VECTORFUNCTIONS_H

#include <stdint.h>

namespace hocket::runtime {

/// out[i] = terms[0][i] op terms[1][i] op ... in this order, count >= 1.
/// `out` may be one of the terms.
using ReduceFunction = void (*)(void *out, const void *const *terms,
                                int64_t count, int64_t elements);

/// Columns [begin, end) of a tile.
struct ColumnRange {
  int64_t begin, end;
};

/// One tile of online softmax over `rows` x `columns` scores, in place.
struct SoftmaxTile {
  float *scores; // row pitch `pitch`; becomes exp(scale * score - shift)
  int64_t pitch, rows, columns;
  float scale;
  const float *mask; // added to scaled scores (0 or -inf) by column, or null
  const ColumnRange *visible; // by row, what it attends to; or null: all
  /// By row, running: not far below the largest scaled score; -inf at the
  /// start. A tile makes it the largest so far.
  float *shifts;
  float *sums;    // by row: running sum of what scores become
  float *rescale; // by row, out: what earlier accumulations shrink by
  /// Added to scaled scores, or null; rows `addedPitch` apart.
  const float *added = nullptr;
  int64_t addedPitch = 0;
};

/// One tile of the gradient of softmax, in place: `scores` become p =
/// exp(scale * score + mask + added - lse), and `gradients`, g of p, become
/// gradientScale * p * (g - mean). Rows of a `whole` tile don't read means, and
/// don't depend on how lse was rounded: see softmaxGradRow in AttentionRows.h.
struct SoftmaxGradTile {
  float *scores, *gradients;
  int64_t pitch, rows, columns;
  float scale, gradientScale;
  const float *lse;   // by row: of all its scores, -inf if there is none
  const float *means; // by row: the sum of p * g over all columns
  const float *mask;  // 0 or -inf by column, or null
  const ColumnRange *visible; // as in SoftmaxTile
  /// The tile has all columns that its rows attend to.
  bool whole = false;
  const float *added = nullptr; // as in SoftmaxTile
  int64_t addedPitch = 0;
};

/// row[j] *= scale where the random word of element `first` + j (see
/// hocket/Random/Philox.h) is at least `threshold`, else row[j] = 0.
struct DropRow {
  float *row;
  int64_t count;
  uint64_t first, key;
  uint32_t step, threshold;
  float scale;
};

/// The innermost product of a blocked matmul in element type T:
/// acc[i][j] += sum_p a[p*rows + i] * b[p*columns + j], packed panels.
constexpr int panelRows = 6, panelColumns = 16;
template <typename T>
using PanelProduct = void (*)(int64_t depth, const T *a, const T *b, T *acc,
                              int64_t accPitch);

/// c [rows, columns] = a b, or += with `accumulate`. Row p of b is one of
/// `terms`, which follow one another, each `depth` rows of it, `bPitch` apart;
/// element (i, p) of a is at a[i * aRow + p * aColumn]. Ranges leave out what
/// is masked, to a few rows and columns.
struct RowTerm {
  const float *b;
  int64_t depth;
};
/// `rows` rows of `size` floats that are read or written soon.
struct RowsAhead {
  const float *first = nullptr;
  int64_t pitch = 0, rows = 0, size = 0;
};
struct RowProduct {
  const float *a;
  int64_t aRow, aColumn;
  const RowTerm *terms;
  int64_t count, bPitch;
  float *c;
  int64_t cPitch, rows, columns;
  bool accumulate;
  /// By row, the columns of c that are wanted, or null: all. Others may be left
  /// as they are.
  const ColumnRange *wanted = nullptr;
  /// By row, the columns of a that are not 0, or null: all. Rows near one
  /// another may read what is 0.
  const ColumnRange *nonzero = nullptr;
  /// Memory is asked for row i of these on the way to row i of c.
  RowsAhead ahead[2] = {};
};

/// A product whose elements x become weights, exp(factor * x - shift); those
/// that are not wanted become 0.
struct WeightProduct {
  RowProduct product;
  float factor;
  /// By row; -inf becomes the largest of (the first of) the row's factor * x.
  float *shifts;
  float *totals; // by row: 16 parts of a sum, to which weights are added
};

/// Sums += the totals, which are used up, unless a total is above `mostTotal`
/// or not a number, or a shift is in the millions: then exponentials may have
/// been too large, and nothing is added. Shifts of -inf are of rows that have
/// seen nothing.
struct WeightTotals {
  int64_t rows;
  const float *shifts;
  float *totals, *sums;
};
constexpr float mostTotal = 1048576.0f;

/// to[j * toPitch + i] = from[i * fromPitch + j], i < rows, j < columns.
struct Transposition {
  float *to;
  int64_t toPitch;
  const float *from;
  int64_t fromPitch, rows, columns;
};

/// Rows of T, `size` elements each: those of a grid of three dims, from `first`
/// on, numbered with the last dim innermost.
template <typename T> struct WindowRows {
  T *first;
  int64_t counts[3], steps[3];
  int64_t size;
};

template <typename T> struct WindowFunctions {
  /// out[number] = the inner product of `row` and the window's.
  void (*dots)(const WindowRows<const T> &window, const T *row, T *out);
  /// sum += the window's rows, each times its factor.
  void (*sum)(const WindowRows<const T> &window, const T *factors, T *sum);
  /// Each of the window's rows += `row` times its factor.
  void (*add)(const WindowRows<T> &window, const T *factors, const T *row);
};

struct VectorFunctions {
  const char *name;
  /// By reduction (Sum, Max, Min) and type (F32, F64, I32, I64).
  ReduceFunction reduceF32[3], reduceF64[3], reduceI32[3], reduceI64[3];
  void (*softmaxTile)(const SoftmaxTile &tile);
  void (*softmaxGradTile)(const SoftmaxGradTile &tile);
  void (*dropRow)(const DropRow &drop);
  /// row[i] *= factor.
  void (*scaleRow)(float *row, int64_t count, float factor);
  void (*rowProduct)(const RowProduct &product);
  void (*weightProduct)(const WeightProduct &product);
  /// Whether they were added.
  bool (*addTotals)(const WeightTotals &totals);
  void (*transpose)(const Transposition &transposition);
  PanelProduct<float> productF32;
  PanelProduct<double> productF64;
  PanelProduct<int32_t> productI32;
  PanelProduct<int64_t> productI64;
  WindowFunctions<float> windowF32;
  WindowFunctions<double> windowF64;
};

/// The best set for this processor.
const VectorFunctions &vectorFunctions();

} // namespace hocket::runtime

#endif // HOCKET_CPU_VECTORFUNCTIONS_H
