//===- GradientProgram.h - a model with and without gradients --*- C++ -*-===//

#ifndef HOCKET_TEST_UNIT_GRADIENTS_GRADIENTPROGRAM_H
#define HOCKET_TEST_UNIT_GRADIENTS_GRADIENTPROGRAM_H

#include "dialects/Nn/Func.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Reference/Evaluate.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace hocket::test {

struct GradientCase {
  const char *name;
  const char *members;           // of the model
  const char *inputs;            // of forward
  const char *body;              // of forward
  const char *result;            // its type
  double low = -1.5, high = 1.5; // the range of random values
};

/// The program of one case, evaluated by the float64 reference. `tensors` are
/// its inputs, cotangents and parameters by name.
class GradientProgram {
public:
  using Tensor = reference::Tensor;

  explicit GradientProgram(const GradientCase &given);

  bool isMade() const { return bool(backward); }
  const std::string &message() const { return text; }

  /// Type by name of what `tensors` has to hold.
  std::map<std::string, mlir::RankedTensorType> types();
  std::vector<Tensor> runForward() { return run(forward); }
  /// Outputs, and each gradient as NAME.grad.
  std::map<std::string, Tensor> runBackward();
  size_t outputs() { return forward.getNumResults(); }
  std::string outputName(size_t index);

  std::map<std::string, Tensor> tensors;

private:
  std::vector<Tensor> run(nn::FuncOp func);

  std::string text;
  llvm::raw_string_ostream errors{text};
  Compiler plain{errors}, with{errors};
  nn::FuncOp forward, backward;
};

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_GRADIENTS_GRADIENTPROGRAM_H
