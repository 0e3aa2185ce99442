//===- PrintRules.cpp - hocket-opt --print-rules --------------------------===//

#include "PrintRules.h"
#include "dialects/Nn/Nn.h"
#include "dialects/Nn/RuleText.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;
using namespace hocket;

/// Those with a rule that `seen` lacks are reported, those without are printed.
static bool printOthers(MLIRContext &context,
                        const std::set<std::string> &seen) {
  bool areAllSeen = true;
  std::set<std::string> ruleless;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "nn")
      continue;
    std::string text = name.getStringRef().str();
    if (!name.hasInterface<nn::PlacedOp>())
      ruleless.insert(text);
    else if (!seen.count(text)) {
      llvm::errs() << "error: no example of '" << text
                   << "', which has a placement rule\n";
      areAllSeen = false;
    }
  }
  llvm::outs() << "without a rule:";
  for (const std::string &name : ruleless)
    llvm::outs() << " " << name;
  llvm::outs() << "\n";
  return areAllSeen;
}

bool hocket::printRules(ArrayRef<std::string> paths,
                        const DialectRegistry &registry) {
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.allowUnregisteredDialects();
  std::set<std::string> texts, seen;
  for (const std::string &path : paths) {
    llvm::SourceMgr sources;
    SourceMgrDiagnosticHandler handler(sources, &context);
    OwningOpRef<ModuleOp> module =
        parseSourceFile<ModuleOp>(path, sources, &context);
    if (!module)
      return false;
    module->walk([&](nn::PlacedOp op) {
      std::string name = op->getName().getStringRef().str();
      std::string text = name + ": " + nn::ruleText(op.getPlacementRule());
      seen.insert(name);
      if (texts.insert(text).second)
        llvm::outs() << text << "\n";
    });
  }
  return printOthers(context, seen);
}
