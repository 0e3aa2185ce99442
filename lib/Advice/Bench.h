//===- Bench.h - trying changed texts --------------------------*- C++ -*-===//

#ifndef HOCKET_LIB_ADVICE_BENCH_H
#define HOCKET_LIB_ADVICE_BENCH_H

#include "hocket/Advice/Advice.h"

namespace hocket::advice {

/// The files of a program, read.
struct Reading {
  syntax::SourceManager sources;
  syntax::DiagnosticEngine diagnostics{sources};
  syntax::Program program;
};

/// A text and what came of it.
struct Trial {
  syntax::Texts texts;
  std::shared_ptr<Reading> reading;
  placement::Outcome outcome;
};

class Bench {
public:
  Bench(const Source &source, mlir::MLIRContext *context)
      : source(source), context(context) {}

  /// Null where the texts cannot be read or elaborated.
  std::shared_ptr<Trial> run(const syntax::Texts &texts);
  /// Trials are counted, not timed: the same text gets the same advice.
  bool isSpent() const { return trials >= limit; }

private:
  const Source &source;
  mlir::MLIRContext *context;
  unsigned trials = 0, limit = 1;
};

} // namespace hocket::advice

#endif // HOCKET_LIB_ADVICE_BENCH_H
