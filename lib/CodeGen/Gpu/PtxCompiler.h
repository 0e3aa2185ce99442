//===- PtxCompiler.h - kernels to PTX --------------------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_PTXCOMPILER_H
#define HOCKET_LIB_CODEGEN_GPU_PTXCOMPILER_H

#include "Steps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace hocket::codegen {

/// The symbol itself where there is one step, else with its number.
std::string entryName(llvm::StringRef symbol, const GpuKernel &kernel,
                      size_t step);

/// Whether kernels can be compiled for the chip: sm_80 or newer and known to
/// LLVM (which silently takes any other for its oldest). If not, a sentence in
/// `error`.
bool isPtxChip(llvm::StringRef chip, std::string &error);

/// Compiles one kernel after the other; one a thread.
class PtxCompiler {
public:
  /// `chip` is one of isPtxChip. `deviceLibrary` is the path of a library of
  /// linkDeviceLibrary, or empty: then functions that are called (sin, cos and
  /// pow; all of f64) are an error.
  PtxCompiler(llvm::StringRef chip, llvm::StringRef deviceLibrary);
  ~PtxCompiler();

  /// PTX of the lowest version that the chip has, with an entry for each step,
  /// entryName(symbol, kernel, step), or an empty string and a sentence in
  /// `error` (a function is not there; a launch has too many blocks or
  /// arguments). Arguments
  /// are the addresses of the step's operands, then the scalars, 64 bits each.
  /// What is defined besides has names that begin with `symbol` and '$'.
  std::string compile(llvm::StringRef symbol, const GpuKernel &kernel,
                      std::string &error);

private:
  std::string deviceLibrary;
  mlir::MLIRContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_PTXCOMPILER_H
