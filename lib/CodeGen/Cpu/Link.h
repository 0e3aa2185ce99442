//===- Link.h - object files to one shared object --------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_CPU_LINK_H
#define HOCKET_LIB_CODEGEN_CPU_LINK_H

#include "Hooks.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hocket::codegen {

/// Links relocatable objects with lld, in process, and the user's own functions
/// with them, compiled by `tools` where they are source. Every symbol must be
/// defined by them, libm, libc or, with hooks, the C++ library and, for GPUs,
/// the runtime library of CUDA. Nothing and a sentence in `error` on failure.
std::optional<std::vector<uint8_t>>
linkSharedObject(llvm::ArrayRef<std::string> objects,
                 llvm::ArrayRef<HookFile> hooks, const HookTools &tools,
                 std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_LINK_H
