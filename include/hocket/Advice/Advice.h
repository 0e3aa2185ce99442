//===- Advice.h - what to change in a schedule that is wrong ---*- C++ -*-===//
//
// Errors of placement get proposals: changes of the text, each of which has
// been tried. Candidates are lines to add, and other words in the lines that
// have a part in an error; a search over these, step by step, finds texts that
// check, and what they cost ranks them. See docs/placement.md.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_ADVICE_ADVICE_H
#define HOCKET_ADVICE_ADVICE_H

#include "hocket/Frontend/Elaborate.h"
#include "hocket/Placement/Place.h"

namespace hocket::advice {

/// What was compiled: all that it takes to compile a changed text likewise.
struct Source {
  std::string path;    ///< of the first file
  syntax::Texts texts; ///< of all files, by the names that locations have
  frontend::ElaborateOptions elaborate;
  bool gradients = false; ///< as CompileSource::gradients
};

/// Gives problems their proposals, and marks those that an earlier one's first
/// proposal mends.
void advise(placement::Problems &problems, const Source &source,
            mlir::MLIRContext *context);

/// By the numbers of errors.
using Proposals = std::map<size_t, syntax::Proposal>;

/// The same for lines of schedules that could not be read: each gets the line
/// that comes nearest to it, or is to be left out.
Proposals adviseReading(const syntax::Program &program,
                        const syntax::DiagnosticEngine &diagnostics,
                        const Source &source, mlir::MLIRContext *context);

} // namespace hocket::advice

#endif // HOCKET_ADVICE_ADVICE_H
