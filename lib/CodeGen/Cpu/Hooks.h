//===- Hooks.h - a user's own functions, made ready to link ----*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_CPU_HOOKS_H
#define HOCKET_LIB_CODEGEN_CPU_HOOKS_H

#include "hocket/CodeGen/KernelCompiler.h"
#include "lib/CodeGen/Gpu/Toolkit.h"
#include "llvm/ADT/ArrayRef.h"

namespace hocket::codegen {

/// The text of hocket/Hook.h, so that no other file of Hocket's is needed where
/// a hook is compiled.
extern const char *const hookHeader;

/// What hooks are compiled and linked with besides the system's C++.
struct HookTools {
  llvm::StringRef cpu;
  /// Of a program for GPUs, or null: the toolkit, and the chips besides PTX.
  const Toolkit *toolkit = nullptr;
  llvm::ArrayRef<int> chips = {};
};

/// Compiles those that are source, in `folder`, and appends what is to be
/// linked to `files`, each once. False and a sentence in `error` on failure.
bool prepareHooks(llvm::ArrayRef<HookFile> hooks, llvm::StringRef folder,
                  const HookTools &tools, std::vector<std::string> &files,
                  std::string &error);

/// What the linker is told besides.
void addHookArguments(llvm::ArrayRef<HookFile> hooks, const HookTools &tools,
                      std::vector<std::string> &arguments);

/// Whether the linked `library`, or a shared one that it needs, has each hook,
/// defined as one.
bool checkHooks(llvm::ArrayRef<HookFile> hooks, llvm::StringRef library,
                std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_HOOKS_H
