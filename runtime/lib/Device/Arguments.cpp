//===- Arguments.cpp - what instructions of a plan read and write ---------===//

#include "runtime/lib/Device/Arguments.h"

namespace hocket::runtime {

AttentionArguments argumentsOf(const plan::Attention &attention,
                               const AddressBook &book) {
  AttentionArguments arguments;
  arguments.q = book.operand(attention.q);
  arguments.k = book.operand(attention.k);
  arguments.v = book.operand(attention.v);
  arguments.out = book.operand(attention.out);
  if (attention.lse.buffer >= 0)
    arguments.lse = book.operand(attention.lse);
  if (attention.keep.buffer >= 0)
    arguments.keep = book.operand(attention.keep);
  if (attention.keyDocuments.buffer >= 0)
    arguments.documents = Documents{book.operand(attention.queryDocuments),
                                    book.operand(attention.keyDocuments)};
  if (attention.bias.buffer >= 0)
    arguments.bias = book.operand(attention.bias);
  arguments.scale = attention.scale;
  arguments.causal = attention.causal;
  arguments.group = attention.group;
  arguments.headOffset = book.value(attention.headOffset);
  arguments.kvHeadOffset = book.value(attention.kvHeadOffset);
  arguments.queryOffset = book.value(attention.queryOffset);
  arguments.keyOffset = book.value(attention.keyOffset);
  arguments.isTerm = attention.isTerm;
  arguments.before = attention.before;
  arguments.after = attention.after;
  if (attention.layout)
    arguments.visited = VisitedKeys(
        arguments, ruleOf(*attention.layout, attention.layoutBlocks));
  const plan::Dropout &dropout = attention.dropout;
  if (dropout.p > 0)
    arguments.dropout = AttentionDropout(
        dropout.p, uint64_t(dropout.key), book.operand(dropout.step),
        uint64_t(book.value(dropout.first)), dropout.sizes, dropout.strides);
  return arguments;
}

AttentionGradArguments argumentsOf(const plan::AttentionGrad &gradient,
                                   const AddressBook &book) {
  auto arguments = gradientArguments<AttentionGradArguments>(gradient, book);
  if (gradient.dbias.buffer >= 0)
    arguments.dbias = book.operand(gradient.dbias);
  return arguments;
}

NeighborhoodArguments argumentsOf(const plan::NeighborhoodAttention &attention,
                                  const AddressBook &book) {
  NeighborhoodArguments arguments;
  arguments.q = book.operand(attention.q);
  arguments.k = book.operand(attention.k);
  arguments.v = book.operand(attention.v);
  arguments.out = book.operand(attention.out);
  if (attention.lse.buffer >= 0)
    arguments.lse = book.operand(attention.lse);
  arguments.scale = attention.scale;
  arguments.group = attention.group;
  arguments.headOffset = book.value(attention.headOffset);
  arguments.kvHeadOffset = book.value(attention.kvHeadOffset);
  for (const plan::NeighborhoodDim &dim : attention.dims) {
    arguments.windows.push_back(dim.window);
    arguments.queryOffsets.push_back(book.value(dim.queryOffset));
    arguments.keyOffsets.push_back(book.value(dim.keyOffset));
  }
  return arguments;
}

EmbeddingArguments argumentsOf(const plan::Embedding &embedding,
                               const AddressBook &book, int source) {
  EmbeddingArguments arguments;
  arguments.table = book.operand(embedding.table);
  arguments.ids = book.operand(embedding.ids);
  arguments.out = book.operand(embedding.out);
  arguments.vocabOffset = book.value(embedding.vocabOffset);
  arguments.vocab = embedding.vocab;
  arguments.name = book.idsName(embedding.ids, source);
  return arguments;
}

EmbeddingGradArguments argumentsOf(const plan::EmbeddingGrad &gradient,
                                   const AddressBook &book, int source) {
  EmbeddingGradArguments arguments;
  arguments.ids = book.operand(gradient.ids);
  arguments.dy = book.operand(gradient.dy);
  arguments.out = book.operand(gradient.out);
  arguments.vocabOffset = book.value(gradient.vocabOffset);
  arguments.vocab = gradient.vocab;
  arguments.name = book.idsName(gradient.ids, source);
  return arguments;
}

ConvolutionArguments argumentsOf(const plan::Convolution &convolution,
                                 const AddressBook &book) {
  ConvolutionArguments arguments;
  arguments.pass = convolution.pass;
  arguments.x = book.operand(convolution.x);
  arguments.weight = book.operand(convolution.weight);
  arguments.y = book.operand(convolution.y);
  if (convolution.bias.buffer >= 0)
    arguments.bias = book.operand(convolution.bias);
  arguments.strides = convolution.strides;
  arguments.dilations = convolution.dilations;
  arguments.lows = convolution.lows;
  arguments.highs = convolution.highs;
  arguments.groups = convolution.groups;
  return arguments;
}

PoolingArguments argumentsOf(const plan::Pooling &pooling,
                             const AddressBook &book) {
  PoolingArguments arguments;
  arguments.kind = pooling.kind;
  arguments.isGradient = pooling.isGradient;
  if (pooling.x.buffer >= 0)
    arguments.x = book.operand(pooling.x);
  arguments.y = book.operand(pooling.y);
  if (pooling.dx.buffer >= 0)
    arguments.dx = book.operand(pooling.dx);
  arguments.taps = pooling.taps;
  arguments.strides = pooling.strides;
  arguments.dilations = pooling.dilations;
  arguments.lows = pooling.lows;
  arguments.highs = pooling.highs;
  arguments.extents = pooling.extents;
  for (const plan::Scalar &first : pooling.xFirst)
    arguments.xFirst.push_back(book.value(first));
  for (const plan::Scalar &first : pooling.yFirst)
    arguments.yFirst.push_back(book.value(first));
  arguments.countsBorder = pooling.countsBorder;
  return arguments;
}

} // namespace hocket::runtime
