//===- Norms.cpp - shape and placement of norms and softmax ---------------===//

#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// Both norms: (C1) x has floats and a last dim, (C2) weight and bias have its
/// size, (C3) equal element types, (C4) eps is not negative.
static LogicalResult inferNorm(std::optional<Location> location, StringRef name,
                               ValueRange operands, double eps,
                               SmallVectorImpl<Type> &types) {
  Value x = operands.front();
  if (dimsOf(x).empty() || !isa<FloatType>(elementTypeOf(x))) // (C1)
    return emitOptionalError(location, name,
                             " takes x of floats of 1 or more dims, but it is ",
                             describe(x.getType()));
  SmallVector<DimAttr> dims(dimsOf(x));
  const char *names[] = {"x", "weight", "bias"};
  for (auto [index, other] : llvm::enumerate(operands)) {
    if (index == 0)
      continue;
    if (dimsOf(other).size() != 1 ||
        dimsOf(other)[0].getSize() != dims.back().getSize()) // (C2)
      return emitOptionalError(
          location, name, " takes a ", names[index], " of one dim of ",
          dims.back().getSize(), ", the last dim of x ", describe(x.getType()),
          ", but the ", names[index], " is ", describe(other.getType()));
    if (elementTypeOf(other) != elementTypeOf(x)) // (C3)
      return emitOptionalError(
          location, name, " takes tensors of one element type, but got ",
          describe(x.getType()), " and ", describe(other.getType()));
    dims.back() = commonDim(dims.back(), dimsOf(other)[0]);
  }
  if (!(eps >= 0)) // (C4)
    return emitOptionalError(location, name,
                             " takes an eps of at least 0, but it is ", eps);
  types.push_back(
      tensorOf(elementTypeOf(x), LayoutAttr::get(x.getContext(), dims)));
  return success();
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferNorm(location, "layer_norm", adaptor.getOperands(),
                   adaptor.getEps().convertToDouble(), types);
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferNorm(location, "rms_norm", adaptor.getOperands(),
                   adaptor.getEps().convertToDouble(), types);
}

/// Pointwise except `dim`, along which the op takes statistics; the operands
/// after x have that dim alone.
static PlacementRule statisticsRule(Operation *op, StringRef name,
                                    int64_t dim) {
  RuleBuilder rule(op, (name + " of a sum is not the sum of " + name +
                        (name.ends_with("x") ? "es" : "s"))
                           .str());
  int64_t rank = dimsOf(op->getResult(0)).size();
  for (int64_t d = 0; d < rank; ++d) {
    SmallVector<DimOf> dims = {operand(0, d), result(d)};
    if (d != dim) {
      rule.add(dims);
      continue;
    }
    for (unsigned other = 1; other < op->getNumOperands(); ++other)
      dims.push_back(operand(other, 0));
    rule.add(dims, FactorUse::Statistics,
             (name + " needs the whole dim for its statistics").str());
  }
  return rule.take();
}

PlacementRule LayerNormOp::getPlacementRule() {
  return statisticsRule(*this, "layer_norm", dimsOf(getX()).size() - 1);
}

PlacementRule RmsNormOp::getPlacementRule() {
  return statisticsRule(*this, "rms_norm", dimsOf(getX()).size() - 1);
}

LogicalResult NormalizeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  ArrayRef<int64_t> over = adaptor.getDims();
  if (!isa<FloatType>(elementTypeOf(x))) // (C1)
    return emitOptionalError(location, "a norm takes x of floats, but it is ",
                             describe(x.getType()));
  int64_t rank = dimsOf(x).size(), before = -1, count = 1;
  for (int64_t dim : over) {
    if (dim <= before || dim >= rank) // (C2)
      return emitOptionalError(location, "a norm over dim ", dim, " of x ",
                               describe(x.getType()),
                               "; its dims are those of x in rising order");
    before = dim;
    count *= dimsOf(x)[dim].getSize();
  }
  if (over.empty() || count == 0) // (C2), (C3)
    return emitOptionalError(location, "a norm takes statistics of ",
                             over.empty() ? "no dims" : "no elements", " of x ",
                             describe(x.getType()));
  double eps = adaptor.getEps().convertToDouble();
  if (!(eps >= 0)) // (C4)
    return emitOptionalError(
        location, "a norm takes an eps of at least 0, but it is ", eps);
  SmallVector<DimAttr> kept;
  for (auto [index, dim] : llvm::enumerate(dimsOf(x)))
    if (!llvm::is_contained(over, int64_t(index)))
      kept.push_back(dim);
  types.push_back(withLayout(tensorType(x), layoutOf(x).withoutPlacement()));
  types.append(2, tensorOf(elementTypeOf(x), LayoutAttr::get(context, kept)));
  return success();
}

PlacementRule NormalizeOp::getPlacementRule() {
  RuleBuilder rule(*this, "a norm of a sum is not the sum of the norms");
  int64_t kept = 0;
  for (int64_t d = 0, rank = dimsOf(getX()).size(); d < rank; ++d) {
    SmallVector<DimOf> dims = {operand(0, d), result(d)};
    if (llvm::is_contained(getDims(), d)) {
      rule.add(dims, FactorUse::Statistics,
               "a norm needs the whole dim for its statistics");
      continue;
    }
    dims.append({resultOf(1, kept), resultOf(2, kept)});
    rule.add(dims);
    ++kept;
  }
  return rule.take();
}

/// x has the dim (C1) and is of floats (C2).
static LogicalResult verifyStatistics(std::optional<Location> location,
                                      StringRef name, Value x, int64_t dim) {
  int64_t rank = dimsOf(x).size();
  if (dim < 0 || dim >= rank)
    return emitOptionalError(location, name, " over dim ", dim, " of x ",
                             describe(x.getType()), ", which has ", rank,
                             " dims");
  if (!isa<FloatType>(elementTypeOf(x)))
    return emitOptionalError(location, name, " takes x of floats, but it is ",
                             describe(x.getType()));
  return success();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  if (failed(verifyStatistics(location, "softmax", x, adaptor.getDim())))
    return failure();
  types.push_back(withLayout(tensorType(x), layoutOf(x).withoutPlacement()));
  return success();
}

PlacementRule SoftmaxOp::getPlacementRule() {
  return statisticsRule(*this, "softmax", getDim());
}

LogicalResult LogSumExpOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  int64_t dim = adaptor.getDim();
  if (failed(verifyStatistics(location, "log_sum_exp", x, dim)))
    return failure();
  SmallVector<DimAttr> dims(dimsOf(x));
  dims.erase(dims.begin() + dim);
  types.push_back(tensorOf(elementTypeOf(x), LayoutAttr::get(context, dims)));
  return success();
}

PlacementRule LogSumExpOp::getPlacementRule() {
  RuleBuilder rule(*this,
                   "log_sum_exp of a sum is not the sum of log_sum_exps");
  int64_t kept = 0;
  for (int64_t d = 0, rank = dimsOf(getX()).size(); d < rank; ++d)
    if (d == int64_t(getDim()))
      rule.add({operand(0, d)}, FactorUse::Statistics,
               "log_sum_exp needs the whole dim for its statistics");
    else
      rule.add({operand(0, d), result(kept++)});
  return rule.take();
}
