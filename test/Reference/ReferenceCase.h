//===- ReferenceCase.h - IR from text, in the reference --------*- C++ -*-===//
//
// Many expected numbers are PyTorch's, in float64. The inputs of both sides are
//
//   def wave(*shape, phase=0.0):
//       n = math.prod(shape)
//       return torch.sin(phase + 0.7 * torch.arange(n)).reshape(shape)
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_UNIT_REFERENCE_REFERENCECASE_H
#define HOCKET_TEST_UNIT_REFERENCE_REFERENCECASE_H

#include "hocket/Reference/Evaluate.h"
#include <map>

namespace hocket::test {

using reference::Tensor;
using Values = std::vector<double>;

Tensor wave(std::vector<int64_t> shape, double phase = 0);

/// "2x3xf32" as a type of the dialect, with anonymous dims.
std::string typeOf(const std::string &text);

struct Outcome {
  std::vector<Tensor> outputs;
  std::string error; // "" on success
  /// Values of the first output; none after an error.
  Values values() const {
    return outputs.empty() ? Values() : outputs[0].values;
  }
};

/// Evaluates a function of that text. `!2x3xf32` in it stands for a type.
Outcome evaluateText(const std::string &function,
                     const std::vector<Tensor> &inputs,
                     const reference::Parameters &parameters = {});

/// Evaluates one operation: evaluateOp("nn.linear %0, %1", {"2x3xf32", ...},
/// "2x4xf32", ...).
Outcome evaluateOp(const std::string &op,
                   const std::vector<std::string> &operandTypes,
                   const std::string &resultType,
                   const std::vector<Tensor> &inputs);

/// Expects the values of an outcome without an error, within 1e-13.
void expectClose(const Outcome &outcome, const Values &expected);

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_REFERENCE_REFERENCECASE_H
