//===- AttentionGradWorker.h - one thread's part of a gradient --*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONGRADWORKER_H
#define HOCKET_LIB_CPU_ATTENTIONGRADWORKER_H

#include "hocket/Cpu/StridedCopy.h"
#include "hocket/Cpu/VectorFunctions.h"
#include "runtime/lib/Cpu/AttentionGradTiles.h"

namespace hocket::runtime {

/// A copy of rows [count, columns] of a head to dense rows, to their
/// transposition, or back.
struct RowCopies {
  StridedCopy dense, transposed;

  RowCopies() = default;
  RowCopies(const Operand &from, int64_t count, int64_t pitch) {
    std::vector<int64_t> shape = {count, from.shape[3]};
    std::vector<int64_t> given = {from.strides[2], from.strides[3]};
    dense = StridedCopy(shape, given, {from.shape[3], 1}, sizeof(float));
    transposed = StridedCopy(shape, given, {1, pitch}, sizeof(float));
  }
};

/// One thread's products and memory.
class GradWorker {
public:
  GradWorker(const AttentionGradArguments &arguments, const GradPlan &plan);

  int64_t scratchBytes() const { return bytes; }
  void setScratch(char *scratch);
  /// Adds what blocks of a kv head, piece `piece` of them, give to `sums`,
  /// dK^T and then dV^T.
  void runPiece(int64_t b, int64_t kvHead, int64_t piece, float *sums);
  void store(int64_t b, int64_t kvHead, const float *sums);

private:
  void loadKeys(int64_t b, int64_t kvHead);
  /// Queries of one head from `row` on, those of a block. They read keys of the
  /// tiles from `begin` on, below `limit`.
  struct Block {
    int64_t b, h, row, rows, begin, limit;
    bool isOneTile;
  };
  void runBlock(int64_t b, int64_t h, int64_t row, float *sums);
  void loadRows(const Block &block, int index);
  void runTile(const Block &block, int64_t column, int64_t columns);
  void dropTile(const Block &block, int64_t column, int64_t columns,
                float *tile);

  struct Products {
    TileProduct scores, weights, queries, keys, values;
  };

  const AttentionGradArguments &given;
  const AttentionArguments &forward;
  const GradPlan &plan;
  const VectorFunctions &functions;
  dnnl::stream stream;
  std::vector<ColumnRange> ranges;
  Products products[2][2];
  RowCopies copyQueries[2], copyGradients[2], copyKeys, copyValues;
  StridedCopy storeQueries[2], storeKeys, storeValues;
  int64_t bytes = 0;
  float *scores = nullptr, *gradients = nullptr, *keys = nullptr,
        *keysT = nullptr, *valuesT = nullptr, *query = nullptr,
        *queryT = nullptr, *dout = nullptr, *doutT = nullptr,
        *queryGradient = nullptr, *lse = nullptr, *means = nullptr,
        *mask = nullptr;
  char *scratchpad = nullptr;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONGRADWORKER_H
