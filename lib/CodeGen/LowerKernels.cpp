//===- LowerKernels.cpp - shows what a kernel becomes ---------------------===//

#include "hocket/CodeGen/LowerKernels.h"
#include "KernelFunctions.h"
#include "PrepareKernel.h"
#include "lib/CodeGen/Cpu/LoopEmitter.h"
#include "lib/CodeGen/Lower/LowerLoops.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace hocket::codegen {

static LogicalResult lower(func::FuncOp function, ModuleOp module) {
  FailureOr<KernelRequest> request = requestOf(function);
  if (failed(request))
    return failure();
  Schedule schedule;
  auto builder = prepareOrReport(*request, schedule);
  if (!builder)
    return failure();
  std::string name = function.getName().str();
  for (auto [i, table] : llvm::enumerate(builder->tables)) {
    Schedule loops;
    if (!makeSchedule(table.graph, loops, builder->reason))
      return function.emitError(builder->reason);
    emitLoops(module, nameOfTable(function, i), table.graph, loops);
  }
  function.erase();
  emitLoops(module, name, builder->graph, schedule);
  return success();
}

LogicalResult lowerKernels(ModuleOp module, bool toLlvm) {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    if (!function.isDeclaration() && failed(lower(function, module)))
      return failure();
  if (!toLlvm)
    return success();
  PassManager passes(module.getContext());
  addMathPasses(passes, false);
  addLlvmPasses(passes);
  return passes.run(module);
}

namespace {
struct LowerKernels : PassWrapper<LowerKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerKernels)

  LowerKernels() = default;
  LowerKernels(const LowerKernels &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "hocket-lower-kernels"; }
  StringRef getDescription() const override {
    return "replace functions of nn operations by the loops of their kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    insertLoopDialects(registry);
  }
  void runOnOperation() override {
    if (failed(lowerKernels(getOperation(), toLlvm)))
      signalPassFailure();
  }

  Option<bool> toLlvm{*this, "to-llvm",
                      llvm::cl::desc("go on to the LLVM dialect")};
};
} // namespace

void registerLowerKernelsPass() { PassRegistration<LowerKernels>(); }

} // namespace hocket::codegen
