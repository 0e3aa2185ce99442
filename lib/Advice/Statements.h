//===- Statements.h - lines of a schedule, how to change them --*- C++ -*-===//

#ifndef HOCKET_LIB_ADVICE_STATEMENTS_H
#define HOCKET_LIB_ADVICE_STATEMENTS_H

#include "Bench.h"

namespace hocket::advice {

/// A statement and where it stands.
struct Statement {
  const syntax::ScheduleStmt *stmt = nullptr;
  const syntax::ScheduleBlock *block = nullptr;
  /// Of the schedule itself, if it stands in that: it, or the block around it.
  const syntax::ScheduleStmt *top = nullptr;
};

using Edits = std::vector<syntax::TextEdit>;

/// Another statement in the place of one.
struct Variant {
  Edits edits;
  /// It says the same more closely: a reduce_scatter for an all_reduce.
  bool isRefined = false;
  /// A misspelt word is put right: what it says then is what was meant.
  std::string meant; ///< the statement, if so
};

/// The schedule that is compiled.
const syntax::ScheduleDecl *scheduleOf(const Reading &reading,
                                       const std::string &name);
/// The innermost statement at a place; nothing if none is there.
std::optional<Statement> findStatement(const Reading &reading,
                                       mlir::Location where,
                                       const std::string &schedule);

/// Other statements in the place of this one. Nothing is known of what they
/// would do.
std::vector<Variant> variantsOf(const Reading &reading,
                                const Statement &statement,
                                const placement::Involved &involved,
                                const std::string &schedule);

/// The edits that take a statement away, with its line where it has one.
Edits removalOf(const Reading &reading, const syntax::ScheduleStmt &stmt);
/// The edits that add lines at the end of the schedule.
Edits additionOf(const Reading &reading, const syntax::ScheduleDecl &schedule,
                 const std::vector<std::string> &lines);
/// The edits by which every all_reduce of the schedule over `axis` becomes a
/// reduce_scatter by `dim`.
Edits scatteringOf(const Reading &reading, const syntax::ScheduleDecl &schedule,
                   const std::string &axis, const std::string &dim);
/// The same before a statement.
Edits additionBefore(const Reading &reading, const syntax::ScheduleStmt &stmt,
                     const std::vector<std::string> &lines);

} // namespace hocket::advice

#endif // HOCKET_LIB_ADVICE_STATEMENTS_H
