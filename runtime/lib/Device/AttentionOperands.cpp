//===- AttentionOperands.cpp - what attention of a plan reads -------------===//

#include "runtime/lib/Device/AttentionOperands.h"

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
  arguments.scale = attention.scale;
  arguments.causal = attention.causal;
  arguments.group = attention.group;
  arguments.headOffset = book.value(attention.headOffset);
  arguments.kvHeadOffset = book.value(attention.kvHeadOffset);
  arguments.queryOffset = book.value(attention.queryOffset);
  arguments.keyOffset = book.value(attention.keyOffset);
  arguments.before = attention.before;
  arguments.after = attention.after;
  const plan::Dropout &dropout = attention.dropout;
  if (dropout.p > 0)
    arguments.dropout = AttentionDropout(
        dropout.p, uint64_t(dropout.key), book.operand(dropout.step),
        uint64_t(book.value(dropout.first)), dropout.sizes, dropout.strides);
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

} // namespace hocket::runtime
