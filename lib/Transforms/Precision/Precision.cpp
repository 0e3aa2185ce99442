//===- Precision.cpp - computing in a narrower type, its pass -------------===//

#include "hocket/Transforms/Precision.h"
#include "Rewriter.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace hocket;

static FloatType typeOf(DictionaryAttr precision, StringRef key) {
  auto type = precision.getAs<TypeAttr>(key);
  return type ? dyn_cast<FloatType>(type.getValue()) : FloatType();
}

LogicalResult hocket::applyPrecision(ModuleOp module) {
  auto precision = module->getAttrOfType<DictionaryAttr>(kPrecision);
  if (!precision)
    return success();
  precision::Types types{typeOf(precision, "compute"),
                         typeOf(precision, "reduce")};
  bool isNarrow =
      types.compute && (types.compute.isBF16() || types.compute.isF16());
  if (!isNarrow || !types.reduce ||
      (types.reduce != types.compute && !types.reduce.isF32()))
    return module.emitError()
           << "expected {compute = bf16 or f16, reduce = f32 or the same} in "
              "nn.precision, found "
           << precision;
  auto functions = module.getOps<func::FuncOp>();
  if (!module->hasAttr("nn.mesh") || !llvm::hasSingleElement(functions))
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
    return "compute a placed program in the narrower type of nn.precision";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<nn::NnDialect, func::FuncDialect>();
  }
  void runOnOperation() override {
    if (failed(applyPrecision(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void hocket::registerPrecisionPass() { PassRegistration<PrecisionPass>(); }
