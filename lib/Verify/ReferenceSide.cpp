//===- ReferenceSide.cpp - what programs are compared with ----------------===//

#include "ReferenceSide.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Program.h"
#include "dialects/Sched/Sched.h"
#include "hocket/Transforms/Differentiate.h"
#include "hocket/Transforms/Train.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cmath>

using namespace hocket;
using runtime::Status;

/// Weights that keep values near 1 through the whole model. With those of a
/// fresh model, a softmax is flat and blocks hardly add to the stream: a wrong
/// position or mask would pass for rounding.
runtime::RandomTensors hocket::tellingWeights(const plan::Plan &plan,
                                              uint64_t seed) {
  runtime::RandomTensors result("weights", seed);
  for (const plan::GlobalTensor &tensor : plan.parameters) {
    double deviation = 0.7; // norms and biases
    if (tensor.dims.size() > 1) {
      double elements = 1;
      for (int64_t dim : tensor.dims)
        elements *= double(dim);
      double first = double(tensor.dims[0]);
      deviation = 1.2 / std::sqrt(std::min(first, elements / first));
    }
    result.add(tensor, {deviation, 2});
  }
  return result;
}

/// All of a global tensor, as the reference holds it.
Status hocket::readWhole(const runtime::TensorSource &source,
                         const std::string &name, reference::Tensor &tensor) {
  runtime::TensorDescription description;
  if (!source.describe(name, description))
    return Status::runtimeError("no tensor '" + name + "'");
  tensor.shape = description.dims;
  runtime::Box box;
  box.shape = box.size = description.dims;
  box.offset.assign(description.dims.size(), 0);
  tensor.values.resize(box.elements());
  return source.read(name, box, plan::DType::F64, tensor.values.data());
}

Status hocket::evaluateReference(mlir::ModuleOp model, const ReadTensor &weight,
                                 const ReadTensor &input,
                                 std::vector<reference::Tensor> &outputs) {
  auto func = *model.getOps<nn::FuncOp>().begin();
  std::vector<reference::Tensor> arguments(func.getNumArguments());
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto name = nn::argumentName(func, i);
    Status status = input(name.str(), arguments[i]);
    if (!status.ok())
      return status;
  }
  std::string problem;
  auto parameters = [&](llvm::StringRef path, reference::Tensor &tensor) {
    return weight(path.str(), tensor).ok();
  };
  if (failed(
          reference::evaluate(func, parameters, arguments, outputs, problem)))
    return Status::runtimeError("the reference: " + problem);
  return Status::success();
}

/// Leaves out what no output needs: a plan reads no weights for it either. Of
/// what sums over edges are cut like no value is read.
static void dropUnused(mlir::ModuleOp model) {
  model.walk([](nn::ScatterSumOp op) { op.getLikeMutable().clear(); });
  for (auto func : model.getOps<nn::FuncOp>())
    for (mlir::Operation &op :
         llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
      if (mlir::isOpTriviallyDead(&op))
        op.erase();
}

/// The model without a schedule, with its backward and optimizer where these
/// are asked for.
bool hocket::makeReference(mlir::ModuleOp model) {
  if (nn::gradientsOf(model) != nn::Gradients::None) {
    for (auto schedule :
         llvm::make_early_inc_range(model.getOps<sched::ScheduleOp>()))
      schedule.erase();
    if (failed(placement::place(model)) || failed(differentiate(model)) ||
        failed(train(model)))
      return false;
  }
  dropUnused(model);
  return true;
}
