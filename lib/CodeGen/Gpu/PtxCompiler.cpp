//===- PtxCompiler.cpp - a kernel through LLVM to PTX ---------------------===//

#include "PtxCompiler.h"
#include "DeviceLibrary.h"
#include "ThreadEmitter.h"
#include "lib/CodeGen/Lower/LlvmPipeline.h"
#include "lib/CodeGen/Lower/LowerLoops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace hocket::codegen {

/// What a launch may have in x.
static constexpr int64_t kMostBlocks = 0x7fffffff;

/// 4096 bytes of parameters, which every version of PTX has.
static constexpr size_t kMostArguments = 512;

static const Triple kTriple("nvptx64-nvidia-cuda");

static const Target &nvptx() {
  static const Target &target = [&]() -> const Target & {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    return *TargetRegistry::lookupTarget(kTriple, error);
  }();
  return target;
}

bool isPtxChip(StringRef chip, std::string &error) {
  std::unique_ptr<MCSubtargetInfo> known(
      nvptx().createMCSubtargetInfo(kTriple, "", ""));
  StringRef number = chip;
  unsigned generation = 0;
  if (number.consume_front("sm_") && !number.consumeInteger(10, generation) &&
      generation >= 80 && known->isCPUStringValid(chip))
    return true;
  error = "'" + chip.str() +
          "' is none of the chips from sm_80 on that LLVM "
          "knows";
  return false;
}

PtxCompiler::PtxCompiler(StringRef chip, StringRef deviceLibrary)
    : deviceLibrary(deviceLibrary),
      context(mlir::MLIRContext::Threading::DISABLED) {
  mlir::DialectRegistry registry;
  insertLlvmTranslations(registry);
  mlir::registerNVVMDialectTranslation(registry);
  registry.insert<mlir::NVVM::NVVMDialect>();
  context.appendDialectRegistry(registry);
  loadLoopDialects(context);
  machine.reset(nvptx().createTargetMachine(kTriple, chip, "", TargetOptions(),
                                            std::nullopt, std::nullopt,
                                            CodeGenOptLevel::Aggressive));
}

PtxCompiler::~PtxCompiler() = default;

/// Bytes from each input's and output's element 0 to behind its last one.
static SmallVector<uint64_t> bytesOf(mlir::func::FuncOp function,
                                     const Graph &graph) {
  SmallVector<uint64_t> bytes;
  auto types = to_vector(concat<const DType>(ArrayRef(graph.inputTypes),
                                             ArrayRef(graph.outputTypes)));
  for (auto [type, argument] : zip(types, function.getArgumentTypes()))
    bytes.push_back(plan::byteSize(type) *
                    mlir::cast<mlir::MemRefType>(argument).getNumElements());
  return bytes;
}

/// An entry whose pointers do not alias: an output that lies where an input
/// does is reached by the input's. LLVM loads three elements that lie next to
/// each other as four where it knows an alignment of four; it is told of no
/// alignment that the bytes of an operand are no multiple of, so nothing is
/// loaded behind the end.
static void makeEntry(Function &function, const Graph &graph,
                      const GpuSchedule &schedule, ArrayRef<uint64_t> bytes) {
  function.setCallingConv(CallingConv::PTX_Kernel);
  function.addFnAttr("nvvm.reqntid", std::to_string(schedule.threads));
  // Else ptxas aims at more blocks of a multiprocessor, and spills for them.
  if (llvm::any_of(schedule.level, [](int level) { return level > 0; }))
    function.addFnAttr("nvvm.minctasm", "1");
  for (auto [input, output] : graph.inPlace)
    function.getArg(graph.inputTypes.size() + output)
        ->replaceAllUsesWith(function.getArg(input));
  LLVMContext &context = function.getContext();
  for (auto [i, alignment] : enumerate(schedule.alignments)) {
    function.addParamAttr(i, Attribute::NoAlias);
    uint64_t known = MinAlign(alignment, bytes[i]);
    function.addParamAttr(i,
                          Attribute::getWithAlignment(context, Align(known)));
  }
}

/// Has ptxas leave loops as they are: a turn has as many loads as a thread
/// should have under way, and ptxas spills rather than unroll no further.
static void keepLoops(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder())
      loop->setLoopAlreadyUnrolled();
  }
}

/// Gives what is defined and is no entry (shared memory, what libdevice brings)
/// a name that no other kernel has: modules are joined (joinPtx).
static void makeNamesUnique(Module &module, StringRef symbol) {
  for (GlobalValue &value : module.global_values()) {
    auto *function = dyn_cast<Function>(&value);
    bool isEntry =
        function && function->getCallingConv() == CallingConv::PTX_Kernel;
    if (!value.isDeclaration() && !isEntry)
      value.setName(symbol + "$" + value.getName());
  }
}

std::string entryName(StringRef symbol, const GpuKernel &kernel, size_t step) {
  if (kernel.steps.size() == 1)
    return symbol.str();
  return (symbol + "_" + Twine(step)).str();
}

/// False, with the reason in `error`, if a launch is more than a GPU takes.
static bool checkLaunch(const GpuStep &step, std::string &error) {
  size_t arguments = step.operands.size() + step.graph.scalars;
  if (step.schedule.blocks > kMostBlocks) {
    error = "takes a launch of " + std::to_string(step.schedule.blocks) +
            " blocks, and a GPU has at most " + std::to_string(kMostBlocks);
    return false;
  }
  if (arguments > kMostArguments) {
    error = "takes a launch with " + std::to_string(arguments) +
            " arguments, and a GPU has at most " +
            std::to_string(kMostArguments);
    return false;
  }
  return true;
}

std::string PtxCompiler::compile(StringRef symbol, const GpuKernel &kernel,
                                 std::string &error) {
  for (const GpuStep &step : kernel.steps)
    if (!checkLaunch(step, error))
      return {};
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        error += (error.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  SmallVector<SmallVector<uint64_t>> bytes;
  for (auto [i, step] : enumerate(kernel.steps)) {
    mlir::func::FuncOp function = emitThread(
        *module, entryName(symbol, kernel, i), step.graph, step.schedule);
    bytes.push_back(bytesOf(function, step.graph));
  }
  LLVMContext llvmContext;
  std::unique_ptr<Module> code =
      toLlvm(*module, /*expandBf16=*/false, symbol, *machine, llvmContext);
  if (!code)
    return {};
  for (auto [i, step] : enumerate(kernel.steps))
    makeEntry(*code->getFunction(entryName(symbol, kernel, i)), step.graph,
              step.schedule, bytes[i]);
  if (!linkDeviceLibrary(*code, deviceLibrary, error))
    return {};
  optimize(*code, *machine, /*byHand=*/true);
  keepLoops(*code);
  makeNamesUnique(*code, symbol);
  return emitFile(*code, *machine, CodeGenFileType::AssemblyFile, error);
}

} // namespace hocket::codegen
