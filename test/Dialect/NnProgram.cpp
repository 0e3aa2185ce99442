//===- NnProgram.cpp - one nn operation from text, its rule as text -------===//

#include "NnProgram.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

static std::string typeText(const std::string &text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(text).split(words, ' ');
  std::string shape, layout;
  for (llvm::StringRef dim : llvm::drop_begin(words)) {
    llvm::SmallVector<llvm::StringRef> factors;
    dim.split(factors, '*');
    int64_t size = 1;
    for (llvm::StringRef factor : factors)
      size *= std::stoll(factor.substr(factor.rfind('=') + 1).str());
    shape += std::to_string(size) + "x";
    layout += "[" + llvm::join(factors, " ") + "]";
  }
  return "tensor<" + shape + words.front().str() + ", #nn.layout<" + layout +
         ">>";
}

test::NnProgram::NnProgram(const std::string &op,
                           const std::vector<std::string> &operands,
                           const std::string &result) {
  context.loadDialect<func::FuncDialect, NnDialect>();
  std::string arguments, types;
  for (auto [index, text] : llvm::enumerate(operands)) {
    std::string separator = index ? ", " : "";
    arguments +=
        separator + "%" + std::to_string(index) + ": " + typeText(text);
    types += separator + typeText(text);
  }
  llvm::SmallVector<llvm::StringRef> results;
  llvm::StringRef(result).split(results, "; ");
  auto list = llvm::map_to_vector(
      results, [](llvm::StringRef each) { return typeText(each.str()); });
  std::string text = "func.func @f(" + arguments + ") {\n " + op + " : (" +
                     types + ") -> (" + llvm::join(list, ", ") +
                     ")\n return\n}";
  module = parseSourceString<ModuleOp>(text, &context);
  if (module)
    operation = &cast<func::FuncOp>(module->getBody()->front()).front().front();
}

PlacementRule test::NnProgram::rule() const {
  return cast<PlacedOp>(operation).getPlacementRule();
}

static const char *wordFor(PartialUse use) {
  switch (use) {
  case PartialUse::Refused:
    return "refused";
  case PartialUse::Linear:
    return "linear";
  case PartialUse::Addend:
    return "addend";
  case PartialUse::Monotone:
    return "monotone";
  case PartialUse::Maximal:
    return "maximal";
  case PartialUse::Minimal:
    return "minimal";
  case PartialUse::Any:
    return "any";
  }
  return "";
}

static std::string wordFor(const PlacementRule::Factor &factor) {
  switch (factor.use) {
  case FactorUse::Pointwise:
    return "";
  case FactorUse::Contracted:
    return " " + stringifyReduction(factor.reduction).str();
  case FactorUse::Whole:
    return " whole";
  case FactorUse::Statistics:
    return " statistics";
  }
  return "";
}

static std::string dimsText(const PlacementRule::Value &value) {
  std::string text;
  for (auto [index, dim] : llvm::enumerate(value.dims)) {
    text += "[";
    llvm::raw_string_ostream os(text);
    llvm::interleave(dim, os, ",");
    os << "]";
    if (!value.multiplicity.empty() && value.multiplicity[index] != 1)
      os << "x" << value.multiplicity[index];
  }
  return text;
}

std::string test::toText(const PlacementRule &rule) {
  std::string text;
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    text += (index ? "  " : "") + std::to_string(index) + ":" + factor.name +
            (factor.name.empty() ? "" : "=") + std::to_string(factor.size) +
            wordFor(factor);
  text += " |";
  for (const PlacementRule::Value &value : rule.operands)
    text += std::string(" ") + wordFor(value.partial) + " " + dimsText(value);
  text += " |";
  for (const PlacementRule::Value &value : rule.results)
    text += " " + dimsText(value);
  return text;
}

std::string test::ruleOf(const std::string &op,
                         const std::vector<std::string> &operands,
                         const std::string &result) {
  NnProgram program(op, operands, result);
  return program.op() ? toText(program.rule()) : "refused";
}

std::string test::reasonsOf(const std::string &op,
                            const std::vector<std::string> &operands,
                            const std::string &result) {
  NnProgram program(op, operands, result);
  if (!program.op())
    return "refused";
  PlacementRule rule = program.rule();
  std::string text = rule.reason;
  for (const PlacementRule::Factor &factor : rule.factors)
    if (!factor.reason.empty())
      text += "; " + factor.reason;
  return text;
}

LayoutAttr test::parseLayout(MLIRContext &context, const std::string &text) {
  context.loadDialect<NnDialect>();
  return dyn_cast_or_null<LayoutAttr>(
      parseAttribute("#nn.layout<" + text + ">", &context));
}
