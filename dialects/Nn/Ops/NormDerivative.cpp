//===- NormDerivative.cpp - derivatives of norms and softmax --------------===//
//
// With h = (x - mean) / sqrt(var + eps) and g = dy * weight,
//   dx = (g - mean(g) - h mean(g h)) / sqrt(var + eps);
// rms_norm has no mean to take away (arXiv 1607.06450, 1910.07467). Statistics
// are computed again from x: nothing except x is kept for the backward.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

static void differentiateNorm(Operation *op, Derivative &d, double eps,
                              bool centered) {
  int64_t last = dimsOf(op->getOperand(0)).size() - 1;
  auto mean = [&](Value x) {
    return d.reduce(ReduceKind::Mean, x, {last}, true);
  };
  auto mul = [&](Value a, Value b) { return d.binary(BinaryKind::Mul, a, b); };
  Value dy = d.cotangent(), x = d.read(op->getOperand(0));
  Value h = centered ? d.binary(BinaryKind::Sub, x, mean(x)) : x;
  Value square = mean(mul(h, h)), small = d.scalar(eps, x);
  Value scale =
      d.unary(UnaryKind::Rsqrt, d.binary(BinaryKind::Add, square, small));
  h = mul(h, scale);
  if (d.isWanted(0)) {
    Value g = mul(dy, d.read(op->getOperand(1)));
    Value rest = centered ? d.binary(BinaryKind::Sub, g, mean(g)) : g;
    rest = d.binary(BinaryKind::Sub, rest, mul(h, mean(mul(g, h))));
    d.give(0, mul(rest, scale));
  }
  if (d.isWanted(1))
    d.give(1, d.sumTo(mul(dy, h), op->getOperand(1)));
  if (op->getNumOperands() > 2 && d.isWanted(2))
    d.give(2, d.sumTo(dy, op->getOperand(2)));
}

void LayerNormOp::differentiate(Derivative &d) {
  differentiateNorm(*this, d, getEps().convertToDouble(), /*centered=*/true);
}

void RmsNormOp::differentiate(Derivative &d) {
  differentiateNorm(*this, d, getEps().convertToDouble(), /*centered=*/false);
}

/// From y and the variance alone, so that x need not be kept.
void NormalizeOp::differentiate(Derivative &d) {
  if (d.cotangent(1) || d.cotangent(2))
    return d.refuse("the derivative of a norm's mean and variance");
  ArrayRef<int64_t> over = getDims();
  SmallVector<int64_t> spread(dimsOf(getX()).size(), 1);
  for (int64_t dim : over)
    spread[dim] = 0; // a dim of size 1 in place of the one that is gone
  auto mean = [&](Value x) {
    return d.reduce(ReduceKind::Mean, x, over, true);
  };
  auto mul = [&](Value a, Value b) { return d.binary(BinaryKind::Mul, a, b); };
  Value variance = d.join(d.read(getVariance()), spread);
  Value eps = d.scalar(getEps().convertToDouble(), variance);
  Value scale =
      d.unary(UnaryKind::Rsqrt, d.binary(BinaryKind::Add, variance, eps));
  Value dy = d.cotangent(), y = d.read(getY());
  Value rest = d.binary(BinaryKind::Sub, dy, mean(dy));
  rest = d.binary(BinaryKind::Sub, rest, mul(y, mean(mul(dy, y))));
  d.give(0, mul(rest, scale));
}

void LogSumExpOp::differentiate(Derivative &d) {
  SmallVector<int64_t> counts(dimsOf(getX()).size() + 1, 1);
  counts.pop_back();
  counts[getDim()] = 0; // a dim of size 1 in place of the one that is gone
  Value x = d.read(getX());
  Value total = d.join(d.read(getResult()), counts);
  Value weight = d.unary(UnaryKind::Exp, d.binary(BinaryKind::Sub, x, total));
  d.give(0, d.binary(BinaryKind::Mul, weight, d.join(d.cotangent(), counts)));
}

void SoftmaxOp::differentiate(Derivative &d) {
  Value dy = d.cotangent(), y = d.read(getResult());
  Value sum = d.reduce(ReduceKind::Sum, d.binary(BinaryKind::Mul, dy, y),
                       {int64_t(getDim())}, true);
  d.give(0, d.binary(BinaryKind::Mul, y, d.binary(BinaryKind::Sub, dy, sum)));
}
