//===- RuleSpace.h - type factors and rule factors -------------*- C++ -*-===//
//
// A rule's factors refine those of the types. This maps splits of a type to
// splits of rule factors and back, checking that cuts fall on whole factors.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLACEMENT_RULESPACE_H
#define HOCKET_LIB_PLACEMENT_RULESPACE_H

#include "hocket/Placement/Meet.h"

namespace hocket::placement {

/// The factor of a type that holds a rule factor as its major part.
struct TypeFactor {
  unsigned dim, factor;
  int64_t size; ///< of the type's factor
  int64_t unit; ///< what its elements are of the dim's
  int own;      ///< the rule factor: that one, or the windows over it
};

class RuleSpace {
public:
  RuleSpace(const nn::PlacementRule &rule, nn::MeshAttr mesh)
      : rule(rule), mesh(mesh) {}

  /// The value in rule factors. Splits that cannot be said in them go to
  /// `mismatches` (with `operand` left 0) and count as whole.
  RuleValue toRule(const nn::PlacementRule::Value &value, nn::LayoutAttr layout,
                   llvm::SmallVectorImpl<Mismatch> &mismatches) const;

  /// The layout's dims with the value's placement. A split whose cuts the type
  /// cannot make goes to `mismatches`.
  nn::LayoutAttr toType(const nn::PlacementRule::Value &value,
                        nn::LayoutAttr layout, const RuleValue &placed,
                        llvm::SmallVectorImpl<Mismatch> &mismatches) const;

  /// Where the value has the rule factor, or the windows over it, if it does.
  std::optional<TypeFactor> find(const nn::PlacementRule::Value &value,
                                 nn::LayoutAttr layout, int factor) const;
  bool has(const nn::PlacementRule::Value &value, int factor) const;
  /// Whether ranks hold other parts of the factor than they own.
  bool isHeld(const nn::PlacementRule::Value &value, nn::LayoutAttr layout,
              int factor) const;
  /// Of the dim that has the factor, or 1.
  int64_t multiplicity(const nn::PlacementRule::Value &value, int factor) const;
  /// The splits of the type's factor that make these cuts of a rule factor;
  /// nothing if it cannot make them.
  std::optional<llvm::SmallVector<nn::SplitAttr>>
  splitsFor(const nn::PlacementRule::Value &value, nn::LayoutAttr layout,
            int factor, llvm::ArrayRef<AxisCut> cuts, bool isOwn) const;

  /// Splits of positions that go with cuts of the windows over them: those that
  /// the layout has, if they do.
  llvm::SmallVector<nn::SplitAttr>
  splitsOfPositions(nn::LayoutAttr layout, const TypeFactor &found,
                    llvm::ArrayRef<AxisCut> cuts) const;

  /// The splits of a layout with which it has the parts of a factor that the
  /// layout of another value has; empty if both are not split over the same
  /// axes, or the parts cannot be made.
  llvm::SmallVector<nn::SplitAttr>
  splitsLike(const nn::PlacementRule::Value &value, nn::LayoutAttr layout,
             const nn::PlacementRule::Value &other, nn::LayoutAttr otherLayout,
             int factor) const;

private:
  unsigned dimOf(const nn::PlacementRule::Value &value, int factor) const;

  const nn::PlacementRule &rule;
  nn::MeshAttr mesh;
};

/// Whether an operand that is used so may be partial under this reduction.
bool passes(nn::PartialUse use, nn::Reduction reduction);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_RULESPACE_H
