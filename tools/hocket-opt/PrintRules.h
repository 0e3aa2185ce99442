//===- PrintRules.h - hocket-opt --print-rules -----------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKETOPT_PRINTRULES_H
#define HOCKET_TOOLS_HOCKETOPT_PRINTRULES_H

#include "mlir/IR/DialectRegistry.h"
#include <string>

namespace hocket {

/// Prints the placement rule of each operation of some files, and which
/// operations of nn have none. False where a file cannot be read, or all lack
/// an operation that has a rule.
bool printRules(llvm::ArrayRef<std::string> paths,
                const mlir::DialectRegistry &registry);

} // namespace hocket

#endif // HOCKET_TOOLS_HOCKETOPT_PRINTRULES_H
