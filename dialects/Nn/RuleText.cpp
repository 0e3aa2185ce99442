//===- RuleText.cpp - a placement rule as an einsum-like text -------------===//

#include "dialects/Nn/RuleText.h"
#include "dialects/Nn/Nn.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// By factor: its name, with a number where it has none or another one has it
/// already.
static std::vector<std::string> namesOf(const PlacementRule &rule) {
  std::vector<std::string> names;
  for (auto [number, factor] : llvm::enumerate(rule.factors)) {
    std::string name = factor.name.empty() ? "f" : factor.name;
    if (factor.name.empty() || llvm::is_contained(names, name))
      name += std::to_string(number);
    names.push_back(name);
  }
  return names;
}

static StringRef partialText(PartialUse use) {
  switch (use) {
  case PartialUse::Refused:
    return "";
  case PartialUse::Linear:
    return " linear";
  case PartialUse::Addend:
    return " addend";
  case PartialUse::Monotone:
    return " monotone";
  case PartialUse::Maximal:
    return " maximal";
  case PartialUse::Minimal:
    return " minimal";
  case PartialUse::Any:
    return " any";
  }
  return "";
}

static std::string dimText(ArrayRef<int> factors, int64_t multiplicity,
                           const std::vector<std::string> &names) {
  std::vector<std::string> parts;
  if (multiplicity != 1)
    parts.push_back(std::to_string(multiplicity));
  for (int factor : factors)
    parts.push_back(factor < 0 ? "1" : names[factor]);
  if (parts.size() == 1)
    return parts.front();
  return parts.empty() ? "1" : "(" + llvm::join(parts, " ") + ")";
}

static std::string valueText(const PlacementRule::Value &value,
                             const std::vector<std::string> &names) {
  std::vector<std::string> dims;
  for (auto [number, factors] : llvm::enumerate(value.dims)) {
    bool isOne = number >= value.multiplicity.size();
    dims.push_back(
        dimText(factors, isOne ? 1 : value.multiplicity[number], names));
  }
  std::string text = "[" + llvm::join(dims, ", ") + "]";
  text += partialText(value.partial);
  for (int factor : value.picks)
    text += " picks " + names[factor];
  for (unsigned operand : value.ignores)
    text += " ignores operand #" + std::to_string(operand);
  return text + (value.isLike ? " like" : "");
}

static std::string valuesText(ArrayRef<PlacementRule::Value> values,
                              const std::vector<std::string> &names) {
  return llvm::join(llvm::map_range(values,
                                    [&](const PlacementRule::Value &value) {
                                      return valueText(value, names);
                                    }),
                    ", ");
}

/// What splitting it does besides; empty for a pointwise factor.
static std::string useText(const PlacementRule::Factor &factor,
                           StringRef name) {
  std::string reason = factor.reason.empty() ? "" : ": " + factor.reason;
  switch (factor.use) {
  case FactorUse::Pointwise:
    return "";
  case FactorUse::Contracted:
    return (stringifyReduction(factor.reduction) + " over " + name).str();
  case FactorUse::Whole:
    return "whole " + name.str() + reason;
  case FactorUse::Statistics:
    return "statistics over " + name.str() + reason;
  }
  return "";
}

std::string nn::ruleText(const PlacementRule &rule) {
  std::vector<std::string> names = namesOf(rule);
  std::string text = valuesText(rule.operands, names) + " -> " +
                     valuesText(rule.results, names);
  auto add = [&](const std::string &line) {
    if (!line.empty())
      text += "\n  " + line;
  };
  for (auto [factor, name] : llvm::zip_equal(rule.factors, names)) {
    add(useText(factor, name));
    if (factor.window)
      add("halo of " + name);
    if (factor.windowsOf >= 0)
      add(name + " counts windows over " + names[factor.windowsOf]);
  }
  if (!rule.reason.empty())
    add("refuses partial sums: " + rule.reason);
  return text;
}
