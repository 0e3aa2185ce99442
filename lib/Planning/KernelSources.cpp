//===- KernelSources.cpp - what kernels of a plan are made from -----------===//

#include "KernelSources.h"
#include "dialects/Nn/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// A module with a function of the kernel's inputs that does nothing else.
static std::string textOf(spmd::KernelOp op) {
  OpBuilder builder(op.getContext());
  Location nowhere = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(nowhere);
  builder.setInsertionPointToEnd(module->getBody());
  ArrayAttr none = builder.getArrayAttr({});
  nn::PlacementOp::create(builder, nowhere, "", nn::meshOf(op), none, none,
                          none, none);
  auto func = func::FuncOp::create(
      builder, nowhere, "kernel",
      builder.getFunctionType(op.getInputs().getTypes(), op.getResultTypes()));
  Block *entry = func.addEntryBlock();
  IRMapping inputs;
  for (auto [index, argument] : llvm::enumerate(entry->getArguments()))
    inputs.map(op.getInputs()[index], argument);
  builder.setInsertionPointToEnd(entry);
  // One value may be several inputs.
  Operation *kernel = builder.clone(*op, inputs);
  kernel->setOperands(entry->getArguments());
  func::ReturnOp::create(builder, nowhere, kernel->getResults());
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

static std::vector<std::vector<int64_t>>
listOf(ArrayRef<SmallVector<int64_t>> lists) {
  std::vector<std::vector<int64_t>> result;
  for (const SmallVector<int64_t> &list : lists)
    result.emplace_back(list.begin(), list.end());
  return result;
}

void KernelSources::add(spmd::KernelOp op,
                        const codegen::KernelRequest &request,
                        const codegen::KernelInfo &info) {
  std::vector<std::string> symbols{info.symbol};
  for (const codegen::KernelTable &table : info.tables)
    symbols.push_back(table.symbol);
  if (!known.insert(symbols).second)
    return;
  plan::KernelSource &source = plan.kernels.emplace_back();
  source.symbol = info.symbol;
  source.tables.assign(symbols.begin() + 1, symbols.end());
  SmallVector<StringRef> lines;
  std::string text = textOf(op);
  StringRef(text).rtrim('\n').split(lines, '\n');
  for (StringRef line : lines)
    source.text.push_back(line.str());
  source.inputStrides = listOf(request.inputStrides);
  source.outputStrides = listOf(request.outputStrides);
  source.inputAlignments.assign(request.inputAlignments.begin(),
                                request.inputAlignments.end());
  source.outputAlignments.assign(request.outputAlignments.begin(),
                                 request.outputAlignments.end());
  for (auto [input, output] : request.inPlace)
    source.inPlace.push_back({input, output});
}

void KernelSources::addHook(const std::string &name, const std::string &file) {
  for (const plan::HookSource &hook : plan.hooks)
    if (hook.name == name)
      return;
  plan.hooks.push_back({name, file});
}
