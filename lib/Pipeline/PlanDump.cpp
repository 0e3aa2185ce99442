//===- PlanDump.cpp - a plan that was printed -----------------------------===//

#include "PlanDump.h"
#include "DumpCheck.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;

std::optional<PlanDump> PlanDump::read(const std::string &path,
                                       const std::string &text,
                                       MLIRContext *context, std::string &why) {
  PlanDump dump;
  if (!plan::fromJson(text, dump.plan, why)) {
    llvm::StringRef reason = why;
    reason.consume_front("plan: ");
    why = "'" + path + "' is no plan: " + reason.str();
    return std::nullopt;
  }
  for (const plan::KernelSource &kernel : dump.plan.kernels) {
    std::string text;
    for (const std::string &line : kernel.text)
      text += line + "\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        text, ParserConfig(context), path + ", kernel " + kernel.symbol);
    if (!module || failed(checkKernelText(*module)))
      return std::nullopt;
    dump.kernels.push_back(std::move(module));
  }
  return dump;
}

std::optional<CompiledProgram>
PlanDump::compile(const codegen::CodeGenOptions &options,
                  codegen::KernelCache *cache, std::string &why) {
  std::vector<ModuleOp> modules;
  for (OwningOpRef<ModuleOp> &kernel : kernels)
    modules.push_back(*kernel);
  return makeProgram(plan, modules, options, cache, why);
}
