//===- InstructionWords.h - the names of instructions ----------*- C++ -*-===//

#ifndef HOCKET_PLAN_INSTRUCTIONWORDS_H
#define HOCKET_PLAN_INSTRUCTIONWORDS_H

#include <array>

namespace hocket::plan {

/// The "op" of an instruction in a plan, and its name in traces and statistics,
/// in the order of Instruction::body.
inline constexpr std::array<const char *, 19> instructionWords = {
    "read_parameter",
    "kernel",
    "matmul",
    "pack_weight",
    "attention",
    "embedding",
    "copy",
    "collective",
    "fill",
    "iota",
    "attention_grad",
    "embedding_grad",
    "hook",
    "convolution",
    "pooling",
    "neighborhood_attention",
    "neighborhood_attention_grad",
    "constant",
    "wait"};

} // namespace hocket::plan

#endif // HOCKET_PLAN_INSTRUCTIONWORDS_H
