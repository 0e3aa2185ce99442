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

#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
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

struct PlacementReport {
  std::vector<InsertedSync> inserted;
  std::vector<ExplainedValue> values; ///< in the order of the program
};

/// Places `module`. Emits every independent error of the schedule and fails; a
/// module without a schedule is one for one device. Afterwards the module has
///   nn.mesh      the schedule's mesh
///   nn.schedule  its name
///   nn.expect    [{what, comparison, limit, line}] for bytes and memory, which
///                only the plan can tell (see Expect.h)
///   nn.inserted  [{path, line, bytes}] of `auto reshard`, if it was asked for
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
