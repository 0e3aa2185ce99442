//===- Attention.h - which attentions cuDNN computes -----------*- C++ -*-===//
//
// Asked when compiling, so it needs neither the library nor a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CUDA_ATTENTION_H
#define HOCKET_CUDA_ATTENTION_H

#include "hocket/Cpu/Attention.h"

namespace hocket::runtime::cuda {

/// Why cuDNN cannot compute this where its operands lie, or nothing. `data` of
/// the operands is not looked at: addresses have to be multiples of 16. It can,
/// on every GPU from sm_80 on:
/// - f16 and bf16, with scores and sums in f32; heads of up to 128 elements,
///   multiples of 8, side by side in memory; rows that begin at multiples of 16
///   bytes; lse dense;
/// - heads in groups of one size, in order;
/// - all keys, those up to some place before or behind the query, those from
///   some place on; no query sees nothing;
/// - padding, if a run hides no key before one that it shows, and not all;
///   without a window then;
/// - no dropout, whose numbers would be the library's own.
std::string whyNotDnn(const AttentionArguments &arguments);
std::string whyNotDnn(const AttentionGradArguments &arguments);

/// The memory on the device that one takes beside its operands, linear in the
/// sequence: for the library 1 MiB and, of a gradient, dq in f32 and, of
/// grouped heads, dk and dv of each; besides, of a gradient, dq in f32 and a
/// number for each row, and of an attention without lse, lse.
int64_t attentionWorkspaceBytes(const AttentionArguments &arguments);
int64_t attentionWorkspaceBytes(const AttentionGradArguments &arguments);

} // namespace hocket::runtime::cuda

#endif // HOCKET_CUDA_ATTENTION_H
