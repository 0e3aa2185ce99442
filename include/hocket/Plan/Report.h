//===- Report.h - what a partitioned program communicates ------*- C++ -*-===//
//
// Facts for `hocket plan` and for `expect`: every collective of the program,
// where it comes from and what each rank receives in it.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_REPORT_H
#define HOCKET_PLAN_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>
#include <vector>

namespace hocket {

/// Where an operation comes from, as its location tells. Parts that the
/// location has not are empty.
struct Origin {
  std::string path;     // model path, "encoder.layer.0.attention.self"
  std::string model;    // "bert.hkt:34:20"
  std::string schedule; // "bert_schedules.hkt:21:5"
};

/// Reads NameLoc(path, model line), FusedLoc[that, schedule line] and what they
/// are nested in. Of a call site location (a directive that came through `use`)
/// the line of the directive counts.
Origin originOf(mlir::Location location);

/// One collective of the program: the same in all classes.
struct CollectiveFact {
  int64_t id;
  std::string kind; // all_reduce, reduce_scatter, all_gather, ...
  Origin origin;
  std::vector<std::string> axes;
  std::vector<int64_t> receivedBytes; // by rank, from its peers, in one step
};

struct CollectiveReport {
  std::vector<CollectiveFact> collectives; // in order

  /// How many of each kind; `under`: only those whose path is that path or
  /// lies in that module.
  std::map<std::string, int64_t> countByKind(llvm::StringRef under = "") const;
  /// Sum over the collectives, by rank. With even shards also what is sent.
  std::vector<int64_t> totalBytes() const;
};

/// Reads a module of the spmd stage that passes checkClasses.
CollectiveReport reportCollectives(mlir::ModuleOp module);

} // namespace hocket

#endif // HOCKET_PLAN_REPORT_H
