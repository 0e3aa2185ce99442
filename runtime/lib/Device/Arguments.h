//===- Arguments.h - what instructions of a plan read and write *- C++ -*-===//

#ifndef HOCKET_LIB_DEVICE_ARGUMENTS_H
#define HOCKET_LIB_DEVICE_ARGUMENTS_H

#include "hocket/Cpu/Attention.h"
#include "hocket/Cpu/Convolution.h"
#include "hocket/Cpu/Neighborhood.h"
#include "hocket/Cpu/Pooling.h"
#include "hocket/Cpu/Simple.h"
#include "runtime/lib/Device/Address.h"

namespace hocket::runtime {

AttentionArguments argumentsOf(const plan::Attention &attention,
                               const AddressBook &book);
AttentionGradArguments argumentsOf(const plan::AttentionGrad &gradient,
                                   const AddressBook &book);
NeighborhoodArguments argumentsOf(const plan::NeighborhoodAttention &attention,
                                  const AddressBook &book);

/// Of an instruction that comes from `source`, for errors about its ids.
EmbeddingArguments argumentsOf(const plan::Embedding &embedding,
                               const AddressBook &book, int source);
EmbeddingGradArguments argumentsOf(const plan::EmbeddingGrad &gradient,
                                   const AddressBook &book, int source);
ConvolutionArguments argumentsOf(const plan::Convolution &convolution,
                                 const AddressBook &book);
PoolingArguments argumentsOf(const plan::Pooling &pooling,
                             const AddressBook &book);

/// What gradients of an Attention and of a NeighborhoodAttention share.
template <class Arguments, class Forward>
Arguments gradientArguments(const plan::GradientOf<Forward> &x,
                            const AddressBook &book) {
  return {argumentsOf(x.forward, book), book.operand(x.dout),
          book.operand(x.dq), book.operand(x.dk), book.operand(x.dv)};
}
} // namespace hocket::runtime

#endif // HOCKET_LIB_DEVICE_ARGUMENTS_H
