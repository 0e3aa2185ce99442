//===- AttentionTiles.cpp - the tile products of attention ----------------===//

#include "runtime/lib/Cpu/AttentionTiles.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace hocket::runtime {

using dnnl::memory;

TileProduct::TileProduct(const dnnl::matmul::primitive_desc &descriptor)
    : primitive(descriptor), src(descriptor.src_desc(), cpuEngine(), nullptr),
      weights(descriptor.weights_desc(), cpuEngine(), nullptr),
      dst(descriptor.dst_desc(), cpuEngine(), nullptr),
      scratch(descriptor.scratchpad_desc(), cpuEngine(), nullptr),
      arguments{{DNNL_ARG_SRC, src.get()},
                {DNNL_ARG_WEIGHTS, weights.get()},
                {DNNL_ARG_DST, dst.get()},
                {DNNL_ARG_SCRATCHPAD, scratch.get()}} {}

void TileProduct::setScratch(void *scratchpad) {
  scratch.set_data_handle(scratchpad);
}

void TileProduct::run(dnnl::stream &stream, void *srcData, void *weightData,
                      void *dstData) {
  src.set_data_handle(srcData);
  weights.set_data_handle(weightData);
  dst.set_data_handle(dstData);
  // Arguments and scratch are fixed; what could fail failed when creating.
  dnnl_primitive_execute(primitive.get(), stream.get(), 4, arguments);
}

float rowDot(const float *a, const float *b, int64_t step, int64_t count) {
  float sums[8] = {};
  int64_t d = 0;
  for (; step == 1 && d + 8 <= count; d += 8)
    for (int lane = 0; lane < 8; ++lane)
      sums[lane] += a[d + lane] * b[d + lane];
  for (; d < count; ++d)
    sums[d % 8] += a[d] * b[d * step];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
         ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

void fillMask(const AttentionArguments &arguments, int64_t b, int64_t count,
              float *mask) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  for (int64_t j = 0; j < count; ++j)
    mask[j] = arguments.isKept(b, j) ? 0.0f : lowest;
}

const ColumnRange *visibleColumns(const AttentionArguments &arguments,
                                  int64_t row, int64_t rows, KeyPieces pieces,
                                  ColumnRange *ranges) {
  const KeyPiece &last = pieces.first[pieces.count - 1];
  if (arguments.keyLimit(row) >= last.key + last.count &&
      arguments.keyBegin(row + rows - 1) <= pieces.first->key)
    return nullptr;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t begin = arguments.keyBegin(row + r);
    int64_t limit = arguments.keyLimit(row + r);
    ranges[r] = {0, 0};
    for (const KeyPiece &piece : pieces) {
      ranges[r].begin += std::clamp<int64_t>(begin - piece.key, 0, piece.count);
      ranges[r].end += std::clamp<int64_t>(limit - piece.key, 0, piece.count);
    }
    ranges[r].begin = std::min(ranges[r].begin, ranges[r].end);
  }
  return ranges;
}

void storeSums(const AttentionArguments &arguments, const TileSums &tile) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  int64_t step = arguments.out.strides[3], width = arguments.out.shape[3];
  for (int64_t r = 0; r < tile.rows; ++r) {
    float *to = rowOf(arguments.out, tile.b, tile.h, tile.row + r);
    const float *from = tile.output + r * width, sum = tile.sums[r];
    if (arguments.lse)
      rowOf(*arguments.lse, tile.b, tile.h, tile.row + r)[0] =
          sum == 0.0f ? lowest : tile.maxima[r] + std::log(sum);
    // A sum of 0: there was nothing to attend to.
    if (sum == 0.0f) {
      for (int64_t d = 0; d < width; ++d)
        to[d * step] = 0.0f;
      continue;
    }
    float inverse = 1.0f / sum;
    if (step == 1)
      for (int64_t d = 0; d < width; ++d)
        to[d] = from[d] * inverse;
    else
      for (int64_t d = 0; d < width; ++d)
        to[d * step] = from[d] * inverse;
  }
}

memory::desc tileMatrix(int64_t rows, int64_t columns, int64_t rowStride,
                        int64_t columnStride) {
  // A dim of extent 1 needs a stride that oneDNN takes for a leading dim.
  if (columns == 1)
    columnStride = 1;
  if (rows == 1)
    rowStride = columnStride == 1 ? columns : 1;
  return {{rows, columns}, memory::data_type::f32, {rowStride, columnStride}};
}

