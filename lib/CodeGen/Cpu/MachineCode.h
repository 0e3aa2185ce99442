//===- MachineCode.h - kernels to object files for one CPU -----*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_CPU_MACHINECODE_H
#define HOCKET_LIB_CODEGEN_CPU_MACHINECODE_H

#include "Schedule.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace hocket::codegen {

/// A CPU as LLVM names it.
struct CpuTarget {
  std::string triple, cpu, features;
  bool hasBf16 = false;     // instructions that round f32 to bf16
  bool hasF16 = true;       // those that convert f16
  bool wideVectors = false; // 512 bits

  std::string text() const { return triple + ' ' + cpu + ' ' + features; }
};

/// "native" or a name; nothing and a sentence in `error` if LLVM does not know
/// it.
std::optional<CpuTarget> resolveCpu(llvm::StringRef name, std::string &error);

/// Compiles one kernel after the other; one a thread.
class ObjectCompiler {
public:
  ObjectCompiler(const CpuTarget &target, bool optimize);
  ~ObjectCompiler();

  /// A relocatable object that defines `symbol` with the ABI of plan::Kernel,
  /// or an empty string and a sentence in `error`.
  std::string compile(llvm::StringRef symbol, const Graph &graph,
                      const Schedule &schedule, std::string &error);

private:
  CpuTarget target;
  bool isOptimized;
  mlir::MLIRContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_MACHINECODE_H
