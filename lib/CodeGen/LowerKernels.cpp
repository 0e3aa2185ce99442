//===- LowerKernels.cpp - shows what a kernel becomes ---------------------===//

#include "hocket/CodeGen/LowerKernels.h"
#include "PrepareKernel.h"
#include "lib/CodeGen/Cpu/LoopEmitter.h"
#include "lib/CodeGen/Lower/LowerLoops.h"
#include "lib/CodeGen/Gpu/JoinPtx.h"
#include "lib/CodeGen/Gpu/PtxCompiler.h"
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

/// The alignment that an attribute says, or one element's.
static int64_t alignmentOf(DictionaryAttr attributes, Type type) {
  if (attributes)
    if (auto bytes = attributes.getAs<IntegerAttr>(kAlignment))
      return bytes.getInt();
  auto tensor = cast<RankedTensorType>(type);
  return std::max(1u, tensor.getElementType().getIntOrFloatBitWidth() / 8);
}

/// What a function stands for; fails if it is no kernel.
static FailureOr<KernelRequest> requestOf(func::FuncOp function) {
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isa_and_nonnull<nn::LayoutAttr>(tensor.getEncoding()))
      return function.emitError("is not a kernel: its arguments and results "
                                "must be tensors with a layout");
  }
  KernelRequest request;
  request.body = &function.getBody().front();
  // In a plan's own source the group stands in the function.
  if (auto kernel = dyn_cast<spmd::KernelOp>(request.body->front()))
    request.body = &kernel.getBody().front();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    DictionaryAttr attributes = function.getArgAttrDict(i);
    request.inputStrides.push_back(stridesOf(attributes, type));
    request.inputAlignments.push_back(alignmentOf(attributes, type));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    DictionaryAttr attributes = function.getResultAttrDict(i);
    request.outputStrides.push_back(stridesOf(attributes, type));
    request.outputAlignments.push_back(alignmentOf(attributes, type));
  }
  return request;
}

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
    emitLoops(module, name + "_table" + std::to_string(i), table.graph, loops);
  }
  function.erase();
  emitLoops(module, name, builder->graph, schedule);
  return success();
}

/// Prints how it is launched; its PTX becomes one more of `texts`.
static LogicalResult lowerToPtx(func::FuncOp function, PtxCompiler &compiler,
                                std::vector<std::string> &texts,
                                raw_ostream &os) {
  FailureOr<KernelRequest> request = requestOf(function);
  if (failed(request))
    return failure();
  GpuKernel kernel;
  auto builder = prepareOrReport(*request, kernel);
  if (!builder)
    return failure();
  std::string error;
  std::string ptx = compiler.compile(function.getName(), kernel, error);
  if (ptx.empty())
    return function.emitError(error);
  for (auto [i, step] : llvm::enumerate(kernel.steps)) {
    const GpuSchedule &schedule = step.schedule;
    os << "// " << entryName(function.getName(), kernel, i) << ": "
       << schedule.blocks << " blocks of " << schedule.threads << " threads, "
       << schedule.lanes << " to a row, " << schedule.vector
       << " elements to an access\n";
  }
  texts.push_back(ptx);
  function.erase();
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
    PtxCompiler compiler(chip, deviceLibrary);
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    std::vector<std::string> texts;
    for (func::FuncOp function : functions)
      if (failed(lowerToPtx(function, compiler, texts, llvm::outs())))
        return signalPassFailure();
    if (texts.empty())
      return;
    std::string error;
    std::string joined = joinPtx(texts, error);
    if (joined.empty()) {
      getOperation().emitError(error);
      return signalPassFailure();
    }
    llvm::outs() << joined;
  }

  Option<std::string> chip{*this, "chip", llvm::cl::init("sm_80"),
                           llvm::cl::desc("sm_80 or newer")};
  Option<std::string> deviceLibrary{*this, "libdevice",
                                    llvm::cl::desc("path of libdevice.10.bc")};
};
} // namespace

void registerLowerKernelsPass() {
  PassRegistration<LowerKernels>();
  PassRegistration<KernelsToPtx>();
}

} // namespace hocket::codegen
