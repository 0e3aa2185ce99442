//===- ProductDerivative.cpp - derivatives of linear and matmul -----------===//

#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// All dims but the last as one: [rows, n].
static Value rowsOf(Derivative &d, Value x) {
  int64_t lead = dimsOf(x).size() - 1;
  return lead == 1 ? x : d.join(x, {lead, 1});
}

/// sum over rows of a[row, m] b[row, n].
static Value outerSum(Derivative &d, Value a, Value b) {
  return d.make<MatMulOp>(d.transpose(rowsOf(d, a), {1, 0}), rowsOf(d, b));
}

static Value swapLast(Derivative &d, Value x) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, dimsOf(x).size()));
  std::swap(order.back(), order[order.size() - 2]);
  return d.transpose(x, order);
}

void LinearOp::differentiate(Derivative &d) {
  Value dy = d.cotangent();
  if (d.isWanted(0))
    d.give(0, d.make<LinearOp>(dy, d.read(getWeight()), Value(),
                               d.builder().getBoolAttr(!getTransposed())));
  if (d.isWanted(1)) {
    Value x = d.read(getX());
    d.give(1, getTransposed() ? outerSum(d, x, dy) : outerSum(d, dy, x));
  }
  if (getBias() && d.isWanted(2))
    d.give(2, d.sumTo(dy, getBias()));
}

void MatMulOp::differentiate(Derivative &d) {
  Value dy = d.cotangent();
  if (d.isWanted(0)) {
    Value da = d.make<MatMulOp>(dy, swapLast(d, d.read(getB())));
    d.give(0, d.sumTo(da, getA()));
  }
  if (!d.isWanted(1))
    return;
  Value a = d.read(getA());
  if (dimsOf(getB()).size() == 2) { // one matrix for all: sum with the rows
    // A transposed matrix gets a transposed product: what is added to it later
    // lies in memory as it does.
    bool isTransposed = getB().getDefiningOp<RearrangeOp>() != nullptr;
    return d.give(1, isTransposed ? d.transpose(outerSum(d, dy, a), {1, 0})
                                  : outerSum(d, a, dy));
  }
  d.give(1, d.sumTo(d.make<MatMulOp>(swapLast(d, a), dy), getB()));
}
