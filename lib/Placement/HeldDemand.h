//===- HeldDemand.h - what ranks are asked to hold of values ---*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_HELDDEMAND_H
#define HOCKET_LIB_PLACEMENT_HELDDEMAND_H

#include "dialects/Nn/Func.h"
#include "dialects/Nn/Held.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace hocket::placement {

/// Follows what windows read back to where it was exchanged: all that is
/// computed position by position between the two is computed in these margins,
/// and nothing else is.
class HeldDemand {
public:
  explicit HeldDemand(nn::MeshAttr mesh) : mesh(mesh) {}

  /// Whether all that makes the value, from a nn.exchange on, can be computed
  /// of what `held` says; if so it will be. Else `blocked` is what cannot, if
  /// that is an operation, or `other` reads other margins of the same.
  bool ask(mlir::Value value, nn::HeldAttr held, nn::WindowedOp reader);
  /// What was asked of a value; null if nothing was.
  nn::HeldAttr find(mlir::Value value) const;
  /// Types say so then, and what else reads such a value reads what it owns.
  void answer(nn::FuncOp func);

  mlir::Operation *blocked = nullptr, *other = nullptr;

private:
  struct Asked {
    nn::HeldAttr held;
    nn::WindowedOp reader;
  };

  bool add(mlir::Value value, const Asked &asked);
  bool follow(mlir::Value value, const Asked &asked);
  bool followOperands(mlir::Operation *op, const nn::PlacementRule &rule,
                      int factor, const Asked &asked);
  bool reads(mlir::OpOperand &operand) const;
  void readOwn(mlir::Operation &op);

  nn::MeshAttr mesh;
  llvm::MapVector<mlir::Value, Asked> all;
  llvm::SetVector<mlir::Operation *> inside;  // that compute so
  llvm::SetVector<mlir::Operation *> readers; // that slide over it
};

/// What each member of the axes that cut the positions of dim `number` reads of
/// them, to make what it is to hold of the windows.
nn::HeldAttr readParts(nn::WindowedOp op, size_t number, nn::MeshAttr mesh);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_HELDDEMAND_H
