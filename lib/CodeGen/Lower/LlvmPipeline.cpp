//===- LlvmPipeline.cpp - emitted code through LLVM to a file -------------===//

#include "LlvmPipeline.h"
#include "LowerLoops.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace hocket::codegen {

void insertLlvmTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

std::unique_ptr<Module> toLlvm(mlir::ModuleOp module, bool expandBf16,
                               StringRef name, const TargetMachine &machine,
                               LLVMContext &context) {
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  addMathPasses(passes, expandBf16);
  addLlvmPasses(passes);
  if (mlir::failed(passes.run(module)))
    return nullptr;
  std::unique_ptr<Module> code =
      mlir::translateModuleToLLVMIR(module, context, name);
  if (!code)
    return nullptr;
  code->setTargetTriple(machine.getTargetTriple());
  code->setDataLayout(machine.createDataLayout());
  return code;
}

void optimize(Module &module, TargetMachine &machine, bool byHand) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = !byHand;
  tuning.LoopUnrolling = !byHand;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  // O3 would unswitch loops by what differs between ranks, as whether a rank
  // keeps a value: two loops that round differently, and copies that are not
  // equal.
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(module, modules);
}

std::string emitFile(Module &module, TargetMachine &machine,
                     CodeGenFileType type, std::string &error) {
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager emission;
  if (machine.addPassesToEmitFile(emission, stream, nullptr, type)) {
    error = "LLVM emits no such files for " + machine.getTargetTriple().str();
    return {};
  }
  emission.run(module);
  return bytes.str().str();
}

} // namespace hocket::codegen