dnnl::matmul::primitive_desc tileProduct(const memory::desc &src,
                                         const memory::desc &weights,
                                         const memory::desc &dst,
                                         bool accumulate) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (accumulate) {
    dnnl::post_ops operations;
    operations.append_sum(1.0f);
    attributes.set_post_ops(operations);
  }
  return {dnnl::matmul::desc(src, weights, dst), attributes, cpuEngine()};
}

/// One of the strides is 1 and the other does not overlap.
static bool isPlain(int64_t rows, int64_t columns, int64_t rowStride,
                    int64_t columnStride) {
  return (columnStride == 1 && (rowStride >= columns || rows == 1)) ||
         (rowStride == 1 && (columnStride >= rows || columns == 1));
}

bool TilePlan::make(const AttentionArguments &arguments) {
  const Operand &q = arguments.q, &k = arguments.k, &v = arguments.v;
  int64_t queries = q.shape[2], keyCount = k.shape[2];
  int64_t depth = q.shape[3], width = v.shape[3];
  queryTile = std::min<int64_t>(queries, 128);
  // Causality and windows skip whole tiles, so small ones skip more.
  bool skips = arguments.isLimited() || arguments.before >= 0;
  keyTile = skips              ? std::min<int64_t>(keyCount, 128)
            : keyCount <= 1024 ? keyCount
                               : 512;
  rows[0] = queryTile;
  rows[1] = queries % queryTile;
  columns[0] = keyTile;
  columns[1] = keyCount % keyTile;
  // Packing reads all keys once; it pays if several query tiles follow.
  bool pays = queries >= 4 * queryTile;
  packsKeys = pays || !isPlain(keyCount, depth, k.strides[2], k.strides[3]);
  copiesQueries = !isPlain(queryTile, depth, q.strides[2], q.strides[3]);
  packsValues = pays || !isPlain(keyCount, width, v.strides[2], v.strides[3]);
  for (int column = 0; column < 2; ++column) {
    if (columns[column] == 0)
      continue;
    plainKeys[column] =
        tileMatrix(depth, columns[column], k.strides[3], k.strides[2]);
    plainValues[column] =
        tileMatrix(columns[column], width, v.strides[2], v.strides[3]);
  }
  try {
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        if (rows[row] > 0 && columns[column] > 0 &&
            !makeProducts(arguments, row, column))
          return false;
  } catch (const dnnl::error &) {
    return false;
  }
  return true;
}

bool TilePlan::makeProducts(const AttentionArguments &arguments, int row,
                            int column) {
  const Operand &q = arguments.q;
  int64_t depth = q.shape[3], width = arguments.v.shape[3];
  int64_t m = rows[row], n = columns[column];
  memory::desc queries = copiesQueries
                             ? tileMatrix(m, depth, depth, 1)
                             : tileMatrix(m, depth, q.strides[2], q.strides[3]);
  memory::desc scores = tileMatrix(m, n, n, 1),
               output = tileMatrix(m, width, width, 1);
  // The first row index chooses the packed layouts, the second follows.
  memory::desc anyKeys({depth, n}, memory::data_type::f32,
                       memory::format_tag::any);
  memory::desc anyValues({n, width}, memory::data_type::f32,
                         memory::format_tag::any);
  if (row == 0) {
    keys[column] = packsKeys ? anyKeys : plainKeys[column];
    values[column] = packsValues ? anyValues : plainValues[column];
  }
  Products &made = products[row][column];
  made.scores = tileProduct(queries, keys[column], scores, false);
  keys[column] = made.scores.weights_desc();
  made.first = tileProduct(scores, values[column], output, false);
  values[column] = made.first.weights_desc();
  made.more = tileProduct(scores, values[column], output, true);
  for (const auto *one : {&made.scores, &made.first, &made.more}) {
    if (!isFast(*one))
      return false;
    scratchpad = std::max<int64_t>(
        scratchpad, static_cast<int64_t>(one->scratchpad_desc().get_size()));
  }
  return true;
}

int64_t TilePlan::keyTileBytes() const {
  return static_cast<int64_t>(
      std::max(keys[0].get_size(), columns[1] ? keys[1].get_size() : 0));
}

int64_t TilePlan::valueTileBytes() const {
  return static_cast<int64_t>(
      std::max(values[0].get_size(), columns[1] ? values[1].get_size() : 0));
}

} // namespace hocket::runtime
