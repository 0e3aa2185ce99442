//===- Validation.cpp - the loss alone, as it is used after training ------===//

#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "dialects/Sched/Sched.h"
#include "hocket/Transforms/Differentiate.h"
#include "hocket/Transforms/Train.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace hocket;

/// Without a step dropout is the identity.
static void stopDropping(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto dropout = dyn_cast<nn::DropoutOp>(op)) {
      dropout.getStepMutable().clear();
      dropout.removeStreamAttr();
    } else if (auto attention = dyn_cast<nn::AttentionOp>(op)) {
      attention.getStepMutable().clear();
      attention.removeStreamAttr();
      attention.setDropoutAttr(Builder(op).getF64FloatAttr(0));
    }
  });
  for (auto func : module.getOps<nn::FuncOp>())
    for (unsigned i = func.getNumArguments(); i-- > 0;) {
      auto name = nn::argumentName(func, i);
      if (name && name.getValue() == "step" && func.getArgument(i).use_empty())
        (void)func.eraseArgument(i);
    }
}

/// The next values of buffers are no outputs.
static void dropBuffers(nn::FuncOp func) {
  size_t count = func.getBuffers().size();
  if (count == 0)
    return;
  Operation *terminator = func.getBody().front().getTerminator();
  size_t own = terminator->getNumOperands() - count;
  terminator->eraseOperands(own, count);
  auto names = func.getOutputs().getValue();
  func.setOutputsAttr(ArrayAttr::get(func.getContext(), names.take_front(own)));
  func.setBuffersAttr(ArrayAttr::get(func.getContext(), {}));
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getArgumentTypes(),
                                         terminator->getOperandTypes()));
}

/// What went over the statistics of a batch goes over the running ones, which
/// stay as they are.
static void stopMoving(nn::FuncOp func) {
  dropBuffers(func);
  llvm::StringMap<Value> parameters;
  for (auto parameter : func.getBody().front().getOps<nn::ParameterOp>())
    parameters[parameter.getPath()] = parameter;
  func.walk([&](nn::NormalizeOp op) {
    auto paths = op->getAttrOfType<ArrayAttr>(nn::kRunning);
    if (!paths)
      return;
    auto buffer = [&](unsigned index) {
      return parameters.lookup(cast<StringAttr>(paths[index]).getValue());
    };
    OpBuilder builder(op);
    op.getY().replaceAllUsesWith(
        nn::normalizeByRunning(builder, op.getLoc(), op.getX(), buffer(0),
                               buffer(1), op.getEps().convertToDouble()));
  });
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

OwningOpRef<ModuleOp> hocket::validationOf(ModuleOp model) {
  if (!nn::modelOf(model).getRun().contains("validate_every"))
    return {};
  OwningOpRef<ModuleOp> loss(model.clone());
  auto nothing = DictionaryAttr::get(model.getContext());
  nn::ModelOp said = nn::modelOf(*loss);
  said.setTrainAttr(nothing);
  said.setRunAttr(nothing);
  said.setGradients(nn::Gradients::None);
  stopDropping(*loss);
  // They are of the step: norms that read running statistics move nothing.
  loss->walk([](sched::ExpectOp expect) { expect.erase(); });
  for (auto func : loss->getOps<nn::FuncOp>())
    stopMoving(func);
  return loss;
}
