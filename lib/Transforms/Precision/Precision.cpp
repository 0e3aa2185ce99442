//===- Precision.cpp - computing in a narrower type, its pass -------------===//

#include "hocket/Transforms/Precision.h"
#include "Rewriter.h"
#include "dialects/Nn/Program.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace hocket;

static FloatType typeOf(DictionaryAttr precision, StringRef key) {
  return cast<FloatType>(precision.getAs<TypeAttr>(key).getValue());
}

LogicalResult hocket::applyPrecision(ModuleOp module) {
  nn::ModelOp model = nn::modelOf(module);
  if (!model || !model.isNarrow())
    return success();
  precision::Types types{typeOf(model.getPrecision(), "compute"),
                         typeOf(model.getPrecision(), "reduce"),
                         model.getTarget()};
  auto functions = module.getOps<nn::FuncOp>();
  if (!nn::placementOf(module) || !llvm::hasSingleElement(functions))
    return module.emitError(
        "a precision is given to a placed module with one function");
  precision::Rewriter(*functions.begin(), types).run();
  return success();
}

namespace {
struct PrecisionPass : PassWrapper<PrecisionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrecisionPass)
  StringRef getArgument() const override { return "hocket-precision"; }
  StringRef getDescription() const override {
    return "compute a placed program in the narrower type that nn.model says";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<nn::NnDialect>();
  }
  void runOnOperation() override {
    if (failed(applyPrecision(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void hocket::registerPrecisionPass() { PassRegistration<PrecisionPass>(); }
