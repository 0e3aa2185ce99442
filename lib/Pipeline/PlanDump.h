//===- PlanDump.h - a plan that was printed ---------------------*- C++ -*-===//

#ifndef HOCKET_LIB_PIPELINE_PLANDUMP_H
#define HOCKET_LIB_PIPELINE_PLANDUMP_H

#include "hocket/Planning/Planning.h"
#include "mlir/IR/OwningOpRef.h"

namespace hocket {

struct PlanDump {
  plan::Plan plan;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> kernels; // of plan.kernels

  /// Nothing after errors that were emitted, or with a sentence in `why`.
  static std::optional<PlanDump> read(const std::string &path,
                                      const std::string &text,
                                      mlir::MLIRContext *context,
                                      std::string &why);
  /// The same of the program.
  std::optional<CompiledProgram> compile(const codegen::CodeGenOptions &options,
                                         codegen::KernelCache *cache,
                                         std::string &why);
};

} // namespace hocket

#endif // HOCKET_LIB_PIPELINE_PLANDUMP_H
