//===- GradientsTest.cpp - operations of the backward ---------------------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hocket::test;

// The table's row 2 is read twice, row 1 never.
TEST(ReferenceGradients, RowsOfRepeatedIdsAddUp) {
  expectClose(evaluateOp("nn.embedding_grad %0, %1", {"2x2xi32", "2x2x2xf32"},
                         "4x2xf32",
                         {{{2, 2}, {2, 0, 3, 2}},
                          {{2, 2, 2}, {1, 2, 3, 4, 5, 6, 70, 80}}}),
              {3, 4, 0, 0, 71, 82, 5, 6});
}

TEST(ReferenceGradients, IdsOutsideOfTheTable) {
  EXPECT_EQ(evaluateOp("nn.embedding_grad %0, %1", {"2xi32", "2x2xf32"},
                       "4x2xf32", {{{2}, {1, 4}}, wave({2, 2})})
                .error,
            "nn.embedding_grad: id 4 (number 1 of 2) is outside of the table, "
            "which has 4 rows: 0 to 3");
}

TEST(ReferenceGradients, InverseRotaryUndoesRotary) {
  for (const char *style : {"half", "interleaved"}) {
    std::string with = std::string("{dim = 1 : i64, base = 100.0 : f64, "
                                   "style = #nn.rotary_style<") +
                       style + ">";
    Tensor x = wave({2, 3, 4});
    Outcome turned = evaluateOp("nn.rotary %0 " + with + "}", {"2x3x4xf32"},
                                "2x3x4xf32", {x});
    ASSERT_EQ(turned.error, "");
    EXPECT_NE(turned.values(), x.values);
    expectClose(evaluateOp("nn.rotary %0 " + with + ", inverse = true}",
                           {"2x3x4xf32"}, "2x3x4xf32", turned.outputs),
                x.values);
  }
}

TEST(ReferenceGradients, LogSumExp) {
  Tensor x = wave({2, 3, 2});
  Values expected;
  for (int i : {0, 1, 6, 7})
    expected.push_back(std::log(std::exp(x.values[i]) +
                                std::exp(x.values[i + 2]) +
                                std::exp(x.values[i + 4])));
  std::string op = "nn.log_sum_exp %0 {dim = 1 : i64}";
  expectClose(evaluateOp(op, {"2x3x2xf32"}, "2x2xf32", {x}), expected);
  for (double &value : x.values)
    value += 1000;
  for (double &value : expected)
    value += 1000;
  Values large = evaluateOp(op, {"2x3x2xf32"}, "2x2xf32", {x}).values();
  ASSERT_EQ(large.size(), expected.size());
  for (size_t i = 0; i < large.size(); ++i)
    EXPECT_NEAR(large[i], expected[i], 1e-12);
}

TEST(ReferenceGradients, LogSumExpOfInfinities) {
  Values found =
      evaluateOp("nn.log_sum_exp %0 {dim = 1 : i64}", {"2x2xf32"}, "2xf32",
                 {{{2, 2}, {-INFINITY, -INFINITY, INFINITY, 1}}})
          .values();
  EXPECT_EQ(found, (Values{-INFINITY, INFINITY}));
}

namespace {
/// attention_grad of 4 query heads and 2 kv heads, and of operand 4, by the
/// text of what reads it.
struct AttentionCase {
  std::vector<Tensor> inputs = {wave({1, 4, 3, 3}), wave({1, 2, 3, 3}, 1),
                                wave({1, 2, 3, 2}, 2), wave({1, 4, 3, 2}, 3)};
  std::vector<std::string> types = {"1x4x3x3xf32", "1x2x3x3xf32", "1x2x3x2xf32",
                                    "1x4x3x2xf32"};
  std::string attributes, mask;

  /// A type of the mask for each time that it is read.
  std::string maskTypes() const {
    std::string list;
    for (char letter : mask)
      list += letter == '%' ? ", !" + types[4] : "";
    return list;
  }

  /// sum of attention's result times the last input.
  double objective() const {
    std::vector<Tensor> operands(inputs.begin(), inputs.begin() + 3);
    std::vector<std::string> given(types.begin(), types.begin() + 3);
    std::string text = mask;
    for (size_t at = text.find('%'); at != std::string::npos;
         at = text.find('%', at + 1)) {
      text[at + 1] = char('0' + operands.size());
      operands.push_back(inputs[4]);
      given.push_back(types[4]);
    }
    Values out = evaluateOp("nn.attention %0, %1, %2" + text + attributes,
                            given, types[3], operands)
                     .values();
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i)
      sum += out[i] * inputs[3].values[i];
    return sum;
  }

  void check() {
    std::string text = "func.func @f(";
    for (size_t i = 0; i < types.size(); ++i)
      text += (i ? ", %" : "%") + std::to_string(i) + ": !" + types[i];
    std::string results = "!" + types[0] + ", !" + types[1] + ", !" + types[2];
    std::string out = "!" + types[3] + ", !1x4x3xf32";
    std::string operands = results;
    std::string kept = maskTypes();
    text += ") -> (" + results + ") { %o, %l = nn.attention %0, %1, %2" + mask +
            attributes + " : (" + operands + kept + ") -> (" + out +
            ") %r:3 = nn.attention_grad %0, %1, %2, %3, %o, %l" + mask +
            attributes + " : (" + operands + ", !" + types[3] + ", " + out +
            kept + ") -> (" + results +
            ") return %r#0, %r#1, %r#2 : " + results + " }";
    Outcome outcome = evaluateText(text, inputs);
    ASSERT_EQ(outcome.error, "");
    ASSERT_EQ(outcome.outputs.size(), 3u);
    const double h = 1e-6;
    for (int operand : {0, 1, 2})
      for (size_t i = 0; i < inputs[operand].values.size(); ++i) {
        double &value = inputs[operand].values[i], was = value;
        value = was + h;
        double above = objective();
        value = was - h;
        double below = objective();
        value = was;
        EXPECT_NEAR(outcome.outputs[operand].values[i],
                    (above - below) / (2 * h), 1e-8)
            << "operand " << operand << " element " << i;
      }
  }
};
} // namespace

TEST(ReferenceGradients, AttentionAgreesWithCentralDifferences) {
  for (const char *causal : {"", ", causal = true"}) {
    AttentionCase one;
    one.attributes = std::string(" {scale = 0.5 : f64") + causal + "}";
    one.check();
    // Query 0 sees no key in the causal case.
    one.mask = ", %4";
    one.inputs.push_back({{1, 3}, {0, 1, 1}});
    one.types.push_back("1x3xi1");
    one.check();
    one.mask = " documents %4, %4";
    one.inputs.back() = {{1, 3}, {7, -2, 7}};
    one.types.back() = "1x3xi32";
    one.check();
  }
}
