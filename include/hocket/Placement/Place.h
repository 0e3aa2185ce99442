//===- Place.h - from a model and a schedule to placed values --*- C++ -*-===//
//
// Placement takes a model stage (one func of nn ops and one sched.schedule) to
// the placed stage: every tensor's type says what each mesh axis holds, syncs
// are nn.redistribute, and the directives are gone. Nothing is computed
// otherwise: what is refused here is refused with an error that names the
// schedule line and the model line. See docs/placement.md.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLACEMENT_PLACE_H
#define HOCKET_PLACEMENT_PLACE_H

#include "hocket/Placement/Problems.h"
#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hocket::placement {

/// A redistribution that `auto reshard` chose.
struct InsertedSync {
  std::string path; ///< where; the nearest path if it has none of its own
  /// `sync h.0.attn fwd_post all_reduce over tp`: the line that says the same.
  /// Empty where the value has no path of its own.
  std::string line;
  int64_t bytes = 0; ///< received by each rank
  mlir::LocationAttr model;
};

/// What one mesh axis holds of a value, and why.
struct ExplainedAxis {
  std::string axis;
  std::string placement;      ///< "whole", "split by seq", "partial sum"
  std::vector<int64_t> sizes; ///< of the parts of an uneven split, in order
  std::string cause; ///< "from the reduce_scatter at 'h.3.attn.c_proj'"
  mlir::LocationAttr schedule;      ///< its line; null if no line caused it
  std::vector<std::string> through; ///< paths of the ops on the way, in order
};

/// A path of the model: its value as the model makes it (`in`), and after the
/// syncs of its own path (`out`). Axes of size 1 are left out.
struct ExplainedValue {
  std::string path, role; ///< argument, result, binding, parameter, input
  std::string type;       ///< "f32[1, 512, 768]"
  std::vector<ExplainedAxis> in, out;
  mlir::LocationAttr model;
};

/// An error as it was emitted.
struct ReportedError {
  mlir::LocationAttr where;
  std::string text;
  std::vector<syntax::Proposal> proposals;
};

struct PlacementReport {
  /// Asked before the errors are emitted; gives them their proposals.
  std::function<void(Problems &)> advise;
  bool keepsValues = true;
  std::vector<InsertedSync> inserted;
  std::vector<ExplainedValue> values; ///< in the order of the program
  std::vector<ReportedError> errors;
};

/// What a placed function does in its forward, per rank.
struct Cost {
  int64_t bytes = 0;   ///< received, by the rank that receives most
  double work = 0;     ///< elements of products, about half of the flops
  double elements = 0; ///< of all values that it makes
};

/// Problems of one kind at several instances, as one.
struct Finding {
  std::string key;
  std::vector<WayOut> ways; ///< untried, with patterns for all instances
  std::vector<Involved> lines;
  bool isOfLine = false; ///< as Problem::isOfLine
};

/// What came of placing a module.
struct Outcome {
  std::vector<Finding> findings; ///< none: the schedule is right
  /// Where placement came to its end: what the module would cost with its
  /// errors mended in the simplest way.
  std::optional<Cost> cost;
  /// What the lines split: a tensor and a mesh axis, with its weight.
  std::map<std::string, double> splits;
  /// A hash of how all values are placed: two texts that say the same have one.
  size_t placement = 0;

  std::set<std::string> keys() const;
};

/// The keys of findings, in order; of those of several alike the first has the
/// highest number, so that one fewer is a key fewer.
std::vector<std::string> keysOf(Problems &problems);

/// Places `module`, which is of no use afterwards, and says nothing.
Outcome judge(mlir::ModuleOp module);

/// Places `module`. Emits every independent error of the schedule and fails; a
/// module without a schedule is one for one device. Afterwards the module has
/// an nn.placement instead of the schedule: its mesh and its name, and of its
/// lines what later stages check or do.
mlir::LogicalResult place(mlir::ModuleOp module,
                          PlacementReport *report = nullptr);

/// Text of an explained value, as `hocket explain` prints it.
std::string render(const ExplainedValue &value);

/// Of a differentiated `module`, whose values before are `forward`: gradients,
/// `PATH.grad`, and what the backward gathers or computes again, `PATH.again`.
std::vector<ExplainedValue>
explainBackward(mlir::ModuleOp module,
                const std::vector<ExplainedValue> &forward);

/// Registers --hocket-place.
void registerPlacePass();

} // namespace hocket::placement

#endif // HOCKET_PLACEMENT_PLACE_H
