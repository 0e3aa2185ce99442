//===- OpPlacer.h - placing operations made after placement ----*- C++ -*-===//
//
// The backward and the optimizer are made of operations on values that are
// placed already. Each is placed by its own rule, from what its operands hold.
// Where these do not meet, they are redistributed: unlike in the forward, where
// only the schedule moves data, communication here follows from the forward's
// placements (design idea 2 of docs/architecture.md).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLACEMENT_OPPLACER_H
#define HOCKET_PLACEMENT_OPPLACER_H

#include "hocket/Placement/Meet.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket::placement {

class OpPlacer {
public:
  /// `mesh` as the module has it; axes of size 1 are left out.
  explicit OpPlacer(nn::MeshAttr mesh);

  /// Parameters, constants and what is made of these alone can be cut without
  /// communication.
  void markFree(mlir::Value value) { freeValues.insert(value); }

  /// Gives the results of an operation just made their placements;
  /// redistributes operands before it where they do not meet. After an error
  /// the results are whole.
  mlir::LogicalResult place(mlir::Operation *op);

  /// The value with the placement and the factors of `target`, a layout of the
  /// same dim sizes. Reduces before it gathers, cuts before it reduces.
  mlir::Value redistribute(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, nn::LayoutAttr target);

private:
  class Route;

  /// Has its types say what ranks hold, of operands that say so and of results
  /// that were made with these layouts. Holding.cpp
  void hold(mlir::Operation *op, const nn::PlacementRule &rule,
            llvm::ArrayRef<nn::LayoutAttr> made);
  MeetResult meetOperands(mlir::Operation *op, const nn::PlacementRule &rule);
  bool mend(mlir::Operation *op, const nn::PlacementRule &rule,
            const Mismatch &mismatch);
  bool setOperand(mlir::Operation *op, unsigned operand, nn::LayoutAttr target);
  mlir::Value move(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, RedistributeKind kind,
                   llvm::ArrayRef<mlir::StringAttr> axes,
                   nn::LayoutAttr target);
  mlir::Value refactor(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, nn::LayoutAttr target);

  nn::MeshAttr mesh;
  llvm::DenseSet<mlir::Value> freeValues;
  llvm::DenseSet<mlir::Operation *> made; // by `move`
};

} // namespace hocket::placement

#endif // HOCKET_PLACEMENT_OPPLACER_H
