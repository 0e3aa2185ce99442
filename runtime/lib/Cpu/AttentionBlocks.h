//===- AttentionBlocks.h - attention of visited keys -----------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONBLOCKS_H
#define HOCKET_LIB_CPU_ATTENTIONBLOCKS_H

#include "hocket/Cpu/Attention.h"

namespace hocket::runtime {

/// F32, of arguments with `visited`; none is empty.
std::unique_ptr<Call> makeBlockAttention(const AttentionArguments &arguments,
                                         int threads);
std::unique_ptr<Call>
makeBlockAttentionGrad(const AttentionGradArguments &arguments, int threads);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONBLOCKS_H
