//===- Lookups.cpp - embeddings as library calls --------------------------===//

#include "Instructions.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;
using namespace hocket::views;

/// The factors of ids and one size for what each looks up.
static Numbers rowsOf(Value ids, int64_t last) {
  Numbers sizes = factorSizes(nn::layoutOf(ids));
  sizes.push_back(last);
  return sizes;
}

Body planning::instructionOf(spmd::EmbeddingOp op, Call &call,
                             PlanTables &tables) {
  plan::Embedding embedding;
  embedding.table = call.byDims(op.getTable());
  embedding.ids = call.view(op.getIds());
  embedding.out = call.as(
      call.result(),
      rowsOf(op.getIds(), nn::layoutOf(op.getResult()).getShape().back()));
  embedding.vocabOffset = tables.scalar(op.getRows().getBegin());
  embedding.vocab = op.getRows().getExtent();
  return embedding;
}

Body planning::instructionOf(spmd::EmbeddingGradOp op, Call &call,
                             PlanTables &tables) {
  plan::EmbeddingGrad gradient;
  gradient.ids = call.view(op.getIds());
  gradient.dy = call.as(
      call.lies(op.getDy()),
      rowsOf(op.getIds(), nn::layoutOf(op.getResult()).getShape().back()));
  gradient.out = call.resultByDims();
  gradient.vocabOffset = tables.scalar(op.getRows().getBegin());
  gradient.vocab = op.getRows().getExtent();
  return gradient;
}
