//===- CollectiveReport.h - what a program communicates ---------*- C++ -*-===//
//
// Facts for `hocket plan` and for `expect`: every collective of the program,
// where it comes from and what each rank receives in it.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_COLLECTIVEREPORT_H
#define HOCKET_TRANSFORMS_COLLECTIVEREPORT_H

#include "dialects/Nn/Origin.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>
#include <vector>

namespace hocket {

/// One collective of the program: the same in all classes.
struct CollectiveFact {
  int64_t id;
  std::string kind; // all_reduce, reduce_scatter, all_gather, ...
  nn::Origin origin;
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

#endif // HOCKET_TRANSFORMS_COLLECTIVEREPORT_H
