//===- Hooks.h - a user's own functions, made ready to link ----*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_CPU_HOOKS_H
#define HOCKET_LIB_CODEGEN_CPU_HOOKS_H

#include "hocket/CodeGen/KernelCompiler.h"
#include "llvm/ADT/ArrayRef.h"

namespace hocket::codegen {

/// The text of hocket/Hook.h, so that no other file of Hocket's is needed where
/// a hook is compiled.
extern const char *const hookHeader;

/// Compiles those that are source, in `folder`, and appends what is to be
/// linked to `files`, each once. False and a sentence in `error` on failure.
bool prepareHooks(llvm::ArrayRef<HookFile> hooks, llvm::StringRef folder,
                  llvm::StringRef cpu, std::vector<std::string> &files,
                  std::string &error);

/// What the linker is told besides.
void addHookArguments(llvm::ArrayRef<HookFile> hooks,
                      std::vector<std::string> &arguments);

/// Whether the linked `library`, or a shared one that it needs, has each hook,
/// defined as one.
bool checkHooks(llvm::ArrayRef<HookFile> hooks, llvm::StringRef library,
                std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_HOOKS_H
