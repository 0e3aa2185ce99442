//===- Differentiate.cpp - the backward of a placed program, its pass -----===//

#include "hocket/Transforms/Differentiate.h"
#include "Backward.h"
#include "dialects/Nn/Lse.h"
#include "dialects/Nn/Program.h"
#include "hocket/Placement/Expect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace hocket;

LogicalResult hocket::differentiate(ModuleOp module) {
  nn::Gradients which = nn::gradientsOf(module);
  if (which == nn::Gradients::None)
    return success();
  bool ofAll = which == nn::Gradients::All;
  nn::MeshAttr mesh = nn::meshOf(module);
  auto functions = module.getOps<nn::FuncOp>();
  if (!mesh || !llvm::hasSingleElement(functions))
    return module.emitError(
        "the backward is made of a placed module with one function");
  nn::FuncOp func = *functions.begin();
  nn::addLse(func.getBody().front());
  if (failed(differentiation::Backward(func, mesh).run(ofAll)))
    return failure();
  // Statistics of a norm serve its input and its weight.
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(func);
  eliminateCommonSubExpressions(rewriter, dominance, func);
  nn::dropUnreadLse(func.getBody().front());
  return failure(failed(placement::checkGradientBuckets(module)) ||
                 failed(placement::checkBackward(module)));
}

namespace {
struct DifferentiatePass
    : PassWrapper<DifferentiatePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DifferentiatePass)
  StringRef getArgument() const override { return "hocket-differentiate"; }
  StringRef getDescription() const override {
    return "extend the placed function by its backward";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<nn::NnDialect>();
  }
  void runOnOperation() override {
    if (failed(differentiate(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void hocket::registerDifferentiatePass() {
  PassRegistration<DifferentiatePass>();
}
