//===- PrintDiagnostics.cpp - errors of the stages as the user reads them -===//

#include "PrintDiagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hocket;

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext *context,
                                     llvm::raw_ostream &stream)
    : SourceMgrDiagnosticHandler(sources, context, stream), stream(stream) {
  setHandler([this](Diagnostic &diagnostic) {
    print(diagnostic.getLocation(), diagnostic.str(), diagnostic.getSeverity());
    printUses(diagnostic.getLocation());
    for (Diagnostic &note : diagnostic.getNotes())
      print(note.getLocation(), note.str(), note.getSeverity());
  });
}

static bool hasPlace(Location location) {
  bool found = false;
  location->walk([&](Location inner) {
    found |= isa<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

void DiagnosticPrinter::print(Location location, const std::string &text,
                              DiagnosticSeverity severity) {
  if (hasPlace(location))
    return emitDiagnostic(location, text, severity);
  const char *kind = severity == DiagnosticSeverity::Error     ? "error: "
                     : severity == DiagnosticSeverity::Warning ? "warning: "
                     : severity == DiagnosticSeverity::Remark  ? "remark: "
                                                               : "note: ";
  stream << kind << text << "\n";
}

void DiagnosticPrinter::printUses(Location location) {
  // What placing has made stands at a line of the model and is written in one
  // of the schedule.
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations().drop_front())
      if (hasPlace(part)) {
        print(part, "made by this line", DiagnosticSeverity::Note);
        printUses(part);
      }
    return;
  }
  while (auto call = dyn_cast<CallSiteLoc>(location)) {
    print(call.getCaller(), "used here", DiagnosticSeverity::Note);
    location = call.getCallee();
  }
}
