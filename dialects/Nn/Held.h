//===- Held.h - what ranks hold beside what they own -----------*- C++ -*-===//

#ifndef HOCKET_NN_HELD_H
#define HOCKET_NN_HELD_H

#include "dialects/Nn/Nn.h"
#include "dialects/Nn/PlacementRule.h"

#define GET_OP_CLASSES
#include "dialects/Nn/NnHeld.h.inc"

namespace hocket::nn {

/// Where a value has a factor of a rule, as a factor of its own, if it does;
/// else `dim` is -1.
struct RulePlace {
  bool isThere = false;
  int64_t dim = -1, factor = -1;
};
RulePlace placeOf(const PlacementRule &rule, const PlacementRule::Value &value,
                  LayoutAttr layout, int wanted);

/// The factor of a rule that is this one of the value's type; -1 if none is.
int ruleFactor(const PlacementRule &rule, const PlacementRule::Value &value,
               DimAttr dim, int64_t number, int64_t factor);

/// An operand or a result that has a factor of a rule as one that is split.
struct PartHere {
  mlir::Value value;
  unsigned number; // of the operands, or of the results
  RulePlace place;

  HeldAttr getHeld() const {
    return layoutOf(value).heldOf(place.dim, place.factor);
  }
};
/// All operands of an operation that do, or all results.
llvm::SmallVector<PartHere> operandsWith(PlacedOp op, const PlacementRule &rule,
                                         int factor);
llvm::SmallVector<PartHere> resultsWith(PlacedOp op, const PlacementRule &rule,
                                        int factor);

/// Whether an operation finds by itself what it needs of the factor, of which
/// ranks may hold more than of what it goes by (`picks`).
bool isPicked(const PlacementRule &rule, int factor);

/// Whether members hold the same, copies or terms; null is what they own.
bool holdTheSame(HeldAttr a, HeldAttr b);

/// These parts of a factor, as copies.
HeldAttr heldOf(mlir::MLIRContext *context, RulePlace place,
                llvm::ArrayRef<Interval> parts);

/// These rows of a factor by member, which rise, as copies: intervals if all
/// are. Where a member has none it is one at what it owns.
HeldAttr heldRows(mlir::MLIRContext *context, RulePlace place,
                  llvm::ArrayRef<llvm::SmallVector<int64_t>> rows,
                  llvm::ArrayRef<Interval> own);

/// The same of another factor, or as terms.
HeldAttr heldAt(HeldAttr held, RulePlace place, bool areTerms);

/// Whether an operation needs to know nothing of what other ranks own: it has
/// no statistics of what is split, and draws no numbers.
bool computesAlone(mlir::Operation *op);

/// The part of a value that a layout says is held, by nn.hold if it is another
/// one.
mlir::Value holdAs(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                   LayoutAttr layout);

/// Whether ranks hold all that windows, and edges, of what they own read.
mlir::LogicalResult verifyWindowsHeld(WindowedOp op);

/// Whether the types of an operation agree about what ranks hold: an operation
/// that computes each position by itself holds the same of all that it reads
/// and makes, a sum over positions is of terms or of what is owned, and what
/// returns or moves a value, or draws numbers, takes what is owned. What
/// windows read is held.
mlir::LogicalResult verifyHeld(mlir::Operation *op);

} // namespace hocket::nn

#endif // HOCKET_NN_HELD_H
