//===- PrintDiagnostics.h - errors of the stages as the user reads them ---===//
//
// One form with the errors of the front end: `file:line:col: error: text`, the
// source line and a caret; what has no place in a file is `error: text` alone.
// A line of a schedule function is followed by the lines that use it.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PIPELINE_PRINTDIAGNOSTICS_H
#define HOCKET_LIB_PIPELINE_PRINTDIAGNOSTICS_H

#include "hocket/Pipeline/Message.h"
#include "mlir/IR/Diagnostics.h"

namespace hocket {

class DiagnosticPrinter : public mlir::SourceMgrDiagnosticHandler {
public:
  /// What is printed is added to `messages`, too; of places there only the
  /// beginning is known.
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                    llvm::raw_ostream &stream, std::vector<Message> &messages);

private:
  void print(mlir::Location location, const std::string &text,
             mlir::DiagnosticSeverity severity);
  void printUses(mlir::Location location);

  llvm::raw_ostream &stream;
  std::vector<Message> &messages;
};

} // namespace hocket

#endif // HOCKET_LIB_PIPELINE_PRINTDIAGNOSTICS_H
