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

/// What trials may take. They are counted, not timed, so that the same text
/// gets the same advice.
struct Effort {
  size_t operations;            ///< that are placed in all trials together
  size_t fewest;                ///< trials, however many operations each has
  int64_t elements = INT64_MAX; ///< as ElaborateOptions::mostElements
};
/// A search in a model of few layers; in one of all layers, where few are wrong
/// in other ways; trials with all layers of what was found with few.
constexpr Effort kSearchInFew{150000, 40, 12}, kSearchInAll{150000, 5},
    kTryInAll{60000, 2};

class Bench {
public:
  Bench(const Source &source, mlir::MLIRContext *context, const Effort &effort);

  /// Null where the texts cannot be read or elaborated.
  std::shared_ptr<Trial> run(const syntax::Texts &texts);
  bool isSpent() const { return trials >= limit; }

private:
  Source source;
  mlir::MLIRContext *context;
  Effort effort;
  size_t trials = 0, limit = 1;
};

} // namespace hocket::advice

#endif // HOCKET_LIB_ADVICE_BENCH_H
