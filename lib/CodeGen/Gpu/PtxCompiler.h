//===- PtxCompiler.h - kernels to PTX --------------------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_PTXCOMPILER_H
#define HOCKET_LIB_CODEGEN_GPU_PTXCOMPILER_H

#include "GpuSchedule.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace hocket::codegen {

/// Compiles one kernel after the other; one a thread.
class PtxCompiler {
public:
  /// `chip` is sm_80 or newer. `deviceLibrary` is the path of libdevice.10.bc
  /// of the CUDA toolkit, or empty: then functions that are called (sin, cos
  /// and pow; all of f64) are an error.
  PtxCompiler(llvm::StringRef chip, llvm::StringRef deviceLibrary);
  ~PtxCompiler();

  /// PTX of the lowest version that the chip has, with
  ///   .entry symbol(inputs..., outputs...: addresses, scalars...: s64)
  /// or an empty string and a sentence in `error`.
  std::string compile(llvm::StringRef symbol, const Graph &graph,
                      const GpuSchedule &schedule, std::string &error);

private:
  std::string deviceLibrary;
  mlir::MLIRContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_PTXCOMPILER_H
