//===- Sources.cpp - fill and iota ----------------------------------------===//

#include "Operations.h"
#include "Strided.h"
#include "dialects/Nn/Values.h"
#include <cmath>

using namespace mlir;

namespace hocket::reference {

void evaluateFill(nn::FillOp op, Call &call) {
  double value = op.getValue().convertToDouble();
  if (isa<IntegerType>(op.getType().getElementType()))
    value = std::trunc(value);
  std::fill(call.result.values.begin(), call.result.values.end(), value);
}

void evaluateIota(nn::IotaOp op, Call &call) {
  ArrayRef<int64_t> shape = call.result.shape;
  int64_t inner = product(shape.drop_front(op.getDim() + 1));
  for (int64_t at = 0; at < call.size(); ++at)
    call.result.values[at] = at / inner % shape[op.getDim()];
}

} // namespace hocket::reference
