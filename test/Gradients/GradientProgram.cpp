//===- GradientProgram.cpp - a model with and without its backward --------===//

#include "GradientProgram.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "hocket/Transforms/Differentiate.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::test;

static nn::FuncOp functionOf(Compiler &compiler) {
  return *compiler.module().getOps<nn::FuncOp>().begin();
}

static std::string inputName(nn::FuncOp func, unsigned index) {
  return func.getArgAttrOfType<mlir::StringAttr>(index, "nn.name").str();
}

GradientProgram::GradientProgram(const GradientCase &given) {
  std::string source = std::string("hocket 1\nmodel M(n: int = 4) {\n") +
                       given.members + "\nforward(" + given.inputs + ") -> " +
                       given.result + " {\n" + given.body + "\n}\n}\n";
  if (!plain.loadTexts("case.hkt", {{"case.hkt", source}}, {}) ||
      !with.loadTexts("case.hkt", {{"case.hkt", source}}, {}))
    return;
  nn::computeAllGradients(with.module());
  if (!plain.runTo("placed") || !with.runTo("differentiated"))
    return;
  forward = functionOf(plain);
  backward = functionOf(with);
}

std::map<std::string, mlir::RankedTensorType> GradientProgram::types() {
  std::map<std::string, mlir::RankedTensorType> types;
  for (unsigned i = 0; i < backward.getNumArguments(); ++i)
    types[inputName(backward, i)] =
        mlir::cast<mlir::RankedTensorType>(backward.getArgument(i).getType());
  for (auto parameter : backward.getBody().front().getOps<nn::ParameterOp>())
    types[parameter.getPath().str()] = parameter.getType();
  return types;
}

std::string GradientProgram::outputName(size_t index) {
  mlir::ArrayAttr names = backward.getOutputs();
  return mlir::cast<mlir::StringAttr>(names[index]).str();
}

std::map<std::string, reference::Tensor> GradientProgram::runBackward() {
  std::map<std::string, Tensor> named;
  for (auto [i, tensor] : llvm::enumerate(run(backward)))
    named[outputName(i)] = tensor;
  return named;
}

std::vector<reference::Tensor> GradientProgram::run(nn::FuncOp func) {
  std::vector<Tensor> inputs, outputs;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    inputs.push_back(tensors.at(inputName(func, i)));
  auto parameters = [&](llvm::StringRef path, Tensor &tensor) {
    auto found = tensors.find(path.str());
    if (found == tensors.end())
      return false;
    tensor = found->second;
    return true;
  };
  std::string error;
  EXPECT_TRUE(
      succeeded(reference::evaluate(func, parameters, inputs, outputs, error)))
      << error;
  return outputs;
}
