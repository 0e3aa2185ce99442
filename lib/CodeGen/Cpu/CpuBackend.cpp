//===- CpuBackend.cpp - kernels to one shared object ----------------------===//

#include "Link.h"
#include "MachineCode.h"
#include "lib/CodeGen/Backend.h"

namespace hocket::codegen {

namespace {

class CpuWorker : public KernelBackend::Worker {
public:
  CpuWorker(const CpuTarget &target, bool optimize)
      : compiler(target, optimize) {}
  std::string compile(llvm::StringRef symbol, const ScheduledKernel &kernel,
                      std::string &error) override {
    const auto &loops = std::get<CpuKernel>(kernel.how);
    return compiler.compile(symbol, loops.graph, loops.schedule, error);
  }

private:
  ObjectCompiler compiler;
};

class CpuBackend : public KernelBackend {
public:
  CpuBackend(const CpuTarget &target, const CodeGenOptions &options)
      : target(target), options(options) {}
  std::string key() const override {
    return target.text() + (options.optimize ? "" : " quick");
  }
  std::unique_ptr<Worker> makeWorker() const override {
    return std::make_unique<CpuWorker>(target, options.optimize);
  }
  std::optional<std::vector<uint8_t>> link(llvm::ArrayRef<std::string> objects,
                                           llvm::ArrayRef<HookFile> hooks,
                                           std::string &error) const override {
    return linkSharedObject(objects, hooks, {options.cpu}, error);
  }

private:
  CpuTarget target;
  CodeGenOptions options;
};

} // namespace

std::unique_ptr<KernelBackend> makeCpuBackend(const CodeGenOptions &options,
                                              std::string &error) {
  std::optional<CpuTarget> target = resolveCpu(options.cpu, error);
  if (!target)
    return nullptr;
  return std::make_unique<CpuBackend>(*target, options);
}

std::unique_ptr<KernelBackend> makeBackend(const CodeGenOptions &options,
                                           std::string &error) {
  return options.target == plan::Target::Cuda ? makeGpuBackend(options, error)
                                              : makeCpuBackend(options, error);
}

} // namespace hocket::codegen
