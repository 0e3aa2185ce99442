//===- MatrixProduct.cpp - the product of two matrices, in blocks ---------===//
//
// b is copied in panels of 8 columns, a in panels of 4 rows, each panel with
// its k innermost but one, so that the inner loop reads both in order and keeps
// its 4 x 8 sums in registers:
//
//   panel of a: a[0..3, 0]  a[0..3, 1]  ...     panel of b: b[0, 0..7]  b[1,
//   ...
//
// Rows and columns beyond the edge are zeros.
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include <algorithm>
#include <vector>

namespace hocket::reference {

static constexpr int64_t panelRows = 4, panelColumns = 8;
// A panel of b of 16 KiB stays in the first cache, a block of a of 512 KiB in
// the second, a block of b of 2 MiB in the third.
static constexpr int64_t blockDepth = 256, blockRows = 256, blockColumns = 1024;

#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
// The same loop, compiled for wider vectors where the processor has them.
#define HOCKET_WIDEST_VECTORS                                                  \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HOCKET_WIDEST_VECTORS
#endif

/// Copies rows [0, rows) and depth [0, depth) in panels of `width` rows.
static void packRows(Matrix from, int64_t rows, int64_t depth, int64_t width,
                     double *to) {
  for (int64_t first = 0; first < rows; first += width)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t i = 0; i < width; ++i)
        *to++ = first + i < rows ? from.data[(first + i) * from.rowStride +
                                             k * from.columnStride]
                                 : 0.0;
}

static int64_t roundUp(int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

/// sums[i, j] = sum_k a[k, i] b[k, j]
HOCKET_WIDEST_VECTORS
static void multiplyPanels(const double *a, const double *b, int64_t depth,
                           double *sums) {
  double local[panelRows][panelColumns] = {};
  for (int64_t k = 0; k < depth; ++k, a += panelRows, b += panelColumns)
    for (int64_t i = 0; i < panelRows; ++i)
      for (int64_t j = 0; j < panelColumns; ++j)
        local[i][j] += a[i] * b[j];
  for (int64_t i = 0; i < panelRows; ++i)
    for (int64_t j = 0; j < panelColumns; ++j)
      sums[i * panelColumns + j] = local[i][j];
}

/// Adds the product of packed blocks to c, whose rows are `stride` apart.
static void multiplyBlocks(const std::vector<double> &a,
                           const std::vector<double> &b, double *c,
                           int64_t stride, int64_t m, int64_t n,
                           int64_t depth) {
  double sums[panelRows * panelColumns];
  for (int64_t column = 0; column < n; column += panelColumns)
    for (int64_t row = 0; row < m; row += panelRows) {
      multiplyPanels(&a[row * depth], &b[column * depth], depth, sums);
      int64_t rows = std::min(panelRows, m - row);
      int64_t columns = std::min(panelColumns, n - column);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          c[(row + i) * stride + column + j] += sums[i * panelColumns + j];
    }
}

void addProduct(Matrix a, Matrix b, double *c, int64_t m, int64_t n,
                int64_t k) {
  std::vector<double> packedA, packedB;
  for (int64_t column = 0; column < n; column += blockColumns) {
    int64_t columns = std::min(blockColumns, n - column);
    for (int64_t inner = 0; inner < k; inner += blockDepth) {
      int64_t depth = std::min(blockDepth, k - inner);
      packedB.resize(roundUp(columns, panelColumns) * depth);
      Matrix transposedB = {b.data + inner * b.rowStride +
                                column * b.columnStride,
                            b.columnStride, b.rowStride};
      packRows(transposedB, columns, depth, panelColumns, packedB.data());
      for (int64_t row = 0; row < m; row += blockRows) {
        int64_t rows = std::min(blockRows, m - row);
        packedA.resize(roundUp(rows, panelRows) * depth);
        Matrix partA = {a.data + row * a.rowStride + inner * a.columnStride,
                        a.rowStride, a.columnStride};
        packRows(partA, rows, depth, panelRows, packedA.data());
        multiplyBlocks(packedA, packedB, c + row * n + column, n, rows, columns,
                       depth);
      }
    }
  }
}

} // namespace hocket::reference
