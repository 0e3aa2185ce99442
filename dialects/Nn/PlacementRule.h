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

#include "dialects/Nn/Layout.h"
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

/// What a partial operand does to the result.
enum class PartialUse {
  Refused,  // nonlinear: the sum must be complete first
  Linear,   // result partial, if every other Linear operand is not partial on
            // that axis, and every Addend is partial too or masked
  Addend,   // joins a sum: if some operand is partial on an axis, every Addend
            // must be partial too, or is R and counted on one rank only
  Monotone, // as Linear, and max/min partials pass as well
};

struct PlacementRule {
  struct Factor {
    int64_t size = 1;
    FactorUse use = FactorUse::Pointwise;
    Reduction reduction = Reduction::Sum;
    std::string name; // for messages; may be empty
  };
  struct Value {
    /// For each dim its factor numbers, major first. A dim (or factor) that is
    /// broadcast has -1.
    llvm::SmallVector<llvm::SmallVector<int, 2>, 4> dims;
    PartialUse partial = PartialUse::Refused;
    /// This many elements of the value's factor make one of the rule's factor
    /// (grouped heads: q has `group` heads for one kv head). Keyed by dim;
    /// empty means 1 everywhere.
    llvm::SmallVector<int64_t, 4> multiplicity;
  };
  llvm::SmallVector<Factor, 8> factors;
  llvm::SmallVector<Value, 4> operands, results;
  /// In the user's words, why partial operands or whole factors are refused:
  /// "layer_norm of a sum is not the sum of layer_norms".
  std::string reason;
};

/// A common refinement of two factor lists of one dim: the shortest list that
/// both are groupings of, e.g. [384] and [12,32] -> [12,32]. Fails when cuts
/// cross ([4,6] and [3,8]). Size-1 factors are dropped unless all is 1.
mlir::FailureOr<llvm::SmallVector<FactorAttr>>
refineFactors(llvm::ArrayRef<FactorAttr> a, llvm::ArrayRef<FactorAttr> b);

} // namespace hocket::nn

#endif // HOCKET_NN_PLACEMENTRULE_H
