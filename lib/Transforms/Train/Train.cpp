//===- Train.cpp - the optimizer of a training step, its pass -------------===//

#include "hocket/Transforms/Train.h"
#include "StepBuilder.h"
#include "dialects/Nn/Program.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace hocket;

LogicalResult hocket::train(ModuleOp module) {
  nn::ModelOp model = nn::modelOf(module);
  if (!model || !model.isTrained())
    return success();
  nn::MeshAttr mesh = nn::meshOf(module);
  auto functions = module.getOps<nn::FuncOp>();
  if (!mesh || !llvm::hasSingleElement(functions))
    return module.emitError(
        "an optimizer is added to a placed module with one function");
  nn::FuncOp func = *functions.begin();
  if (failed(training::StepBuilder(func, mesh, model.getTrain()).run()))
    return failure();
  // Gradients that nothing is trained with would still be reduced.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

namespace {
struct TrainPass : PassWrapper<TrainPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TrainPass)
  StringRef getArgument() const override { return "hocket-train"; }
  StringRef getDescription() const override {
    return "make a training step of a program that has its gradients";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<nn::NnDialect>();
  }
  void runOnOperation() override {
    if (failed(train(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void hocket::registerTrainPass() { PassRegistration<TrainPass>(); }
