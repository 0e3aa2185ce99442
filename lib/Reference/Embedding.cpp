//===- Embedding.cpp - rows of a table by ids, and their gradient ---------===//

#include "Operations.h"
#include "dialects/Nn/Products.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace hocket::reference {

/// Number `at` of the ids, as a row of a table of `rows`; an error and -1 if it
/// is none.
static int64_t rowOf(const Tensor &ids, size_t at, int64_t rows, Call &call) {
  double id = ids.values[at];
  if (id >= 0 && id < rows)
    return id;
  call.error =
      llvm::formatv("id {0} (number {1} of {2}) is outside of the "
                    "table, which has {3} rows: 0 to {4}",
                    int64_t(id), at, ids.values.size(), rows, rows - 1);
  return -1;
}

/// y[..., :] = table[ids[...], :]
void evaluateEmbedding(nn::EmbeddingOp op, Call &call) {
  const Tensor &table = call.operand(0), &ids = call.operand(1);
  int64_t rows = table.shape[0], width = table.shape[1];
  for (size_t at = 0; at < ids.values.size(); ++at) {
    int64_t row = rowOf(ids, at, rows, call);
    if (row < 0)
      return;
    std::copy_n(&table.values[row * width], width,
                &call.result.values[at * width]);
  }
}

/// table[ids[...], :] += dy[..., :]
void evaluateEmbeddingGrad(nn::EmbeddingGradOp op, Call &call) {
  const Tensor &ids = call.operand(0), &dy = call.operand(1);
  int64_t rows = call.result.shape[0], width = call.result.shape[1];
  for (size_t at = 0; at < ids.values.size(); ++at) {
    int64_t row = rowOf(ids, at, rows, call);
    if (row < 0)
      return;
    for (int64_t i = 0; i < width; ++i)
      call.result.values[row * width + i] += dy.values[at * width + i];
  }
}

} // namespace hocket::reference
