//===- HeldDemand.h - what ranks are asked to hold of values ---*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_HELDDEMAND_H
#define HOCKET_LIB_PLACEMENT_HELDDEMAND_H

#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Held.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace hocket::placement {

/// Follows what windows read back to where it was exchanged, or to the layer
/// before: all that is computed position by position between the two is
/// computed in these margins, and nothing else is.
class HeldDemand {
public:
  explicit HeldDemand(nn::MeshAttr mesh) : mesh(mesh) {}

  /// Whether all that makes the value, from a nn.exchange or from the layer
  /// `from` on, can be computed of what `held` says; if so it will be. Else
  /// `blocked` is what cannot, if that is an operation, or `other` reads other
  /// margins of the same: an error is to be said, and nothing to be answered.
  bool ask(mlir::Value value, nn::HeldAttr held, nn::WindowedOp reader,
           mlir::Operation *from = nullptr);
  /// What was asked of a value; null if nothing was.
  nn::HeldAttr find(mlir::Value value) const;
  /// Types say so then, and what else reads such a value reads what it owns.
  void answer(nn::FuncOp func);

  mlir::Operation *blocked = nullptr, *other = nullptr;

private:
  struct Asked {
    nn::HeldAttr held;
    mlir::Operation *reader, *from;

    Asked at(nn::RulePlace place) const {
      return {nn::heldAt(held, place, /*areTerms=*/false), reader, from};
    }
  };

  bool add(mlir::Value value, const Asked &asked);
  bool follow(mlir::Value value, const Asked &asked);
  bool followOperands(mlir::Operation *op, const nn::PlacementRule &rule,
                      int factor, const Asked &asked);
  bool reads(mlir::OpOperand &operand) const;
  void readOwn(mlir::Operation &op);

  nn::MeshAttr mesh;
  llvm::MapVector<mlir::Value, llvm::SmallVector<Asked, 1>> all; // by factor
  llvm::SetVector<mlir::Operation *> inside;  // that compute so
  llvm::SetVector<mlir::Operation *> readers; // that slide over it
};

/// Has ranks hold the nodes that edges of a gradient name, which go with the
/// owners of their targets, while those whose sum the forward made may lie
/// elsewhere: what its transpose exchanged gives way. Exchanges.cpp
void exchangeForEdges(nn::GatherOp op, nn::MeshAttr mesh);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_HELDDEMAND_H
