//===- ReferenceCase.cpp - evaluates IR from text in the reference --------===//

#include "ReferenceCase.h"
#include "dialects/Nn/Nn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <regex>

using namespace mlir;

namespace hocket::test {

Tensor wave(std::vector<int64_t> shape, double phase) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Values values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = std::sin(phase + 0.7 * i);
  return {shape, values};
}

std::string typeOf(const std::string &text) {
  std::string layout =
      std::regex_replace(text, std::regex("(bf|f|i)[0-9]+$"), "");
  layout = std::regex_replace(layout, std::regex("([0-9]+)x"), "[$1]");
  return "tensor<" + text + ", #nn.layout<" + layout + ">>";
}

/// Replaces each !2x3xf32 by its type.
static std::string withTypes(const std::string &text) {
  std::regex shorthand("!((?:[0-9]+x)*(?:bf16|[fi][0-9]+))");
  std::string result;
  auto at = text.begin();
  for (std::sregex_iterator match(text.begin(), text.end(), shorthand), end;
       match != end; ++match) {
    result.append(at, (*match)[0].first);
    result += typeOf((*match)[1]);
    at = (*match)[0].second;
  }
  return result.append(at, text.end());
}

Outcome evaluateText(const std::string &function,
                     const std::vector<Tensor> &inputs,
                     const reference::Parameters &parameters) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, nn::NnDialect>();
  Outcome outcome;
  auto module = parseSourceString<ModuleOp>(withTypes(function), &context);
  if (!module) {
    outcome.error = "refused by the dialect";
    return outcome;
  }
  auto func = *module->getOps<func::FuncOp>().begin();
  bool succeeded = mlir::succeeded(reference::evaluate(
      func, parameters, inputs, outcome.outputs, outcome.error));
  EXPECT_EQ(succeeded, outcome.error.empty());
  return outcome;
}

Outcome evaluateOp(const std::string &op,
                   const std::vector<std::string> &operandTypes,
                   const std::string &resultType,
                   const std::vector<Tensor> &inputs) {
  std::string arguments, types;
  for (size_t at = 0; at < operandTypes.size(); ++at) {
    std::string separator = at ? ", " : "";
    arguments +=
        separator + "%" + std::to_string(at) + ": !" + operandTypes[at];
    types += separator + "!" + operandTypes[at];
  }
  return evaluateText("func.func @f(" + arguments + ") -> !" + resultType +
                          " { %r = " + op + " : (" + types + ") -> !" +
                          resultType + " return %r : !" + resultType + " }",
                      inputs);
}

void expectClose(const Outcome &outcome, const Values &expected) {
  ASSERT_EQ(outcome.error, "");
  Values values = outcome.values();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t at = 0; at < values.size(); ++at)
    EXPECT_NEAR(values[at], expected[at], 1e-13) << "element " << at;
}

} // namespace hocket::test
