//===- LlvmPipeline.h - emitted code through LLVM to a file ----*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_LOWER_LLVMPIPELINE_H
#define HOCKET_LIB_CODEGEN_LOWER_LLVMPIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace hocket::codegen {

/// What toLlvm needs of a context, beside insertLoopDialects.
void insertLlvmTranslations(mlir::DialectRegistry &registry);

/// The functions of the module, of the dialects of insertLoopDialects, as LLVM
/// IR for the machine; null after an error has been emitted. `expandBf16`:
/// see addMathPasses.
std::unique_ptr<llvm::Module> toLlvm(mlir::ModuleOp module, bool expandBf16,
                                     llvm::StringRef name,
                                     const llvm::TargetMachine &machine,
                                     llvm::LLVMContext &context);

/// LLVM's O2; why not O3 is said where it is asked for. `byHand`: scalar
/// instructions that are alike stay as they are, and loops are not written out
/// further: what is emitted for a GPU has the units that a thread should
/// compute at once.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool byHand);

/// The bytes of an object file, or assembly; empty, with a sentence in `error`,
/// if the target has no such files.
std::string emitFile(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::CodeGenFileType type, std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_LOWER_LLVMPIPELINE_H
