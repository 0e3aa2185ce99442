//===- PlacementRule.h - an op's einsum-like rule over factors -*- C++ -*-===//
//
// One rule says everything about how an op may be placed. Example, linear
// y[b, s, (h, d)] = sum_i x[b, s, i] * w[(h, d), i] + bias[(h, d)]:
//
//   factors   0:b  1:s  2:h  3:d  pointwise;  4:i  contracted(sum)
//   operands  x [[0],[1],[4]]   w [[2,3],[4]]   bias [[2,3]]
//   results   y [[0],[1],[2,3]]
//   partials  x, w: linear (one of them at a time);  bias: addend
//
// Splitting factor 4 over an axis makes y P(sum) there; splitting 2 makes it
// S(h). The engine that applies rules axis by axis is lib/Placement.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_PLACEMENTRULE_H
#define HOCKET_NN_PLACEMENTRULE_H

#include "dialects/Nn/Window.h"
#include <string>

namespace hocket::nn {

/// What splitting a factor over an axis does.
enum class FactorUse {
  Pointwise,  // result split likewise
  Contracted, // result partial (PlacementRule::Factor::reduction)
  Whole,      // refused: the op needs the factor whole on each rank
  Statistics, // refused unless the schedule licenses `statistics` for the op:
              // then the op itself reduces over the axis; results as Pointwise
};

/// What a partial operand does to the result. "Passes" means that the result
/// is partial likewise.
enum class PartialUse {
  Refused,  // nonlinear: the reduction must be complete first
  Linear,   // P(sum) passes, if no other Linear operand is partial on that
            // axis, and every Addend is partial too or masked
  Addend,   // joins a sum: where the result is partial on an axis (an operand
            // is P(sum), or the axis splits a Contracted factor), this one is
            // P(sum) as well, or is R and counted on one rank only
  Monotone, // increasing function: P(max) and P(min) pass, P(sum) is refused
  Maximal,  // joins a maximum: P(max) passes, the others are P(max) or R
  Minimal,  // joins a minimum: P(min) passes, the others are P(min) or R
  Any,      // only moves elements: every reduction passes
};

struct PlacementRule {
  struct Factor {
    int64_t size = 1;
    FactorUse use = FactorUse::Pointwise;
    Reduction reduction = Reduction::Sum;
    std::string name;   // for messages; may be empty
    std::string reason; // why Whole or Statistics, in the user's words
    /// The factor counts positions, of which a rank reads more than its part
    /// where windows reach beyond it: splitting it then takes a halo.
    std::optional<Window> window;
    /// This factor counts the windows that slide over that one. What splits one
    /// splits the other (windowParts); states name the positions, and count
    /// windows in the sizes of parts.
    int windowsOf = -1;
  };
  struct Value {
    /// For each dim its factor numbers, major first. A dim (or factor) that is
    /// broadcast has -1.
    llvm::SmallVector<llvm::SmallVector<int, 2>, 4> dims;
    PartialUse partial = PartialUse::Refused;
    /// This many consecutive elements of the dim make one element of the
    /// rule's factors (grouped heads: q has 3 heads for each kv head, so its
    /// dim of 12 is rule factor 4 with multiplicity 3). Keyed by dim; empty
    /// means 1 everywhere.
    llvm::SmallVector<int64_t, 4> multiplicity;
    /// Factors that may be whole where others are split by them: the op itself
    /// finds the part that it needs (kv heads, by the rank's query heads). A
    /// result that picks (the gradient of those heads) is split if an operand
    /// that picks is, and else has the whole factor, in which each rank has
    /// its term of a sum.
    llvm::SmallVector<int, 2> picks;
    /// Only how the dims that have factors are cut is read of it: the other
    /// dims may be cut in any way, and it may be a partial sum.
    bool isLike = false;
    /// Of a result: operands that it does not depend on. Where only these are
    /// split or partial over an axis, it is whole (the sums of softmax are, of
    /// values that are terms of a sum).
    llvm::SmallVector<unsigned, 1> ignores;
  };
  /// A result that lacks a pointwise factor is a sum over it: ranks that split
  /// it hold terms (of several results, some may have the factor).
  /// The factors of a rule refine those of the types, and leave out factors of
  /// size 1 (unless the dim has size 1). A factor that only a result has is
  /// made there: any rank can compute its part. Of factors that stand for
  /// positions (iota, embedding rows, rotary, causal attention) only the major
  /// one is not Whole: what a rank holds must be consecutive.
  llvm::SmallVector<Factor, 8> factors;
  /// The factor that states speak of: of windows the positions.
  int positionsOf(int factor) const {
    return factor >= 0 && factors[factor].windowsOf >= 0
               ? factors[factor].windowsOf
               : factor;
  }
  llvm::SmallVector<Value, 4> operands, results;
  /// In the user's words, why partial operands are refused: "layer_norm of a
  /// sum is not the sum of layer_norms".
  std::string reason;
};

/// A common refinement of two factor lists of one dim: the shortest list that
/// both are groupings of, e.g. [384] and [12,32] -> [12,32]; [2,12] and [6,4]
/// -> [2,3,4]. Fails when cuts cross ([4,6] and [3,8]) or sizes differ. Size-1
/// factors are dropped unless all is 1. A factor that one side has as it is
/// keeps its name (the first side's, if both name it).
mlir::FailureOr<llvm::SmallVector<FactorAttr>>
refineFactors(llvm::ArrayRef<FactorAttr> a, llvm::ArrayRef<FactorAttr> b);

} // namespace hocket::nn

#endif // HOCKET_NN_PLACEMENTRULE_H
