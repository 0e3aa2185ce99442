//===- AttentionOperands.h - what attention of a plan reads ----*- C++ -*-===//

#ifndef HOCKET_LIB_DEVICE_ATTENTIONOPERANDS_H
#define HOCKET_LIB_DEVICE_ATTENTIONOPERANDS_H

#include "hocket/Cpu/Attention.h"
#include "hocket/Cpu/Neighborhood.h"
#include "runtime/lib/Device/Address.h"

namespace hocket::runtime {

AttentionArguments argumentsOf(const plan::Attention &attention,
                               const AddressBook &book);
NeighborhoodArguments argumentsOf(const plan::NeighborhoodAttention &attention,
                                  const AddressBook &book);

/// Of the gradient of an Attention or a NeighborhoodAttention.
template <class Arguments, class Forward>
Arguments gradientArguments(const plan::GradientOf<Forward> &x,
                            const AddressBook &book) {
  return {argumentsOf(x.forward, book), book.operand(x.dout),
          book.operand(x.dq), book.operand(x.dk), book.operand(x.dv)};
}

} // namespace hocket::runtime

#endif // HOCKET_LIB_DEVICE_ATTENTIONOPERANDS_H
