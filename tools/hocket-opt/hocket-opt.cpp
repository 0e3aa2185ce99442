//===- hocket-opt.cpp - mlir-opt with Hocket's dialects and passes --------===//

#include "PrintRules.h"
#include "hocket/Pipeline/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hocket::registerDialects(registry);
  if (argc > 2 && llvm::StringRef(argv[1]) == "--print-rules") {
    std::vector<std::string> paths(argv + 2, argv + argc);
    return hocket::printRules(paths, registry) ? 0 : 1;
  }
  hocket::registerPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Hocket: run passes on a stage's IR\n", registry));
}
