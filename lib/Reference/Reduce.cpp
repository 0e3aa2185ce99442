//===- Reduce.cpp - sum, mean, max and min over dims ----------------------===//

#include "Integers.h"
#include "Operations.h"
#include "Strided.h"
#include "dialects/Nn/Shape.h"
#include <cmath>

using namespace mlir;

namespace hocket::reference {

static double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

static double smaller(double a, double b) {
  return std::isnan(a) || a < b ? a : b;
}

/// Strides of the result over the dims of x: 0 along what is reduced.
static Indices resultStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  Indices kept(shape);
  for (int64_t dim : dims)
    kept[dim] = 1;
  return broadcastStrides(kept, shape);
}

static void reduceIntegers(nn::ReduceKind kind, unsigned width, const Tensor &x,
                           ArrayRef<int64_t> strides, Call &call) {
  Integers integers(width);
  bool isMax = kind == nn::ReduceKind::Max, isMin = kind == nn::ReduceKind::Min;
  std::vector<int64_t> sums(call.size(), isMax   ? integers.smallest()
                                         : isMin ? integers.largest()
                                                 : 0);
  forEachElement(x.shape, strides, [&](int64_t from, int64_t to) {
    int64_t value = integers.read(x.values[from]);
    sums[to] = isMax   ? std::max(sums[to], value)
               : isMin ? std::min(sums[to], value)
                       : integers.add(sums[to], value);
  });
  for (size_t at = 0; at < sums.size(); ++at)
    call.result.values[at] = integers.write(sums[at], call.error);
}

void evaluateReduce(nn::ReduceOp op, Call &call) {
  const Tensor &x = call.operand(0);
  Indices strides = resultStrides(x.shape, op.getDims());
  bool isMax = op.getKind() == nn::ReduceKind::Max,
       isMin = op.getKind() == nn::ReduceKind::Min;
  Type element = op.getType().getElementType();
  if (isa<IntegerType>(element))
    return reduceIntegers(op.getKind(), element.getIntOrFloatBitWidth(), x,
                          strides, call);
  std::vector<double> &y = call.result.values;
  std::fill(y.begin(), y.end(), isMax ? -INFINITY : isMin ? INFINITY : 0.0);
  forEachElement(x.shape, strides, [&](int64_t from, int64_t to) {
    double value = x.values[from];
    y[to] = isMax   ? larger(y[to], value)
            : isMin ? smaller(y[to], value)
                    : y[to] + value;
  });
  if (op.getKind() == nn::ReduceKind::Mean) {
    double count = 1;
    for (int64_t dim : op.getDims())
      count *= x.shape[dim];
    for (double &value : y)
      value /= count;
  }
}

} // namespace hocket::reference
