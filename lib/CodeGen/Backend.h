//===- Backend.h - what makes code of scheduled kernels --------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_BACKEND_H
#define HOCKET_LIB_CODEGEN_BACKEND_H

#include "hocket/CodeGen/KernelCompiler.h"
#include "lib/CodeGen/Cpu/Schedule.h"
#include "lib/CodeGen/Gpu/PtxCompiler.h"
#include <variant>

namespace hocket::codegen {

struct CpuKernel {
  Graph graph;
  Schedule schedule;
};

/// A kernel that is decided, except its code.
struct ScheduledKernel {
  std::variant<CpuKernel, GpuKernel> how;
  std::string content; // all that the code depends on but the chip
};

/// Makes code for one target; for any thread.
class KernelBackend {
public:
  /// Compiles one kernel after the other; of one thread.
  class Worker {
  public:
    virtual ~Worker() = default;
    /// Empty after an error.
    virtual std::string compile(llvm::StringRef symbol,
                                const ScheduledKernel &kernel,
                                std::string &error) = 0;
  };

  virtual ~KernelBackend() = default;
  /// What the code depends on besides the kernel.
  virtual std::string key() const = 0;
  virtual std::unique_ptr<Worker> makeWorker() const = 0;
  /// One of all: KernelCompiler::finish.
  virtual std::optional<std::vector<uint8_t>>
  link(llvm::ArrayRef<std::string> objects, llvm::ArrayRef<HookFile> hooks,
       std::string &error) const = 0;
};

/// Null after an error.
std::unique_ptr<KernelBackend> makeBackend(const CodeGenOptions &options,
                                           std::string &error);
std::unique_ptr<KernelBackend> makeCpuBackend(const CodeGenOptions &options,
                                              std::string &error);
std::unique_ptr<KernelBackend> makeGpuBackend(const CodeGenOptions &options,
                                              std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_BACKEND_H
