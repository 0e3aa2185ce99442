//===- JoinPtx.h - several PTX texts as one module -------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_JOINPTX_H
#define HOCKET_LIB_CODEGEN_GPU_JOINPTX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hocket::codegen {

/// Whether a symbol of PTX can be called so: a letter, or one of '_' and '$'
/// with more behind it, and then letters, digits, '_' and '$'. ('%' begins
/// registers.)
bool isPtxIdentifier(llvm::StringRef name);

/// One module of all functions and variables of the texts, each a module with
/// addresses of 64 bits. It has the highest version and the newest target of
/// all; what a text says before its first directive is left out. Names, except
/// those of entries, are not compared: each text has its own.
/// Empty, with a sentence in `error`, if there is no text, one has no header or
/// a target with options (`.target sm_80, debug`), two have targets that no
/// chip serves (sm_90a and sm_100), or an entry of one name.
std::string joinPtx(llvm::ArrayRef<std::string> texts, std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_JOINPTX_H
