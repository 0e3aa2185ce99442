//===- AttentionPlain.h - attention by plain loops -------------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONPLAIN_H
#define HOCKET_LIB_CPU_ATTENTIONPLAIN_H

#include "hocket/Cpu/Attention.h"

namespace hocket::runtime {

/// Any float type; F64 in F64, others in F32.
std::unique_ptr<Call> makePlainAttention(const AttentionArguments &arguments,
                                         int threads);
std::unique_ptr<Call>
makePlainAttentionGrad(const AttentionGradArguments &arguments, int threads);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONPLAIN_H
