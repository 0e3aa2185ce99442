//===- hocket-opt.cpp - mlir-opt with Hocket's dialects and passes --------===//

#include "hocket/Pipeline/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hocket::registerDialects(registry);
  hocket::registerPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Hocket: run passes on a stage's IR\n", registry));
}
