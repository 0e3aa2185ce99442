//===- Reduce.cpp - sum, mean and max over dims ---------------------------===//

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

/// Strides of the result over the dims of x: 0 along what is reduced.
static Indices resultStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  Indices kept(shape);
  for (int64_t dim : dims)
    kept[dim] = 1;
  return broadcastStrides(kept, shape);
}

static void reduceIntegers(bool isSum, unsigned width, const Tensor &x,
                           ArrayRef<int64_t> strides, Call &call) {
  Integers integers(width);
  std::vector<int64_t> sums(call.size(), isSum ? 0 : integers.smallest());
  forEachElement(x.shape, strides, [&](int64_t from, int64_t to) {
    int64_t value = integers.read(x.values[from]);
    sums[to] =
        isSum ? integers.add(sums[to], value) : std::max(sums[to], value);
  });
  for (size_t at = 0; at < sums.size(); ++at)
    call.result.values[at] = integers.write(sums[at], call.error);
}

void evaluateReduce(nn::ReduceOp op, Call &call) {
  const Tensor &x = call.operand(0);
  Indices strides = resultStrides(x.shape, op.getDims());
  bool isSum = op.getKind() != "max";
  Type element = op.getType().getElementType();
  if (isa<IntegerType>(element))
    return reduceIntegers(isSum, element.getIntOrFloatBitWidth(), x, strides,
                          call);
  std::vector<double> &y = call.result.values;
  std::fill(y.begin(), y.end(), isSum ? 0.0 : -INFINITY);
  forEachElement(x.shape, strides, [&](int64_t from, int64_t to) {
    y[to] = isSum ? y[to] + x.values[from] : larger(y[to], x.values[from]);
  });
  if (op.getKind() == "mean") {
    double count = 1;
    for (int64_t dim : op.getDims())
      count *= x.shape[dim];
    for (double &value : y)
      value /= count;
  }
}

} // namespace hocket::reference
