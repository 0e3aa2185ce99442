//===- Simple.h - copies, constants, embedding and its gradient -*- C++ -*-===//

#ifndef HOCKET_CPU_SIMPLE_H
#define HOCKET_CPU_SIMPLE_H

#include "hocket/Cpu/Call.h"
#include <string>

namespace hocket::runtime {

/// dst = src; equal shapes and types. Large copies are cut over `threads`.
std::unique_ptr<Call> makeCopy(const Operand &src, const Operand &dst,
                               int threads = 1);

/// Every element of dst = value.
std::unique_ptr<Call> makeFill(const Operand &dst, double value);

/// dst[i0, ...] = first + i_dim.
std::unique_ptr<Call> makeIota(const Operand &dst, int dim, int64_t first);

/// dst[i] = values[i], of integers; `values` outlive the call.
std::unique_ptr<Call> makeConstant(const Operand &dst,
                                   const std::vector<int64_t> &values);

/// See plan::Embedding. `name` is what an error calls the ids: `input "ids"`.
/// Fails on an id outside [0, vocab).
struct EmbeddingArguments {
  Operand table, ids, out;
  int64_t vocabOffset = 0, vocab = 0;
  std::string name;
};
std::unique_ptr<Call> makeEmbedding(const EmbeddingArguments &arguments);

/// See plan::EmbeddingGrad. Rows of dy are added in the order of ids, whatever
/// the number of threads.
struct EmbeddingGradArguments {
  Operand ids, dy, out;
  int64_t vocabOffset = 0, vocab = 0;
  std::string name; // of the ids
};
std::unique_ptr<Call> makeEmbeddingGrad(const EmbeddingGradArguments &arguments,
                                        int threads);

} // namespace hocket::runtime

#endif // HOCKET_CPU_SIMPLE_H
