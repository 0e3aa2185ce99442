//===- Validation.cpp - the loss alone, as it is used after training ------===//

#include "dialects/Nn/Nn.h"
#include "hocket/Transforms/Differentiate.h"
#include "hocket/Transforms/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

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
  for (auto func : module.getOps<func::FuncOp>())
    for (unsigned i = func.getNumArguments(); i-- > 0;) {
      auto name = func.getArgAttrOfType<StringAttr>(i, "nn.name");
      if (name && name.getValue() == "step" && func.getArgument(i).use_empty())
        (void)func.eraseArgument(i);
    }
}

OwningOpRef<ModuleOp> hocket::validationOf(ModuleOp model) {
  auto run = model->getAttrOfType<DictionaryAttr>(kRun);
  if (!model->hasAttr(kTrain) || !run || !run.contains("validate_every"))
    return {};
  OwningOpRef<ModuleOp> loss(model.clone());
  for (StringRef name :
       {StringRef(kTrain), StringRef(kRun), StringRef(kGradients)})
    (*loss)->removeAttr(name);
  stopDropping(*loss);
  return loss;
}
