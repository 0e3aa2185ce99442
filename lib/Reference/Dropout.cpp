//===- Dropout.cpp - which elements of a whole tensor are dropped ---------===//

#include "Operations.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/MicroBatch.h"
#include "hocket/Random/Philox.h"

using namespace mlir;

namespace hocket::reference {

using runtime::Purpose;

DropoutFactors::DropoutFactors(Operation *op, double p,
                               std::optional<int64_t> stream,
                               const Tensor *step)
    : drops(step && p > 0),
      key(uint64_t(nn::seedOf(op)) ^ uint64_t(stream.value_or(0))),
      step(step ? uint32_t(int64_t(step->values.front())) : 0),
      threshold(runtime::dropThreshold(p)), scale(1 / (1 - p)) {
  if (auto before = op->getAttrOfType<IntegerAttr>(nn::kFirstDrawn))
    first = before.getInt();
}

double DropoutFactors::factor(int64_t element) const {
  if (!drops)
    return 1;
  uint32_t word =
      runtime::wordOfElement(key, first + element, step, Purpose::Dropout);
  bool kept = word >= threshold;
  return kept ? scale : 0;
}

void evaluateDropout(nn::DropoutOp op, Call &call) {
  DropoutFactors dropout(op, op.getP().convertToDouble(), op.getStream(),
                         call.optional(1));
  const std::vector<double> &x = call.operand(0).values;
  for (size_t i = 0; i < x.size(); ++i) {
    double factor = dropout.factor(int64_t(i));
    call.result.values[i] = factor == 0 ? 0 : x[i] * factor;
  }
}

} // namespace hocket::reference
