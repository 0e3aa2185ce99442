//===- AtExit.cpp - what code of nvcc lacks in libc.so --------------------===//

#include "AtExit.h"
#include "MachineCode.h"
#include "lib/CodeGen/Lower/LlvmPipeline.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

using namespace llvm;

namespace hocket::codegen {

/// As the C library's: it takes functions without an argument for ones with.
static constexpr StringLiteral text = R"(
@__dso_handle = external hidden global i8
declare i32 @__cxa_atexit(ptr, ptr, ptr)
define weak hidden i32 @atexit(ptr %function) {
  %status = call i32 @__cxa_atexit(ptr %function, ptr null, ptr @__dso_handle)
  ret i32 %status
}
)";

std::string makeAtExit(StringRef cpu, std::string &error) {
  std::optional<CpuTarget> target = resolveCpu(cpu, error);
  if (!target)
    return {};
  Triple triple(target->triple);
  std::unique_ptr<TargetMachine> machine(
      TargetRegistry::lookupTarget(triple, error)
          ->createTargetMachine(triple, "", "", TargetOptions(), Reloc::PIC_));
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  return emitFile(*module, *machine, CodeGenFileType::ObjectFile, error);
}

} // namespace hocket::codegen
