//===- Planning.h - from rank programs to a plan ---------------*- C++ -*-===//

#ifndef HOCKET_PLANNING_PLANNING_H
#define HOCKET_PLANNING_PLANNING_H

#include "hocket/CodeGen/KernelCompiler.h"
#include "hocket/Plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// What computes attentions and their gradients on a GPU.
struct EngineOptions {
  enum class Attention {
    Fastest, ///< cuDNN where it can and is expected to be faster
    Own,     ///< the runtime's own kernels
    Cudnn,   ///< cuDNN where it can
  };
  Attention attention = Attention::Own;
  /// Gradients may have other bits in each run.
  bool nondeterministic = false;
};

/// All that an executable is made of.
struct CompiledProgram {
  plan::Plan plan;
  std::vector<uint8_t> kernels; // KernelCompiler::finish
};

/// Chooses addresses for the buffers of every class function of a `module` of
/// the buffers stage, compiles its kernels and writes the plan. On failure
/// errors have been emitted. `validation`, if any, becomes Plan::validation.
/// The target of `options` is left aside: the module says it.
mlir::FailureOr<CompiledProgram>
makeProgram(mlir::ModuleOp module, codegen::CodeGenOptions options,
            codegen::KernelCache *cache = nullptr,
            mlir::ModuleOp validation = {}, const EngineOptions &engines = {});

/// The plan alone: the same one, in the fraction of the time that no machine
/// code takes; if `keepsKernels` with what kernels are made from.
mlir::FailureOr<plan::Plan> makePlan(mlir::ModuleOp module,
                                     mlir::ModuleOp validation = {},
                                     bool keepsKernels = false,
                                     const EngineOptions &engines = {});

/// The program of a plan that keeps its kernels, and may have been edited:
/// kernels[i] is the module of plan.kernels[i], which also says the target.
/// Where code does not fit what calls it, errors are emitted or `why` is a
/// sentence.
std::optional<CompiledProgram>
makeProgram(plan::Plan plan, llvm::ArrayRef<mlir::ModuleOp> kernels,
            codegen::CodeGenOptions options, codegen::KernelCache *cache,
            std::string &why);

} // namespace hocket

#endif // HOCKET_PLANNING_PLANNING_H
