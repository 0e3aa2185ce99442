//===- RuleBuilder.h - writing placement rules by dims ---------*- C++ -*-===//
//
// Operations speak of dims, rules of factors. A RuleBuilder is told which dims
// are the same index; it refines their factors together and numbers them.
//
//   RuleBuilder rule(op);
//   rule.add({operand(0, 1), operand(1, 0)}, FactorUse::Contracted);
//   rule.add({operand(0, 0), result(0)});
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_OPS_RULEBUILDER_H
#define HOCKET_NN_OPS_RULEBUILDER_H

#include "dialects/Nn/Nn.h"

namespace hocket::nn {

/// A dim of an operand or of a result.
struct DimOf {
  bool isResult;
  unsigned value;
  int64_t dim;
};
inline DimOf operand(unsigned value, int64_t dim) {
  return {false, value, dim};
}
inline DimOf result(int64_t dim) { return {true, 0, dim}; }
inline DimOf resultOf(unsigned value, int64_t dim) {
  return {true, value, dim};
}

class RuleBuilder {
public:
  /// `reason`: why partial operands are refused.
  explicit RuleBuilder(mlir::Operation *op, std::string reason = "");

  /// The dims are one index. Where their factors have no common refinement,
  /// they are one Whole factor.
  void add(llvm::ArrayRef<DimOf> dims, FactorUse use = FactorUse::Pointwise,
           std::string reason = "");
  void contract(llvm::ArrayRef<DimOf> dims, Reduction reduction);
  /// As `add`, where the index is a position: all factors but the major one
  /// are whole.
  void addPositions(llvm::ArrayRef<DimOf> dims,
                    FactorUse use = FactorUse::Pointwise);
  /// Windows slide over the index `positions`, and `results` has something for
  /// each. False if some dim is of several factors: then all are whole.
  bool addWindows(llvm::ArrayRef<DimOf> positions,
                  llvm::ArrayRef<DimOf> results, const Window &window);
  /// Operand `value` has size 1 where the others have more.
  void broadcast(DimOf dim);
  /// Result dims against operands aligned at the last dim, as NumPy does;
  /// all except the last `skip` dims of each.
  void addBroadcasting(llvm::ArrayRef<unsigned> operands, int64_t skip = 0);

  /// Factors that were found otherwise; `add` for each chunk by itself.
  int addFactor(FactorAttr factor, FactorUse use, std::string reason = "");
  llvm::SmallVector<int, 2> &factorsOf(DimOf dim);
  llvm::ArrayRef<FactorAttr> layoutOf(DimOf dim) const;
  int64_t sizeOf(DimOf dim) const;
  PlacementRule::Factor &factor(int number) { return rule.factors[number]; }

  void partial(unsigned operand, PartialUse use) {
    rule.operands[operand].partial = use;
  }
  /// `multiplicity` elements of the dim make one of the rule's.
  void multiplicity(DimOf dim, int64_t multiplicity);
  /// The op finds by itself what it needs of these factors of the operand; of
  /// a result, see PlacementRule::Value::picks.
  void picks(DimOf dim, llvm::ArrayRef<int> factors) {
    llvm::append_range(valueOf(dim).picks, factors);
  }
  /// The operand tells how its dims are cut, those that are given factors.
  void readsCuts(unsigned operand) { rule.operands[operand].isLike = true; }

  /// The result does not depend on the operand.
  void ignores(unsigned result, unsigned operand) {
    rule.results[result].ignores.push_back(operand);
  }

  PlacementRule take() { return std::move(rule); }

private:
  PlacementRule::Value &valueOf(DimOf dim) {
    return dim.isResult ? rule.results[dim.value] : rule.operands[dim.value];
  }

  mlir::Operation *op;
  PlacementRule rule;
};

/// The refinement of several factor lists of one dim.
mlir::FailureOr<llvm::SmallVector<FactorAttr>>
refineAll(llvm::ArrayRef<llvm::ArrayRef<FactorAttr>> lists);

} // namespace hocket::nn

#endif // HOCKET_NN_OPS_RULEBUILDER_H
