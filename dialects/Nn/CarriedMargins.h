//===- CarriedMargins.h - what is computed in margins of its own -*- C++
//-*-===//

#ifndef HOCKET_NN_CARRIEDMARGINS_H
#define HOCKET_NN_CARRIEDMARGINS_H

#include "dialects/Nn/Func.h"
#include "dialects/Nn/Nn.h"
#include "dialects/Nn/PlacementRule.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace hocket::nn {

/// On an attention: its keys and values carry the margins that its windows
/// reach, from a nn.exchange on.
inline constexpr llvm::StringLiteral kHaloFrom = "nn.halo_from";

/// A factor of a value of which ranks hold margins.
struct Carried {
  int64_t dim, factor;
  /// The attention whose windows say how far they reach.
  WindowedOp reader;
  /// A gradient: what margins hold are terms of sums that others own.
  bool isTerm;
};

/// Follows margins through what is computed position by position: forward from
/// a nn.exchange to attentions, and gradients back to its transpose.
class CarriedMargins {
public:
  /// Whether all that makes the value, from a nn.exchange on, can be computed
  /// in margins of this factor; if so it will be. Else `blocked` is what
  /// cannot.
  bool carry(mlir::Value value, Carried how);
  /// All marked attentions of a function, and what follows from their
  /// gradients; reports what is not computed position by position.
  mlir::LogicalResult follow(nn::FuncOp func);

  const llvm::MapVector<mlir::Value, Carried> &all() const { return carried; }
  const Carried *find(mlir::Value value) const;
  /// Whether the operation computes in margins, or adds up their terms.
  bool isInside(mlir::Operation *op) const { return inside.contains(op); }
  /// Of operands without margins: those that are added to gradients with some.
  /// They are zero there.
  const Carried *findZeros(mlir::OpOperand &operand) const;

  mlir::Operation *blocked = nullptr;
  /// An attention that reads the same values by other windows.
  mlir::Operation *other = nullptr;

private:
  bool add(mlir::Value value, const Carried &how);
  bool carryOn(mlir::Value value, Carried how);
  bool carryOperands(mlir::Operation *op, const PlacementRule &rule, int factor,
                     const Carried &how);
  mlir::LogicalResult startAt(WindowedOp op);
  mlir::LogicalResult followTerm(mlir::Operation *op, const Carried &term);
  bool meetTerms(mlir::Operation *op, const PlacementRule &rule, int factor,
                 const Carried &term);

  llvm::MapVector<mlir::Value, Carried> carried;
  llvm::DenseMap<mlir::OpOperand *, Carried> zeros;
  llvm::SetVector<mlir::Operation *> inside;
  llvm::DenseSet<mlir::Value> refused;
};

} // namespace hocket::nn

#endif // HOCKET_NN_CARRIEDMARGINS_H
