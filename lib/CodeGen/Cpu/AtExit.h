//===- AtExit.h - what code of nvcc lacks in libc.so -----------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_CPU_ATEXIT_H
#define HOCKET_LIB_CODEGEN_CPU_ATEXIT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hocket::codegen {

/// An object that defines `atexit`, which compilers link from a static part of
/// the C library that need not be installed. Empty, with a sentence in `error`,
/// for a CPU that LLVM does not know.
std::string makeAtExit(llvm::StringRef cpu, std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_ATEXIT_H
