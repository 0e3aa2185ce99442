//===- Engines.h - what may compute an attention on a GPU ------*- C++ -*-===//
//
// Asked when compiling, so it needs neither the library nor a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CUDA_ENGINES_H
#define HOCKET_CUDA_ENGINES_H

#include "hocket/Plan/Plan.h"

namespace hocket::runtime::cuda {

/// Why cuDNN does not compute an attention or its gradient on all ranks of its
/// class, or nothing: see whyNotDnn.
std::string whyNotDnnOf(const plan::Instruction &instruction,
                        const plan::Plan &plan,
                        const plan::RankClass &rankClass);

/// Whether cuDNN, which can, is expected to take less time than the runtime's
/// own kernels: of attentions with at least 512 queries and keys and heads of
/// 64 to 128 elements. Shorter ones wait for memory and launches, and a plan of
/// the library takes half a second to a second when the program starts.
bool isFasterByDnn(const plan::Attention &attention);

} // namespace hocket::runtime::cuda

#endif // HOCKET_CUDA_ENGINES_H
