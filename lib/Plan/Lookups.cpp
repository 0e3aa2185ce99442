//===- Lookups.cpp - embeddings as library calls --------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Products.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

LogicalResult ClassPlanner::planEmbedding(nn::EmbeddingOp op) {
  plan::Embedding embedding;
  embedding.table = byDims(*op, op.getTable()).view();
  auto layout = nn::layoutOf(op.getResult());
  auto idsLayout = nn::layoutOf(op.getIds());
  Strided ids = get(op.getIds());
  embedding.ids = ids.view();
  Strided out = allocate(op.getType(), {});
  values[op.getResult()] = out;
  Numbers shape = factorSizes(idsLayout);
  shape.push_back(layout.getDims().back().getSize());
  embedding.out = reshaped(out, shape)->view();
  embedding.vocabOffset =
      tables.scalar(op->getAttrOfType<spmd::TableAttr>(spmd::kVocabOffset));
  embedding.vocab = op->getAttrOfType<IntegerAttr>(spmd::kVocab).getInt();
  emit(*op, embedding);
  return success();
}

LogicalResult ClassPlanner::planEmbeddingGrad(nn::EmbeddingGradOp op) {
  plan::EmbeddingGrad gradient;
  gradient.ids = get(op.getIds()).view();
  Numbers shape = factorSizes(nn::layoutOf(op.getIds()));
  auto layout = nn::layoutOf(op.getResult());
  shape.push_back(layout.getDims().back().getSize());
  gradient.dy =
      reshapedOrCopied(*op, get(op.getDy()), shape, typeOf(op.getDy())).view();
  Strided out = allocate(op.getType(), {});
  values[op.getResult()] = out;
  gradient.out = reshaped(out, layout.getShape())->view();
  gradient.vocabOffset =
      tables.scalar(op->getAttrOfType<spmd::TableAttr>(spmd::kVocabOffset));
  gradient.vocab = op->getAttrOfType<IntegerAttr>(spmd::kVocab).getInt();
  emit(*op, gradient);
  return success();
}
