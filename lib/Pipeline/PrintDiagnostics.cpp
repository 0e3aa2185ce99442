//===- PrintDiagnostics.cpp - errors of the stages as the user reads them -===//

#include "PrintDiagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hocket;

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext *context,
                                     llvm::raw_ostream &stream,
                                     std::vector<Message> &messages)
    : SourceMgrDiagnosticHandler(sources, context, stream), stream(stream),
      messages(messages) {
  setHandler([this](Diagnostic &diagnostic) {
    print(diagnostic.getLocation(), diagnostic.str(), diagnostic.getSeverity());
    printUses(diagnostic.getLocation());
    for (Diagnostic &note : diagnostic.getNotes())
      print(note.getLocation(), note.str(), note.getSeverity());
  });
}

static std::optional<Place> placeOf(Location location) {
  if (auto found = location->findInstanceOf<FileLineColLoc>())
    return Place{found.getFilename().str(), found.getLine(), found.getColumn()};
  return std::nullopt;
}

static Message::Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Message::Severity::Error;
  case DiagnosticSeverity::Warning:
    return Message::Severity::Warning;
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    break;
  }
  return Message::Severity::Note;
}

void DiagnosticPrinter::print(Location location, const std::string &text,
                              DiagnosticSeverity severity) {
  Message message{severityOf(severity), placeOf(location), text, {}};
  if (message.severity == Message::Severity::Note && !messages.empty())
    messages.back().notes.push_back(message);
  else
    messages.push_back(message);
  if (message.place)
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
      if (placeOf(part)) {
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
