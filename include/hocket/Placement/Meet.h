//===- Meet.h - applying a placement rule, axis by axis --------*- C++ -*-===//
//
// The algebra: given an op's rule and what each operand holds on each mesh
// axis, what do the operands have to be made, for free, and what does each
// result hold; or where don't they meet. No IR is changed here.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLACEMENT_MEET_H
#define HOCKET_PLACEMENT_MEET_H

#include "dialects/Nn/PartSizes.h"
#include "llvm/ADT/BitVector.h"
#include <functional>

namespace hocket::placement {

using nn::RedistributeKind;

/// What a value holds on one mesh axis, in the factors of a rule.
struct State {
  enum class Hold { Whole, Split, Partial };
  Hold hold = Hold::Whole;
  int factor = -1;                              ///< Split: of the rule
  nn::Reduction reduction = nn::Reduction::Sum; ///< Partial
};

/// One of the axes that split a factor.
struct AxisCut {
  unsigned axis;
  /// Of all parts that it and the axes before it make, row-major.
  nn::PartSizes sizes;
  nn::Bounds bounds = {}; ///< of stated parts; none of an even cut's

  /// Whether parts are the same; their exact bounds may differ.
  bool operator==(const AxisCut &other) const {
    return axis == other.axis && sizes == other.sizes &&
           bounds.order == other.bounds.order;
  }
  /// The cut counted in what there are `count` of in each.
  AxisCut times(int64_t count) const;
  /// In what has `count` of them; nothing if one misses the bound of such.
  std::optional<AxisCut> over(int64_t count) const;
};
using AxisCuts = llvm::SmallVector<AxisCut, 2>;

/// A value in the factors of a rule.
struct RuleValue {
  llvm::SmallVector<State, 3> axes; ///< by mesh axis
  /// By rule factor: the axes that split it, major first, with sizes in its
  /// elements.
  llvm::SmallVector<AxisCuts, 8> nesting;
  /// Rule factors whose cuts are the value's own, not the rule's: query heads
  /// cut where no kv head begins. Their sizes count elements of the dim.
  llvm::BitVector ownCuts;
};

struct Mismatch {
  enum class Kind {
    PartialRefused,  // `operand` is partial, and the op is not linear in it
    TwoSums,         // `operand` and `other` are both partial in a product
    TwoReductions,   // partial under different reductions
    PartialAndSplit, // `operand` partial, `other` split by `otherFactor`
    NeedsWhole,      // `operand` split by `factor`, which the op takes whole
    NeedsLicence,    // the same, but `statistics` would allow it
    NeedsHalo,       // `operand` split by `factor`, beyond a part of which
                     // windows reach, but `halo` would allow it
    TwoFactors,      // `operand` by `factor`, `other` by `otherFactor`
    WholeAndSplit,   // `operand` whole, `other` split by `factor`
    Nesting,         // the axes of `factor` are nested otherwise
    Sizes,           // `operand` and `other` have other parts of `factor`
    Unaligned,       // cuts of `typeDim`.`typeFactor` miss those of `factor`
    NotInRule,       // `typeDim`.`typeFactor` cannot be split for this op
    Ordered,         // windows slide over `factor` of `operand`, the parts of
                     // which are in an order
  };
  Kind kind;
  unsigned axis = 0;
  unsigned operand = 0, other = 0;
  int factor = -1, otherFactor = -1;
  unsigned typeDim = 0, typeFactor = 0;
  bool isResult = false; ///< Unaligned: `operand` counts results
};

struct MeetRequest {
  const nn::PlacementRule &rule;
  nn::MeshAttr mesh;
  llvm::ArrayRef<nn::LayoutAttr> operands; ///< as they come, placed
  /// Dims; placements are ignored, but where a result has the positions of
  /// windows, of which several cuts may go with one of the windows.
  llvm::ArrayRef<nn::LayoutAttr> results;
  /// Operands that any rank can compute any part of: parameters, constants,
  /// iotas and what is made of these alone.
  llvm::BitVector isFree;
  /// True where the schedule licenses `statistics` for the op on the axis.
  std::function<bool(unsigned axis)> isLicensed;
  /// True where it licenses a halo of this factor of the rule on the axis.
  std::function<bool(unsigned axis, int factor)> mayReach;
};

struct MeetResult {
  llvm::SmallVector<Mismatch> mismatches; ///< at most one an axis
  /// Only without mismatches:
  llvm::SmallVector<nn::LayoutAttr> sliced; ///< operands after free slices
  llvm::SmallVector<nn::LayoutAttr> masked; ///< and after masks
  llvm::SmallVector<nn::LayoutAttr> results;
  /// By axis: the operand that the result's state comes from, or -1.
  llvm::SmallVector<int> source;
  /// By axis: the contracted rule factor that makes the result partial, or -1.
  llvm::SmallVector<int> contracted;
  llvm::SmallVector<unsigned> statistics; ///< axes that used their licence
  /// Axes, and the factors, that need a halo.
  llvm::SmallVector<std::pair<unsigned, int>> halos;
};

MeetResult meet(const MeetRequest &request);

/// The largest number of elements that a rank holds of a value.
int64_t localElements(nn::LayoutAttr layout, nn::MeshAttr mesh);

/// Bytes that the rank receives that receives most, as plans count them
/// (runtime/lib/Plan/MemberCounts.cpp), for a redistribution over the axes.
int64_t sentBytes(RedistributeKind kind, mlir::RankedTensorType from,
                  mlir::RankedTensorType to, nn::MeshAttr mesh,
                  llvm::ArrayRef<llvm::StringRef> axes);
/// "1.6 MB" (powers of 1000), "0 bytes".
std::string bytesText(int64_t bytes);

} // namespace hocket::placement

#endif // HOCKET_PLACEMENT_MEET_H
