//===- Demands.h - what an instruction asks of a GPU -----------*- C++ -*-===//
//
// Asked when compiling, so it needs neither a GPU nor its libraries.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CUDA_DEMANDS_H
#define HOCKET_CUDA_DEMANDS_H

#include "hocket/Plan/Plan.h"
#include "hocket/Runtime/Status.h"

namespace hocket::runtime::cuda {

/// How often a GPU is handed something.
struct LaunchCounts {
  int64_t generated = 0; // kernels that the compiler has made
  int64_t library = 0;   // calls of cuBLASLt and cuDNN
  int64_t own = 0;       // kernels of the runtime that compute
  int64_t copies = 0;    // and those that copy, fill and count

  int64_t all() const { return generated + library + own + copies; }
  LaunchCounts &operator+=(const LaunchCounts &other);
};

/// What one run of an instruction asks for.
struct Demands {
  /// A call of a library is one launch or more, and what it refuses as a batch
  /// is a call for each of its products. Reading parameters and constants is no
  /// launch; what a collective launches, its communicator decides, and what a
  /// hook launches is not known.
  LaunchCounts launches;
  /// What it writes over beside its results: of a library what is set aside for
  /// it (productWorkspaceBytes, convolutionWorkspaceBytes), of the runtime's
  /// own kernels what they leave to each other.
  int64_t workspaceBytes = 0;
};

/// Of each instruction of `list`, which is the load or the step of a class of a
/// plan for GPUs. Fails on what no GPU runs: with the instruction, its lines
/// and the runtime's sentence.
Status demandsOf(const plan::Plan &plan, const plan::RankClass &rankClass,
                 const std::vector<plan::Instruction> &list,
                 std::vector<Demands> &demands);

/// Of one instruction, with the runtime's sentence alone where it fails.
Status demandsOf(const plan::Plan &plan, const plan::RankClass &rankClass,
                 const plan::Instruction &instruction, Demands &demands);

} // namespace hocket::runtime::cuda

#endif // HOCKET_CUDA_DEMANDS_H
