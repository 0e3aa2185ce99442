//===- GpuBackend.cpp - kernels to one module of PTX ----------------------===//

#include "JoinPtx.h"
#include "Toolkit.h"
#include "hocket/Cuda/Devices.h"
#include "lib/CodeGen/Backend.h"
#include "lib/CodeGen/Cpu/AtExit.h"
#include "lib/CodeGen/Cpu/Link.h"

namespace hocket::codegen {

/// All chips run PTX of the oldest.
static constexpr llvm::StringLiteral kOldestChip = "sm_80";

namespace {

class GpuWorker : public KernelBackend::Worker {
public:
  explicit GpuWorker(llvm::StringRef deviceLibrary)
      : compiler(kOldestChip, deviceLibrary) {}
  std::string compile(llvm::StringRef symbol, const ScheduledKernel &kernel,
                      std::string &error) override {
    return compiler.compile(symbol, std::get<GpuKernel>(kernel.how), error);
  }

private:
  PtxCompiler compiler;
};

class GpuBackend : public KernelBackend {
public:
  explicit GpuBackend(const CodeGenOptions &options)
      : options(options), toolkit(findToolkit()) {}
  std::string key() const override {
    return "ptx " + kOldestChip.str() +
           (toolkit.deviceLibrary.empty() ? "" : " libdevice");
  }
  std::unique_ptr<Worker> makeWorker() const override {
    return std::make_unique<GpuWorker>(toolkit.deviceLibrary);
  }
  std::optional<std::vector<uint8_t>> link(llvm::ArrayRef<std::string> objects,
                                           llvm::ArrayRef<HookFile> hooks,
                                           std::string &error) const override;

private:
  CodeGenOptions options;
  Toolkit toolkit;
};

} // namespace

std::optional<std::vector<uint8_t>>
GpuBackend::link(llvm::ArrayRef<std::string> objects,
                 llvm::ArrayRef<HookFile> hooks, std::string &error) const {
  std::vector<uint8_t> ofHooks;
  if (!hooks.empty()) {
    std::string atExit = makeAtExit(options.cpu, error);
    if (atExit.empty())
      return std::nullopt;
    auto linked = linkSharedObject(
        atExit, hooks, {options.cpu, &toolkit, options.chips}, error);
    if (!linked)
      return std::nullopt;
    ofHooks = std::move(*linked);
  }
  std::vector<runtime::ChipCode> code;
  if (!objects.empty()) {
    std::string ptx = joinPtx(objects, error);
    if (ptx.empty())
      return std::nullopt;
    for (int chip : options.chips) {
      std::string cubin = assemble(toolkit, ptx, chip, error);
      if (cubin.empty())
        return std::nullopt;
      code.push_back({chip, std::move(cubin)});
    }
    code.push_back({0, std::move(ptx)});
  }
  return runtime::packChipCode(code, ofHooks);
}

std::unique_ptr<KernelBackend> makeGpuBackend(const CodeGenOptions &options,
                                              std::string &error) {
  return std::make_unique<GpuBackend>(options);
}

} // namespace hocket::codegen
