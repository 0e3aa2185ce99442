//===- LowerKernels.cpp - shows what a kernel becomes ---------------------===//

#include "hocket/CodeGen/LowerKernels.h"
#include "PrepareKernel.h"
#include "lib/CodeGen/Cpu/LoopEmitter.h"
#include "lib/CodeGen/Cpu/LowerLoops.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace hocket::codegen {

/// The strides of one argument or result: from its attribute, or dense.
static SmallVector<int64_t> stridesOf(DictionaryAttr attributes, Type type) {
  if (attributes)
    if (auto strides = attributes.getAs<DenseI64ArrayAttr>(kStrides))
      return SmallVector<int64_t>(strides.asArrayRef());
  SmallVector<int64_t> strides;
  int64_t next = 1;
  for (nn::DimAttr dim : llvm::reverse(nn::layoutOf(type).getDims()))
    for (nn::FactorAttr factor : llvm::reverse(dim.getFactors())) {
      strides.push_back(next);
      next *= factor.getSize();
    }
  std::reverse(strides.begin(), strides.end());
  return strides;
}

static LogicalResult lower(func::FuncOp function, ModuleOp module) {
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isa_and_nonnull<nn::LayoutAttr>(tensor.getEncoding()))
      return function.emitError("is not a kernel: its arguments and results "
                                "must be tensors with a layout");
  }
  KernelRequest request;
  request.body = &function.getBody().front();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    request.inputStrides.push_back(stridesOf(function.getArgAttrDict(i), type));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    request.outputStrides.push_back(
        stridesOf(function.getResultAttrDict(i), type));
  Schedule schedule;
  auto builder = prepareOrReport(request, schedule);
  if (!builder)
    return failure();
  std::string name = function.getName().str();
  for (auto [i, table] : llvm::enumerate(builder->tables)) {
    Schedule loops;
    if (!makeSchedule(table.graph, loops, builder->reason))
      return function.emitError(builder->reason);
    emitLoops(module, name + "_table" + std::to_string(i), table.graph, loops);
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
