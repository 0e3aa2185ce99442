//===- WaysOut.h - lines that might make placements meet -------*- C++ -*-===//
//
// Candidates for one problem, in the language of the schedule. Whether they do
// help is found out by trying them: see Remedies.h.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLACEMENT_WAYSOUT_H
#define HOCKET_LIB_PLACEMENT_WAYSOUT_H

#include "Cuts.h"
#include "Origins.h"
#include "hocket/Placement/Meet.h"

namespace hocket::placement {

/// Adds candidates to `ways` of problems, and changes nothing else.
class WaysOut {
public:
  /// `freeValues` are those that any rank computes without talking.
  WaysOut(nn::FuncOp func, sched::ScheduleOp schedule, nn::MeshAttr mesh,
          const Origins &origins, const llvm::DenseSet<mlir::Value> &freeValues,
          LineCuts &lineCuts)
      : func(func), schedule(schedule), mesh(mesh), origins(origins),
        freeValues(freeValues), lineCuts(lineCuts) {}

  /// Of operands that don't meet. Candidates.cpp
  void add(Problem &problem, mlir::Operation *op, const nn::PlacementRule &rule,
           const Mismatch &mismatch);
  /// Of a sum that is partial where it may not be.
  void ofSum(Problem &problem, mlir::Value value, unsigned axis);
  /// Of windows that read what others hold.
  void halo(Problem &problem, mlir::Operation *op,
            const nn::PlacementRule &rule, const Mismatch &mismatch);

private:
  // Candidates.cpp
  /// The `cuts` of a line that splits `operand` by a factor of the rule as
  /// `other` is; null where they are even.
  mlir::ArrayAttr cutsAs(mlir::Operation *op, const nn::PlacementRule &rule,
                         unsigned operand, unsigned other, int factor,
                         unsigned axis) const;
  void addLicence(Problem &problem, mlir::Operation *op, unsigned axis,
                  mlir::Value operand);

  // WaysOut.cpp
  void gather(Problem &problem, mlir::Value value, unsigned axis);
  void gatherAll(Problem &problem, llvm::ArrayRef<mlir::Value> values,
                 unsigned axis);
  void reduce(Problem &problem, mlir::Value value, unsigned axis);
  /// A statistics line, where an operation has made the sum by itself.
  void complete(Problem &problem, mlir::Value value, unsigned axis);
  void slice(Problem &problem, mlir::Value value, unsigned axis, FactorRef ref,
             mlir::ArrayAttr cuts);
  void sliceAndReduce(Problem &problem, mlir::Operation *op, unsigned axis);
  void resize(Problem &problem, mlir::Value value, unsigned axis, FactorRef ref,
              mlir::ArrayAttr cuts);
  void exchange(Problem &problem, mlir::Value value, unsigned axis,
                FactorRef ref, mlir::ArrayAttr cuts);
  void scatter(Problem &problem, mlir::Value value, unsigned axis,
               FactorRef ref, mlir::ArrayAttr cuts = {});
  void scatters(Problem &problem, mlir::Value value, unsigned axis);
  void replicate(Problem &problem, llvm::ArrayRef<mlir::Value> values,
                 unsigned axis);

  // WaysOutAtSource.cpp
  void shardSource(Problem &problem, mlir::Value value, unsigned axis,
                   FactorRef ref);
  void beforeSum(Problem &problem, mlir::Value value, unsigned axis);
  void toDim(Problem &problem, mlir::Value value, unsigned axis,
             llvm::StringRef name);
  void attention(Problem &problem, mlir::Operation *op, unsigned axis);

  nn::FuncOp func;
  sched::ScheduleOp schedule;
  nn::MeshAttr mesh;
  const Origins &origins;
  const llvm::DenseSet<mlir::Value> &freeValues;
  LineCuts &lineCuts;
};

/// The sync point of a value, as path and moment: itself or the value that it
/// renames. False if it has no path.
bool syncPoint(nn::FuncOp func, mlir::Value value, WayOut &way);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_WAYSOUT_H
