//===- KernelsToPtx.cpp - shows the PTX of kernels ------------------------===//

#include "KernelFunctions.h"
#include "PrepareKernel.h"
#include "hocket/CodeGen/LowerKernels.h"
#include "lib/CodeGen/Gpu/JoinPtx.h"
#include "lib/CodeGen/Gpu/PtxCompiler.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace hocket::codegen {

namespace {
/// The PTX of functions, and a line for each launch.
class PtxPrinter {
public:
  PtxPrinter(StringRef chip, StringRef deviceLibrary)
      : compiler(chip, deviceLibrary) {}
  LogicalResult add(func::FuncOp function);
  /// All as one module.
  LogicalResult print(ModuleOp module, raw_ostream &os) const;

private:
  LogicalResult add(func::FuncOp function, StringRef name,
                    const GpuKernel &kernel);

  PtxCompiler compiler;
  std::string launches;
  std::vector<std::string> texts;
};
} // namespace

LogicalResult PtxPrinter::add(func::FuncOp function, StringRef name,
                              const GpuKernel &kernel) {
  if (!isPtxIdentifier(name))
    return function.emitError()
           << "cannot be called '" << name
           << "' in PTX, which has letters, digits, '_' and '$' in names";
  std::string error;
  std::string ptx = compiler.compile(name, kernel, error);
  if (ptx.empty())
    return function.emitError(error);
  llvm::raw_string_ostream os(launches);
  for (auto [i, step] : llvm::enumerate(kernel.steps)) {
    const GpuSchedule &schedule = step.schedule;
    os << "// " << entryName(name, kernel, i) << ": " << schedule.blocks
       << " blocks of " << schedule.threads << " threads, " << schedule.lanes
       << " to a row, " << schedule.vector << " elements to an access\n";
  }
  texts.push_back(std::move(ptx));
  return success();
}

LogicalResult PtxPrinter::add(func::FuncOp function) {
  FailureOr<KernelRequest> request = requestOf(function);
  if (failed(request))
    return failure();
  GpuKernel kernel;
  auto builder = prepareOrReport(*request, kernel);
  if (!builder)
    return failure();
  for (auto [i, table] : llvm::enumerate(builder->tables))
    if (failed(add(function, nameOfTable(function, i),
                   makeGpuKernel(table.graph, {kTableAlignment}))))
      return failure();
  return add(function, function.getName(), kernel);
}

LogicalResult PtxPrinter::print(ModuleOp module, raw_ostream &os) const {
  if (texts.empty())
    return success();
  std::string error;
  std::string joined = joinPtx(texts, error);
  if (joined.empty())
    return module.emitError(error);
  os << launches << joined;
  return success();
}

namespace {
struct KernelsToPtx : PassWrapper<KernelsToPtx, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelsToPtx)

  KernelsToPtx() = default;
  KernelsToPtx(const KernelsToPtx &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "hocket-kernels-to-ptx"; }
  StringRef getDescription() const override {
    return "print the PTX of functions of nn operations, and erase them";
  }
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string error;
    if (!isPtxChip(chip, error)) {
      module.emitError(error);
      return signalPassFailure();
    }
    PtxPrinter printer(chip, deviceLibrary);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    llvm::erase_if(functions, [](func::FuncOp f) { return f.isDeclaration(); });
    for (func::FuncOp function : functions)
      if (failed(printer.add(function)))
        return signalPassFailure();
    if (failed(printer.print(module, llvm::outs())))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      function.erase();
  }

  Option<std::string> chip{*this, "chip", llvm::cl::init("sm_80"),
                           llvm::cl::desc("sm_80 or newer")};
  Option<std::string> deviceLibrary{
      *this, "libdevice",
      llvm::cl::desc("path of libdevice.10.bc or of libclc's nvptx64--.bc")};
};
} // namespace

void registerKernelsToPtxPass() { PassRegistration<KernelsToPtx>(); }

} // namespace hocket::codegen
