//===- Problems.h - what is wrong with a schedule --------------*- C++ -*-===//
//
// Errors are collected, so that one run reports all that are independent and
// the same error at h.0 ... h.11 is reported once.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLACEMENT_PROBLEMS_H
#define HOCKET_PLACEMENT_PROBLEMS_H

#include "dialects/Sched/Sched.h"
#include "hocket/Frontend/Edit.h"
#include <memory>
#include <string>
#include <vector>

namespace hocket::placement {

/// A line that would make placements meet: a directive that can be pasted at
/// the end of the schedule.
struct WayOut {
  enum class Kind {
    Sync,
    Defer,
    Statistics,
    Halo,
    Replicate,
    Shard,
    Attention
  };
  Kind kind = Kind::Sync;
  std::string path;   ///< Statistics: of the op; facts: the parameter
  std::string until;  ///< Defer; Attention: `from`, if it has one
  std::string moment; ///< Sync
  std::string op;     ///< Sync: all_reduce ...; Attention: the strategy
  bool isNew = false; ///< Shard: no line has placed it
  std::string axis, to;
  std::vector<std::string> over;
  mlir::ArrayAttr cuts; ///< of what it splits, where uneven; or null
  int64_t bytes = 0;
  size_t errorsLeft = 0;      ///< of all, with this line added
  std::string remark;         ///< after the bytes
  std::vector<WayOut> others; ///< lines that are needed besides this one

  /// "sync h.0.attn fwd_post all_reduce over tp"
  std::string line() const;
  /// Bytes of all its lines.
  int64_t getBytes() const;
  /// Adds it, all its lines, as the last directives of a schedule.
  void append(sched::ScheduleOp schedule) const;
};

struct Note {
  mlir::Location where; ///< unknown: the note has no place
  std::string text;
  bool isAdvice = false; ///< untried: left out where there are proposals
};

/// A line of the schedule that has a part in a problem, and what else it could
/// say.
struct Involved {
  mlir::Location line;
  std::vector<std::string> dims; ///< that its `axis` may name
  /// Of a sync, what comes to it: "whole", "partial" or a dim that is split;
  /// else empty.
  std::string found;
  /// Words of it that match nothing, and what to write for them; for none,
  /// what to write behind its pattern.
  std::vector<std::pair<std::string, std::string>> renames;
  /// What its `over` could list, each without the lines `without`.
  std::vector<std::string> over;
  std::vector<mlir::Location> without;
};

struct Problem {
  mlir::Location where;
  std::string text;
  std::string path; ///< the instance: "h.3.ln_2"; empty for a whole directive
  std::vector<Note> notes;
  /// The line of the model, where instances share it; else empty.
  std::string site;
  std::vector<WayOut> ways; ///< candidates; Remedies.h keeps the legal ones
  std::vector<Involved> lines;
  bool isOfLine = false; ///< the first line is itself what is wrong
  /// What helps, best first, where there is a text to change.
  std::vector<syntax::Proposal> proposals;
  bool isMended = false; ///< by what an earlier problem offers first

  /// The same of all that differ in indices only, wherever their lines stand.
  std::string kind() const;
  bool isBareRemoval() const; ///< of its own line, and nothing else is offered
  Problem &note(mlir::Location where, std::string text);
  Problem &note(std::string text);
  /// What to do, as far as is known without trying.
  Problem &advise(std::string text);
  /// Whether its proposals say more than its notes do.
  bool isWorthSaying() const;
  /// Whether they, or its notes in their own words, offer the proposals.
  bool offersProposals() const;
};

/// Problems that differ only in the indices of their paths.
struct ProblemGroup {
  std::string key;
  std::vector<Problem *> members;
};

class Problems {
public:
  Problem &add(mlir::Location where, std::string text, std::string path = "");
  /// At a directive: its line in the user's schedule, with a note at the line
  /// of the def that it came from.
  Problem &addAt(mlir::Operation *directive, std::string text,
                 std::string path = "");
  bool empty() const { return list.empty(); }
  size_t size() const { return list.size(); }
  Problem &at(size_t number) { return *list[number]; }
  std::vector<ProblemGroup> group();
  /// Emits one error a group.
  void emit(mlir::DiagnosticSeverity as = mlir::DiagnosticSeverity::Error);

private:
  std::vector<std::unique_ptr<Problem>> list;
};

/// " sizes (3, 5)": the `cuts` of a directive as the language has them; null is
/// nothing. Cuts.cpp
std::string cutsText(mlir::ArrayAttr cuts);

/// "3, 4 and 5": sizes of parts; of many the first ones. Mismatches.cpp
std::string partsList(llvm::ArrayRef<int64_t> sizes);

/// The text with every index in a quoted path replaced by '#'.
std::string maskIndices(llvm::StringRef text);

} // namespace hocket::placement

#endif // HOCKET_PLACEMENT_PROBLEMS_H
