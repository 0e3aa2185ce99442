//===- Functions.h - the form of the built-in function table ----*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_FUNCTIONS_H
#define HOCKET_FRONTEND_ELABORATE_FUNCTIONS_H

#include "Elaborator.h"
#include "hocket/Io/FileTypes.h"

namespace hocket::frontend {

/// A function of the language: its arguments in order, how many of them must
/// be given, and the method that emits it.
struct Elaborator::FunctionEntry {
  const char *name;
  llvm::SmallVector<llvm::StringRef, 6> arguments;
  size_t required;
  FunctionRule rule;
};

/// What was emitted, if it was.
inline Elaborator::MaybeDatum wrap(mlir::Value value) {
  return value ? Elaborator::MaybeDatum(Datum(value)) : std::nullopt;
}

/// The type and the dims of an array of a file: "I64[2, 12]".
std::string describeStored(const runtime::StoredTensor &stored);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_FUNCTIONS_H
