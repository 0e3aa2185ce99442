//===- Rearranged.h - views of what is rearranged ---------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_REARRANGED_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_REARRANGED_H

#include "dialects/Nn/Shape.h"
#include "hocket/Views/Strided.h"

namespace hocket::bufferization {

/// Where the operand of a rearrange must lie so that its result lies at
/// `result`; nothing if it has other factors than the rearrange takes apart.
std::optional<views::Strided> beforeRearrange(nn::RearrangeOp op,
                                              const views::Strided &result);

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_REARRANGED_H
