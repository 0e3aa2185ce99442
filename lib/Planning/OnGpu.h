//===- OnGpu.h - which instructions a GPU runs ------------------*- C++ -*-===//

#ifndef HOCKET_LIB_PLANNING_ONGPU_H
#define HOCKET_LIB_PLANNING_ONGPU_H

#include "Call.h"
#include "hocket/Planning/Planning.h"

namespace hocket::planning {

/// Why the runtime cannot run an instruction of the class on a GPU, in words
/// that follow "not supported yet on a GPU: "; empty: it can.
std::string whyNotOnGpu(const Body &body, const plan::Plan &plan,
                        const plan::RankClass &rankClass);

/// Has cuDNN compute an attention or its gradient, where it can and the options
/// want it.
void chooseEngine(const EngineOptions &options, const plan::Plan &plan,
                  const plan::RankClass &rankClass,
                  plan::Instruction &instruction);

/// The bytes of workspace of an instruction that takes one there, which has all
/// except that; or why not, as above.
std::string workspaceOnGpu(const plan::Instruction &instruction,
                           const plan::Plan &plan,
                           const plan::RankClass &rankClass, int64_t &bytes);

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_ONGPU_H
