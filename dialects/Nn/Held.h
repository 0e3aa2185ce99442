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

/// Whether the types of an operation agree about what ranks hold: an operation
/// that computes each position by itself holds the same of all that it reads
/// and makes, a sum over positions is of terms or of what is owned, and what
/// returns or moves a value takes what is owned. Windows are checked where
/// their reaches are known.
mlir::LogicalResult verifyHeld(mlir::Operation *op);

} // namespace hocket::nn

#endif // HOCKET_NN_HELD_H
